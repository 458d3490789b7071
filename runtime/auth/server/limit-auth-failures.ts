import type { Answer, Exchange, RequestHead } from "../../transport/http-server/exchange/exchange.ts";
import type { Guard, Identity } from "../../transport/http-server/identity.ts";
import { refuse } from "../../transport/http-server/rejection.ts";
import { toSubnet } from "./subnet.ts";
import { checkRate, type Rate } from "../../jsonrpc/token-bucket.ts";

/** How often clients may fail. */
export interface FailureLimit extends Rate {
  /**
   * Who shares a quota; `undefined` is not limited. Default: the address of the connection, of IPv6 addresses their /64, which one client
   * can have for itself. Behind a proxy the address is the proxy's, so that one client could lock out the others: take what the proxy says about
   * the client.
   */
  readonly key?: (head: RequestHead) => string | undefined;
  /** Most keys that are remembered; the one that was silent longest is forgotten first. Default 10,000. */
  readonly maxKeys?: number;
  /** Milliseconds that only grow. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Slows down whoever guesses: clients that were refused too often with what they showed get 429, with `Retry-After`, before it is looked at
 * again. Requests that show nothing are no guesses, and those that are let in do not count. Until then credentials that are right get 429 as well,
 * so that the limit is for what can be guessed, or takes long to check. Random keys cannot, and do not: `requireApiKey` needs none.
 */
export function limitAuthFailures(guard: Guard, options: FailureLimit): Guard {
  checkRate("limitAuthFailures", options);
  const { key: toKey = readSubnet, maxKeys = 10_000, now = () => performance.now() } = options;
  const each = 1_000 / options.perSecond;
  /** When what a client has failed with will be made up for, by key. */
  const failed = new Map<string, number>();
  const note = (key: string): void => {
    const before = failed.get(key) ?? 0;
    failed.delete(key);
    // Those that were asked about at the same time count as well, although nothing was known of the others when they were let through.
    failed.set(key, Math.max(before, now()) + each);
    const [oldest] = failed.keys();
    if (failed.size > maxKeys && oldest !== undefined) failed.delete(oldest);
  };
  return {
    ...guard,
    async authenticate(head: RequestHead, reply: Pick<Exchange, "addFields">): Promise<Identity | Answer> {
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

function isGuess(head: RequestHead, { status }: Answer): boolean {
  return status === 401 && (head.header("authorization") ?? head.header("x-api-key")) !== undefined;
}

function tooMany(wait: number): Answer {
  const headers = { "retry-after": String(Math.ceil(wait / 1_000)) };
  return refuse(429, "Too many requests were not let in: try again later", { headers }).answer;
}
