import { isObject } from "../../generated/support.ts";
import type { TrafficEntry } from "../../runtime/gateway/index.ts";
import type { TimelineEntry } from "./page-messages.ts";

/** Bounds of the messages that are kept. The oldest ones are removed first. */
export interface TrafficLimits {
  /** Messages. Default 50,000. */
  readonly maxEntries?: number;
  /** Characters of all messages together. Default 64 Mi. */
  readonly maxLength?: number;
}

/** Messages of all connections, from the oldest one that is kept to the newest. */
export class TrafficLog {
  readonly maxEntries: number;
  readonly #maxLength: number;
  #entries: TimelineEntry[] = [];
  /** Number of entries at the beginning that are removed already. */
  #removed = 0;
  #length = 0;
  /** Requests without a response, by connection, direction and id. */
  readonly #pending = new Map<string, PendingRequest>();

  constructor({ maxEntries = 50_000, maxLength = 64 * 1024 * 1024 }: TrafficLimits = {}) {
    this.maxEntries = maxEntries;
    this.#maxLength = maxLength;
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries.slice(this.#removed);
  }

  /** Adds a message, and returns it as the timeline shows it. */
  add(entry: TrafficEntry): TimelineEntry {
    const shown = this.#describe(entry);
    this.#entries.push(shown);
    this.#length += shown.json.length;
    this.#removeOld();
    return shown;
  }

  #removeOld(): void {
    while (
      this.#entries.length - this.#removed > this.maxEntries ||
      (this.#length > this.#maxLength && this.#entries.length - this.#removed > 1)
    ) {
      this.#length -= this.#entries[this.#removed]?.json.length ?? 0;
      this.#removed += 1;
    }
    // Moved in large steps only: a shift for each message would move all others. Few messages may be as large as all may be together.
    if (this.#removed < Math.min(1_000, this.#entries.length / 2)) return;
    this.#entries = this.#entries.slice(this.#removed);
    this.#removed = 0;
  }

  #describe(entry: TrafficEntry): TimelineEntry {
    const { sequence, time, side, connection, direction, protocol, message, problem, losses } = entry;
    const json = toJson(message);
    const base = {
      sequence,
      time,
      side,
      connection,
      direction,
      ...(protocol !== undefined && { protocol }),
      json: json.slice(0, longestMessage),
      ...(json.length > longestMessage && { length: json.length }),
      ...(problem && { problem }),
      ...(losses && losses.length > 0 && { losses }),
    };
    if (!isObject(message)) return { ...base, kind: "other" };
    const id = readId(message.id);
    const withId = { ...base, ...(id !== undefined && { id }) };
    if (typeof message.method === "string") return this.#describeCall(withId, message.method, message.params);
    return this.#describeResponse(withId, message);
  }

  #describeCall(base: Omit<TimelineEntry, "kind">, method: string, params: unknown): TimelineEntry {
    const subject = readSubject(params);
    const shown = { ...base, method, ...(subject !== undefined && { subject }) };
    if (base.id === undefined) return { ...shown, kind: "notification" };
    const { sequence } = base;
    this.#pending.set(keyOf(base, base.direction), { sequence, method, subject });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > this.maxEntries && oldest !== undefined) this.#pending.delete(oldest);
    return { ...shown, kind: "request" };
  }

  #describeResponse(base: Omit<TimelineEntry, "kind">, message: Readonly<Record<string, unknown>>): TimelineEntry {
    const key = keyOf(base, base.direction === "to-server" ? "to-client" : "to-server");
    const request = this.#pending.get(key);
    this.#pending.delete(key);
    const isFailure = isObject(message.result) && message.result.isError === true;
    return {
      ...base,
      kind: "error" in message ? "error" : "result" in message ? "result" : "other",
      ...(request && { request: request.sequence, method: request.method }),
      ...(request?.subject !== undefined && { subject: request.subject }),
      ...(isFailure && { isFailure }),
    };
  }
}

/** What a response shows of its request. */
interface PendingRequest {
  readonly sequence: number;
  readonly method: string;
  readonly subject: string | undefined;
}

function keyOf({ side, connection, id }: Omit<TimelineEntry, "kind">, direction: TimelineEntry["direction"]): string {
  return JSON.stringify([side, connection, direction, id]);
}

function readId(id: unknown): string | number | undefined {
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** Returns what a request is about: the name of a tool or a prompt, the URI of a resource, or the id of a task. */
function readSubject(params: unknown): string | undefined {
  if (!isObject(params)) return undefined;
  const { name, uri, taskId, ref } = params;
  const referred = isObject(ref) ? (ref.name ?? ref.uri) : undefined;
  const subject = [name, uri, taskId, referred].find((value) => typeof value === "string");
  return typeof subject === "string" ? subject.slice(0, longestSubject) : undefined;
}

function toJson(message: unknown): string {
  return typeof message === "string" ? message : (JSON.stringify(message) ?? String(message));
}

/** Maximum characters of one message that are kept. */
const longestMessage = 4 * 1024 * 1024;

const longestSubject = 300;
