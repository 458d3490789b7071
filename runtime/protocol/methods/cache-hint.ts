import { SetupError } from "../../jsonrpc/errors.ts";

/**
 * Time for which clients may keep a result, and permission to share it. Has no effect on clients of revisions without caching.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHint {
  /** Milliseconds for which the result is valid. Default 0: clients request it each time. */
  readonly ttlMs?: number;
  /**
   * `public`: every client gets the same result. Caches in between may keep it for others, even if it was requested with a token. Default `private`.
   */
  readonly cacheScope?: "private" | "public";
}

/** Returns the caching members of a result. */
export function toCacheMembers({ ttlMs = 0, cacheScope = "private" }: CacheHint = {}): Required<CacheHint> {
  return { ttlMs, cacheScope };
}

/** Returns a hint for a result of restricted visibility: private, regardless of the given scope. */
export function toPrivate(hint: CacheHint | undefined): CacheHint {
  return { ...hint, cacheScope: "private" };
}

/**
 * Checks that a hint can be sent; `what` names its subject.
 *
 * @throws {SetupError} when `ttlMs` or `cacheScope` is invalid
 */
export function checkHint(what: string, { ttlMs = 0, cacheScope = "private" }: CacheHint = {}): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0)
    throw new SetupError(`${what}: ttlMs is ${ttlMs}; use a whole number of milliseconds, 0 or more`);
  if (!scopes.includes(cacheScope))
    throw new SetupError(`${what}: cacheScope is ${JSON.stringify(cacheScope)}; use ${scopes.join(" or ")}`);
}

const scopes: readonly string[] = ["private", "public"];
