import { sha256, toHex } from "../internal/digest.ts";

/** Principal or token no longer accepted, and the time after which its tokens have expired in any case. */
export type RevokedCredentials = (
  | { /** Principal, as guards return it. All of its tokens are rejected. */ readonly principal: string }
  | { /** Token, as clients send it. */ readonly token: string }
) & {
  /** Milliseconds since 1970 until which the revocation is remembered: the expiry of the token, or of the principal's newest token. */
  readonly until: number;
};

/** Sender whose credentials may be revoked. */
export interface RevocableSender {
  readonly principal: string;
  /** Name of its token, from `toTokenId`. */
  readonly tokenId?: string | undefined;
}

/** Principals and tokens no longer accepted, although they have not expired. */
export interface Revocations {
  /** Rejects a principal or token from now on. In a cluster, all nodes know it when the promise resolves or within 1 s. */
  revoke(revocation: RevokedCredentials): Promise<void>;
  /** True if the principal or the token of a sender is revoked. */
  isRevoked(sender: RevocableSender): boolean;
  /** Calls `end` when the sender is revoked, now or later. Returns a function to end the watch. */
  watch(sender: RevocableSender, end: () => void): () => void;
}

/**
 * Milliseconds for which a revocation is remembered beyond the expiry of its tokens: guards accept tokens for a moment longer, by their own clocks.
 */
export const revocationMargin = 600_000;

/** Returns the time until which a revocation is kept. @throws {TypeError} when its own time is `NaN` */
export function toRevocationEnd({ until }: RevokedCredentials): number {
  if (Number.isNaN(until)) throw new TypeError("until is NaN; use the expiry of the token in milliseconds since 1970");
  return until + revocationMargin;
}

/** Returns a name for a token from which the token cannot be found. */
export async function toTokenId(token: string): Promise<string> {
  return toHex(await sha256(token));
}

/** Returns the key of a revocation: different for principals and tokens. */
export async function toRevocationKey(revocation: RevokedCredentials): Promise<string> {
  return "token" in revocation ? tokenKey(await toTokenId(revocation.token)) : principalKey(revocation.principal);
}

/**
 * Creates revocations in the memory of one process. A cluster has `revocations` of its own, shared by all nodes.
 *
 * @example
 * ```ts
 * import { createRevocations, requireBearerToken } from "mcp-server-runtime/auth/server";
 * import { verifyJwt } from "mcp-server-runtime/adapters/jose";
 *
 * const revocations = createRevocations();
 * const authenticate = requireBearerToken({
 *   resource: "https://mcp.example.com/mcp",
 *   issuer: "https://login.example.com",
 *   verify: verifyJwt(),
 *   revocations,
 * });
 * // later, when an account is closed:
 * await revocations.revoke({ principal: "https://login.example.com sub:ada", until: Date.now() + 3_600_000 });
 * ```
 */
export function createRevocations(): Revocations {
  return new RevocationList();
}

/** Revocations in the memory of this process, and the senders who watch them. */
export class RevocationList implements Revocations {
  readonly #now: () => number;
  /** Times of expiry by key. */
  readonly #revoked = new Map<string, number>();
  readonly #watches = new Map<string, Set<() => void>>();
  #pruneAt = 1_000;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async revoke(revocation: RevokedCredentials): Promise<void> {
    this.add(await toRevocationKey(revocation), toRevocationEnd(revocation));
  }

  /** Adds a revocation by its key, and ends what the sender has open. */
  add(key: string, until: number): void {
    if (until <= this.#now()) return;
    this.#revoked.set(key, Math.max(until, this.#revoked.get(key) ?? 0));
    if (this.#revoked.size > this.#pruneAt) this.#prune();
    for (const end of this.#watches.get(key) ?? []) end();
    this.#watches.delete(key);
  }

  isRevoked(sender: RevocableSender): boolean {
    return this.#revoked.size > 0 && keysOf(sender).some((key) => this.#has(key));
  }

  watch(sender: RevocableSender, end: () => void): () => void {
    if (this.isRevoked(sender)) queueMicrotask(end);
    const keys = keysOf(sender);
    for (const key of keys) this.#watches.set(key, (this.#watches.get(key) ?? new Set()).add(end));
    return () => {
      for (const key of keys) this.#unwatch(key, end);
    };
  }

  #has(key: string): boolean {
    return (this.#revoked.get(key) ?? 0) > this.#now();
  }

  #unwatch(key: string, end: () => void): void {
    const watches = this.#watches.get(key);
    watches?.delete(end);
    if (watches?.size === 0) this.#watches.delete(key);
  }

  #prune(): void {
    for (const key of this.#revoked.keys()) if (!this.#has(key)) this.#revoked.delete(key);
    this.#pruneAt = 1_000 + 2 * this.#revoked.size;
  }
}

function keysOf({ principal, tokenId }: RevocableSender): readonly string[] {
  return tokenId === undefined ? [principalKey(principal)] : [principalKey(principal), tokenKey(tokenId)];
}

function principalKey(principal: string): string {
  return `principal ${principal}`;
}

function tokenKey(tokenId: string): string {
  return `token ${tokenId}`;
}
