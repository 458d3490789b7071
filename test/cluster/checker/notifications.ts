import { parseMessage } from "../client/message.ts";
import type { Effect, HistoryLine } from "../history.ts";
import { groupBy, hasFault, linesOf, type Check, type IndexedEvidence, type Violation } from "./call-index.ts";

/** Milliseconds until a notification has reached all nodes, after the change or after the last fault. */
const notificationTime = 2_000;

/** Stream of a session for notifications, from its first connection to its end. */
interface Listening {
  readonly id: string;
  readonly session: string;
  readonly from: number;
  readonly to: number;
  readonly received: readonly { readonly t: number; readonly method: string }[];
}

/** I12: a change reaches every listener that was there before, and still is when the time is over. */
export const checkNotifications: Check = (evidence, { slack }) => {
  const listeners = findListeners(evidence.history);
  const subscribed = new Map(
    linesOf(evidence.history, "subscribe", "return")
      .filter(({ outcome }) => outcome === "ok")
      .map(({ id, t }) => [id, t]),
  );
  const ends = evidence.effects.filter(({ kind }) => kind === "end");
  const starts = new Map(evidence.effects.filter(({ kind }) => kind === "start").map(({ key, t }) => [key, t]));
  return ends.flatMap(({ key, tool, t, node }) => {
    const method = methods[tool ?? ""];
    if (method === undefined) return [];
    const from = starts.get(key) ?? t;
    // A node that ends right after the change cannot notify the others.
    if (hasFault(evidence, [from, t + slack], ({ target }) => target === node.split(".")[0])) return [];
    const deadline = Math.max(t, lastFault(evidence, t)) + notificationTime + slack;
    return listeners
      .filter((listener) => listener.from < from && listener.to > deadline)
      .filter(({ session }) => tool !== "touch" || (subscribed.get(session) ?? Number.POSITIVE_INFINITY) < from)
      .filter(({ received }) => !received.some((got) => got.method === method && got.t >= from && got.t <= deadline))
      .map(({ id }): Violation => ({ invariant: "I12", subject: id, problem: `no ${method} came after ${key}` }));
  });
};

/** Notification for the change that a tool makes. */
const methods: Readonly<Record<string, string>> = {
  toggle: "notifications/tools/list_changed",
  touch: "notifications/resources/updated",
};

/** Returns the end of the last fault that could delay a notification: faults that follow each other within its time count as one. */
function lastFault({ faults }: IndexedEvidence, changed: number): number {
  let last = changed;
  for (const { from, to } of faults.toSorted((a, b) => a.from - b.from)) {
    if (to >= changed - notificationTime && from <= last + notificationTime) last = Math.max(last, to);
  }
  return last;
}

function findListeners(history: readonly HistoryLine[]): readonly Listening[] {
  const connected = new Map<string, number>();
  for (const { id, t } of linesOf(history, "listen", "event")) if (!connected.has(id)) connected.set(id, t);
  const ended = new Map(linesOf(history, "listen", "return").map(({ id, t }) => [id, t]));
  const events = groupBy(linesOf(history, "event", "event"), ({ id }) => id);
  return linesOf(history, "listen", "call").map(({ id, session = "" }) => ({
    id,
    session,
    from: connected.get(id) ?? Number.POSITIVE_INFINITY,
    to: ended.get(id) ?? Number.POSITIVE_INFINITY,
    received: (events.get(id) ?? []).map(({ t, value = "" }) => ({ t, method: parseMessage(value)?.method ?? "" })),
  }));
}

/** Level: once a session has set its log level, no call that begins later sends it less severe messages. */
export const checkLevels: Check = ({ history, calls, effects }) => {
  const set = new Map(
    linesOf(history, "level", "return")
      .filter(({ outcome }) => outcome === "ok")
      .map(({ id, t }) => [id, t]),
  );
  const starts = new Map(effects.filter(isStart).map(({ key, t }) => [key, t]));
  return calls.flatMap(({ key, events, calls: [first] }): readonly Violation[] => {
    const since = set.get(first?.session ?? "");
    const start = starts.get(key);
    if (since === undefined || start === undefined || start <= since) return [];
    return events
      .map(({ value = "" }) => parseMessage(value)?.params?.["level"])
      .filter((level) => level === "debug" || level === "info")
      .map((level) => ({ invariant: "level", subject: key, problem: `a message of the level ${String(level)} came` }));
  });
};

function isStart({ kind }: Effect): boolean {
  return kind === "start";
}
