import { parseMessage } from "../client/message.ts";
import type { HistoryLine } from "../history.ts";
import { groupBy, findResponses, linesOf, type CallRecord, type Check, type Violation } from "./call-index.ts";

/** I1: the events of a stream are 0, 1, 2, … over all connections, each with one content, each at most once on a connection. */
export const checkStreams: Check = ({ history, ended }) => [
  ...[...groupBy(readPositions(history), ({ stream }) => stream)].flatMap(([stream, positions]) => [
    ...findHoles(stream, positions),
    ...findChanges(stream, positions),
    ...findDisorder(stream, positions),
  ]),
  ...linesOf(history, "resume", "return")
    .filter(({ status }) => status === 400 || status === 404)
    .filter(({ t, session = "" }) => t < (ended.get(session) ?? Number.POSITIVE_INFINITY))
    .map(({ id, value = "", status }) => violation(id, `the position ${value} was rejected with ${status}`)),
];

/** Numbers of events, by what happened to them. */
export interface PositionCounts {
  readonly events: number;
  readonly repeated: number;
  readonly lost: number;
  readonly doubled: number;
  readonly outOfOrder: number;
}

/** Counts the events of all streams. */
export function countPositions(history: readonly HistoryLine[]): PositionCounts {
  const counts = { events: 0, repeated: 0, lost: 0, doubled: 0, outOfOrder: 0 };
  for (const [stream, positions] of groupBy(readPositions(history), ({ stream }) => stream)) {
    const distinct = new Set(positions.map(({ sequence }) => sequence));
    const disorder = findDisorder(stream, positions);
    const twice = disorder.filter(({ problem }) => isRepetition(problem)).length;
    counts.events += distinct.size;
    counts.repeated += positions.length - distinct.size - twice;
    counts.lost += Math.max(...distinct) + 1 - distinct.size;
    counts.doubled += twice + findChanges(stream, positions).length;
    counts.outOfOrder += disorder.length - twice;
  }
  return counts;
}

function isRepetition(problem: string): boolean {
  const [, sequence, before] = /(\d+) follows (\d+)/.exec(problem) ?? [];
  return sequence === before;
}

interface Position {
  readonly stream: string;
  readonly sequence: number;
  readonly line: HistoryLine;
}

function readPositions(history: readonly HistoryLine[]): readonly Position[] {
  return linesOf(history, "event", "event").flatMap((line) => {
    const [, stream, sequence] = /^(.+)-(\d+)$/.exec(line.event ?? "") ?? [];
    if (stream === undefined) return [];
    return [{ stream: `${line.session ?? ""} ${stream}`, sequence: Number(sequence), line }];
  });
}

function findHoles(stream: string, positions: readonly Position[]): readonly Violation[] {
  const seen = new Set(positions.map(({ sequence }) => sequence));
  const missing = Array.from({ length: Math.max(...seen) }, (_, index) => index).filter((index) => !seen.has(index));
  return missing.length === 0 ? [] : [violation(stream, `the events ${missing.join(", ")} are missing`)];
}

function findChanges(stream: string, positions: readonly Position[]): readonly Violation[] {
  const contents = new Map<number, string>();
  return positions.flatMap(({ sequence, line: { value = "" } }) => {
    const first = contents.get(sequence) ?? value;
    contents.set(sequence, first);
    return first === value ? [] : [violation(stream, `the event ${sequence} has two contents`)];
  });
}

function findDisorder(stream: string, positions: readonly Position[]): readonly Violation[] {
  const last = new Map<string, number>();
  return positions.flatMap(({ sequence, line: { connection = "" } }) => {
    const before = last.get(connection);
    last.set(connection, sequence);
    if (before === undefined || sequence === before + 1) return [];
    return [violation(stream, `the event ${sequence} follows ${before} on one connection`)];
  });
}

function violation(subject: string, problem: string): Violation {
  return { invariant: "I1", subject, problem };
}

/** I2: each event that a tool knows to be sent is received, or the stream ends with an error. */
export const checkAcknowledged: Check = ({ calls }) =>
  calls.filter(hasResult).flatMap((call): readonly Violation[] => {
    const received = new Set(call.events.map(({ value = "" }) => readIndex(value)));
    const missing = call.effects.filter(({ kind, value }) => kind === "acknowledged" && !received.has(value));
    if (missing.length === 0) return [];
    const indexes = missing.map(({ value = "" }) => value).join(", ");
    return [{ invariant: "I2", subject: call.key, problem: `the acknowledged messages ${indexes} were not received` }];
  });

function hasResult(call: CallRecord): boolean {
  return findResponses(call).some(({ message: { result } }) => result !== undefined);
}

/** Index that `count` puts into its log messages. */
function readIndex(text: string): string | undefined {
  const data = parseMessage(text)?.params?.["data"];
  return typeof data === "object" && data !== null && "index" in data ? String(data.index) : undefined;
}
