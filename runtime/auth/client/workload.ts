import type { Awaitable } from "../../../generated/support.ts";
import { AuthError } from "./errors.ts";
import { toPurpose, type Grant } from "./grant.ts";

/** What an assertion has to be for. */
export interface AssertionAudience {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly resource: string;
}

/** How a workload identifies itself. */
export interface WorkloadIdentityOptions {
  /** Authorization servers that accept assertions of the platform, as they write their issuer. No other one gets an assertion. */
  readonly issuers: readonly string[];
  /** The JWT that the platform gives the workload. Asked for anew each time: such tokens are short-lived. */
  readonly assertion: (audience: AssertionAudience) => Awaitable<string>;
  /** Where the authorization server wants to know the client as well. Default: it is not named. */
  readonly clientId?: string;
  /** Scopes to ask for where the server's challenge names none. Default: what its metadata lists. */
  readonly scopes?: readonly string[];
}

/**
 * A workload shows what its platform says about it. A refusal is final: it is neither repeated nor answered with another grant.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 */
export function workloadIdentity({ assertion, clientId = "", issuers, scopes }: WorkloadIdentityOptions): Grant {
  checkIssuers(issuers);
  return {
    scopes,
    wantsRefresh: false,
    issuers,
    async obtain({ discovery: { server, resource }, endpoint, scopes: requested }) {
      if (!issuers.includes(server.issuer)) throw describeStranger(server.issuer);
      const audience = { issuer: server.issuer, tokenEndpoint: server.tokenEndpoint?.href ?? "", resource };
      const parameters = { assertion: await assertion(audience), ...toPurpose(resource, requested) };
      const identity = { clientId, method: "none" } as const;
      return endpoint.obtain({ server, identity, grantType: jwtBearer, parameters }, { resource, requested });
    },
    findHolder: async () => undefined,
  };
}

/** An empty list would let the workload in nowhere. It is checked at run time for callers without types, which named no issuers before. */
function checkIssuers(issuers: readonly string[] | undefined): void {
  if (issuers !== undefined && issuers.length > 0) return;
  throw new AuthError("configuration", "workloadIdentity has no issuers; name the authorization servers it is for");
}

/** The server chooses its authorization server: an assertion must not go to one that the application did not name. */
function describeStranger(issuer: string): AuthError {
  return new AuthError("no-client", `${issuer} is not one of the issuers of workloadIdentity; it gets no assertion`);
}

/** The grant that takes a signed assertion for a token. */
export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
