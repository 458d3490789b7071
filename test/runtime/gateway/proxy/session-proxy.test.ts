import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { Revision } from "../../../../generated/support.ts";
import { PrincipalStates } from "../../../../runtime/gateway/proxy/principal-states.ts";
import { SessionProxy } from "../../../../runtime/gateway/proxy/session-proxy.ts";
import { noClientTasks } from "../../../../runtime/gateway/tasks/client-tasks.ts";
import type { SessionToolCall } from "../../../../runtime/gateway/tasks/upstream-tasks.ts";
import { ConnectionLimit } from "../../../../runtime/gateway/upstream/connection-limit.ts";
import type { CallContext } from "../../../../runtime/protocol/session/call-context.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { handshakeRevisions, statelessRevision, newest } from "../../../kit/revisions.ts";
import { createCall, createSession, type CallSetup, type Sent } from "../../../kit/calls.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { complete, createScripted, type Script, unlimited } from "../upstream/scripted-server.ts";

/* The session of a client at the server: what is sent on which connection. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const ours = createServer({ name: "a", version: "1" }, [newest]);
const declared = {
  tools: { listChanged: true },
  logging: {},
  prompts: {},
  resources: { subscribe: true },
  tasks: { requests: { tools: { call: {} } } },
};

/**
 * Opens a session of a client. `onConnection` has what the client receives, but for what belongs to a call. `failures` is the number of attempts to
 * connect to the server that fail.
 */
function open(
  revision: Revision,
  script: Script,
  {
    callTool = (given: SessionToolCall): Promise<unknown> => given.complete(),
    isStateless = false,
    failures = 0,
    client = newest,
    idleTimeout = Infinity,
    tasks = noClientTasks,
    support = "",
  } = {},
) {
  const onConnection: Sent[] = [];
  const { open: connect, received } = createScripted({ revision, capabilities: declared }, script);
  const session = { ...createSession(ours, client, { roots: { listChanged: true } }), isStateless };
  let attempts = 0;
  const { connection } = createCall(ours, newest, { session, sent: onConnection });
  const limit = new ConnectionLimit(4);
  const bridge = { at: () => tasks, tools: { supportOf: () => support }, upstream: { callTool } };
  const proxy = new SessionProxy(
    {
      async open(options) {
        attempts += 1;
        if (attempts <= failures) throw new Error("The server is away");
        return connect(options);
      },
      ...unlimited,
      idleTimeout,
      onError: ({ error }) => expect.unreachable(error.message),
      signal: new AbortController().signal,
    },
    { connection, session, limit, states: new PrincipalStates(), bridge: Object.create(bridge) },
  );
  ends.push(() => proxy.close());
  const call = (sent: Sent[] = [], more: CallSetup = {}): CallContext =>
    createCall(ours, client, { session, sent, ...more });
  const forward = (method: string, params: object, context = call()): Promise<unknown> => {
    const row = client.clientRequests[method];
    return row ? proxy.forward(row, params, context) : expect.unreachable("the revision has the method");
  };
  return { proxy, received, forward, call, onConnection, limit };
}

const onlyTools: Script = ({ method }) => (method === "tools/list" ? { tools: [] } : undefined);

test("a changed list of roots is reported on the connection of the session, which it does not open", async () => {
  const { proxy, received, forward } = open(newest, onlyTools);
  await proxy.notifyRootsListChanged();
  expect(received("initialize")).toEqual([]);
  await forward("tools/list", {});
  await proxy.notifyRootsListChanged();
  await settle();
  expect(received("notifications/roots/list_changed")).toHaveLength(1);
});

test("a changed list of roots is not reported to a server whose revision has no such message", async () => {
  const { proxy, received, forward } = open(statelessRevision, lists);
  await forward("tools/list", {});
  await proxy.notifyRootsListChanged();
  await settle();
  expect(received("notifications/roots/list_changed")).toEqual([]);
});

test("log messages belong to the latest call, and all else to the connection", async () => {
  const { received, forward, call, onConnection } = open(newest, onlyTools);
  await forward("tools/list", {});
  const notify = async (data: string): Promise<void> => {
    const [connection] = received("initialize");
    connection?.notify("notifications/message", { level: "info", data });
    connection?.notify("notifications/tools/list_changed", {});
    await settle();
  };
  await notify("before");
  const [first, second]: [Sent[], Sent[]] = [[], []];
  const calls = [first, second].map((sent) => forward("tools/call", { name: "t" }, call(sent)));
  await expect.poll(() => received("tools/call")).toHaveLength(2);
  await notify("during");
  for (const message of received("tools/call")) message.respond({ content: [] });
  await Promise.all(calls);
  const list = { method: "notifications/tools/list_changed", params: {} };
  const log = (data: string): Sent => ({ method: "notifications/message", params: { level: "info", data } });
  expect(onConnection).toEqual([log("before"), list, list]);
  expect([first, second]).toEqual([[], [log("during")]]);
});

const lists: Script = ({ method }) =>
  method === "tools/list" ? { ...complete, tools: [] } : { ...complete, content: [] };

test("calls with tasks share one further connection, which is opened again after its end", async () => {
  const callTool = async (given: SessionToolCall): Promise<unknown> => {
    const { result } = await given.completeWithTasks(given.call());
    return result;
  };
  const { proxy, received, forward, limit } = open(statelessRevision, lists, { callTool });
  await Promise.all([forward("tools/call", { name: "t" }), forward("tools/call", { name: "t" })]);
  expect(received("server/discover")).toHaveLength(2);
  expect(limit.held(undefined)).toBe(2);
  received("server/discover")[1]?.close();
  await expect.poll(() => limit.held(undefined)).toBe(1);
  await forward("tools/call", { name: "t" });
  expect(received("server/discover")).toHaveLength(3);
  await proxy.close();
  await expect.poll(() => limit.held(undefined)).toBe(0);
});

test.each<readonly [string, string, boolean, boolean]>([
  ["that only runs as a task, for a client without tasks,", "required", false, true],
  ["that only runs as a task, for a client that can request tasks,", "required", true, false],
  ["that may run as a task, for a client without tasks,", "optional", false, false],
])("a tool %s becomes a task by the gateway only if it has to", async (_what, support, isOffered, expected) => {
  const required: boolean[] = [];
  const callTool = (given: SessionToolCall): Promise<unknown> => {
    required.push(given.isTaskRequired);
    return given.complete();
  };
  const tasks = { ...noClientTasks, isOffered: () => isOffered };
  const { forward } = open(newest, lists, { callTool, support, tasks });
  await forward("tools/call", { name: "t" });
  expect(required).toEqual([expected]);
});

test("a call that is to become a task after the end of its session opens no connection", async () => {
  const given: SessionToolCall[] = [];
  const callTool = (one: SessionToolCall): Promise<unknown> => {
    given.push(one);
    return one.complete();
  };
  const { proxy, received, forward, call } = open(statelessRevision, lists, { callTool });
  await forward("tools/call", { name: "t" });
  await proxy.close();
  const before = received("server/discover").length;
  await expect(given[0]?.completeWithTasks(call())).rejects.toThrow("The session has ended");
  await settle();
  expect(received("server/discover")).toHaveLength(before);
});

test.each([
  ["a session that outlasts its request is rejected", false],
  ["a session that ends with its request is admitted like a call", true],
])("%s when all connections but those for calls are taken", async (_what, isStateless) => {
  const { forward, limit } = open(newest, lists, { isStateless });
  for (let count = 0; count < 3; count += 1) await limit.enterSession(new AbortController().signal, undefined);
  const called = forward("tools/call", { name: "t" });
  if (isStateless) expect(await called).toMatchObject({ content: [] });
  else await expect(called).rejects.toMatchObject({ code: 429 });
  expect(limit.held(undefined)).toBe(isStateless ? 4 : 3);
});

test("notifications that belong to requests of the gateway itself do not reach the client", async () => {
  const { received, forward, onConnection } = open(newest, lists);
  await forward("tools/list", {});
  const [connection] = received("initialize");
  const at = "2026-01-01T00:00:00Z";
  const task = { taskId: "t", status: "working", createdAt: at, lastUpdatedAt: at, ttl: null };
  connection?.notify("notifications/cancelled", { requestId: 99 });
  connection?.notify("notifications/progress", { progressToken: 99, progress: 1 });
  connection?.notify("notifications/tasks/status", task);
  connection?.notify("notifications/tools/list_changed", {});
  await settle();
  expect(onConnection).toEqual([{ method: "notifications/tools/list_changed", params: {} }]);
});

test("a connection that cannot be opened takes no place, and the next request opens another", async () => {
  const { forward, limit, received } = open(newest, lists, { failures: 1 });
  await expect(forward("tools/call", { name: "t" })).rejects.toThrow("The server is away");
  expect(limit.held(undefined)).toBe(0);
  expect(await forward("tools/call", { name: "t" })).toMatchObject({ content: [] });
  expect(received("initialize")).toHaveLength(1);
  expect(limit.held(undefined)).toBe(1);
});

test("a session that ends while it waits for a place opens no connection, and its request fails", async () => {
  const { proxy, forward, limit, received } = open(newest, lists);
  for (let count = 0; count < 4; count += 1) await limit.enterCall(new AbortController().signal, undefined);
  const waiting = expect(forward("tools/call", { name: "t" })).rejects.toMatchObject({
    message: "The server has closed the connection",
  });
  await settle();
  await proxy.close();
  await waiting;
  await settle();
  expect(received("initialize")).toEqual([]);
});

test("a session that ends before its first request opens no connection", async () => {
  const { proxy, received } = open(newest, lists);
  await expect(proxy.close()).resolves.toBeUndefined();
  expect(received("initialize")).toEqual([]);
});

test.each([
  [60_000, 30_000],
  [1_000, 1_000],
])(
  "a subscription without a response fails; with an idle timeout of %d ms, after %d ms",
  async (idleTimeout, expected) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { forward, received } = open(newest, onlyTools, { idleTimeout });
    let failure: unknown;
    forward("resources/subscribe", { uri: "x://a" }).catch((error: unknown) => (failure = error));
    // With delays, each message takes several turns.
    for (let turn = 0; turn < 20; turn += 1) await settle();
    expect(received("resources/subscribe")).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(expected - 1);
    expect(failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await settle();
    const message = `Request timed out; the server sent nothing for ${expected} ms`;
    expect(failure).toMatchObject({ code: -32603, message });
  },
);

test("a request with members of another method is still forwarded", async () => {
  const { forward, received } = open(newest, ({ method }) => (method === "prompts/get" ? { messages: [] } : {}));
  const params = { name: "p", level: "debug", uri: "x://a" };
  expect(await forward("prompts/get", params)).toEqual({ messages: [] });
  expect(received("prompts/get")).toHaveLength(1);
});

test("only a list of tools is shown with the task support of the server", async () => {
  const showTools = (): object => ({ tools: [{ name: "shown" }] });
  const result = { messages: [], tools: [{ name: "p" }] };
  const { forward } = open(newest, () => result, { tasks: { ...noClientTasks, showTools } });
  expect(await forward("tools/list", {})).toEqual(showTools());
  expect(await forward("prompts/get", { name: "p" })).toEqual(result);
});

const form = { message: "Name?", requestedSchema: { type: "object", properties: {} } };
const elicit = { method: "elicitation/create", params: form };

/** Requires input so many times, and then responds with content. */
function requireInput(times: number): Script {
  let count = 0;
  return (message) => {
    if (message.method !== "tools/call") return lists(message);
    count += 1;
    if (count > times) return { ...complete, content: [] };
    return { resultType: "input_required", inputRequests: { name: elicit }, requestState: `state ${count}` };
  };
}

test.each<readonly [number, object | string]>([
  [1, { content: [] }],
  [10, { content: [] }],
  [11, "The server required input more than 10 times in one call"],
])("a call whose server requires input %i times ends with %j", async (times, expected) => {
  const { forward, call, received } = open(statelessRevision, requireInput(times));
  const sent: Sent[] = [];
  const respond = (): object => ({ action: "accept", content: {} });
  const called = forward("tools/call", { name: "t" }, call(sent, { respond }));
  if (typeof expected === "string") await expect(called).rejects.toMatchObject({ code: -32603, message: expected });
  else expect(await called).toMatchObject(expected);
  const count = Math.min(times, 10);
  expect(sent).toEqual(Array.from({ length: count }, () => ({ method: elicit.method, params: form })));
  const [, ...retries] = received("tools/call").map(({ params }) => params);
  expect(retries).toMatchObject(
    Array.from({ length: count }, (_, index) => ({
      name: "t",
      inputResponses: { name: { action: "accept" } },
      requestState: `state ${index + 1}`,
    })),
  );
});

test("input is requested for the call whose result requires it, also beside a later one", async () => {
  const { forward, call, received } = open(statelessRevision, (message) =>
    message.method === "tools/call" ? undefined : lists(message),
  );
  const [first, second]: [Sent[], Sent[]] = [[], []];
  const respond = (): object => ({ action: "accept", content: {} });
  const calls = [first, second].map((sent) => forward("tools/call", { name: "t" }, call(sent, { respond })));
  await expect.poll(() => received("tools/call")).toHaveLength(2);
  received("tools/call")[0]?.respond({
    resultType: "input_required",
    inputRequests: { name: elicit },
    requestState: "s",
  });
  await expect.poll(() => received("tools/call")).toHaveLength(3);
  for (const message of received("tools/call").slice(1)) message.respond({ ...complete, content: [] });
  await Promise.all(calls);
  expect([first, second]).toEqual([[{ method: elicit.method, params: form }], []]);
});

test("a call whose server waits for something else than input is repeated after a moment, with the state", async () => {
  let count = 0;
  const { forward, received } = open(statelessRevision, (message) => {
    if (message.method !== "tools/call") return lists(message);
    count += 1;
    return count > 1 ? { ...complete, content: [] } : { resultType: "input_required", requestState: "s" };
  });
  await forward("tools/list", {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const called = forward("tools/call", { name: "t" });
  // With delays, each message takes several turns.
  for (let turn = 0; turn < 20; turn += 1) await settle();
  await vi.advanceTimersByTimeAsync(200);
  expect(received("tools/call")).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(await called).toMatchObject({ content: [] });
  const { params = {} } = received("tools/call")[1] ?? {};
  expect(params).toMatchObject({ name: "t", requestState: "s" });
  expect(params).not.toHaveProperty("inputResponses");
});

test("input that the client's revision does not have is an error of the call", async () => {
  const client = handshakeRevisions.at(-1) ?? newest;
  const { forward, call } = open(statelessRevision, requireInput(1), { client });
  const sent: Sent[] = [];
  await expect(forward("tools/call", { name: "t" }, call(sent))).rejects.toMatchObject({ code: -32601 });
  expect(sent).toEqual([]);
});
