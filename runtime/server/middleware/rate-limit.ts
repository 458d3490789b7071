import { refusalCodes } from "../../jsonrpc/rejection-codes.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { Middleware, ServerRequest } from "./middleware.ts";
import { TokenBucket, checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";

/** How many requests a client may send. */
export interface RateLimitOptions extends Rate {
  /**
   * Who shares a quota: an object, such as the session, or a text. Default: the authenticated principal, and where there is none
   * the session, of which a client may open many; requests without a session share one quota.
   */
  readonly key?: (request: ServerRequest) => object | string;
  /** Which requests count. Default: all. */
  readonly methods?: readonly string[];
  /** Most texts that are remembered; the one that was silent longest is forgotten first. Default 10,000. */
  readonly maxKeys?: number;
  /** Default: the platform's. */
  readonly clock?: Pick<Clock, "now">;
}

/** Middleware that refuses requests beyond a rate with an error 429, whose `data.retryAfter` says how many seconds to wait. */
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
    throw new RpcError(refusalCodes.tooMany, `Too many requests: try again in ${retryAfter} s`, {
      data: { retryAfter },
    });
  };
}

function toKey({ context: { auth, session } }: ServerRequest): object | string {
  if (auth) return auth.principal;
  const isStateless = "isStateless" in session && session.isStateless === true;
  return isStateless ? nobody : session;
}

/** Stands for all of whom nothing is known. */
const nobody: object = {};

/** Objects are remembered as long as they live. Texts live for ever, so only the latest are remembered. */
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
