import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { Middleware, ServerRequest } from "./middleware.ts";
import { TokenBucket, checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";

/** Rate of requests, and the owners and methods that it applies to. */
export interface RateLimitOptions extends Rate {
  /**
   * Returns the owner of the quota: an object, such as the session, or a string. Default: the authenticated principal, otherwise the session. A
   * client may open many sessions. Requests without a session share one quota.
   */
  readonly key?: (request: ServerRequest) => object | string;
  /** Methods that count. Default: all. */
  readonly methods?: readonly string[];
  /** Maximum number of string keys to remember; the least recently used key is forgotten first. Default 10,000. */
  readonly maxKeys?: number;
  /** Clock that refills the quotas. Default: the system clock. */
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Creates middleware that rejects requests over a rate with error 429. `data.retryAfter` is the number of seconds to wait.
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
  const buckets = createBuckets(options, options.maxKeys ?? 10_000);
  return (request, next) => {
    if (counted && !counted.has(request.method)) return next();
    const now = clock.now();
    const wait = buckets(key(request), now).take(now);
    if (wait === 0) return next();
    const retryAfter = Math.ceil(wait / 1_000);
    throw new RpcError(rejectionCodes.tooMany, `Too many requests; retry in ${retryAfter} s`, {
      data: { retryAfter },
    });
  };
}

function toKey({ context: { auth, session } }: ServerRequest): object | string {
  if (auth) return auth.principal;
  const isStateless = "isStateless" in session && session.isStateless === true;
  return isStateless ? nobody : session;
}

/** Key that all unauthenticated stateless requests share. */
const nobody: object = {};

/** Buckets of object keys live as long as the object. Strings are never collected, so only the most recently used ones are kept. */
function createBuckets(rate: Rate, maxKeys: number): (key: object | string, now: number) => TokenBucket {
  const byObject = new WeakMap<object, TokenBucket>();
  const byText = new Map<string, TokenBucket>();
  return (key, now) => {
    if (typeof key === "object") {
      const bucket = byObject.get(key) ?? new TokenBucket(rate, now);
      byObject.set(key, bucket);
      return bucket;
    }
    const bucket = byText.get(key) ?? new TokenBucket(rate, now);
    byText.delete(key);
    byText.set(key, bucket);
    const [oldest] = byText.keys();
    if (byText.size > maxKeys && oldest !== undefined) byText.delete(oldest);
    return bucket;
  };
}
