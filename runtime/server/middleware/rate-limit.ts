import type { Awaitable } from "../../../generated/support.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import { chain } from "../../internal/maybe-async.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import { MemoryRateStore, type RateStore } from "../../stores/rate-store.ts";
import type { Middleware, ServerRequest } from "./middleware.ts";
import { TokenBucket, checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";

/** Rate of requests, with the owners and methods it applies to. */
export interface RateLimitOptions extends Rate {
  /**
   * Returns the owner of the quota: an object, such as the session, or a string. Default: the authenticated principal, otherwise the session. A
   * client may open many sessions. Requests without a session share one quota. The quotas of objects are always those of this process.
   */
  readonly key?: (request: ServerRequest) => object | string;
  /** Methods to count. Default: all. */
  readonly methods?: readonly string[];
  /** Maximum number of string keys to remember; the least recently used key is forgotten first. Default 10,000. */
  readonly maxKeys?: number;
  /**
   * Store of the quotas with string keys: `rates` of a cluster, for a rate common to all of its nodes. Default: in the memory of this process, with
   * `maxKeys`.
   */
  readonly store?: RateStore;
  /** Clock for refilling the quotas. Default: the system clock. */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Creates middleware to reject requests over a rate with error 429. `data.retryAfter` is the number of seconds to wait.
 *
 * @throws {SetupError} when the rate is invalid.
 * @example
 * ```ts
 * import { rateLimit } from "mcp-server-runtime";
 *
 * const limit = rateLimit({ burst: 20, perSecond: 5, methods: ["tools/call"] });
 * defineServer({ name: "demo", version: "1.0.0", middleware: [limit] });
 * ```
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkRate("rateLimit", options);
  const { key = toKey, methods, clock = systemClock } = options;
  const counted = methods && new Set(methods);
  const { burst, perSecond, maxKeys } = options;
  const store =
    options.store ?? new MemoryRateStore({ now: () => clock.now(), ...(maxKeys !== undefined && { maxKeys }) });
  const objects = new WeakMap<object, TokenBucket>();
  // Limits with different options may share a store.
  const scope = JSON.stringify(["requests", burst, perSecond, methods ?? null]);
  const take = (owner: object | string): Awaitable<number> => {
    if (typeof owner === "string") return store.take(`${scope} ${owner}`, { burst, perSecond });
    const now = clock.now();
    const bucket = objects.get(owner) ?? new TokenBucket(options, now);
    objects.set(owner, bucket);
    return bucket.take(now);
  };
  return (request, next) => {
    if (counted && !counted.has(request.method)) return next();
    return chain(take(key(request)), (wait) => {
      if (wait === 0) return next();
      const retryAfter = Math.ceil(wait / 1_000);
      throw new RpcError(rejectionCodes.tooMany, `Too many requests; retry in ${retryAfter} s`, {
        data: { retryAfter },
      });
    });
  };
}

function toKey({ context: { auth, session } }: ServerRequest): object | string {
  if (auth) return auth.principal;
  const isStateless = "isStateless" in session && session.isStateless === true;
  return isStateless ? unknownSender : session;
}

/** Key shared by all unauthenticated stateless requests. */
const unknownSender: object = {};
