import type { HttpResponse, Exchange, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { rejectHttp } from "../../transport/http-server/rejection.ts";
import { toSubnet } from "./subnet.ts";
import { checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";
import { MemoryRateStore, type RateStore } from "../../stores/rate-store.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";
import { isUrl } from "../../internal/parse-url.ts";

/** Options of `limitAuthFailures`. */
export interface FailureLimit extends Rate {
  /**
   * Returns the key of the quota for a request. Requests with the same key share the quota, requests with `undefined` are not limited. Default: the
   * address of the connection, or the /64 of an IPv6 address, which a single client may own. Requests without an address, such as those through a
   * Unix socket, share a quota. Behind a proxy, the address is the proxy's, and one client could lock out all others: set `trustedProxies`, or use
   * what the proxy reports about the client.
   */
  readonly key?: (head: RequestHead) => string | undefined;
  /**
   * Number of proxies in front of the server, such as load balancers, each of which appends the address of its client to `X-Forwarded-For`. The
   * default key is then the address seen by the first of them. Default 0: the header is not read, as clients can send it themselves.
   */
  readonly trustedProxies?: number;
  /** Maximum number of remembered keys. The key without failures for the longest time is removed first. Default 10,000. */
  readonly maxKeys?: number;
  /** Store of the failures. Default: the store of the guard's cluster, with one rate for all nodes, or the memory of this process. */
  readonly store?: RateStore;
  /** Monotonic clock in milliseconds. Default: the system clock. */
  readonly now?: () => number;
}

/**
 * Limits attempts to guess credentials. After too many rejected credentials, a client gets status 429 with `Retry-After` before its credentials are
 * checked again. Requests without credentials, with an expired token or with a proof without the nonce are not guesses, and accepted requests do not
 * count. During the wait, valid credentials get status 429 as well. The limit is therefore for credentials which can be guessed or take long to
 * check. Random keys are neither: `requireApiKey` needs no limit.
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
  checkNumbers(options);
  const { maxKeys = 10_000, now = () => performance.now(), trustedProxies = 0, burst, perSecond } = options;
  const { key: toKey = (head: RequestHead) => readSubnet(head, trustedProxies) } = options;
  let store = options.store ?? new MemoryRateStore({ maxKeys, now });
  const scope = JSON.stringify(["failures", burst, perSecond]);
  // The failure that exceeds the burst is the one that starts the wait.
  const rate = { burst: burst + 1, perSecond };
  return {
    ...guard,
    useCluster(shared) {
      guard.useCluster?.(shared);
      store = options.store ?? shared.rates;
    },
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

function readSubnet(head: RequestHead, trustedProxies: number): string {
  const address = readForwarded(head, trustedProxies) ?? head.address;
  return address === undefined ? "unknown" : toSubnet(address);
}

/** Returns the address seen by the first of the trusted proxies; `undefined` when the request has not passed all of them, or without an address. */
function readForwarded(head: RequestHead, trustedProxies: number): string | undefined {
  if (trustedProxies === 0) return undefined;
  const seen = head.header("x-forwarded-for")?.split(",").at(-trustedProxies)?.trim();
  return seen !== undefined && seen.length <= longestAddress ? readAddress(seen) : undefined;
}

/** Returns an address without its port, which some proxies append: a client has a new port for every connection. */
function readAddress(text: string): string | undefined {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const [plain = ""] = address.split("%");
  const isAddress = plain.includes(":") ? isUrl(`http://[${plain}]`) : /^\d{1,3}(?:\.\d{1,3}){3}$/.test(plain);
  return isAddress ? address : undefined;
}

/** Maximum number of characters of an address. */
const longestAddress = 64;

function isGuess(head: RequestHead, response: HttpResponse): boolean {
  if (response.status !== 401 || isVerified(response)) return false;
  return (head.header("authorization") ?? head.header("x-api-key")) !== undefined;
}

/**
 * True if the rejected credentials were verified: an expired token, or a proof without the nonce of the server, which every client has to request
 * first.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-9
 */
function isVerified({ reason, headers }: HttpResponse): boolean {
  return reason === "expired-credentials" || headers?.["www-authenticate"]?.includes('error="use_dpop_nonce"') === true;
}

function tooMany(wait: number): HttpResponse {
  const headers = { "retry-after": String(Math.ceil(wait / 1_000)) };
  return rejectHttp(429, "Too many failed authentications; retry later", { headers }).response;
}
