import { isObject } from "../../generated/support.ts";
import { setLimited } from "../../runtime/internal/set-limited.ts";
import type { TrafficEntry } from "../../runtime/gateway/index.ts";
import type { TimelineEntry } from "./page-messages.ts";
import { RecentEntries, type TrafficLimits } from "./recent-entries.ts";

/** Messages of all connections, as the timeline shows them. */
export class TrafficLog {
  readonly #entries: RecentEntries;
  /** Requests without a response, by connection, direction and id. */
  readonly #pending = new Map<string, PendingRequest>();

  constructor(limits?: TrafficLimits) {
    this.#entries = new RecentEntries(limits);
  }

  get entries(): readonly TimelineEntry[] {
    return this.#entries.list;
  }

  /** Adds a message, and returns it as the timeline shows it. */
  add(entry: TrafficEntry): TimelineEntry {
    const shown = this.#describe(entry);
    this.#entries.add(shown);
    return shown;
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
    setLimited(this.#pending, [keyOf(base, base.direction), { sequence, method, subject }], mostPending);
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

/** Members of a request, to show with its response. */
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

/** Maximum number of remembered requests without a response. */
const mostPending = 50_000;

/** Maximum length of one kept message, in characters. */
const longestMessage = 4 * 1024 * 1024;

const longestSubject = 300;
