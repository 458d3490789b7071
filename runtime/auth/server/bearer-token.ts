import { SetupError } from "../../jsonrpc/errors.ts";
import type { Guard } from "../../transport/http-server/identity.ts";
import type { Claims } from "./claims.ts";
import { BearerAuthenticator } from "./bearer-authenticator.ts";
import { checkUrl, createDocuments, toMetadataUrl, type ResourceDescription } from "./metadata.ts";
import type { ProofOptions } from "./proof.ts";
import { challengeScopes, toAnswer, toDenied, type ChallengeStyle, type DeniedRequest } from "./denials.ts";
import { checkScopeNames, type ScopeHierarchy } from "./scopes.ts";
import type { VerifyToken } from "./verify-token.ts";

/** Whose access tokens let clients in, and what they have to say. */
export interface TokenOptions {
  /** The URL of the server, as clients use it: tokens have to be meant for it, and metadata is found by it. */
  readonly resource: string;
  /** Issuers whose tokens are accepted, exactly as the authorization servers name themselves. */
  readonly issuer: string | readonly string[];
  /** Finds out what a token says: `verifyJwt` of the adapter for jose, `introspectTokens`, or a function of your own. */
  readonly verify: VerifyToken;
  /** What tokens name as their audience. Default: the resource, and nothing else. */
  readonly audience?: string | readonly string[];
  /** Scopes that every request needs. Tools, resources and prompts may need more. Default: none. */
  readonly scopes?: readonly string[];
  /** Scopes that include others. Default: each stands for itself. */
  readonly hierarchy?: ScopeHierarchy;
  /** Seconds by which clocks may differ. Default 60. */
  readonly clockSkew?: number;
  /** Characters of the longest token that is looked at. Default 8192. */
  readonly maxTokenLength?: number;
  /**
   * Milliseconds that a verified token need not be verified again: its times and its audience are checked always, but that it was revoked, or
   * its key, is noticed only then. Default 60 s.
   */
  readonly remember?: number;
  /** Lets clients prove that a token is theirs (DPoP). Default: tokens that are bound to a key are refused. */
  readonly dpop?: ProofOptions;
  /** More for the metadata document. */
  readonly metadata?: ResourceDescription;
  /** Names who a token stands for; `undefined` refuses it. Default: issuer and subject, or issuer and client where there is no subject. */
  readonly toPrincipal?: (claims: Claims) => string | undefined;
  /** Told of every request that is not let in. */
  readonly onDenied?: (denied: DeniedRequest) => void;
  /** Told why a token could not be checked. Default: nobody. */
  readonly onError?: (error: unknown) => void;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Lets in who shows an access token that was issued for this server, and tells everybody else how to get one. Handlers find in `context.auth`
 * who it is, `scopes` and the claims, never the token: it is for this server and is not to be passed on.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/authorization
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
      return toAnswer(outcome, style);
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
