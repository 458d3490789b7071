import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RelayedTask } from "../../../../runtime/gateway/tasks/relayed-task.ts";
import { PeerError, TimeoutError } from "../../../../runtime/jsonrpc/errors.ts";
import type { RequestOptions } from "../../../../runtime/protocol/session/request-options.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { newest } from "../../../kit/revisions.ts";
import { createCall, type Sent } from "../../../kit/calls.ts";

/* A task of the server that runs a call of a client: how the gateway follows it, and what the client receives meanwhile. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const at = "2026-01-01T00:00:00Z";
const task = {
  taskId: "t",
  status: "working",
  createdAt: at,
  lastUpdatedAt: at,
  ttl: null,
  pollInterval: 1_000,
} as const;
const done = { content: [{ type: "text", text: "done" }] };

/** Result, or error, of each request to the server with a method, in this order; the last one repeats. */
type Script = Readonly<Record<string, readonly unknown[]>>;

function relay(script: Script) {
  const requests: { readonly method: string; readonly options: RequestOptions }[] = [];
  const connection = {
    state: "INITIALIZED",
    revision: newest,
    async request({ method }: { readonly method: string }, _params: unknown, options: RequestOptions) {
      const count = requests.filter((one) => one.method === method).length;
      requests.push({ method, options });
      const outcomes = script[method] ?? [];
      const outcome = outcomes[Math.min(count, outcomes.length - 1)];
      if (outcome instanceof Error) throw outcome;
      return outcome ?? new Promise(() => {});
    },
  };
  const received: unknown[] = [];
  const hearTask = (taskId: string, listener: unknown) => {
    received.push(taskId, listener);
    return () => void received.splice(0);
  };
  const ended = new AbortController();
  const relayed = new RelayedTask(Object.create({ connection, revision: newest, hearTask }), task, ended);
  const stop = new AbortController();
  const sent: Sent[] = [];
  const during = createCall(createServer({ name: "a", version: "1" }, [newest]), newest, { sent, signal: stop.signal });
  const count = (method: string): number => requests.filter((one) => one.method === method).length;
  return { relayed, during, connection, requests, count, heard: received, ended, stop, sent };
}

const states = (...statuses: readonly string[]): readonly object[] => statuses.map((status) => ({ ...task, status }));

test("a task is polled at the interval of the server, and its result is the result of the call", async () => {
  const {
    relayed,
    during,
    requests,
    count,
    heard: received,
    ended,
    stop,
  } = relay({
    "tasks/get": states("working", "completed"),
    "tasks/result": [done],
    "tasks/cancel": states("cancelled"),
  });
  expect(received).toEqual(["t", relayed]);
  const result = relayed.run(during);
  await vi.advanceTimersByTimeAsync(999);
  expect(count("tasks/get")).toBe(0);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(await result).toEqual(done);
  expect(requests.map(({ method }) => method)).toEqual(["tasks/get", "tasks/get", "tasks/result"]);
  expect(requests.map(({ options }) => options.timeout)).toEqual([undefined, undefined, Infinity]);
  expect([received, ended.signal.aborted]).toEqual([[], true]);
  await relayed.over;
  stop.abort(new Error("late"));
  await vi.advanceTimersByTimeAsync(0);
  expect(count("tasks/cancel")).toBe(0);
});

test("a notification of the status polls the task at once, and goes to no client", async () => {
  const { relayed, during, sent } = relay({ "tasks/get": states("completed"), "tasks/result": [done] });
  const result = relayed.run(during);
  await vi.advanceTimersByTimeAsync(1);
  relayed.notify("taskStatus", task);
  await vi.advanceTimersByTimeAsync(0);
  expect(await result).toEqual(done);
  expect(sent).toEqual([]);
});

test("log messages of a task go to its client, also those before it is followed, and poll nothing", async () => {
  const { relayed, during, sent, count } = relay({ "tasks/get": states("working") });
  const log = { level: "info", data: "a" };
  relayed.notify("loggingMessage", log);
  void relayed.run(during).catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  relayed.notify("loggingMessage", { ...log, data: "b" });
  relayed.notify("toolListChanged", {});
  relayed.report({ progress: 1 });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([
    { method: "notifications/message", params: log },
    { method: "notifications/message", params: { ...log, data: "b" } },
    { method: "notifications/progress", params: { progress: 1 } },
  ]);
  expect(count("tasks/get")).toBe(0);
});

const late = new TimeoutError("tasks/get", 30_000);

test.each<readonly [string, string, readonly unknown[], boolean]>([
  ["after a timeout", "INITIALIZED", [late, ...states("completed")], true],
  [
    "while the server is busy",
    "INITIALIZED",
    [new PeerError({ code: 429, message: "busy" }), ...states("completed")],
    true,
  ],
  ["but not after an error of the server", "INITIALIZED", [new PeerError({ code: -32602, message: "gone" })], false],
  ["but not after the end of the connection", "DISCONNECTED", [late, ...states("completed")], false],
])("a task that cannot be polled is polled again %s", async (_when, state, outcomes, isAgain) => {
  const { relayed, during, connection } = relay({ "tasks/get": outcomes, "tasks/result": [done] });
  connection.state = state;
  const outcome = relayed.run(during).catch(() => "failed");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await outcome).toEqual(isAgain ? done : "failed");
});

test("a client that cancels its call cancels the task, and no longer waits for the result", async () => {
  const { relayed, during, requests, stop, count } = relay({
    "tasks/get": states("completed"),
    "tasks/result": [],
    "tasks/cancel": states("cancelled"),
  });
  const outcome = relayed.run(during).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  const waiting = requests.find(({ method }) => method === "tasks/result");
  expect(waiting?.options.signal?.aborted).toBe(false);
  stop.abort(new Error("enough"));
  await vi.advanceTimersByTimeAsync(0);
  expect(await outcome).toMatchObject({ message: "enough" });
  expect(count("tasks/cancel")).toBe(1);
  expect(waiting?.options.signal?.aborted).toBe(true);
});

test("a task of a call that was cancelled before is cancelled", async () => {
  const { relayed, during, stop, count } = relay({
    "tasks/get": states("cancelled"),
    "tasks/cancel": states("cancelled"),
  });
  stop.abort(new Error("enough"));
  const outcome = relayed.run(during).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await outcome).toMatchObject({ message: "enough" });
  expect(count("tasks/cancel")).toBe(1);
});

test.each<readonly [string, string]>([
  ["cancelled", "The server cancelled the task"],
  ["failed", "stop"],
])("a task that the server has %s fails the call", async (status, message) => {
  const { relayed, during } = relay({
    "tasks/get": states(status),
    "tasks/result": [new PeerError({ code: -32000, message: "stop" })],
  });
  const outcome = relayed.run(during).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await outcome).toMatchObject({ message });
});

test("a task that no call follows is cancelled, and its connection is no longer needed", async () => {
  const {
    relayed,
    count,
    heard: received,
    ended,
  } = relay({
    "tasks/cancel": [new PeerError({ code: -32602, message: "gone" })],
  });
  await relayed.abandon();
  await relayed.over;
  expect([count("tasks/cancel"), received, ended.signal.aborted]).toEqual([1, [], true]);
});

test("status messages of a task reach the client that follows it as a task, and one that cannot be stored ends nothing", async () => {
  const polled = [undefined, "half", "half", undefined, "half", "most"].map((statusMessage) => ({
    ...task,
    ...(statusMessage !== undefined && { statusMessage }),
  }));
  const { relayed, during } = relay({ "tasks/get": [...polled, ...states("completed")], "tasks/result": [done] });
  const messages: string[] = [];
  const status = async (message: string): Promise<void> => {
    messages.push(message);
    if (message === "most") throw new Error("The store is away");
  };
  const result = relayed.run(Object.assign(during, { task: { id: "of the gateway", status } }));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await result).toEqual(done);
  expect(messages).toEqual(["half", "most"]);
});
