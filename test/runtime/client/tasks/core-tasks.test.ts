import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import type { AnyClientOptions } from "../../../../runtime/client/options.ts";
import { isCapabilityError, isPeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { isNoTaskError, type TaskHandle } from "../../../../runtime/tasks/task-handle.ts";
import type { TaskState } from "../../../../runtime/tasks/task.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { openSession } from "../session/session-wire.ts";
import { handshakeRevisions, newest } from "../../../kit/revisions.ts";
import { RawPeer, related, type Message } from "../../tasks/task-wire.ts";

const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const capabilities = { tools: {}, tasks };
const done = { content: [{ type: "text", text: "done" }] };
const start = "2000-01-01T00:00:00.000Z";
const id = "task-1";

function state(status: string, more: object = {}): Message {
  return { taskId: id, status, createdAt: start, lastUpdatedAt: start, ttl: 60_000, pollInterval: 1_000, ...more };
}

function tool(name: string, taskSupport?: string): object {
  return { name, inputSchema: { type: "object" }, ...(taskSupport && { execution: { taskSupport } }) };
}

interface Following {
  readonly server: RawPeer;
  readonly session: DefaultClientSession;
  readonly clock: ManualClock;
  /** Responds to the next request of this method. */
  serve(method: string, result: object): Promise<Message>;
}

async function open(options: Partial<AnyClientOptions> = {}, server: object = { capabilities }): Promise<Following> {
  const clock = new ManualClock();
  const { session, wire } = await openSession({ clock, ...options }, server);
  const foreigner = new RawPeer(wire);
  const serve = async (method: string, result: object): Promise<Message> => {
    const request = await foreigner.receiveRequest(method);
    foreigner.respond(request, result);
    await settle();
    return request;
  };
  return { server: foreigner, session, clock, serve };
}

/** A task that a tool has become; its tool is in the list. */
async function begin(
  following: Following,
  options: object = {},
  created = state("working"),
): Promise<TaskHandle<object>> {
  const starting = following.session.callTool("slow", { a: 1 }, { task: { ttl: 60_000 }, ...options });
  await following.serve("tools/list", { tools: [tool("slow", "optional")] });
  await following.serve("tools/call", { task: created });
  return asHandle(await starting);
}

function asHandle(value: object): TaskHandle<object> {
  if (!isHandle(value)) throw new Error("That is no task");
  return value;
}

function isHandle(value: object): value is TaskHandle<object> {
  return "taskId" in value && "updates" in value;
}

describe("the choice between plain calls and tasks", () => {
  test("calls become tasks on request, where tool and server declare support (TK-02, TK-07)", async () => {
    const following = await open();
    const starting = following.session.callTool("slow", { a: 1 }, { task: { ttl: 5 }, meta: { "a/b": 1 } });
    starting.catch(() => {});
    await following.serve("tools/list", { tools: [tool("slow", "optional")] });
    const request = await following.serve("tools/call", { task: state("working") });
    expect(request.params).toMatchObject({ name: "slow", arguments: { a: 1 }, task: { ttl: 5 }, _meta: { "a/b": 1 } });
    expect(asHandle(await starting).taskId).toBe(id);
  });

  test.each([
    ["no tasks", { tools: {} }],
    ["tasks of nothing", { tools: {}, tasks: {} }],
    ["tasks of other requests", { tools: {}, tasks: { requests: { prompts: { get: {} } } } }],
  ])(
    "calls become no tasks where the server declares %s, whatever the tool declares (TK-02, TK-05)",
    async (_what, declared) => {
      const { session, serve, server } = await open({}, { capabilities: declared });
      const starting = session.callTool("slow", {}, { task: true });
      starting.catch(() => {});
      await serve("tools/list", { tools: [tool("slow", "required")] });
      await expect(starting).rejects.toSatisfy(isCapabilityError);
      expect(server.wire.sent).toEqual([]);
    },
  );

  test.each([undefined, "forbidden"])(
    "calls become no tasks where the tool declares %s (TK-06, TL-17)",
    async (support) => {
      const { session, serve, server } = await open();
      const starting = session.callTool("slow", {}, { task: true });
      starting.catch(() => {});
      await serve("tools/list", { tools: [tool("slow", support)] });
      await expect(starting).rejects.toThrow('Tool "slow" does not declare task support');
      expect(server.wire.sent).toEqual([]);
    },
  );

  test("calls become no tasks where the tool declares other terms of its execution only (TK-06)", async () => {
    const { session, serve, server } = await open();
    const starting = session.callTool("slow", {}, { task: true });
    starting.catch(() => {});
    await serve("tools/list", { tools: [{ ...tool("slow"), execution: {} }] });
    await expect(starting).rejects.toThrow('Tool "slow" does not declare task support');
    expect(server.wire.sent).toEqual([]);
  });

  test("calls become no tasks at revisions without tasks", async () => {
    const [older] = handshakeRevisions.filter((revision) => revision !== newest);
    const { session, serve } = await open({}, { capabilities: { tools: {} }, revision: older?.id });
    const starting = session.callTool("slow", {}, { task: true });
    starting.catch(() => {});
    await serve("tools/list", { tools: [tool("slow")] });
    await expect(starting).rejects.toThrow("has no tasks");
  });

  test("every call becomes a task for a tool that requires it (TK-08)", async () => {
    const { session, serve, clock } = await open({}, { capabilities: { tools: { listChanged: true }, tasks } });
    const listing = session.listTools();
    await serve("tools/list", { tools: [tool("slow", "required")] });
    await listing;
    const calling = session.callTool("slow");
    expect((await serve("tools/call", { task: state("working") })).params).toMatchObject({ task: {} });
    await clock.pass(1_000);
    await serve("tasks/get", state("completed"));
    await serve("tasks/result", { ...done, _meta: related(id) });
    expect(await calling).toMatchObject(done);
  });

  test.each([undefined, "forbidden", "optional"])(
    "a plain call of a listed tool with the task support %j requests no task",
    async (support) => {
      const { session, serve } = await open({}, { capabilities: { tools: { listChanged: true }, tasks } });
      const listing = session.listTools();
      await serve("tools/list", { tools: [tool("slow", support)] });
      await listing;
      const calling = session.callTool("slow");
      expect((await serve("tools/call", done)).params).not.toHaveProperty("task");
      expect(await calling).toEqual(done);
    },
  );

  test("aborting a call of such a tool cancels its task (TK-21)", async () => {
    const { session, serve, server } = await open({}, { capabilities: { tools: { listChanged: true }, tasks } });
    const listing = session.listTools();
    await serve("tools/list", { tools: [tool("slow", "required")] });
    await listing;
    const stop = new AbortController();
    const calling = session.callTool("slow", {}, { signal: stop.signal });
    await serve("tools/call", { task: state("working") });
    stop.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    expect((await server.receiveRequest("tasks/cancel")).params).toEqual({ taskId: id });
  });

  test("a plain result in place of a task completes the call (TK-03)", async () => {
    const { session, serve } = await open();
    const starting = session.callTool("slow", {}, { task: true });
    starting.catch(() => {});
    await serve("tools/list", { tools: [tool("slow", "optional")] });
    await serve("tools/call", done);
    await expect(starting).rejects.toSatisfy(isNoTaskError);
    await expect(starting).rejects.toMatchObject({ result: done });
  });

  test("a request for a task that is aborted is not cancelled by notification; the task is, when it begins (C-07, TK-27)", async () => {
    const { session, serve, server } = await open();
    const stop = new AbortController();
    const starting = session.callTool("slow", {}, { task: true, signal: stop.signal });
    starting.catch(() => {});
    await serve("tools/list", { tools: [tool("slow", "optional")] });
    const request = await server.receiveRequest("tools/call");
    stop.abort(new Error("enough"));
    await expect(starting).rejects.toThrow("enough");
    await settle();
    expect(server.wire.sent).toEqual([]);
    server.respond(request, { task: state("working") });
    expect((await server.receiveRequest("tasks/cancel")).params).toEqual({ taskId: id });
  });

  test.each<readonly [string, (signal: AbortSignal) => object, string]>([
    ["its signal", (signal) => ({ signal }), "enough"],
    ["its timeout", () => ({ timeout: 100 }), "100 ms"],
    ["its total timeout", () => ({ totalTimeout: 100 }), "100 ms"],
  ])("a request for a task ends with %s while the tools are listed", async (_what, toOptions, message) => {
    const { session, server, clock } = await open();
    const stop = new AbortController();
    let outcome: unknown;
    const options = { task: true, ...toOptions(stop.signal) } as const;
    session.callTool("slow", {}, options).catch((error: unknown) => (outcome = error));
    await server.receiveRequest("tools/list");
    await clock.pass(100);
    stop.abort(new Error("enough"));
    await settle();
    expect(String(outcome)).toContain(message);
  });

  test("a request for a task leaves no listener on its signal", async () => {
    const following = await open();
    const { signal } = new AbortController();
    const handle = await begin(following, { signal });
    expect([handle.taskId, getEventListeners(signal, "abort")]).toEqual([id, []]);
  });

  test("a request for a task that times out is not cancelled by notification (C-07)", async () => {
    const { session, serve, server, clock } = await open();
    const starting = session.callTool("slow", {}, { task: true, timeout: 100 });
    starting.catch(() => {});
    await serve("tools/list", { tools: [tool("slow", "optional")] });
    await server.receiveRequest("tools/call");
    await clock.pass(100);
    await expect(starting).rejects.toThrow("100 ms");
    expect(server.wire.sent).toEqual([]);
  });
});

describe("polling a task", () => {
  test("polling a task uses the interval of the server until the task has ended, and then requests the result (TK-12, TK-13)", async () => {
    const following = await open();
    const result = (await begin(following, {}, state("working", { pollInterval: 3_000 }))).result();
    const { server, clock, serve } = following;
    for (let time = 0; time < 2; time += 1) {
      await clock.pass(2_999);
      expect(server.wire.sent).toEqual([]);
      await clock.pass(1);
      expect((await serve("tasks/get", state("working", { pollInterval: 3_000 }))).params).toEqual({ taskId: id });
    }
    await clock.pass(3_000);
    await serve("tasks/get", state("completed"));
    expect((await serve("tasks/result", { ...done, _meta: related(id) })).params).toMatchObject({ taskId: id });
    expect(await result).toMatchObject(done);
    await clock.pass(60_000);
    expect(server.wire.sent).toEqual([]);
  });

  test("polling a task without an interval slows down to a bound (TK-12)", async () => {
    const following = await open();
    const created: Message = { ...state("working"), pollInterval: undefined };
    const handle = await begin(following, {}, created);
    void handle.result().catch(() => {});
    const waits: number[] = [];
    for (let time = 0; time < 9; time += 1) {
      const before = following.clock.now();
      while (following.server.wire.sent.length === 0) await following.clock.pass(250);
      await following.serve("tasks/get", created);
      waits.push(following.clock.now() - before);
    }
    expect(waits.slice(0, 3)).toEqual([500, 750, 1_250]);
    expect(Math.max(...waits)).toBe(5_000);
  });

  test.each([
    [0, 10],
    [1e12, 300_000],
  ])("polling a task with an interval of %d ms is bounded (TK-12)", async (pollInterval, delay) => {
    const following = await open();
    void (await begin(following, {}, state("working", { pollInterval }))).result().catch(() => {});
    await following.clock.pass(delay - 1);
    expect(following.server.wire.sent).toEqual([]);
    await following.clock.pass(1);
    expect(following.server.wire.sent).toHaveLength(1);
  });

  test("polling a task that requires input requests the result, so that the server has a stream for its request (TK-15)", async () => {
    const elicitation = { form: () => ({ action: "decline" }) };
    const following = await open({ elicitation });
    const result = (await begin(following)).result();
    const { server, serve, clock } = following;
    await clock.pass(1_000);
    await serve("tasks/get", state("input_required"));
    const waiting = await server.receiveRequest("tasks/result");
    const params = { message: "?", requestedSchema: { type: "object", properties: {} }, _meta: related(id) };
    const received = await server.request("elicitation/create", params);
    expect(received.result).toEqual({ action: "decline", _meta: related(id) });
    server.respond(waiting, done);
    expect(await result).toMatchObject(done);
  });

  test("polling a task continues after the request for the result timed out (TK-12)", async () => {
    const following = await open({ timeouts: { wait: 2_000 } });
    const result = (await begin(following)).result();
    const { server, serve, clock } = following;
    await clock.pass(1_000);
    await serve("tasks/get", state("input_required"));
    await server.receiveRequest("tasks/result");
    await clock.pass(2_000);
    await server.receiveRequest("notifications/cancelled");
    await clock.pass(1_000);
    await serve("tasks/get", state("completed"));
    await serve("tasks/result", done);
    expect(await result).toMatchObject(done);
  });

  test("a status notification is a hint to poll, and no more (TK-19)", async () => {
    const following = await open();
    const result = (await begin(following)).result();
    const { server, serve } = following;
    await settle();
    server.notify("notifications/tasks/status", state("completed"));
    await serve("tasks/get", state("working"));
    await settle();
    expect(server.wire.sent).toEqual([]);
    server.notify("notifications/tasks/status", state("working"));
    server.notify("notifications/tasks/status", state("completed", { taskId: "other" }));
    await serve("tasks/get", state("completed"));
    await serve("tasks/result", done);
    expect(await result).toMatchObject(done);
  });

  test("gives the error that the call would have got (TK-13)", async () => {
    const following = await open();
    const result = (await begin(following)).result();
    result.catch(() => {});
    await following.clock.pass(1_000);
    await following.serve("tasks/get", state("failed", { statusMessage: "no" }));
    const request = await following.server.receiveRequest("tasks/result");
    following.server.wire.post({ jsonrpc: "2.0", id: request.id, error: { code: 1234, message: "No" } });
    await expect(result).rejects.toSatisfy((error) => isPeerError(error) && error.code === 1234);
  });

  test("the end of a page that a failed task requires is reported to the client (E-14, E-15)", async () => {
    const completed: string[] = [];
    const elicitation = { url: () => ({ action: "accept" }), completed: (page: string) => void completed.push(page) };
    const following = await open({ elicitation });
    const handle = await begin(following, {}, state("failed"));
    const result = handle.result();
    const request = await following.server.receiveRequest("tasks/result");
    const page = { mode: "url", message: "Sign in", elicitationId: "e1", url: "https://a.example/" };
    const error = { code: -32042, message: "Sign in first", data: { elicitations: [page] } };
    following.server.wire.post({ jsonrpc: "2.0", id: request.id, error });
    await expect(result).rejects.toThrow("Sign in first");
    following.server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
    await expect.poll(() => completed).toEqual(["e1"]);
  });

  test("a task that is gone fails the wait (TK-22)", async () => {
    const following = await open();
    const result = (await begin(following)).result();
    result.catch(() => {});
    await following.clock.pass(1_000);
    const request = await following.server.receiveRequest("tasks/get");
    following.server.wire.post({ jsonrpc: "2.0", id: request.id, error: { code: -32602, message: "gone" } });
    await expect(result).rejects.toThrow("gone");
  });

  test("a poll that fails temporarily is repeated (TK-12)", async () => {
    const following = await open({ timeouts: { request: 2_000 } });
    const result = (await begin(following)).result();
    const { server, serve, clock } = following;
    await clock.pass(1_000);
    const request = await server.receiveRequest("tasks/get");
    server.wire.post({ jsonrpc: "2.0", id: request.id, error: { code: 429, message: "busy" } });
    await clock.pass(999);
    expect(server.wire.sent).toEqual([]);
    await clock.pass(1);
    await server.receiveRequest("tasks/get");
    await clock.pass(2_000);
    await server.receiveRequest("notifications/cancelled");
    await clock.pass(2_000);
    await serve("tasks/get", state("completed"));
    await serve("tasks/result", done);
    expect(await result).toMatchObject(done);
  });

  test("a poll that keeps failing temporarily ends the wait", async () => {
    const following = await open();
    const result = (await begin(following)).result();
    result.catch(() => {});
    const { server, clock } = following;
    for (let polls = 0; polls < 5; polls += 1) {
      await clock.pass(5_000);
      const request = await server.receiveRequest("tasks/get");
      server.wire.post({ jsonrpc: "2.0", id: request.id, error: { code: 503, message: "busy" } });
      await settle();
    }
    await expect(result).rejects.toThrow("busy");
    await clock.pass(60_000);
    expect(server.wire.sent).toEqual([]);
  });

  test("a result that is none of a tool is rejected (TK-13)", async () => {
    const following = await open();
    const result = (await begin(following, {}, state("completed"))).result();
    result.catch(() => {});
    await following.serve("tasks/result", { something: "else" });
    await expect(result).rejects.toThrow("content");
  });

  test("updates of a task start with its status, for any number of readers with one poll", async () => {
    const following = await open();
    const handle = await begin(following);
    const seen: string[][] = [[], []];
    const reading = seen.map(async (list) => {
      for await (const { status, statusMessage } of handle.updates) list.push(statusMessage ?? status);
    });
    const { serve, clock, server } = following;
    for (const next of [state("working"), state("working", { statusMessage: "half" }), state("completed")]) {
      await clock.pass(1_000);
      await serve("tasks/get", next);
    }
    await Promise.all(reading);
    expect(seen).toEqual([
      ["working", "half", "completed"],
      ["working", "half", "completed"],
    ]);
    expect(server.wire.sent).toEqual([]);
  });

  test("a signal ends the wait and not the task", async () => {
    const following = await open();
    const handle = await begin(following);
    const stop = new AbortController();
    const waiting = handle.result({ signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(handle.result({ signal: stop.signal })).rejects.toThrow("enough");
    const result = handle.result();
    await following.clock.pass(1_000);
    await following.serve("tasks/get", state("completed"));
    await following.serve("tasks/result", done);
    expect(await result).toMatchObject(done);
  });

  test("a wait that all callers have given up ends with its polls, and a later one begins again", async () => {
    const following = await open();
    const { server, clock } = following;
    const handle = await begin(following);
    const [first, second] = [new AbortController(), new AbortController()];
    const waits = [first, second].map(({ signal }) => handle.result({ signal }).catch((error: unknown) => error));
    first.abort(new Error("enough"));
    expect(await waits[0]).toMatchObject({ message: "enough" });
    await clock.pass(1_000);
    await following.serve("tasks/get", state("working"));
    second.abort(new Error("enough"));
    expect(await waits[1]).toMatchObject({ message: "enough" });
    await clock.pass(10_000);
    expect(server.wire.sent).toEqual([]);
    const result = handle.result();
    await clock.pass(1_000);
    await following.serve("tasks/get", state("completed"));
    await following.serve("tasks/result", done);
    expect(await result).toMatchObject(done);
  });

  test("a wait that is given up during the request for the result cancels that request", async () => {
    const following = await open();
    const handle = await begin(following, {}, state("input_required"));
    const stop = new AbortController();
    const waiting = handle.result({ signal: stop.signal }).catch(() => {});
    const request = await following.server.receiveRequest("tasks/result");
    stop.abort();
    await waiting;
    const cancelled = await following.server.receiveRequest("notifications/cancelled");
    expect(cancelled.params).toMatchObject({ requestId: request.id });
  });

  test("a wait ends with the session, and not only at the next poll", async () => {
    const following = await open();
    const handle = await begin(following, {}, state("working", { pollInterval: 300_000 }));
    const changes = handle.updates[Symbol.asyncIterator]();
    await changes.next();
    const waits = [handle.result(), changes.next()];
    await following.session.close();
    const outcomes = await Promise.allSettled(waits);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(handle.result()).rejects.toThrow("closed");
  });

  test("cancel and status send their requests, without related-task metadata (TK-16, TK-21, C-07)", async () => {
    const following = await open();
    const handle = await begin(following);
    const pending = handle.status();
    expect((await following.serve("tasks/get", state("working", { statusMessage: "half" }))).params).toEqual({
      taskId: id,
    });
    expect(await pending).toMatchObject({ statusMessage: "half" });
    const cancelling = handle.cancel();
    expect((await following.serve("tasks/cancel", state("cancelled"))).params).toEqual({ taskId: id });
    expect(await cancelling).toMatchObject({ status: "cancelled" });
  });

  test("a task is resumed by its id", async () => {
    const { session, serve, clock } = await open();
    const result = session.toolTask(id).result();
    await serve("tasks/get", state("working"));
    await clock.pass(1_000);
    await serve("tasks/get", state("completed"));
    await serve("tasks/result", done);
    expect(await result).toMatchObject(done);
  });

  test("all tasks are read page by page (TK-20, N-05)", async () => {
    const { session, serve } = await open();
    const listing = session.listTasks();
    await serve("tasks/list", { tasks: [state("working")], nextCursor: "2" });
    expect((await serve("tasks/list", { tasks: [state("failed", { taskId: "b" })] })).params).toEqual({ cursor: "2" });
    const found: readonly TaskState[] = await listing;
    expect(found.map(({ taskId }) => taskId)).toEqual([id, "b"]);
  });

  test("progress is received until the end, also after the response to the call (G-07, TK-27)", async () => {
    const received: number[] = [];
    const following = await open();
    const { session, serve, server, clock } = following;
    const onProgress = ({ progress }: { readonly progress: number }): void => void received.push(progress);
    const starting = session.callTool("slow", {}, { task: true, onProgress });
    starting.catch(() => {});
    await serve("tools/list", { tools: [tool("slow", "optional")] });
    const request = await server.receiveRequest("tools/call");
    const { params } = request;
    const progressToken = isObject(params) && isObject(params._meta) ? params._meta.progressToken : undefined;
    const report = (progress: number): void => server.notify("notifications/progress", { progressToken, progress });
    report(1);
    server.respond(request, { task: state("working") });
    report(2);
    const result = asHandle(await starting).result();
    report(3);
    await clock.pass(1_000);
    report(4);
    await serve("tasks/get", state("completed"));
    report(5);
    await serve("tasks/result", done);
    await result;
    expect(received).toEqual([1, 2, 3, 4]);
  });
});

test("progress of a task continues after the request for its result was lost (G-07)", async () => {
  const received: number[] = [];
  const following = await open();
  const { server } = following;
  const onProgress = ({ progress }: { readonly progress: number }): void => void received.push(progress);
  const starting = following.session.callTool("slow", {}, { task: true, onProgress });
  await following.serve("tools/list", { tools: [tool("slow", "optional")] });
  const { params } = await following.serve("tools/call", { task: state("input_required") });
  const handle = asHandle(await starting);
  const { wire } = server;
  const send = wire.send.bind(wire);
  Object.assign(wire, { send: () => Promise.reject(new Error("lost")) });
  await expect(handle.result()).rejects.toThrow("lost");
  Object.assign(wire, { send });
  const { progressToken } = Object(Object(params)._meta);
  server.notify("notifications/progress", { progressToken, progress: 1 });
  const result = handle.result();
  await following.serve("tasks/result", done);
  await result;
  expect(received).toEqual([1]);
});

describe("tasks of the server's requests", () => {
  const sampling = {
    task: true,
    createMessage: () => ({ role: "assistant", content: { type: "text", text: "hi" }, model: "m" }),
  } as const;
  const samplingParams = { messages: [], maxTokens: 1 };

  test("tasks are declared for the requests that allow them, and nothing else (TK-01)", async () => {
    const form = (): object => ({ action: "decline" });
    const { declared } = await openSession({ sampling, elicitation: { form, task: true } });
    const requests = { sampling: { createMessage: {} }, elicitation: { create: {} } };
    expect(declared).toMatchObject({ tasks: { list: {}, cancel: {}, requests } });
    const some = await openSession({
      sampling: { createMessage: sampling.createMessage },
      elicitation: { form, task: true },
    });
    expect(some.declared).toHaveProperty("tasks.requests", { elicitation: { create: {} } });
    expect((await openSession({ elicitation: { form } })).declared).not.toHaveProperty("tasks");
    const [older] = handshakeRevisions.filter((revision) => revision !== newest);
    const old = await openSession({ sampling, revisions: older ? [older] : [] }, { revision: older?.id ?? "" });
    expect(old.declared).not.toHaveProperty("tasks");
  });

  test("tasks are completed, and their result is available by id (TK-09, TK-13, TK-16, TK-20)", async () => {
    const { server } = await open({ sampling });
    const created = await server.call("sampling/createMessage", { ...samplingParams, task: { ttl: 5_000 } });
    expect(created).toMatchObject({ task: { status: "working", ttl: 5_000 } });
    const { taskId } = Object(created.task);
    await server.until(taskId, "completed");
    expect(await server.call("tasks/result", { taskId })).toEqual({
      ...sampling.createMessage(),
      _meta: related(taskId),
    });
    expect(await server.call("tasks/list")).toMatchObject({ tasks: [{ taskId }] });
    expect(await server.errorOf("tasks/cancel", { taskId })).toMatchObject({ code: -32602 });
    expect(await server.errorOf("tasks/get", { taskId: "unknown" })).toMatchObject({ code: -32602 });
    expect(server.notificationsOf("notifications/tasks/status")).toMatchObject([{ taskId, status: "completed" }]);
  });

  test("tasks are removed after their time to live on the clock of the client", async () => {
    const { server, clock } = await open({ sampling });
    const { task } = await server.call("sampling/createMessage", { ...samplingParams, task: { ttl: 5_000 } });
    const { taskId } = Object(task);
    await server.until(taskId, "completed");
    await clock.pass(4_999);
    expect(await server.call("tasks/get", { taskId })).toMatchObject({ status: "completed" });
    await clock.pass(2);
    expect(await server.errorOf("tasks/get", { taskId })).toMatchObject({ code: -32602 });
  });

  test("tasks can be cancelled during the user's input (TK-21)", async () => {
    const aborted: unknown[] = [];
    let hasBegun = false;
    const { server } = await open({
      elicitation: {
        task: true,
        form: (_params, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => aborted.push(reject(signal.reason)));
            hasBegun = true;
          }),
      },
    });
    const params = { message: "?", requestedSchema: { type: "object", properties: {} }, task: {} };
    const { task } = await server.call("elicitation/create", params);
    await expect.poll(() => hasBegun).toBe(true);
    expect(await server.call("tasks/cancel", { taskId: Object(task).taskId })).toMatchObject({ status: "cancelled" });
    expect(aborted).toHaveLength(1);
  });

  test("a request is not run as a task where tasks were not declared: the response is direct (TK-03)", async () => {
    const { server } = await open({ sampling: { createMessage: sampling.createMessage } });
    expect(await server.call("sampling/createMessage", { ...samplingParams, task: {} })).toEqual(
      sampling.createMessage(),
    );
    expect(await server.errorOf("tasks/list")).toMatchObject({ code: -32601 });
  });

  test("an error of the handler is the response to the request for the result (TK-13)", async () => {
    const { server } = await open({ sampling });
    const bad = {
      messages: [{ role: "user", content: { type: "tool_result", toolUseId: "x", content: [] } }],
      maxTokens: 1,
    };
    const { task } = await server.call("sampling/createMessage", { ...bad, task: {} });
    expect(await server.errorOf("tasks/result", { taskId: Object(task).taskId })).toMatchObject({ code: -32602 });
  });

  test("responses to requests of a server's task carry the task (TK-16)", async () => {
    const { server } = await open({ sampling, roots: [{ uri: "file:///a" }] });
    const _meta = related("theirs");
    expect(await server.call("sampling/createMessage", { ...samplingParams, _meta })).toMatchObject({ _meta });
    expect(await server.call("roots/list", { _meta })).toMatchObject({ _meta });
    expect(await server.call("roots/list")).not.toHaveProperty("_meta");
  });
});
