import { expect, test } from "vitest";
import { coreUpstreamTasks } from "../../../../runtime/gateway/tasks/upstream-tasks.ts";
import type { BridgedTask } from "../../../../runtime/gateway/tasks/client-tasks.ts";
import type { RequestOptions } from "../../../../runtime/protocol/session/request-options.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { newest } from "../../../kit/revisions.ts";
import { createCall, type Sent } from "../../../kit/calls.ts";

/* Calls of tools that a server with tasks of the core runs as such: which task the client gets, and which the server loses. */

const server = createServer({ name: "a", version: "1" }, [newest]);
const at = "2026-01-01T00:00:00Z";
const done = { content: [{ type: "text", text: "done" }] };
const named = { task: { taskId: "of the gateway" } };

const created = (more: object = {}): object => ({
  task: { taskId: "t", status: "working", createdAt: at, lastUpdatedAt: at, ttl: null, ...more },
});

interface Setup {
  /** Lifetime that the client requests with its task; without one, it requests no task. */
  readonly requested?: { readonly ttl: number | undefined };
  readonly isTaskRequired?: boolean;
  /** Reason why the gateway cannot continue the call as a task. */
  readonly failure?: Error;
}

/** Calls a tool of a server with this response. */
function call(response: object, { requested, isTaskRequired = false, failure }: Setup = {}) {
  const stop = new AbortController();
  const sent: Sent[] = [];
  const context = createCall(server, newest, { sent, signal: stop.signal });
  const begun: BridgedTask[] = [];
  const started: string[] = [];
  const calls: { readonly params: object; readonly options: RequestOptions }[] = [];
  const aboutTasks: string[] = [];
  const connection = {
    state: "INITIALIZED",
    revision: newest,
    async request({ method }: { readonly method: string }) {
      aboutTasks.push(method);
      if (method === "tasks/result") return done;
      return { ...Reflect.get(created(), "task"), status: method === "tasks/cancel" ? "cancelled" : "completed" };
    },
  };
  const given = {
    row: newest.clientRequests["tools/call"],
    upstream: { connection, revision: newest, hearTask: () => () => {} },
    signal: stop.signal,
    isTaskRequired,
    requested: requested && {
      ttl: requested.ttl,
      async begin(_call: unknown, task: BridgedTask) {
        if (failure) throw failure;
        begun.push(task);
        return named;
      },
    },
    call: () => context,
    async request(params: object, options: RequestOptions) {
      calls.push({ params, options });
      options.onProgress?.({ progress: 1 });
      return response;
    },
    complete: () => Promise.resolve({ content: [] }),
    onStarted: (task: { readonly started: { readonly taskId: string } }) => void started.push(task.started.taskId),
  };
  const outcome = coreUpstreamTasks.callTool(Object.create(given));
  return { outcome, begun, calls, started, aboutTasks, stop, sent };
}

test("a call without a task is a plain call", async () => {
  const { outcome, calls } = call(created());
  expect(await outcome).toEqual({ content: [] });
  expect(calls).toEqual([]);
});

test.each<readonly [number | undefined, object]>([
  [undefined, {}],
  [5, { ttl: 5 }],
])("a task with the lifetime %s is requested of the server with it", async (ttl, task) => {
  const { outcome, calls, started } = call(created(), { requested: { ttl } });
  expect(await outcome).toBe(named);
  expect(calls.map(({ params }) => params)).toEqual([{ task }]);
  expect(started).toEqual(["t"]);
});

test.each<readonly [string, object, Partial<BridgedTask>]>([
  ["without limits", {}, { ttl: Infinity, taskOptions: {} }],
  ["with a lifetime and an interval", { ttl: 7, pollInterval: 50 }, { ttl: 7, taskOptions: { pollInterval: 50 } }],
])("a task of the server %s becomes a task of the gateway like it", async (_what, more, expected) => {
  const { outcome, begun } = call(created(more), { requested: { ttl: undefined } });
  await outcome;
  expect(begun.map(({ ttl, taskOptions }) => ({ ttl, taskOptions }))).toEqual([expected]);
});

test.each([{ requested: { ttl: 5 } }, { isTaskRequired: true }])(
  "a server that responds to %j with a result starts no task",
  async (setup) => {
    const { outcome, begun, started, aboutTasks } = call(done, setup);
    expect(await outcome).toBe(done);
    expect([begun, started, aboutTasks]).toEqual([[], [], []]);
  },
);

test("a tool that only runs as a task is run as one, and its result is the result of the call", async () => {
  const { outcome, calls, aboutTasks } = call(created({ pollInterval: 0 }), { isTaskRequired: true });
  expect(await outcome).toEqual(done);
  expect(calls.map(({ params }) => params)).toEqual([{ task: {} }]);
  expect(aboutTasks).toContain("tasks/result");
});

test("progress before and after the start of a task reaches the client", async () => {
  const { outcome, calls, begun, sent } = call(created(), { requested: { ttl: undefined } });
  await outcome;
  calls[0]?.options.onProgress?.({ progress: 2 });
  void begun[0]?.run(createCall(server, newest, { sent })).catch(() => {});
  await settle();
  expect(sent).toEqual([1, 2].map((progress) => ({ method: "notifications/progress", params: { progress } })));
});

test("a task of the server that the gateway cannot continue is cancelled, and the call fails", async () => {
  const failure = new Error("The store is away");
  const { outcome, aboutTasks } = call(created(), { requested: { ttl: undefined }, failure });
  await expect(outcome).rejects.toBe(failure);
  expect(aboutTasks).toEqual(["tasks/cancel"]);
});

test("a task that the server starts for a cancelled call is cancelled, and becomes no task of the gateway", async () => {
  const { outcome, stop, aboutTasks, begun } = call(created(), { requested: { ttl: undefined } });
  stop.abort(new Error("enough"));
  await expect(outcome).rejects.toThrow("enough");
  expect([aboutTasks, begun]).toEqual([["tasks/cancel"], []]);
});

test("a task of the gateway that has ended before it is run cancels the task of the server", async () => {
  const { outcome, begun, aboutTasks } = call(created(), { requested: { ttl: undefined } });
  await outcome;
  begun[0]?.spared?.();
  await settle();
  expect(aboutTasks).toEqual(["tasks/cancel"]);
});
