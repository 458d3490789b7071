import type { TimelineEntry } from "../../page-messages.ts";

/** Filter of the timeline. */
export interface TrafficFilter {
  /** Words that a message contains. */
  readonly text: string;
  /** Method; empty for all. */
  readonly method: string;
  readonly direction: "" | "to-server" | "to-client";
  readonly side: "" | "client" | "server";
  /** Only errors, deviations from the schema and losses. */
  readonly onlyProblems: boolean;
}

/** Returns the messages that a filter lets through. */
export function filterTraffic(entries: readonly TimelineEntry[], filter: TrafficFilter): readonly TimelineEntry[] {
  const { text, method, direction, side, onlyProblems } = filter;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && method === "" && direction === "" && side === "" && !onlyProblems) return [...entries];
  return entries.filter(
    (entry) =>
      (method === "" || entry.method === method) &&
      (direction === "" || entry.direction === direction) &&
      (side === "" || entry.side === side) &&
      (!onlyProblems || hasProblem(entry)) &&
      (words.length === 0 || containsAll(entry, words)),
  );
}

function containsAll({ json, method = "", protocol = "" }: TimelineEntry, words: readonly string[]): boolean {
  const text = `${json} ${method} ${protocol}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** True for an error, a failure, a message that deviates from the schema, and one that lost something in a conversion. */
export function hasProblem({ kind, isFailure, problem, losses }: TimelineEntry): boolean {
  return kind === "error" || isFailure === true || problem !== undefined || losses !== undefined;
}

/** Returns the methods of messages, in alphabetical order. */
export function listMethods(entries: readonly TimelineEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ method }) => (method === undefined ? [] : [method])))].sort();
}

/** Returns the response to a request, or the request of a response. */
export function findPartner(entries: readonly TimelineEntry[], entry: TimelineEntry): TimelineEntry | undefined {
  if (entry.kind === "request") return entries.find(({ request }) => request === entry.sequence);
  return entry.request === undefined ? undefined : entries.find(({ sequence }) => sequence === entry.request);
}

/**
 * Returns the same message on the other side of the gateway: the one that it was converted to, or from. Messages are related by their method, their
 * subject and their order, because ids differ between the sides.
 */
export function findCounterpart(entries: readonly TimelineEntry[], entry: TimelineEntry): TimelineEntry | undefined {
  if (entry.kind === "result" || entry.kind === "error") {
    const request = findPartner(entries, entry);
    const other = request && findCounterpart(entries, request);
    return other && findPartner(entries, other);
  }
  const isSame = (one: TimelineEntry): boolean =>
    one.side !== entry.side &&
    one.kind === entry.kind &&
    one.method === entry.method &&
    one.subject === entry.subject &&
    one.direction === entry.direction;
  // A message to the server comes to the client's side first, and one to the client to the server's side.
  const isFirst = (entry.direction === "to-server") === (entry.side === "client");
  const before = entries.filter((one) => one.sequence < entry.sequence);
  const after = entries.filter((one) => one.sequence > entry.sequence);
  const found = isFirst ? after.find(isSame) : before.findLast(isSame);
  const response = isFirst ? findPartner(entries, entry) : undefined;
  const isLater = response !== undefined && found !== undefined && found.sequence > response.sequence;
  return isLater ? undefined : found;
}
