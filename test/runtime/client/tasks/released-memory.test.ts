import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { SessionTasks } from "../../../../runtime/client/tasks/session-tasks.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { SharedPromise } from "../../../../runtime/internal/shared-promise.ts";
import { FollowedTask } from "../../../../runtime/tasks/task-handle.ts";
import { ManualClock, settle } from "../../../../runtime/testing/manual-clock.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { newest } from "../../../kit/revisions.ts";
import { createSuiteServer } from "../../transport/transport.suite-server.ts";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

function heap(): number {
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

const working = {
  taskId: "t",
  status: "working",
  createdAt: "2000-01-01T00:00:00.000Z",
  lastUpdatedAt: "2000-01-01T00:00:00.000Z",
  ttl: null,
} as const;

async function giveUp(waits: number, wait: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < waits; index += 1) {
    const controller = new AbortController();
    const waited = wait(controller.signal);
    controller.abort(new Error("enough"));
    await expectRejected(waited);
  }
}

async function expectRejected(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => "fulfilled",
    (reason: unknown) => String(reason),
  );
  if (outcome !== "Error: enough") throw new Error(`The wait ended with ${outcome}`);
}

test("waits that were aborted release their memory while the promise is pending", async () => {
  const shared = new SharedPromise(new Promise(() => {}));
  await giveUp(100, (signal) => shared.wait(signal));
  const before = heap();
  await giveUp(30_000, (signal) => shared.wait(signal));
  expect(heap() - before).toBeLessThan(2_000_000);
});

test("aborted waits for the result of a running task release their memory", async () => {
  const task = new FollowedTask(working, {
    clock: new ManualClock(),
    send: () => new Promise(() => {}),
    toResult: (value) => value,
    ended: () => {},
  });
  void task.result();
  await giveUp(100, (signal) => task.result({ signal }));
  const before = heap();
  await giveUp(30_000, (signal) => task.result({ signal }));
  expect(heap() - before).toBeLessThan(2_000_000);
});

test("waiting callers receive the result, before and after it is known", async () => {
  let resolve = (_value: number): void => {};
  const shared = new SharedPromise(new Promise<number>((done) => (resolve = done)));
  const { signal } = new AbortController();
  const first = shared.wait(signal);
  await expect(shared.wait(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  resolve(7);
  expect([await first, await shared.wait(signal)]).toEqual([7, 7]);
  const failed = new SharedPromise(Promise.reject(new Error("no")));
  await expect(failed.wait(signal)).rejects.toThrow("no");
  await expect(failed.wait(signal)).rejects.toThrow("no");
});

test("tasks are woken where the platform has no weak references", async () => {
  vi.stubGlobal("WeakRef", undefined);
  vi.stubGlobal("FinalizationRegistry", undefined);
  const [near, far] = createInMemoryTransports();
  createSuiteServer()(far);
  const connection = await connect(near, { info: { name: "c", version: "1" }, revisions: [newest] });
  const tasks = new SessionTasks({
    clock: new ManualClock(),
    call: () => Promise.resolve({ ...working, status: "completed" }),
    connection: () => connection,
    isEnded: () => false,
    responder() {
      throw new Error("nobody is asked");
    },
  });
  const next = tasks.follow(working, (value) => Object(value)).updates[Symbol.asyncIterator]();
  vi.unstubAllGlobals();
  await next.next();
  const change = next.next();
  await settle();
  tasks.wake(working.taskId);
  expect(await change).toMatchObject({ value: { status: "completed" } });
  await connection.close();
});

test("tasks without references are released, and those with references are woken", async () => {
  const [near, far] = createInMemoryTransports();
  createSuiteServer()(far);
  const connection = await connect(near, { info: { name: "c", version: "1" }, revisions: [newest] });
  const forgotten = new Set<string>();
  let requests = 0;
  const tasks = new SessionTasks({
    clock: new ManualClock(),
    call: () => {
      requests += 1;
      return Promise.resolve({ ...working, status: "completed" });
    },
    connection: () => connection,
    isEnded: () => false,
    responder() {
      throw new Error("nobody is asked");
    },
    listening: { watch() {}, isHeard: () => true, forget: (id) => void forgotten.add(id) },
  });
  const held = tasks.follow({ ...working, taskId: "held" }, (value) => Object(value));
  for (let index = 0; index < 100; index += 1) tasks.follow({ ...working, taskId: `task ${index}` }, Object);
  for (let round = 0; round < 20 && forgotten.size <= 90; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    heap();
  }
  expect(forgotten.size).toBeGreaterThan(90);
  expect(forgotten.has("held")).toBe(false);
  const next = held.updates[Symbol.asyncIterator]();
  await next.next();
  const change = next.next();
  await settle();
  expect(requests).toBe(0);
  tasks.wake("held");
  expect(await change).toMatchObject({ value: { status: "completed" } });
  await connection.close();
});
