import type { TimelineEntry } from "../../page-messages.ts";

/** Filter of the timeline. */
export interface TrafficFilter {
  /** Words to find in a message. */
  readonly text: string;
  /** Method; empty for all. */
  readonly method: string;
  readonly direction: "" | "to-server" | "to-client";
  readonly side: "" | "client" | "server";
  /** Only errors, deviations from the schema and losses. */
  readonly onlyProblems: boolean;
}

/** Filter at first: the client's side, without the repetitions of its messages on the server's side. */
export const firstFilter: TrafficFilter = { text: "", method: "", direction: "", side: "client", onlyProblems: false };

/**
 * Returns the number of messages of the server's side hidden by a filter although they have a problem: they deviate from the schema or have lost
 * something.
 */
export function countHidden(entries: readonly TimelineEntry[], { side }: TrafficFilter): number {
  if (side !== "client") return 0;
  return entries.filter((entry) => entry.side === "server" && (entry.problem ?? entry.losses) !== undefined).length;
}

/** Returns the messages that pass a filter. */
export function filterTraffic(entries: readonly TimelineEntry[], filter: TrafficFilter): readonly TimelineEntry[] {
  const { text, method, direction, side, onlyProblems } = filter;
  const words = text.toLowerCase().split(/\s/).filter(Boolean);
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

/** True for an error, a failure, a deviation from the schema, and a loss in a conversion. */
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
 * Returns the same message on the other side of the gateway, before or after its conversion. Messages are related by their method, their subject and
 * their order, because ids differ between the sides. Responses distinguish calls that run at the same time: each is passed on at once.
 */
export function findCounterpart(entries: readonly TimelineEntry[], entry: TimelineEntry): TimelineEntry | undefined {
  if (entry.kind === "result" || entry.kind === "error") return findNearest(entries, entry, isRelayOf(entry));
  const response = entry.kind === "request" ? findPartner(entries, entry) : undefined;
  if (!response) return findNearest(entries, entry);
  const other = findCounterpart(entries, response);
  // A request without another side was answered by the gateway. One may become several, of which the first is the same.
  if (!other || !isFirst(entry)) return other && findPartner(entries, other);
  return findNearest(entries, entry, ({ connection }) => connection === other.connection);
}

/** Returns the nearest message on the other side with the same method and subject, among the ones accepted by a function. */
function findNearest(
  entries: readonly TimelineEntry[],
  entry: TimelineEntry,
  accepts: (one: TimelineEntry) => boolean = () => true,
): TimelineEntry | undefined {
  const isSame = (one: TimelineEntry): boolean =>
    one.side !== entry.side &&
    (one.request === undefined ? one.kind === entry.kind : entry.request !== undefined) &&
    one.method === entry.method &&
    one.subject === entry.subject &&
    one.direction === entry.direction &&
    accepts(one);
  if (isFirst(entry)) return entries.find((one) => one.sequence > entry.sequence && isSame(one));
  return entries.findLast((one) => one.sequence < entry.sequence && isSame(one));
}

/**
 * True for a message before its conversion. A message to the server is on the client's side first, and a message to the client on the server's side.
 */
function isFirst({ direction, side }: TimelineEntry): boolean {
  return (direction === "to-server") === (side === "client");
}

/**
 * Returns a test for the same response on the other side. A request is passed on while the original one runs, so one of the two lies within the
 * other.
 */
function isRelayOf(response: TimelineEntry): (one: TimelineEntry) => boolean {
  const { request = 0 } = response;
  // The side that a request comes to first gets the response last.
  return ({ request: other = 0 }) => (isFirst(response) ? other < request : other > request);
}
