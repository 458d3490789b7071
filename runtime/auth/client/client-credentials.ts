import { toPurpose, type Grant, type GrantRequest } from "./grant.ts";
import { AuthError } from "./errors.ts";
import type { RegisteredClient } from "./registration.ts";

/** How a program without a user identifies itself. */
export interface ClientCredentialsOptions {
  /** Where the client is registered, with its secret or its key. The issuer decides which of them is used. */
  readonly registered: readonly RegisteredClient[];
  /** Scopes to ask for where the server's challenge names none. Default: what its metadata lists. */
  readonly scopes?: readonly string[];
}

/**
 * A program acts for itself, with a secret or a signed assertion.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
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

/** What was registered at this issuer. Throws when nothing was: what another issuer gave is not shown to it. */
export function findRegistered(
  registered: readonly RegisteredClient[],
  { discovery: { server } }: Pick<GrantRequest, "discovery">,
): RegisteredClient {
  const found = registered.find(({ issuer }) => issuer === server.issuer);
  if (found) return found;
  throw new AuthError(
    "no-client",
    `The client is not registered at ${server.issuer}, which issues the tokens of this server`,
  );
}
