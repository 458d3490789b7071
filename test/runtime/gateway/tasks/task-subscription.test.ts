import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { TaskSubscription } from "../../../../runtime/gateway/tasks/task-notifications.ts";
import { ClosedError, PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { newest, statelessRevision } from "../../../kit/revisions.ts";

/* The subscription of one client to tasks of the server, which is opened again when the server ends it. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const [revision = statelessRevision] = withExtensions([statelessRevision], knownExtensions);

/** Stream of notifications that the gateway has opened. */
interface Stream {
  readonly taskIds: unknown;
  readonly signal: AbortSignal;
  /** Ends the stream, with an error or in order. */
  end(reason?: Error): void;
}

/**
 * Subscribes to the tasks `a` and `b`.
 *
 * @param honoured - tasks that the server notifies of on the first stream, the second, and so on; an error rejects the stream
 * @param states - statuses of the tasks; an error rejects the request for one
 */
function subscribe(
  honoured: readonly (readonly string[] | Error)[],
  states: Readonly<Record<string, string | Error>> = {},
  server = revision,
) {
  const streams: Stream[] = [];
  const told: unknown[] = [];
  const read: string[] = [];
  const reads: Pick<Requested, "signal">[] = [];
  const left = new AbortController();
  let isReachable = true;
  const connection = {
    request(_row: unknown, { notifications }: { notifications: { taskIds: unknown } }, options: Requested) {
      const { signal, onId } = options;
      const id = streams.length + 1;
      onId(id);
      const next = honoured[streams.length] ?? [];
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const end = (reason?: Error): void => (reason ? reject(reason) : resolve({}));
        streams.push({ taskIds: notifications.taskIds, signal, end });
        if (next instanceof Error) return reject(next);
        void Promise.resolve().then(() => subscription.accept({ notifications: { taskIds: next } }));
      });
    },
  };
  const upstream = {
    revision: server,
    connection,
    async request(method: string, { taskId }: { taskId: string }, options: Pick<Requested, "signal">) {
      if (method !== "tasks/get") throw new PeerError({ code: -32601, message: "Method not found" });
      read.push(taskId);
      reads.push(options);
      const status = states[taskId] ?? "working";
      if (status instanceof Error) throw status;
      return { taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: null, resultType: "complete", _meta: {} };
    },
  };
  const subscription = new TaskSubscription(["a", "b"], {
    signal: left.signal,
    connect: () => (isReachable ? Promise.resolve(Object.create(upstream)) : Promise.reject(new ClosedError("gone"))),
    notify: (task) => void told.push(task),
  });
  return { subscription, streams, told, read, reads, left, cutOff: (isCut: boolean) => (isReachable = !isCut) };
}

interface Requested {
  readonly signal: AbortSignal;
  onId(id: number): void;
}

const at = "2026-01-01T00:00:00Z";
const stateOf = (taskId: string, status: string): object => ({
  taskId,
  status,
  createdAt: at,
  lastUpdatedAt: at,
  ttlMs: null,
});
const both = ["a", "b"];
const rejection = new PeerError({ code: -32602, message: "Unknown task" });

/** Delay before a stream is opened again. */
const pass = (): Promise<unknown> => vi.advanceTimersByTimeAsync(500);

test.each<readonly [string, readonly string[] | Error, readonly string[]]>([
  ["that the server honours", both, both],
  ["of them, in the order of the client", ["b", "other", "a"], both],
  ["that it honours in part", ["b"], ["b"]],
  ["of which it honours none", ["other"], []],
  ["that it rejects", rejection, []],
])("a subscription to tasks %s begins with those", async (_what, honoured, expected) => {
  const { subscription, streams } = subscribe([honoured]);
  expect(await subscription.start()).toEqual(expected);
  expect(subscription.ended.aborted).toBe(expected.length === 0);
  expect(streams.map(({ taskIds }) => taskIds)).toEqual([both]);
});

test("a subscription without a connection to the server has no tasks", async () => {
  const { subscription, cutOff } = subscribe([both]);
  cutOff(true);
  expect(await subscription.start()).toEqual([]);
  expect(subscription.ended.aborted).toBe(true);
});

test("a subscription to a server whose revision has none opens no stream", async () => {
  const { subscription, streams } = subscribe([both], {}, newest);
  expect(await subscription.start()).toEqual([]);
  expect([subscription.ended.aborted, streams]).toEqual([true, []]);
});

test("a subscription whose client leaves while the connection is being opened opens no stream", async () => {
  const { subscription, streams, left } = subscribe([both]);
  const started = subscription.start();
  left.abort();
  expect(await started).toEqual([]);
  expect(streams).toEqual([]);
});

test("a subscription reads states in the time of the gateway's own requests, until its client leaves", async () => {
  const { subscription, streams, left, reads } = subscribe([["a"], ["a"]]);
  await subscription.start();
  streams[0]?.end();
  await pass();
  expect(reads).toMatchObject([{ timeout: 30_000, totalTimeout: 30_000, signal: { aborted: false } }]);
  left.abort();
  expect(reads).toMatchObject([{ signal: { aborted: true } }]);
});

test("a subscription whose client leaves reads no states of tasks", async () => {
  const { subscription, streams, left, told, read } = subscribe([both, both]);
  await subscription.start();
  streams[0]?.end();
  await vi.advanceTimersByTimeAsync(499);
  left.abort();
  await pass();
  expect([streams.length, told, read]).toEqual([1, [], []]);
});

test("a subscription ends its stream when its client leaves, and is not opened again", async () => {
  const { subscription, streams, left } = subscribe([both, both]);
  await subscription.start();
  expect([1, 2].map((tag) => subscription.is(tag))).toEqual([true, false]);
  left.abort();
  expect(subscription.ended.aborted).toBe(true);
  expect(streams.map(({ signal }) => signal.aborted)).toEqual([true]);
  await pass();
  expect(streams).toHaveLength(1);
});

test.each<readonly [string, Error | undefined]>([
  ["in order", undefined],
  ["by a lost connection", new ClosedError("The connection was closed")],
])("a stream that ended %s is opened again for its tasks, whose states are passed on", async (_how, reason) => {
  const { subscription, streams, told } = subscribe([["b"], ["b"]]);
  await subscription.start();
  streams[0]?.end(reason);
  await pass();
  expect(streams.map(({ taskIds }) => taskIds)).toEqual([both, ["b"]]);
  expect(told).toEqual([stateOf("b", "working")]);
  expect([1, 2].map((tag) => subscription.is(tag))).toEqual([false, true]);
  expect(subscription.ended.aborted).toBe(false);
});

test.each<readonly [string, Readonly<Record<string, string | Error>>, boolean]>([
  ["has ended when all of its tasks have", { a: "completed", b: "failed" }, true],
  ["goes on while one of its tasks works", { a: "cancelled", b: "working" }, false],
  ["goes on while the state of a task cannot be read", { a: "completed", b: new Error("busy") }, false],
  ["goes on while no state can be read", { a: new Error("busy"), b: new Error("busy") }, false],
])("a subscription that was opened again %s", async (_what, states, isOver) => {
  const { subscription, streams, told, read } = subscribe([both, both], states);
  await subscription.start();
  streams[0]?.end();
  await pass();
  expect(read).toEqual(both);
  const known = both.flatMap((id) => (typeof states[id] === "string" ? [stateOf(id, states[id])] : []));
  expect(told).toEqual(known);
  expect(subscription.ended.aborted).toBe(isOver);
});

test.each<readonly [string, readonly string[] | Error]>([
  ["notifies of fewer tasks", ["a"]],
  ["rejects it", rejection],
])("a subscription ends when the server %s than before", async (_what, second) => {
  const { subscription, streams } = subscribe([both, second]);
  await subscription.start();
  streams[0]?.end();
  await pass();
  expect(subscription.ended.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(streams).toHaveLength(2);
});

test("a subscription is opened again and again until the server can be reached", async () => {
  const { subscription, streams, told, cutOff } = subscribe([both, both]);
  await subscription.start();
  cutOff(true);
  streams[0]?.end(new ClosedError("gone"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(subscription.ended.aborted).toBe(false);
  cutOff(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(streams).toHaveLength(2);
  expect(told).toHaveLength(2);
});
