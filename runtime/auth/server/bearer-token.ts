import { SetupError } from "../../jsonrpc/errors.ts";
import type { Guard } from "../../transport/http-server/identity.ts";
import { BearerAuthenticator } from "./bearer-authenticator.ts";
import { checkUrl, createDocuments, toMetadataUrl } from "./metadata.ts";
import { challengeScopes, toHttpResponse, toDeniedRequest, type ChallengeStyle } from "./challenge.ts";
import type { TokenOptions } from "./token-options.ts";
import type { AudienceSubstitute } from "./claims.ts";
import { checkScopeNames } from "../../server/scopes.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/**
 * Creates a guard for requests with an access token for this server. Other requests get a challenge, which says how to obtain one. Handlers find the
 * principal, `scopes` and the claims in `context.auth`, but never the token: it is for this server only and must not be passed on.
 *
 * @throws {SetupError} when an option is not valid.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { verifyJwt } from "mcp-server-runtime/adapters/jose";
 * import { requireBearerToken } from "mcp-server-runtime/auth/server";
 *
 * const authenticate = requireBearerToken({
 *   resource: "https://mcp.example.com/mcp", // the URL that clients use
 *   issuer: "https://login.example.com", // exactly as it names itself
 *   verify: verifyJwt(),
 *   scopes: ["notes:read"], // needed by every request
 * });
 * await serveHttp(server, { port: 3000, authenticate });
 * ```
 */
export function requireBearerToken(options: TokenOptions): Guard {
  checkNumbers(options, options.dpop);
  const { resource, scopes = [], scopePrefix = "", dpop, metadata, onDenied } = options;
  const issuers = toList(options.issuer);
  checkUrl("resource", resource);
  for (const issuer of issuers) checkUrl("issuer", issuer);
  if (issuers.length === 0) throw new SetupError("The option issuer is empty; list at least one accepted issuer");
  const requested = scopes.map((scope) => scopePrefix + scope);
  checkScopeNames("scopes", [...scopes, ...requested, ...(metadata?.scopes_supported ?? [])]);
  if (options.withoutAudience) checkSubstitute(options.withoutAudience);
  const style: ChallengeStyle = {
    metadataUrl: toMetadataUrl(resource).href,
    scopes,
    scopePrefix,
    algorithms: dpop?.proofs.algorithms,
    isBoundOnly: dpop?.required === true,
  };
  const gate = new BearerAuthenticator(options, issuers, toList(options.audience ?? toAudiences(resource)));
  return {
    async authenticate(head, reply) {
      const outcome = await gate.admit(head, reply);
      if (!("kind" in outcome)) return outcome;
      onDenied?.(toDeniedRequest(outcome, head));
      return toHttpResponse(outcome, style);
    },
    useCluster: (shared) => gate.useCluster(shared),
    watchRevocation: (identity, end) => gate.watchRevocation(identity, end),
    challengeScopes(needed, { principal }, head) {
      onDenied?.(toDeniedRequest({ kind: "insufficient", scopes: needed, principal }, head));
      return challengeScopes(needed, style);
    },
    documents: createDocuments(resource, {
      resource,
      authorization_servers: issuers,
      ...(scopes.length > 0 && { scopes_supported: requested }),
      bearer_methods_supported: ["header"],
      ...(dpop && {
        dpop_signing_alg_values_supported: dpop.proofs.algorithms,
        dpop_bound_access_tokens_required: dpop.required === true,
      }),
      ...metadata,
    }),
  };
}

/**
 * Returns the audiences of a resource. A URL without a path has two forms: clients which parse it request a token for the one with a slash.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-4.2.3
 */
function toAudiences(resource: string): readonly string[] {
  if (new URL(resource).pathname !== "/") return [resource];
  return [resource, resource.endsWith("/") ? resource.slice(0, -1) : `${resource}/`];
}

/** Scopes granted by issuers for every server. They are no evidence for the server a token is meant for. */
const sharedScopes: readonly string[] = [
  "openid",
  "profile",
  "email",
  "address",
  "phone",
  "offline_access",
  "aws.cognito.signin.user.admin",
];

/** @throws {SetupError} when a rule accepts nothing, or there is none. */
function checkSubstitute({ clients, scopes }: AudienceSubstitute): void {
  if (!clients && !scopes)
    throw new SetupError("The option withoutAudience has no rule; list the accepted clients, or scopes of this server");
  if (clients?.length === 0) throw new SetupError("withoutAudience.clients is empty; list at least one client");
  if (scopes?.length === 0) throw new SetupError("withoutAudience.scopes is empty; list at least one scope");
  const shared = scopes?.find((scope) => sharedScopes.includes(scope));
  if (shared !== undefined)
    throw new SetupError(
      `withoutAudience.scopes: ${shared} is granted for any server; list scopes of this server only`,
    );
}

function toList(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}
