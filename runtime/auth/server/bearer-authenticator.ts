import { SetupError } from "../../jsonrpc/errors.ts";
import { revocationMargin, toTokenId, type RevocableSender, type Revocations } from "../../stores/revocations.ts";
import type { ClusterAccess, SharedParts } from "../../stores/shared-parts.ts";
import type { Exchange, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Identity } from "../../transport/http-server/identity.ts";
import { findClaimProblem, readPrincipal, readTokenScopes, type ClaimRules, type Claims } from "./claims.ts";
import { readCredentials, type Credentials, readBinding } from "./credentials.ts";
import { createProofChecker, type CheckProof } from "./proof.ts";
import type { AuthRejection } from "./challenge.ts";
import { expandScopes } from "./scopes.ts";
import { TokenCache } from "./token-cache.ts";
import type { TokenOptions, TrustedIssuers } from "./token-options.ts";
import { TokenError, isTokenError } from "./token-error.ts";

/** Authenticates requests by their access tokens. */
export class BearerAuthenticator {
  readonly #options: TokenOptions;
  readonly #rules: ClaimRules & TrustedIssuers;
  readonly #memory: TokenCache<Known>;
  readonly #checkProof: CheckProof | undefined;
  readonly #now: () => number;
  readonly #cluster: ClusterAccess = { shared: undefined };
  /** Senders by their identities. */
  readonly #senders = new WeakMap<Identity, RevocableSender>();

  constructor(options: TokenOptions, issuers: readonly string[], audiences: readonly string[]) {
    const { clockSkew = defaultSkew, remember = 60_000, dpop, now = Date.now } = options;
    const { withoutAudience, requiredClaims = {}, scopeClaims, revocations } = options;
    if (revocations) checkSkew(clockSkew);
    this.#options = options;
    this.#rules = { issuers, audiences, withoutAudience, requiredClaims, scopeClaims, clockSkew };
    this.#memory = new TokenCache(remember);
    this.#checkProof = dpop && createProofChecker(dpop, this.#cluster);
    this.#now = now;
  }

  /**
   * Uses the stores and keys of a cluster where the options have none.
   *
   * @throws {SetupError} when tokens are accepted for longer than a revocation is kept
   */
  useCluster(shared: SharedParts): void {
    checkSkew(this.#rules.clockSkew);
    this.#cluster.shared = shared;
  }

  /** Calls `end` when the identity is revoked. */
  watchRevocation(identity: Identity, end: () => void): () => void {
    return this.#revocations?.watch(this.#senderOf(identity), end) ?? ((): void => {});
  }

  /** Returns the identity of the sender, or the reason for rejecting the request. */
  async admit(head: RequestHead, reply: Pick<Exchange, "addFields">): Promise<Identity | AuthRejection> {
    const credentials = readCredentials(head);
    if (credentials.kind === "malformed") return credentials;
    if (credentials.kind === "none" || (credentials.scheme === "dpop" && !this.#checkProof)) return { kind: "unknown" };
    const known = await this.#identify(credentials.token);
    if ("kind" in known) return known;
    if (this.#isRevoked(known.identity)) return invalid("The access token was revoked");
    const now = this.#now();
    const problem = findClaimProblem(known.claims, this.#rules, now / 1_000);
    if (problem !== undefined) return invalid(problem);
    const unbound = await this.#checkBinding(head, reply, { credentials, known, now });
    return unbound ?? this.#checkScopes(known.identity);
  }

  async #identify(token: string): Promise<Known | AuthRejection> {
    const { maxTokenLength = 8_192, verify } = this.#options;
    if (token.length > maxTokenLength) return invalid("The access token is too long");
    const now = this.#now();
    const known = this.#memory.get(token, now);
    if (known) return known;
    try {
      return await this.#memory.find(token, now, async () => {
        const verified = this.#toKnown(await verify(token, this.#rules));
        // Revocations may be shared later, when the server joins its cluster.
        await this.#addSender(verified.identity, token);
        return verified;
      });
    } catch (thrown) {
      return isTokenError(thrown) ? invalid(thrown.message) : this.#fail(thrown);
    }
  }

  get #revocations(): Revocations | undefined {
    return this.#options.revocations ?? this.#cluster.shared?.revocations;
  }

  async #addSender(identity: Identity, token: string): Promise<void> {
    this.#senders.set(identity, { principal: identity.principal, tokenId: await toTokenId(token) });
  }

  #senderOf(identity: Identity): RevocableSender {
    return this.#senders.get(identity) ?? { principal: identity.principal };
  }

  #isRevoked(identity: Identity): boolean {
    return this.#revocations?.isRevoked(this.#senderOf(identity)) === true;
  }

  #toKnown(claims: Claims | undefined): Known {
    if (!claims) throw new TokenError("The access token is not valid");
    const { hierarchy = {}, clockSkew = defaultSkew, toPrincipal = readPrincipal, scopeClaims } = this.#options;
    const { exp } = claims;
    const principal = toPrincipal(claims);
    if (principal === undefined) throw new TokenError("The access token has no subject");
    const until = typeof exp === "number" ? { until: (exp + clockSkew) * 1_000 } : {};
    return {
      claims,
      identity: { principal, scopes: expandScopes(readTokenScopes(claims, scopeClaims), hierarchy), ...until, claims },
    };
  }

  async #checkBinding(
    head: RequestHead,
    reply: Pick<Exchange, "addFields">,
    {
      credentials,
      known,
      now,
    }: { readonly credentials: Credentials & { readonly kind: "token" }; readonly known: Known; readonly now: number },
  ): Promise<AuthRejection | undefined> {
    const { scheme, token } = credentials;
    const { principal } = known.identity;
    const binding = readBinding(known.claims);
    if (binding.kind === "unknown") return invalid("The confirmation method of the access token is not supported");
    if (binding.certificate !== undefined && binding.certificate !== head.certificate()?.thumbprint) {
      return invalid("The access token is bound to another certificate");
    }
    if (binding.key === undefined) return this.#checkUnbound(scheme);
    if (!this.#checkProof) return invalid("The access token is bound to a key; DPoP is not supported");
    if (scheme === "bearer")
      return invalidProof("invalid_token", "The access token is bound to a key; send a DPoP proof");
    const uri = toRequestUri(head.path, this.#options.resource);
    try {
      const { problem, fields } = await this.#checkProof(head, { token, key: binding.key, principal, uri, now });
      if (fields) reply.addFields(fields);
      return problem && invalidProof(problem.error, problem.description);
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): AuthRejection {
    this.#options.onError?.(thrown);
    return { kind: "unavailable" };
  }

  #checkUnbound(scheme: "bearer" | "dpop"): AuthRejection | undefined {
    if (scheme === "dpop") return invalidProof("invalid_token", "The access token is not bound to a key");
    return this.#options.dpop?.required
      ? invalidProof("invalid_token", "The access token must be bound to a key")
      : undefined;
  }

  #checkScopes(identity: Identity): Identity | AuthRejection {
    const { scopes = [] } = this.#options;
    if (scopes.every((scope) => identity.scopes?.includes(scope))) return identity;
    return { kind: "insufficient", scopes, principal: identity.principal };
  }
}

/** @throws {SetupError} when expired tokens are accepted for longer than their revocation is kept */
function checkSkew(clockSkew: number): void {
  const most = revocationMargin / 1_000;
  if (clockSkew <= most) return;
  throw new SetupError(`clockSkew is ${clockSkew}; use at most ${most} where tokens can be revoked`);
}

/** Default clock skew in seconds. */
const defaultSkew = 60;

/** Verified token, and its identity while it is valid. */
interface Known {
  readonly claims: Claims;
  readonly identity: Identity;
}

function invalid(reason: string): AuthRejection {
  return { kind: "invalid", scheme: "Bearer", error: "invalid_token", reason };
}

function invalidProof(error: string, reason: string): AuthRejection {
  return { kind: "invalid", scheme: "DPoP", error, reason };
}

/**
 * Returns the URI of a request as its client sees it. A proxy may have removed the beginning of the path, which the resource has.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
function toRequestUri(path: string, resource: string): URL {
  const uri = new URL(resource);
  if (!uri.pathname.endsWith(path)) uri.pathname = path;
  return uri;
}
