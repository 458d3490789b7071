import { expect, test, vi } from "vitest";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { createForwardedTasks } from "../../../../runtime/gateway/tasks/forwarded-tasks.ts";
import { createCoreClientTasks, createExtensionClientTasks } from "../../../../runtime/gateway/tasks/client-tasks.ts";
import { findTaskGate } from "../../../../runtime/server/tasks/extension-tasks.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { createCall, createSession } from "../../../kit/calls.ts";

/* The three kinds of tasks that clients of a gateway can have: those of the server, and those of the gateway by the core or the extension. */

const [extended = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
const declaring = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const server = createServer({ name: "a", version: "1" }, [statelessRevision, newest]);

function callOf(declared: object, revision = extended): ReturnType<typeof createCall> {
  return createCall(server, revision, { session: createSession(server, revision, declared) });
}

/** Creates tasks of a server that notifies of some tasks. The client owns those whose ids begin with `own`. */
function forward(honoured: readonly string[] = ["own-1"]) {
  const watch = vi.fn(async () => ({ honoured, topic: "topic", ended: AbortSignal.abort(), leave() {} }));
  const owners = {
    isOwn: async (_call: unknown, id: string) => id.startsWith("own"),
    check: vi.fn(async () => {}),
    note: vi.fn(async () => {}),
  };
  const parts = { owners: Object.create(owners), notifications: Object.create({ watch }) };
  return { tasks: createForwardedTasks(extended, parts), watch, owners };
}

test("a client subscribes to its own tasks, to each once", async () => {
  const { tasks, watch } = forward();
  const call = callOf(declaring);
  const added = await tasks.listen({ taskIds: ["own-1", "other", "own-1", 5, "own-2"] }, call);
  expect(watch.mock.calls).toEqual([[call, ["own-1", "own-2"]]]);
  expect(added).toMatchObject({ filter: { taskIds: ["own-1"] }, topics: ["topic"], ended: { aborted: true } });
});

test.each<readonly [string, Record<string, unknown>, readonly string[], number]>([
  ["without a list of tasks", { taskIds: "own-1" }, ["own-1"], 0],
  ["to tasks of others", { taskIds: ["other"] }, ["own-1"], 0],
  ["to no task", { taskIds: [] }, ["own-1"], 0],
  ["to tasks of which the server does not notify", { taskIds: ["own-1"] }, [], 1],
])("a client that subscribes %s hears of none", async (_what, filter, honoured, count) => {
  const { tasks, watch } = forward(honoured);
  expect(await tasks.listen(filter, callOf(declaring))).toEqual({ filter: {}, topics: [] });
  expect(watch).toHaveBeenCalledTimes(count);
});

test("a client that has not declared tasks cannot subscribe to any, but to other changes", async () => {
  const { tasks } = forward();
  await expect(tasks.listen({ taskIds: ["own-1"] }, callOf({}))).rejects.toMatchObject({ code: -32021 });
  expect(await tasks.listen({}, callOf({}))).toEqual({ filter: {}, topics: [] });
});

test.each([
  ["tasks/get", true],
  ["tasks/update", true],
  ["tasks/cancel", true],
  ["tools/call", false],
])("the owner of the task is checked by a request of %s: %s", async (method, isChecked) => {
  const { tasks, owners } = forward();
  const row = extended.clientRequests[method] ?? expect.unreachable("the revision has the method");
  const call = callOf(declaring);
  await tasks.check(row, { taskId: "t" }, call);
  expect(owners.check.mock.calls).toEqual(isChecked ? [[call, { taskId: "t" }]] : []);
  await tasks.note({ taskId: "t" }, call);
  expect(owners.note.mock.calls).toEqual([[call, { taskId: "t" }]]);
});

test.each<readonly [unknown, object, object | undefined | "rejected"]>([
  ["required", declaring, { ttl: undefined }],
  ["optional", declaring, { ttl: undefined }],
  ["forbidden", declaring, undefined],
  [undefined, declaring, undefined],
  ["required", {}, "rejected"],
  ["optional", {}, undefined],
])("a call of a tool whose tasks are %s, of a client that declares %j, becomes a task where it can", (...row) => {
  const [support, declared, expected] = row;
  const protocol = { gate: findTaskGate(extended), handlers: {}, listen: vi.fn(), start: vi.fn() };
  const tasks = createExtensionClientTasks(protocol, Object.create({ supportOf: () => support }));
  const call = callOf(declared);
  expect(tasks.isOffered(call.session)).toBe(declared === declaring);
  if (expected === "rejected") expect(() => tasks.readRequested({}, call)).toThrow("has not declared the capability");
  else if (expected) expect(tasks.readRequested({}, call)).toMatchObject(expected);
  else expect(tasks.readRequested({}, call)).toBeUndefined();
});

const gate = { side: "server", path: ["tasks", "requests", "tools", "call"] } as const;
const offered = { tasks: { requests: { tools: { call: {} } } } };

test.each<readonly [string, Record<string, unknown>, object, object | undefined]>([
  ["with a task", offered, { task: { ttl: 5 } }, { ttl: 5 }],
  ["with a task of any length", offered, { task: {} }, { ttl: undefined }],
  ["without a task", offered, {}, undefined],
  ["with a task that the gateway does not offer", {}, { task: {} }, undefined],
])("a call %s becomes a task where the client requests one", (_what, capabilities, params, expected) => {
  const protocol = { gate, handlers: {}, start: vi.fn() };
  const upstream = { callTool: vi.fn(), showTools: (result: unknown) => ({ shown: result }) };
  const tasks = createCoreClientTasks(protocol, upstream);
  const session = createSession(server, newest);
  const own = { ...session.own, capabilities };
  const call = createCall(server, newest, { session: { ...session, own } });
  const requested = tasks.readRequested(params, call);
  if (expected) expect(requested).toMatchObject(expected);
  else expect(requested).toBeUndefined();
  expect(tasks.showTools("a")).toEqual({ shown: "a" });
});

test.each<readonly [string, () => Promise<unknown>, object]>([
  ["the result of the server", async () => ({ content: [] }), { value: { resultType: "complete", content: [] } }],
  ["its error", () => Promise.reject(new Error("no")), { error: { message: "no" } }],
])("a task of the gateway has %s as its own", async (_what, run, expected) => {
  const outcome: { value?: unknown; error?: unknown } = {};
  const protocol = {
    gate: findTaskGate(extended),
    handlers: {},
    listen: vi.fn(),
    async start(call: ReturnType<typeof callOf>, request: { work(during: ReturnType<typeof callOf>): unknown }) {
      await Promise.resolve(request.work(call)).then(
        (value) => (outcome.value = value),
        (error: unknown) => (outcome.error = error),
      );
      return { taskId: "t" };
    },
  };
  const tasks = createExtensionClientTasks(protocol, Object.create({ supportOf: () => "optional" }));
  const call = callOf(declaring);
  const row = extended.clientRequests["tools/call"] ?? expect.unreachable("the revision has tools");
  const begun = await tasks.readRequested({}, call)?.begin(call, { row, ttl: undefined, taskOptions: {}, run });
  expect(begun).toEqual({ taskId: "t" });
  expect(outcome).toMatchObject(expected);
});
