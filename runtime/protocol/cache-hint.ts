import { SetupError } from "../jsonrpc/errors.ts";

/**
 * How long clients may keep a result, and whether others may see it. It says nothing to clients of revisions that do not know of it.
 *
 * @see https://modelcontextprotocol.io/specification/latest/server/utilities/caching
 */
export interface CacheHint {
  /** Milliseconds for which the result holds. Default 0: clients ask each time. */
  readonly ttlMs?: number;
  /**
   * `public`: whoever asks gets the same, so that caches between may keep it for others, even if it was had with a token.
   * Default `private`.
   */
  readonly cacheScope?: "private" | "public";
}

/** What results carry where they may be kept. */
export function toCaching({ ttlMs = 0, cacheScope = "private" }: CacheHint = {}): Required<CacheHint> {
  return { ttlMs, cacheScope };
}

/** What not everybody may see is private, whatever the hint says. */
export function toPrivate(hint: CacheHint | undefined): CacheHint {
  return { ...hint, cacheScope: "private" };
}

/** Refuses a hint that cannot be sent; `what` names the thing that it is about. */
export function checkHint(what: string, { ttlMs = 0, cacheScope = "private" }: CacheHint = {}): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0)
    throw new SetupError(`${what}: ttlMs is ${ttlMs}, use a whole number of milliseconds from 0 on.`);
  if (!scopes.includes(cacheScope))
    throw new SetupError(`${what}: cacheScope is ${JSON.stringify(cacheScope)}, use ${scopes.join(" or ")}.`);
}

const scopes: readonly string[] = ["private", "public"];
