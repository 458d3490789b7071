import { isResponse, parseMessage, type Message } from "../client/message.ts";
import type { Effect, Evidence, HistoryLine } from "../history.ts";

/** Broken invariant. */
export interface Violation {
  /** Name of the invariant, as in the table of `checker.ts`. */
  readonly invariant: string;
  /** Key of the call, id of the stream, or another id in the history. */
  readonly subject: string;
  readonly problem: string;
}

/** Limits of what takes time. */
export interface CheckOptions {
  /** Milliseconds that everything may take in addition, because the machine has other work. Default 0. */
  readonly slack: number;
  /** Keys of the engine that need no expiry. */
  readonly permanentKeys: RegExp;
}

/** Part of the checker: finds violations of some invariants. */
export type Check = (evidence: IndexedEvidence, options: CheckOptions) => readonly Violation[];

/** Everything about one call. */
export interface CallRecord {
  readonly key: string;
  readonly calls: readonly HistoryLine[];
  readonly returns: readonly HistoryLine[];
  readonly events: readonly HistoryLine[];
  readonly effects: readonly Effect[];
}

/** Time from the begin of a fault to its end. */
export interface FaultWindow {
  readonly kind: string;
  /** Index of a node, or `engine`. */
  readonly target: string;
  readonly from: number;
  readonly to: number;
}

/** Evidence with the questions that all checks ask. */
export interface IndexedEvidence extends Evidence {
  readonly calls: readonly CallRecord[];
  readonly faults: readonly FaultWindow[];
  /** Time at which a client began to end a session, by session. */
  readonly ended: ReadonlyMap<string, number>;
  /** Keys of calls that their client has cancelled. */
  readonly cancelled: ReadonlySet<string>;
  /** Keys of calls with a connection that was cut on purpose. */
  readonly cut: ReadonlySet<string>;
}

/** Indexes evidence. */
export function indexEvidence(evidence: Evidence): IndexedEvidence {
  const { history, effects } = evidence;
  return {
    ...evidence,
    calls: indexCalls(history, effects),
    faults: findFaults(history),
    ended: new Map(linesOf(history, "end", "call").map(({ id, t }) => [id, t])),
    cancelled: new Set(linesOf(history, "cancel", "call").map(({ id }) => id)),
    cut: new Set(linesOf(history, "cut", "event").map(({ id }) => id)),
  };
}

/** Returns the lines of an operation in one phase. */
export function linesOf(
  history: readonly HistoryLine[],
  op: HistoryLine["op"],
  phase: HistoryLine["phase"],
): readonly HistoryLine[] {
  return history.filter((line) => line.op === op && line.phase === phase);
}

/** Groups items by a text, in the order of the first of each group. */
export function groupBy<Item>(
  items: readonly Item[],
  toText: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const text = toText(item);
    const group = groups.get(text);
    if (group) group.push(item);
    else groups.set(text, [item]);
  }
  return groups;
}

function indexCalls(history: readonly HistoryLine[], effects: readonly Effect[]): readonly CallRecord[] {
  const returns = groupBy(linesOf(history, "call", "return"), ({ id }) => id);
  const events = groupBy(linesOf(history, "event", "event"), ({ id }) => id);
  const effectsByKey = groupBy(effects, ({ key }) => key);
  return [...groupBy(linesOf(history, "call", "call"), ({ id }) => id)].map(([key, calls]) => ({
    key,
    calls,
    returns: returns.get(key) ?? [],
    events: events.get(key) ?? [],
    effects: effectsByKey.get(key) ?? [],
  }));
}

function findFaults(history: readonly HistoryLine[]): readonly FaultWindow[] {
  const ends = new Map(linesOf(history, "fault", "return").map(({ id, t }) => [id, t]));
  return linesOf(history, "fault", "call").map(({ id, t, value = "", node = "" }) => ({
    kind: value,
    target: node,
    from: t,
    to: ends.get(id) ?? Number.POSITIVE_INFINITY,
  }));
}

/** True if a fault lasts at some time between two times. */
export function hasFault(
  { faults }: IndexedEvidence,
  [from, to]: readonly [number, number],
  isRelevant: (fault: FaultWindow) => boolean = () => true,
): boolean {
  return faults.some((fault) => fault.from <= to && fault.to >= from && isRelevant(fault));
}

/** Tool and arguments of a call. */
export function readRequest({ calls }: CallRecord): { readonly tool: string; readonly nonce?: string } {
  const value: unknown = JSON.parse(calls[0]?.value ?? "{}");
  const has = typeof value === "object" && value !== null;
  const tool = has && "tool" in value && typeof value.tool === "string" ? value.tool : "";
  const nonce = has && "nonce" in value && typeof value.nonce === "string" ? value.nonce : undefined;
  return { tool, ...(nonce !== undefined && { nonce }) };
}

/** Response to a call, and the event that carried it if it came on a stream. */
export interface CallResponse {
  readonly message: Message;
  readonly event: string | undefined;
}

/** Returns the responses to a call. A response that came again with the same event id counts once. */
export function findResponses({ events, returns }: CallRecord): readonly CallResponse[] {
  const streamed = new Map<string, CallResponse>();
  for (const [index, { value = "", event }] of events.entries()) {
    const message = parseMessage(value);
    if (message && isResponse(message)) streamed.set(event ?? `#${index}`, { message, event });
  }
  // A return repeats what came on a stream; without one it has the body of the response.
  const successful = returns.filter(({ outcome }) => outcome === "ok");
  const whole = successful.slice(streamed.size).flatMap(({ value = "" }) => {
    const message = parseMessage(value);
    return message ? [{ message, event: undefined }] : [];
  });
  return [...streamed.values(), ...whole];
}
