import { setTimeout as pause } from "node:timers/promises";
import { isObject } from "../../../generated/support.ts";
import type { ContractChange } from "../../../generator/typed-client/contract/impact.ts";
import { compareValues } from "./compare-values.ts";
import type { LiveNotification } from "./live-connection.ts";
import { normalize, type NormalizeOptions } from "./normalize.ts";
import { describeSubject } from "./report-changes.ts";
import { mask } from "./volatile.ts";

/** Options of a comparison of notifications. */
export interface CompareNotificationsOptions {
  /** Returns the test for ignored members of the params. */
  ignoredOf(method: string): NormalizeOptions["isIgnored"];
  /** Returns the params of a live notification without secrets. */
  redact(params: unknown): unknown;
}

/**
 * Lists missing notifications, recorded but not sent by the live server, and unexpected ones, sent but not recorded. Their order does not count.
 * Missing ones may still arrive for a moment.
 */
export async function compareNotifications(
  recorded: readonly LiveNotification[],
  live: readonly LiveNotification[],
  options: CompareNotificationsOptions,
): Promise<readonly ContractChange[]> {
  const matching = new Matching(recorded.filter(isCompared), options);
  const end = performance.now() + longestWait;
  matching.take(live);
  while (matching.isIncomplete && performance.now() < end) {
    await pause(step);
    matching.take(live);
  }
  return [
    ...matching.missing.map((one) => toChange("removed", one)),
    ...matching.further.map((one) => toChange("added", one)),
  ];
}

/** Pairs of recorded and live notifications. Each notification is normalized once. */
class Matching {
  readonly further: LiveNotification[] = [];
  readonly #options: CompareNotificationsOptions;
  /** Recorded notifications without a live one, by their normal form. */
  readonly #missing = new Map<string, LiveNotification[]>();
  /** Number of live notifications already taken. */
  #taken = 0;

  constructor(recorded: readonly LiveNotification[], options: CompareNotificationsOptions) {
    this.#options = options;
    for (const one of recorded) {
      const key = this.#toKey(one);
      const same = this.#missing.get(key) ?? [];
      this.#missing.set(key, same);
      same.push(one);
    }
  }

  get isIncomplete(): boolean {
    return this.#missing.size > 0;
  }

  get missing(): readonly LiveNotification[] {
    return [...this.#missing.values()].flat();
  }

  /** Takes the live notifications since the last call. */
  take(live: readonly LiveNotification[]): void {
    for (const { method, params, sent } of live.slice(this.#taken).filter(isCompared))
      this.#takeOne({ method, params: this.#options.redact(params), sent });
    this.#taken = live.length;
  }

  #takeOne(one: LiveNotification): void {
    const own = this.#toKey(one);
    const key = this.#missing.has(own) ? own : (this.#findEqual(one) ?? own);
    const same = this.#missing.get(key);
    if (!same) this.further.push(one);
    else if (same.length > 1) same.pop();
    else this.#missing.delete(key);
  }

  /** Finds a recorded notification that is equal although its normal form differs: a number may be near the time of only one of the messages. */
  #findEqual({ method, params, sent }: LiveNotification): string | undefined {
    const isIgnored = this.#options.ignoredOf(method);
    let count = 0;
    for (const [key, [recorded]] of this.#missing) {
      if (recorded?.method !== method) continue;
      if (count >= mostCompared) return undefined;
      count += 1;
      const [before, after] = [withoutReferences(recorded.params), withoutReferences(params)];
      const options = { isIgnored, sent: { recorded: recorded.sent, live: sent } };
      if (compareValues(before, after, options).length === 0) return key;
    }
    return undefined;
  }

  #toKey({ method, params, sent }: LiveNotification): string {
    const isIgnored = this.#options.ignoredOf(method);
    return JSON.stringify([method, normalize(withoutReferences(params), { isIgnored, sent })]);
  }
}

/** Removes metadata, and the token of the request to which progress belongs. */
function withoutReferences(params: unknown): Record<string, unknown> {
  const { _meta, progressToken: _token, ...rest } = isObject(params) ? params : {};
  return rest;
}

/** The number of progress reports depends on the speed of the server, and cancellations belong to the transport. */
function isCompared({ method }: LiveNotification): boolean {
  return method !== "notifications/progress" && method !== "notifications/cancelled";
}

function toChange(kind: "added" | "removed", { method, params }: LiveNotification): ContractChange {
  const text = mask(JSON.stringify(withoutReferences(params)));
  const detail = `${kind === "added" ? "further notification" : "missing notification"} ${text}`;
  const client = kind === "added" ? "additive" : "risky";
  return { kind, subject: describeSubject(method, params), detail, client, server: "neutral" };
}

/** Recorded notifications with which one without an equal normal form is compared. */
const mostCompared = 100;

/** Milliseconds to wait for missing notifications, and between two checks. */
const longestWait = 1_000;
const step = 50;
