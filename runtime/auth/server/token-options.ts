import type { Awaitable } from "../../../generated/support.ts";
import type { Revocations } from "../../stores/revocations.ts";
import type { AudienceSubstitute, Claims } from "./claims.ts";
import type { DeniedRequest } from "./challenge.ts";
import type { ResourceDescription } from "./metadata.ts";
import type { ProofOptions } from "./proof.ts";
import type { ScopeHierarchy } from "./scopes.ts";

/** Issuers whose tokens are accepted. */
export interface TrustedIssuers {
  /** Identifiers exactly as tokens name them. */
  readonly issuers: readonly string[];
}

/**
 * Returns the claims of a token. Returns `undefined` or throws a `TokenError` if the token is not trustworthy. Any other error means that the token
 * could not be checked, and the client gets status 503. Issuer, audience, times and scopes are checked afterwards, for every verifier.
 */
export type VerifyToken = (token: string, trust: TrustedIssuers) => Awaitable<Claims | undefined>;

/** Options of `requireBearerToken`. */
export interface TokenOptions {
  /** URL of the server, as clients use it. Tokens must be issued for it, and the path of the metadata derives from it. */
  readonly resource: string;
  /** Issuers whose tokens are accepted, exactly as the authorization servers write them. */
  readonly issuer: string | readonly string[];
  /** Returns the claims of a token: `verifyJwt` of the jose adapter, `introspectTokens`, or a custom function. */
  readonly verify: VerifyToken;
  /** Accepted audiences of tokens. Default: the resource only; for one without a path, with and without a slash at its end. */
  readonly audience?: string | readonly string[];
  /**
   * Check of tokens without `aud`, for issuers which name no audience in access tokens. A token with `aud` is checked against `audience`
   * nevertheless. Default: tokens without `aud` are rejected.
   */
  readonly withoutAudience?: AudienceSubstitute;
  /** Claims a token must have with exactly these values: `{ token_use: "access" }`. Default: none. */
  readonly requiredClaims?: Readonly<Record<string, string | number | boolean>>;
  /** Scopes needed by every request. Tools, resources and prompts may need more. Default: none. */
  readonly scopes?: readonly string[];
  /** Claims with scopes, each as a text with blanks or as a list: `["scp", "roles"]`. Default: `scope`, or `scp` in tokens without `scope`. */
  readonly scopeClaims?: readonly string[];
  /** Text clients put before a scope when they request it, if tokens name scopes without it: `api://notes/`. Default: none. */
  readonly scopePrefix?: string;
  /** Scopes and the other scopes they include. Default: each scope includes only itself. */
  readonly hierarchy?: ScopeHierarchy;
  /** Seconds by which clocks may differ. Default 60. With `revocations` or a cluster, at most 600. */
  readonly clockSkew?: number;
  /** Maximum length of a token in characters. Longer tokens are rejected. Default 8192. */
  readonly maxTokenLength?: number;
  /**
   * Milliseconds for which a verified token is not verified again. Its times and audience are checked on every request, but the revocation of the
   * token or its key at the issuer is noticed only afterwards. Default 60 s.
   */
  readonly remember?: number;
  /** Revoked principals and tokens: their requests are rejected, and their streams end. Default: those of the cluster. */
  readonly revocations?: Revocations;
  /** Enables clients to prove possession of a token (DPoP). Default: tokens bound to a key are rejected. */
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
