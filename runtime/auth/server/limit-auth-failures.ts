import type { HttpResponse, Exchange, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { rejectHttp } from "../../transport/http-server/rejection.ts";
import { toSubnet } from "./subnet.ts";
import { checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";
import { MemoryRateStore, type RateStore } from "../../stores/rate-store.ts";

/** Options of `limitAuthFailures`. */
export interface FailureLimit extends Rate {
  /**
   * Returns the key of the quota that a request shares. Requests with `undefined` are not limited. Default: the address of the connection, or the /64
   * of an IPv6 address, which a single client may own. Behind a proxy, the address is that of the proxy, so one client could lock out all others: use
   * what the proxy reports about the client.
   */
  readonly key?: (head: RequestHead) => string | undefined;
  /** Maximum number of remembered keys. The key without failures for the longest time is removed first. Default 10,000. */
  readonly maxKeys?: number;
  /** Store of the failures: `rates` of a cluster, so that the rate holds for all of its nodes. Default: in the memory of this process. */
  readonly store?: RateStore;
  /** Monotonic clock in milliseconds. Default: the system clock. */
  readonly now?: () => number;
}

/**
 * Limits attempts to guess credentials. Clients whose credentials were rejected too often get status 429 with `Retry-After` before their credentials
 * are checked again. Requests without credentials are not guesses, and accepted requests do not count. During the wait, valid credentials get status
 * 429 as well. The limit is therefore for credentials that can be guessed or take long to check. Random keys are neither: `requireApiKey` needs no
 * limit.
 *
 * @throws {SetupError} when the rate is not valid.
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { limitAuthFailures, type Guard } from "mcp-server-runtime/auth/server";
 *
 * const guard: Guard = {
 *   authenticate: (head) =>
 *     head.header("authorization") === process.env["PASSWORD"] ? { principal: "ada" } : { status: 401, headers: {} },
 * };
 * const authenticate = limitAuthFailures(guard, { burst: 10, perSecond: 0.1 });
 * await serveHttp(server, { authenticate });
 * ```
 */
export function limitAuthFailures(guard: Guard, options: FailureLimit): Guard {
  checkRate("limitAuthFailures", options);
  const { key: toKey = readSubnet, maxKeys = 10_000, now = () => performance.now(), burst, perSecond } = options;
  const store = options.store ?? new MemoryRateStore({ maxKeys, now });
  const scope = JSON.stringify(["failures", burst, perSecond]);
  // The failure that exceeds the burst is the one that starts the wait.
  const rate = { burst: burst + 1, perSecond };
  return {
    ...guard,
    async authenticate(head: RequestHead, reply: Pick<Exchange, "addFields">): Promise<Identity | HttpResponse> {
      const found = toKey(head);
      if (found === undefined) return guard.authenticate(head, reply);
      const key = `${scope} ${found}`;
      const wait = await store.check(key, rate);
      if (wait > 0) return tooMany(wait);
      const outcome = await guard.authenticate(head, reply);
      // Concurrent requests count as well, although none of them was known to fail when the others passed the check.
      if ("status" in outcome && isGuess(head, outcome)) await store.record(key, rate);
      return outcome;
    },
  };
}

function readSubnet({ address }: RequestHead): string | undefined {
  return address === undefined ? undefined : toSubnet(address);
}

function isGuess(head: RequestHead, { status }: HttpResponse): boolean {
  return status === 401 && (head.header("authorization") ?? head.header("x-api-key")) !== undefined;
}

function tooMany(wait: number): HttpResponse {
  const headers = { "retry-after": String(Math.ceil(wait / 1_000)) };
  return rejectHttp(429, "Too many failed authentications; retry later", { headers }).response;
}
