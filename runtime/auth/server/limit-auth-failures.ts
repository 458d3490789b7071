import type { HttpResponse, Exchange, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { rejectHttp } from "../../transport/http-server/rejection.ts";
import { toSubnet } from "./subnet.ts";
import { checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";

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
  const { key: toKey = readSubnet, maxKeys = 10_000, now = () => performance.now() } = options;
  const each = 1_000 / options.perSecond;
  /** Time at which the failures of a client are compensated, by key. */
  const failed = new Map<string, number>();
  const note = (key: string): void => {
    const before = failed.get(key) ?? 0;
    failed.delete(key);
    // Concurrent requests count as well, although none of them was known to fail when the others passed the check.
    failed.set(key, Math.max(before, now()) + each);
    const [oldest] = failed.keys();
    if (failed.size > maxKeys && oldest !== undefined) failed.delete(oldest);
  };
  return {
    ...guard,
    async authenticate(head: RequestHead, reply: Pick<Exchange, "addFields">): Promise<Identity | HttpResponse> {
      const key = toKey(head);
      const wait = key === undefined ? 0 : (failed.get(key) ?? 0) - options.burst * each - now();
      if (wait > 0) return tooMany(wait);
      const outcome = await guard.authenticate(head, reply);
      if (key !== undefined && "status" in outcome && isGuess(head, outcome)) note(key);
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
