import { SetupError } from "../../jsonrpc/errors.ts";
import type { Guard } from "../../transport/http-server/identity.ts";
import type { Claims } from "./claims.ts";
import { BearerAuthenticator } from "./bearer-authenticator.ts";
import { checkUrl, createDocuments, toMetadataUrl, type ResourceDescription } from "./metadata.ts";
import type { ProofOptions } from "./proof.ts";
import { challengeScopes, toHttpResponse, toDenied, type ChallengeStyle, type DeniedRequest } from "./denials.ts";
import { checkScopeNames, type ScopeHierarchy } from "./scopes.ts";
import type { VerifyToken } from "./verify-token.ts";

/** Options of `requireBearerToken`. */
export interface TokenOptions {
  /** URL of the server, as clients use it. Tokens must be issued for it, and the path of the metadata derives from it. */
  readonly resource: string;
  /** Issuers whose tokens are accepted, exactly as the authorization servers write them. */
  readonly issuer: string | readonly string[];
  /** Returns the claims of a token: `verifyJwt` of the jose adapter, `introspectTokens`, or a custom function. */
  readonly verify: VerifyToken;
  /** Accepted audiences of tokens. Default: the resource only. */
  readonly audience?: string | readonly string[];
  /** Scopes that every request needs. Tools, resources and prompts may need more. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that include other scopes. Default: each scope includes only itself. */
  readonly hierarchy?: ScopeHierarchy;
  /** Seconds by which clocks may differ. Default 60. */
  readonly clockSkew?: number;
  /** Maximum length of a token in characters. Longer tokens are rejected. Default 8192. */
  readonly maxTokenLength?: number;
  /**
   * Milliseconds for which a verified token is not verified again. Its times and audience are checked on every request, but the revocation of the
   * token or its key is noticed only afterwards. Default 60 s.
   */
  readonly remember?: number;
  /** Enables clients to prove possession of a token (DPoP). Default: tokens that are bound to a key are rejected. */
  readonly dpop?: ProofOptions;
  /** Additional members of the metadata document. */
  readonly metadata?: ResourceDescription;
  /** Returns the principal of a token. `undefined` rejects the token. Default: issuer and subject, or issuer and client if there is no subject. */
  readonly toPrincipal?: (claims: Claims) => string | undefined;
  /** Called for every rejected request. */
  readonly onDenied?: (denied: DeniedRequest) => void;
  /** Called with the reason if a token could not be checked. Default: the reason is not reported. */
  readonly onError?: (error: unknown) => void;
  /** Clock in milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
}

/**
 * Creates a guard that accepts requests with an access token for this server. Other requests get a challenge that says how to obtain one. Handlers
 * find the principal, `scopes` and the claims in `context.auth`, but never the token, which is for this server only and must not be passed on.
 *
 * @throws {SetupError} when an option is not valid.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function requireBearerToken(options: TokenOptions): Guard {
  const { resource, scopes = [], dpop, metadata, onDenied } = options;
  const issuers = toList(options.issuer);
  checkUrl("resource", resource);
  for (const issuer of issuers) checkUrl("issuer", issuer);
  if (issuers.length === 0) throw new SetupError("issuer: name at least one, whose tokens are accepted.");
  checkScopeNames("scopes", [...scopes, ...(metadata?.scopes_supported ?? [])]);
  const style: ChallengeStyle = {
    metadataUrl: toMetadataUrl(resource).href,
    scopes,
    algorithms: dpop?.proofs.algorithms,
    isBoundOnly: dpop?.required === true,
  };
  const gate = new BearerAuthenticator(options, issuers, toList(options.audience ?? resource));
  return {
    async authenticate(head, reply) {
      const outcome = await gate.admit(head, reply);
      if (!("kind" in outcome)) return outcome;
      onDenied?.(toDenied(outcome, head));
      return toHttpResponse(outcome, style);
    },
    challengeScopes(needed, { principal }, head) {
      onDenied?.(toDenied({ kind: "insufficient", scopes: needed, principal }, head));
      return challengeScopes(needed, style);
    },
    documents: createDocuments(resource, {
      resource,
      authorization_servers: issuers,
      ...(scopes.length > 0 && { scopes_supported: scopes }),
      bearer_methods_supported: ["header"],
      ...(dpop && {
        dpop_signing_alg_values_supported: dpop.proofs.algorithms,
        dpop_bound_access_tokens_required: dpop.required === true,
      }),
      ...metadata,
    }),
  };
}

function toList(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}
