import type { Awaitable } from "../../../../generated/support.ts";
import { AuthError } from "../errors.ts";
import { requireEndpoint } from "../discovery/metadata.ts";
import { quoteIssuers } from "../../common/quote-issuer.ts";
import { toPurpose, type Grant } from "./grant.ts";

/** Authorization server and resource of an assertion. */
export interface AssertionAudience {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
}

/** Authorization servers that trust the platform of a workload, and its assertions. */
export interface WorkloadIdentityOptions {
  /** Authorization servers which accept assertions of the platform, as they write their issuer. Assertions are sent to no other server. */
  readonly issuers: readonly string[];
  /** Returns the JWT issued by the platform to the workload. It is called for each token request, because such tokens are short-lived. */
  readonly assertion: (audience: AssertionAudience) => Awaitable<string>;
  /** Client id, if the authorization servers require one. Default: no client id is sent. */
  readonly clientId?: string;
  /** Scopes to request if the server's challenge names none. Default: the scopes listed in its metadata. */
  readonly scopes?: readonly string[];
}

/**
 * Creates a grant for a workload with an assertion of its platform. A rejection is final: the request is not retried and no other grant is tried.
 *
 * @throws {AuthError} when `issuers` is empty.
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { createOAuthProvider, workloadIdentity } from "mcp-server-runtime/auth/client";
 *
 * const grant = workloadIdentity({
 *   issuers: ["https://login.example.com"],
 *   assertion: () => readFile("/var/run/secrets/tokens/mcp", "utf8"),
 * });
 * const auth = createOAuthProvider("https://mcp.example.com/mcp", { grant });
 * ```
 */
export function workloadIdentity({ assertion, clientId = "", issuers, scopes }: WorkloadIdentityOptions): Grant {
  checkIssuers(issuers);
  return {
    scopes,
    wantsRefresh: false,
    issuers,
    async obtain({ discovery: { server, resource }, endpoint, scopes: requested }) {
      if (!issuers.includes(server.issuer)) throw unknownIssuer(server.issuer, issuers);
      const { href: tokenEndpoint } = requireEndpoint(server, "token_endpoint", endpoint.requester.rules);
      const audience = { issuer: server.issuer, tokenEndpoint, resource };
      const parameters = { assertion: await assertion(audience), ...toPurpose(resource, requested) };
      const identity = { clientId, method: "none" } as const;
      return endpoint.obtain({ server, identity, grantType: jwtBearer, parameters }, { resource, requested });
    },
    findHolder: async () => undefined,
  };
}

/**
 * With an empty list, the workload could not authorize anywhere. The check at run time is for untyped callers.
 */
function checkIssuers(issuers: readonly string[] | undefined): void {
  if (issuers !== undefined && issuers.length > 0) return;
  throw new AuthError(
    "configuration",
    "The option workloadIdentity has no issuers; list the accepted authorization servers",
  );
}

/** The server chooses its authorization server, so the client must not send an assertion to one the application did not name. */
function unknownIssuer(issuer: string, issuers: readonly string[]): AuthError {
  return new AuthError(
    "no-client",
    `${issuer} is not one of the issuers of workloadIdentity (${quoteIssuers(issuers)}); no assertion is sent`,
  );
}

/** Grant type to exchange a signed assertion for a token. */
export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
