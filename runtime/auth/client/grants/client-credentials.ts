import { toPurpose, type Grant, type GrantRequest } from "./grant.ts";
import { AuthError } from "../errors.ts";
import { quoteIssuer, quoteIssuers } from "../../common/quote-issuer.ts";
import type { RegisteredClient } from "./registration.ts";

/** Registrations and scopes of a program acting for itself. */
export interface ClientCredentialsOptions {
  /** Registrations of the client, each with its secret or key. The issuer determines which of them is used. */
  readonly registered: readonly RegisteredClient[];
  /** Scopes to request if the server's challenge names none. Default: the scopes listed in its metadata. */
  readonly scopes?: readonly string[];
}

/**
 * Creates a grant for a program acting for itself, with a secret or a signed assertion.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 * @example
 * ```ts
 * import { clientCredentials, createOAuthProvider } from "mcp-server-runtime/auth/client";
 *
 * const clientSecret = process.env["CLIENT_SECRET"];
 * const registered = [{ issuer: "https://login.example.com", clientId: "nightly", clientSecret }];
 * const auth = createOAuthProvider("https://mcp.example.com/mcp", { grant: clientCredentials({ registered }) });
 * ```
 */
export function clientCredentials({ registered, scopes }: ClientCredentialsOptions): Grant {
  return {
    scopes,
    wantsRefresh: false,
    issuers: registered.map(({ issuer }) => issuer),
    obtain(request) {
      const { server, resource } = request.discovery;
      const identity = findRegistered(registered, request);
      const parameters = toPurpose(resource, request.scopes);
      const wish = { server, identity, grantType: "client_credentials", parameters };
      return request.endpoint.obtain(wish, { resource, requested: request.scopes });
    },
    findHolder: async (_tokens, request) => findRegistered(registered, request),
  };
}

/**
 * Returns the registration at the issuer. Credentials from another issuer are never sent to it.
 *
 * @throws {AuthError} when the client is not registered there.
 */
export function findRegistered(
  registered: readonly RegisteredClient[],
  { discovery: { server } }: Pick<GrantRequest, "discovery">,
): RegisteredClient {
  const found = registered.find(({ issuer }) => issuer === server.issuer);
  if (found) return found;
  throw new AuthError(
    "no-client",
    `The client is registered with ${quoteIssuers(registered.map(({ issuer }) => issuer))}, not with ${quoteIssuer(server.issuer)}`,
  );
}
