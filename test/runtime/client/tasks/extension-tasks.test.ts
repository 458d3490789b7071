import { describe, expect, test } from "vitest";
import type { CoreCallOptions } from "../../../../runtime/client/session/requests.ts";
import { extensionTasks, readStartedTask } from "../../../../runtime/client/tasks/task-protocol.ts";
import { SessionTasks } from "../../../../runtime/client/tasks/session-tasks.ts";
import { LostError } from "../../../../runtime/transport/http-client/errors.ts";
import { PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { isTaskState, type TaskState } from "../../../../runtime/tasks/task.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { declaringTasks, openLine, taskRevision } from "./task-line.ts";

const at = "2000-01-01T00:00:00.000Z";
const head = { taskId: "t", createdAt: at, lastUpdatedAt: at };
const inputRequest = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } },
};

type Port = ReturnType<typeof extensionTasks.createPort>;

interface Played {
  readonly send: Port["send"];
  readonly outcome: NonNullable<Port["outcome"]>;
  /** Requests since the last look: their handler names and params. */
  takeCalls(): readonly unknown[];
  readonly options: CoreCallOptions[];
  /** Params of the handled input requests. */
  readonly handled: unknown[];
  /** Signals of these input requests. */
  readonly signals: AbortSignal[];
}

type Respond = (handler: string, params: object) => object | Promise<object>;

/** Port of a task whose requests the function responds to. */
async function open(respond: Respond, elicit: () => unknown = () => ({ action: "decline" })): Promise<Played> {
  const { connection } = await openLine();
  const calls: unknown[] = [];
  const options: CoreCallOptions[] = [];
  const handled: unknown[] = [];
  const signals: AbortSignal[] = [];
  const handlers = {
    elicit(params: unknown, { signal }: { readonly signal: AbortSignal }) {
      handled.push(params);
      signals.push(signal);
      return elicit();
    },
  };
  const { send, outcome } = extensionTasks.createPort({
    async call(handler, params: object = {}, given = {}) {
      calls.push([handler, params]);
      options.push(given);
      return { ...(await respond(handler, params)) };
    },
    responder: () => ({ connection, handlers }),
  });
  if (!outcome) throw new Error("The port has no outcome");
  return { send, outcome, options, handled, signals, takeCalls: () => calls.splice(0) };
}

/** Reads the described task, and its outcome. */
async function read(detail: object): Promise<{ readonly played: Played; readonly reading: Promise<unknown> }> {
  const played = await open(() => ({ ...head, ...detail }));
  const task = await get(played);
  expect(played.takeCalls()).toEqual([["getTask", { taskId: "t" }]]);
  const reading = played.outcome(task, {});
  reading.catch(() => {});
  return { played, reading };
}

async function get({ send }: Played): Promise<TaskState> {
  const task = await send("getTask", "t", {});
  if (!isTaskState(task)) throw new Error("The response is no task");
  return task;
}

describe("a task in a result", () => {
  test.each<[unknown, object | undefined]>([
    [
      { resultType: "task", status: "working", ...head },
      { ...head, status: "working", ttl: null },
    ],
    [
      { resultType: "task", status: "failed", statusMessage: "no", ttlMs: 0, pollIntervalMs: 5, ...head, more: 1 },
      { ...head, status: "failed", statusMessage: "no", ttl: 0, pollInterval: 5 },
    ],
    [
      { resultType: "task", status: "working", ttlMs: "1", pollIntervalMs: null, ...head },
      { ...head, status: "working", ttl: null },
    ],
    [{ resultType: "complete", status: "working", ...head }, undefined],
    [{ status: "working", ...head }, undefined],
    [{ resultType: "task", status: "working" }, undefined],
    [{ resultType: "task", ...head }, undefined],
    ["task", undefined],
    [undefined, undefined],
  ])("a task is read from %j", (result, expected) => {
    const task = readStartedTask(result);
    expect(task).toStrictEqual(expected);
    expect(extensionTasks.readCreated(result)).toStrictEqual(expected);
    expect(extensionTasks.readContinued(result)).toStrictEqual(expected);
  });

  test("a call that may become a task requests nothing", async () => {
    const { connection } = await openLine();
    expect(extensionTasks.toRequest({ ttl: 5 }, new AbortController().signal)).toEqual({ params: {}, options: {} });
    const listed = { name: "t", execution: { taskSupport: "required" } };
    expect(extensionTasks.isRequired(listed, connection)).toBe(false);
    expect(() => extensionTasks.requireSupport({ name: "t", listed: undefined }, connection)).not.toThrow();
  });

  test.each([
    ["the extension at a revision with it", taskRevision, declaringTasks, true],
    ["nothing at a revision with it", taskRevision, { tools: {} }, false],
    ["the extension at a revision without it", statelessRevision, declaringTasks, false],
  ])("a task is declared if the server declares %s", async (_what, revision, declared, expected) => {
    const { connection } = await openLine({ revisions: [revision] }, declared);
    expect(extensionTasks.isDeclared(connection.session)).toBe(expected);
  });

  test.each([undefined, (send: () => Promise<unknown>): Promise<unknown> => send()])(
    "a call that is to become a task is sent as its caller wants it: %s",
    async (around) => {
      const { connection } = await openLine({}, declaringTasks);
      const options: CoreCallOptions[] = [];
      const tasks = new SessionTasks({
        clock: undefined,
        async call(_handler, _params, given = {}) {
          options.push(given);
          return { resultType: "task", status: "working", ...head };
        },
        connection: () => connection,
        isEnded: () => false,
        responder: () => ({ connection, handlers: {} }),
      });
      const call = { name: "t", args: undefined, tool: undefined, around, toResult: () => ({}) };
      expect((await tasks.start(call, { task: true })).taskId).toBe("t");
      expect(options).toEqual([{ retry: "never", ...(around && { around }) }]);
    },
  );

  test("a task of the extension is not declared at a revision with tasks of the core", async () => {
    const { connection } = await openLine();
    expect(extensionTasks.isDeclared({ ...connection.session, revision: newest })).toBe(false);
  });
});

describe("a request about a task", () => {
  test("a request for the status has the state as its result", async () => {
    const played = await open(() => ({ ...head, status: "working", ttlMs: 3, pollIntervalMs: 4 }));
    const { signal } = new AbortController();
    const task = await played.send("getTask", "t", { signal });
    expect(task).toEqual({ ...head, status: "working", ttl: 3, pollInterval: 4 });
    expect([played.takeCalls(), played.options]).toEqual([[["getTask", { taskId: "t" }]], [{ signal }]]);
  });

  test("a request for the status has no state if the response is no task", async () => {
    const { send } = await open(() => ({ status: "working" }));
    expect(await send("getTask", "t", {})).toBeUndefined();
  });

  test("a cancellation is followed by a request for the status", async () => {
    const played = await open((handler) => (handler === "getTask" ? { ...head, status: "cancelled" } : {}));
    const { signal } = new AbortController();
    expect(await played.send("cancelTask", "t", { signal })).toMatchObject({ status: "cancelled" });
    const params = { taskId: "t" };
    expect(played.takeCalls()).toEqual([
      ["cancelTask", params],
      ["getTask", params],
    ]);
    expect(played.options).toEqual([{ signal }, { signal }]);
  });
});

describe("the outcome of a task", () => {
  test.each<[object, unknown]>([
    [{ status: "working", result: {} }, undefined],
    [{ status: "completed", result: { content: [] } }, { value: { content: [] } }],
    [{ status: "input_required" }, undefined],
    [{ status: "input_required", inputRequests: "a" }, undefined],
    [{ status: "input_required", inputRequests: {} }, undefined],
  ])("the outcome is in the state that the server described: %j", async (detail, expected) => {
    const { played, reading } = await read(detail);
    expect([await reading, played.takeCalls(), played.handled]).toEqual([expected, [], []]);
  });

  test("the outcome of a cancelled task is an error with its id", async () => {
    const { reading } = await read({ status: "cancelled", result: { content: [] } });
    await expect(reading).rejects.toThrow("The task was cancelled and has no result: t");
  });

  test.each<[unknown, object]>([
    [
      { code: -5, message: "no", data: { a: 1 } },
      { code: -5, message: "no", data: { a: 1 } },
    ],
    [
      { code: "5", message: 5 },
      { code: 0, message: "The task failed", data: undefined },
    ],
    [undefined, { code: 0, message: "The task failed", data: undefined }],
    ["no", { code: 0, message: "The task failed", data: undefined }],
  ])("the outcome of a failed task is the error of the server: %j", async (error, expected) => {
    const { reading } = await read({ status: "failed", error, result: { content: [] } });
    const thrown: unknown = await reading.catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(PeerError);
    expect(thrown).toMatchObject(expected);
  });

  test("the outcome is requested if only the status is known", async () => {
    const played = await open(() => ({ ...head, status: "completed", result: { a: 1 } }));
    const known: TaskState = { ...head, status: "completed", ttl: null };
    const { signal } = new AbortController();
    expect(await played.outcome({ ...known, status: "working" }, {})).toBeUndefined();
    expect(played.takeCalls()).toEqual([]);
    expect(await played.outcome(known, { signal })).toEqual({ value: { a: 1 } });
    expect([played.takeCalls(), played.options]).toEqual([[["getTask", { taskId: "t" }]], [{ signal }]]);
  });
});

/** Server of a task with these input requests, which responds to an update with an error if there is one. */
async function openWaiting(
  keys: readonly string[],
  elicit?: () => unknown,
): Promise<Played & { readonly keys: string[]; readonly errors: Error[] }> {
  const listed = [...keys];
  const errors: Error[] = [];
  const played = await open((handler) => {
    const [error] = handler === "updateTask" ? errors.splice(0, 1) : [];
    if (error) throw error;
    const inputRequests = Object.fromEntries(listed.map((key) => [key, inputRequest]));
    return { ...head, status: "input_required", inputRequests };
  }, elicit);
  return { ...played, keys: listed, errors };
}

/** Reads the status and responds to the input requests in it. Returns the keys of the sent responses. */
async function respond(played: Played, options: { readonly signal?: AbortSignal } = {}): Promise<readonly string[]> {
  const task = await get(played);
  played.takeCalls();
  expect(await played.outcome(task, options)).toBeUndefined();
  return updated(played);
}

function updated(played: Played): readonly string[] {
  return played.takeCalls().flatMap((call) => {
    expect(call).toEqual(["updateTask", { taskId: "t", inputResponses: expect.any(Object) }]);
    const [, params] = Array.isArray(call) ? call : [];
    const responses = Object.entries(Object(params).inputResponses);
    for (const [, response] of responses) expect(response).toEqual({ action: "decline" });
    return responses.map(([key]) => key);
  });
}

describe("input requests of a task", () => {
  test("input requests are handled once, although the server lists them again beside others", async () => {
    const played = await openWaiting(["a", "b"]);
    const { signal } = new AbortController();
    expect(await respond(played, { signal })).toEqual(["a", "b"]);
    expect(played.options.at(-1)).toEqual({ signal });
    expect(await respond(played)).toEqual([]);
    played.keys.push("c");
    expect(await respond(played)).toEqual(["c"]);
    expect(played.options.at(-1)).toEqual({});
    expect(played.handled).toEqual([inputRequest.params, inputRequest.params, inputRequest.params]);
  });

  test("input requests are not handled again when their responses were lost", async () => {
    const played = await openWaiting(["a"]);
    played.errors.push(new LostError("lost"));
    await expect(respond(played)).rejects.toThrow("lost");
    expect(updated(played)).toEqual(["a"]);
    played.keys.push("b");
    expect(await respond(played)).toEqual(["a", "b"]);
    expect(played.handled).toHaveLength(2);
    expect(await respond(played)).toEqual([]);
  });

  test("input requests are handled again when the server rejected their responses", async () => {
    const played = await openWaiting(["a"]);
    played.errors.push(new PeerError({ code: -32602, message: "invalid" }));
    await expect(respond(played)).rejects.toThrow("invalid");
    expect(updated(played)).toEqual(["a"]);
    expect(await respond(played)).toEqual(["a"]);
    expect(played.handled).toHaveLength(2);
  });

  test("input requests are aborted with the wait for their task, and nothing is sent", async () => {
    const played = await openWaiting(["a"], () => new Promise(() => {}));
    const task = await get(played);
    played.takeCalls();
    const stop = new AbortController();
    const reading = played.outcome(task, { signal: stop.signal });
    reading.catch(() => {});
    await settle();
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    expect([played.signals.map(({ aborted }) => aborted), played.takeCalls()]).toEqual([[true], []]);
  });
});
