import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { SessionTasks } from "../../../../runtime/client/tasks/session-tasks.ts";
import { TaskListening } from "../../../../runtime/client/tasks/task-listening.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { openLine, type Line } from "./task-line.ts";

/* Subscriptions to tasks of a server inside the test. */

/** Request to listen, as the server received it. */
interface Listen {
  readonly id: unknown;
  readonly taskIds: unknown;
}

let clock = new ManualClock();
let woken: string[] = [];
let listening = create();
let line: Line;

function create(): TaskListening {
  return new TaskListening({ clock, timeout: 1_000, wake: (id) => woken.push(id) });
}

const time = "2026-01-01T00:00:00Z";
const working = { taskId: "a", status: "working", createdAt: time, lastUpdatedAt: time, ttl: null } as const;

/** Parts of a client for tasks that need no input. */
const idleHost = {
  get clock() {
    return clock;
  },
  isEnded: () => false,
  responder: () => expect.unreachable(),
};

beforeEach(async () => {
  clock = new ManualClock();
  woken = [];
  listening = create();
  line = await openLine({ clock });
  listening.adopt(line.connection);
});

/** Requests to listen since the last look. Other messages stay. */
async function takeListens({ wire }: Line = line): Promise<readonly Listen[]> {
  await settle();
  const messages = wire.sent.splice(0).filter(isObject);
  wire.sent.push(...messages.filter(({ method }) => method !== "subscriptions/listen"));
  return messages.flatMap(({ id, method, params }) => {
    if (method !== "subscriptions/listen" || !isObject(params) || !isObject(params.notifications)) return [];
    return [{ id, taskIds: params.notifications.taskIds }];
  });
}

/** Takes the request to listen since the last look. */
async function takeListen(from?: Line): Promise<Listen> {
  const [listen, ...others] = await takeListens(from);
  if (!listen || others.length > 0) throw new Error(`There are ${others.length} other requests to listen`);
  return listen;
}

/** Ids of cancelled requests since the last look. */
async function takeCancelled({ wire }: Line = line): Promise<readonly unknown[]> {
  await settle();
  return wire.sent.splice(0).map((message) => {
    const { params } = isObject(message) ? message : {};
    return isObject(params) ? params.requestId : message;
  });
}

async function accept({ id, taskIds }: Listen, accepted: unknown = taskIds): Promise<void> {
  listening.accept({ notifications: { taskIds: accepted }, _meta: { [meta.subscription]: id } });
  await settle();
}

async function respond({ id }: Listen, body: object, { wire }: Line = line): Promise<void> {
  wire.post({ jsonrpc: "2.0", id, ...body });
  await settle();
}

/** Ends a request in order. */
function end(listen: Listen): Promise<void> {
  return respond(listen, { result: { resultType: "complete", _meta: { [meta.subscription]: listen.id } } });
}

const rejected = { error: { code: -32603, message: "no" } };

/** Watches tasks until the server has agreed to notify of them. */
async function receive(...ids: readonly string[]): Promise<Listen> {
  for (const id of ids) listening.watch(id);
  const listen = await takeListen();
  await accept(listen);
  woken = [];
  return listen;
}

const heardOf = (...ids: readonly string[]): readonly string[] => ids.filter((id) => listening.isHeard(id));

describe("a subscription to tasks", () => {
  test("a subscription is one for all tasks of a moment, and wakes each of them when it is acknowledged", async () => {
    for (const id of ["a", "b", "a"]) listening.watch(id);
    const listen = await takeListen();
    expect(listen.taskIds).toEqual(["a", "b"]);
    expect([heardOf("a", "b"), woken]).toEqual([[], []]);
    await accept(listen);
    expect([heardOf("a", "b", "c"), woken]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(line.wire.sent).toEqual([]);
  });

  test("a subscription is not sent again for tasks that it names", async () => {
    await receive("a", "b");
    listening.watch("a");
    listening.watch("b");
    expect(await takeListens()).toEqual([]);
  });

  test("a subscription for another task is sent after the acknowledgement of the last one, and replaces it", async () => {
    listening.watch("a");
    const first = await takeListen();
    listening.watch("b");
    expect(await takeListens()).toEqual([]);
    await accept(first);
    const second = await takeListen();
    expect(second.taskIds).toEqual(["a", "b"]);
    expect([heardOf("a", "b"), await takeCancelled()]).toEqual([["a"], []]);
    await accept(second);
    expect([heardOf("a", "b"), await takeCancelled()]).toEqual([["a", "b"], [first.id]]);
    listening.watch("c");
    expect((await takeListen()).taskIds).toEqual(["a", "b", "c"]);
  });

  test("a subscription does not name again what the server does not notify of, until its next watch after `forget`", async () => {
    listening.watch("a");
    listening.watch("b");
    await accept(await takeListen(), ["a"]);
    expect([heardOf("a", "b"), woken]).toEqual([["a"], ["a", "b"]]);
    listening.watch("b");
    expect(await takeListens()).toEqual([]);
    listening.watch("c");
    const next = await takeListen();
    expect(next.taskIds).toEqual(["a", "c"]);
    await accept(next);
    listening.forget("b");
    listening.watch("b");
    expect((await takeListen()).taskIds).toEqual(["a", "c", "b"]);
  });

  test.each([{ taskIds: [] }, {}, undefined])(
    "a subscription ends if the server notifies of no task: %j",
    async (notifications) => {
      listening.watch("a");
      const { id } = await takeListen();
      listening.accept({ notifications, _meta: { [meta.subscription]: id } });
      expect([await takeCancelled(), heardOf("a"), woken]).toEqual([[id], [], ["a"]]);
      listening.watch("b");
      expect((await takeListen()).taskIds).toEqual(["b"]);
    },
  );

  test("a subscription ends with the last task that is watched", async () => {
    const listen = await receive("a", "b");
    listening.forget("a");
    listening.forget("unknown");
    expect([await takeCancelled(), heardOf("b")]).toEqual([[], ["b"]]);
    listening.forget("b");
    expect([await takeCancelled(), heardOf("a", "b"), woken]).toEqual([[listen.id], [], []]);
    listening.watch("b");
    expect((await takeListen()).taskIds).toEqual(["b"]);
  });

  test("a subscription ends when it is acknowledged after its task was forgotten", async () => {
    listening.watch("a");
    const listen = await takeListen();
    listening.forget("a");
    expect(await takeCancelled()).toEqual([]);
    await accept(listen);
    expect([await takeCancelled(), heardOf("a")]).toEqual([[listen.id], []]);
  });
});

describe("an acknowledgement of a subscription to tasks", () => {
  test.each<[string, (id: unknown) => unknown]>([
    ["no params", () => undefined],
    ["params that are no object", () => "a"],
    ["no metadata", () => ({ notifications: { taskIds: ["a"] } })],
    ["metadata that is no object", () => ({ notifications: { taskIds: ["a"] }, _meta: null })],
    ["another id", () => ({ notifications: { taskIds: ["a"] }, _meta: { [meta.subscription]: 999 } })],
    ["the id as a text", (id) => ({ notifications: { taskIds: ["a"] }, _meta: { [meta.subscription]: String(id) } })],
  ])("an acknowledgement with %s is ignored", async (_what, toParams) => {
    listening.watch("a");
    const listen = await takeListen();
    listening.accept(toParams(listen.id));
    await settle();
    expect([heardOf("a"), woken]).toEqual([[], []]);
    await accept(listen);
    expect([heardOf("a"), woken]).toEqual([["a"], ["a"]]);
  });

  test("an acknowledgement that does not arrive in time ends the request, and all tasks are polled", async () => {
    listening.watch("a");
    const { id } = await takeListen();
    await clock.pass(999);
    expect(await takeCancelled()).toEqual([]);
    await clock.pass(1);
    expect([await takeCancelled(), woken]).toEqual([[id], []]);
    listening.watch("b");
    expect(await takeListens()).toEqual([]);
  });
});

describe("a subscription to tasks that the server ends", () => {
  beforeEach(() => clock.pass(20_000));

  const endings: readonly (readonly [string, (listen: Listen) => unknown])[] = [
    ["a result", (listen) => end(listen)],
    ["an error", (listen) => respond(listen, rejected)],
    ["a cancellation", ({ id }) => listening.cancelled({ requestId: id })],
  ];

  test.each(endings)("a subscription that ends by %s is replaced when its tasks are watched", async (_how, finish) => {
    const listen = await receive("a", "b");
    await clock.pass(5_000);
    await finish(listen);
    await settle();
    expect([heardOf("a", "b"), woken]).toEqual([[], ["a", "b"]]);
    expect(await takeListens()).toEqual([]);
    listening.watch("b");
    const next = await takeListen();
    expect(next.taskIds).toEqual(["a", "b"]);
    await accept(next);
    expect(heardOf("a", "b")).toEqual(["a", "b"]);
  });

  test.each(endings)("a subscription that ends soon by %s is not replaced", async (_how, finish) => {
    const listen = await receive("a", "b");
    await clock.pass(4_999);
    await finish(listen);
    await settle();
    expect([heardOf("a", "b"), woken]).toEqual([[], ["a", "b"]]);
    listening.watch("b");
    expect(await takeListens()).toEqual([]);
  });

  test("a subscription that ends soon may be sent for a task that was forgotten before", async () => {
    const listen = await receive("a", "b");
    listening.forget("a");
    await end(listen);
    listening.watch("a");
    expect((await takeListen()).taskIds).toEqual(["a"]);
  });

  test("a subscription that was replaced may end without an effect", async () => {
    const first = await receive("a");
    listening.watch("b");
    const second = await takeListen();
    await accept(second);
    woken = [];
    listening.cancelled({ requestId: first.id });
    await settle();
    expect([heardOf("a", "b"), woken]).toEqual([["a", "b"], []]);
  });

  test.each([undefined, null, {}, { requestId: 999 }])(
    "a subscription does not end by a cancellation of another request: %j",
    async (params) => {
      await receive("a");
      listening.cancelled(params);
      await settle();
      expect([heardOf("a"), woken]).toEqual([["a"], []]);
    },
  );

  test("a subscription that ends at once is not repeated, and wakes its tasks", async () => {
    listening.watch("a");
    const listen = await takeListen();
    listening.accept({ notifications: { taskIds: ["a"] }, _meta: { [meta.subscription]: listen.id } });
    await end(listen);
    listening.watch("a");
    expect([await takeListens(), heardOf("a"), woken]).toEqual([[], [], ["a", "a"]]);
  });
});

describe("a subscription to tasks and its connection", () => {
  test("a rejected subscription is not sent again on its connection, but on the next one", async () => {
    listening.watch("a");
    await respond(await takeListen(), rejected);
    listening.watch("a");
    listening.watch("b");
    expect(await takeListens()).toEqual([]);
    const next = await openLine({ clock });
    listening.adopt(next.connection);
    expect((await takeListen(next)).taskIds).toEqual(["a"]);
  });

  test("a subscription is sent again on the next connection, with what the server did not notify of before", async () => {
    const listen = await receive("a");
    listening.watch("b");
    await accept(await takeListen(), ["a"]);
    const next = await openLine({ clock });
    listening.adopt(next.connection);
    expect(heardOf("a", "b")).toEqual([]);
    const again = await takeListen(next);
    expect(again.taskIds).toEqual(["a", "b"]);
    await accept(again);
    woken = [];
    await end(listen);
    expect([heardOf("a", "b"), woken]).toEqual([["a", "b"], []]);
  });

  test("a subscription without a task is not sent on the next connection", async () => {
    await receive("a");
    listening.forget("a");
    const next = await openLine({ clock });
    listening.adopt(next.connection);
    expect(await takeListens(next)).toEqual([]);
  });

  test("a subscription that was pending on the last connection does not affect the next one", async () => {
    listening.watch("a");
    const old = await takeListen();
    const next = await openLine({ clock });
    listening.adopt(next.connection);
    const listen = await takeListen(next);
    await respond(old, rejected);
    listening.watch("b");
    expect(await takeListens(next)).toEqual([]);
    await accept(listen);
    expect([(await takeListen(next)).taskIds, heardOf("a")]).toEqual([["a", "b"], ["a"]]);
  });

  test("a subscription that the last connection acknowledges too late does not count", async () => {
    listening.watch("a");
    const old = await takeListen();
    const next = await openLine({ clock });
    listening.accept({ notifications: { taskIds: ["a"] }, _meta: { [meta.subscription]: old.id } });
    listening.adopt(next.connection);
    const listen = await takeListen(next);
    expect([heardOf("a"), listen.taskIds]).toEqual([[], ["a"]]);
    await accept(listen, []);
    expect([heardOf("a"), await takeListens()]).toEqual([[], []]);
  });

  test("a subscription is not sent where the revision has no tasks of the extension", async () => {
    const plain = await openLine({ revisions: [statelessRevision], clock });
    listening.adopt(plain.connection);
    listening.watch("a");
    expect([await takeListens(plain), await takeListens()]).toEqual([[], []]);
  });
});

test.each([
  ["a task whose changes the server notifies of is not polled soon", true, 0],
  ["a task without notifications is polled soon", false, 1],
])("%s", async (_what, isHeard, polls) => {
  let polled = 0;
  const tasks = new SessionTasks({
    ...idleHost,
    call: () => new Promise(() => (polled += 1)),
    connection: () => line.connection,
    listening: { watch() {}, isHeard: () => isHeard, forget() {} },
  });
  const stop = new AbortController();
  const result = tasks.follow(working, Object).result({ signal: stop.signal });
  await settle();
  await clock.pass(2_000);
  expect(polled).toBe(polls);
  stop.abort(new Error("enough"));
  await expect(result).rejects.toThrow("enough");
});

test.each<[what: string, late: object, sent: object[]]>([
  [
    "a task is cancelled when its call was aborted before",
    { resultType: "task", ...working },
    [["cancelTask", { taskId: "a" }]],
  ],
  ["a result that comes too late is dropped", { resultType: "complete", content: [] }, []],
])("%s", async (_what, late, sent) => {
  const calls: object[] = [];
  const tasks = new SessionTasks({
    ...idleHost,
    call: (handler, params) => {
      calls.push([handler, params]);
      return new Promise(() => {});
    },
    connection: () => line.connection,
  });
  tasks.abandon(late);
  await settle();
  expect(calls).toEqual(sent);
});

test("a change of a task whose handle is gone has no effect", async () => {
  vi.stubGlobal(
    "WeakRef",
    class {
      deref(): undefined {}
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const tasks = new SessionTasks({
    ...idleHost,
    call: () => expect.unreachable(),
    connection: () => line.connection,
  });
  tasks.follow(working, Object);
  expect(() => tasks.wake(working.taskId)).not.toThrow();
});

test.each<[what: string, handles: number, waits: number, forgotten: string[]]>([
  ["when the wait for its only handle ends", 1, 1, ["a"]],
  ["when a wait ends, and its other handle is only kept", 2, 1, ["a"]],
  ["not before the waits for both of its handles have ended", 2, 2, []],
])("a task is forgotten %s", async (_what, count, waits, expected) => {
  const forgotten: string[] = [];
  const tasks = new SessionTasks({
    ...idleHost,
    call: () => new Promise(() => {}),
    connection: () => line.connection,
    listening: { watch() {}, isHeard: () => false, forget: (id) => void forgotten.push(id) },
  });
  const handles = Array.from({ length: count }, () => tasks.follow(working, Object));
  const waiting = handles.slice(0, waits).map((handle) => {
    const stop = new AbortController();
    const result = handle.result({ signal: stop.signal });
    result.catch(() => {});
    return { stop, result };
  });
  await settle();
  for (const [index, { stop, result }] of waiting.entries()) {
    stop.abort(new Error("enough"));
    await expect(result).rejects.toThrow("enough");
    if (index === 0) expect(forgotten).toEqual(expected);
  }
  expect(forgotten).toEqual(["a"]);
  expect(handles).toHaveLength(count);
});
