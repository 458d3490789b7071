import { describe, expect, test } from "vitest";
import type { Caller } from "../../../generated/support.ts";
import { newest } from "../../kit/revisions.ts";
import { TaskCall } from "../../../runtime/tasks/running-task.ts";
import { RunningTasks } from "../../../runtime/tasks/running-tasks.ts";
import { SessionChannel } from "../../../runtime/tasks/session-channel.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { Rig, accept, elicit, form } from "./running-task-rig.ts";
import { findTask } from "./task-wire.ts";

describe("the input requests of a task that may be run again", () => {
  const error = { code: -32_000, message: "Not now", data: { retry: false } };

  test.each([
    ["result", { result: accept }, { status: "fulfilled", value: accept }],
    ["error", { error }, { status: "rejected", reason: error }],
  ])(
    "the %s of an input request is returned to the next attempt, which does not send it",
    async (_name, response, settled) => {
      const { call, record } = await Rig.open();
      const retry = { revision: newest.id, params: {}, client: { info: undefined, capabilities: {} } };
      const open = (more: object): SessionChannel =>
        new SessionChannel("a", call, true, { record: { ...record, ...more, lease: 1_000, retry }, publish: () => {} });
      const channel = open({});
      const ask = (asked: SessionChannel): Promise<unknown> =>
        asked.ask(elicit, form, { signal: new AbortController().signal })();
      const pending = Promise.allSettled([ask(channel)]);
      await settle();
      channel.respond?.({ "elicit-1": response });
      expect(await pending).toMatchObject([settled]);
      const { settledRequests, inputResponses } = channel;
      const next = open({ settledRequests, inputResponses });
      expect(await Promise.allSettled([ask(next)])).toMatchObject([settled]);
      expect(next.inputRequests).toEqual({});
    },
  );
});

test("an input request is no longer open once its response has arrived, before the task has read it", async () => {
  const { call, record } = await Rig.open();
  const channel = new SessionChannel("a", call, true, { record: { ...record, lease: 1_000 }, publish: () => {} });
  const pending = channel.ask(elicit, form, { signal: new AbortController().signal })();
  await settle();
  expect(Object.keys(channel.inputRequests ?? {})).toEqual(["elicit-1"]);
  channel.respond?.({ "elicit-1": { result: accept } });
  expect(channel.inputRequests).toEqual({});
  expect(await pending).toEqual(accept);
});

test("an input request that was sent here is cancelled when the response arrives at another node", async () => {
  const { call, record } = await Rig.open();
  const channel = new SessionChannel("a", call, true, { record: { ...record, lease: 1_000 }, publish: () => {} });
  const pending = channel.ask(elicit, form, { signal: new AbortController().signal })();
  await settle();
  const signals: (AbortSignal | undefined)[] = [];
  const request: Caller["request"] = (_row, _params, options) => {
    signals.push(options?.signal);
    return new Promise(() => {});
  };
  channel.open({ ...call, request });
  await settle();
  expect(signals).toMatchObject([{ aborted: false }]);
  channel.respond?.({ "elicit-1": { result: accept } });
  expect(await pending).toEqual(accept);
  expect(signals).toMatchObject([{ aborted: true }]);
});

describe("a task that is over", () => {
  test("a status message of a task that is over changes nothing", async () => {
    const { task, store, key, notified } = await Rig.open();
    task.abandon("gone");
    await task.explain("still here");
    expect(await findTask(store, key)).not.toHaveProperty("statusMessage");
    expect(notified).toEqual([]);
  });

  test("responses for a task that is over are ignored", async () => {
    const rig = await Rig.open();
    const pending = rig.task.ask(elicit, form);
    await settle();
    rig.task.abandon("gone");
    await expect(pending).rejects.toThrow("gone");
    const { updatedAt } = (await rig.stored) ?? expect.unreachable();
    await rig.store.change(rig.key, { updatedAt: "2026-02-02T00:00:00Z" });
    await rig.task.respond({ "elicit-1": accept });
    expect((await rig.stored)?.updatedAt).toBe("2026-02-02T00:00:00Z");
    expect(updatedAt).not.toBe("2026-02-02T00:00:00Z");
  });

  test("a task that is abandoned while its change is stored sends no notification of that change", async () => {
    const rig = await Rig.open();
    const open = rig.hold("change");
    const explained = rig.task.explain("half");
    await settle();
    rig.task.abandon("gone");
    open();
    await explained;
    expect((await rig.stored)?.statusMessage).toBe("half");
    expect(rig.notified).toEqual([]);
  });

  test("a task that ends while its change is stored notifies of its end", async () => {
    const rig = await Rig.open();
    const open = rig.hold("change");
    const explained = rig.task.explain("half");
    const ended = rig.task.end({ status: "completed", outcome: { kind: "result", result: {} } });
    open();
    await Promise.all([explained, ended]);
    expect(rig.notified).toEqual(["completed"]);
  });

  test("a task that ends while its record is read notifies once of its end", async () => {
    const rig = await Rig.open();
    const open = rig.hold("find");
    const polled = rig.task.poll();
    await rig.task.end({ status: "completed", outcome: { kind: "result", result: {} } });
    open();
    await polled;
    expect(rig.notified).toEqual(["completed"]);
  });

  test("a task that ended twice keeps its first end", async () => {
    const { task, store, key } = await Rig.open();
    await task.end({ status: "cancelled" });
    expect(await task.end({ status: "completed" })).toMatchObject({ status: "cancelled" });
    expect(task.signal.reason).toMatchObject({ name: "AbortError", message: "The task is cancelled" });
    expect((await findTask(store, key))?.status).toBe("cancelled");
  });

  test("a released task is over, and a second release is not stored", async () => {
    const { task, store, key } = await Rig.open();
    await task.release(1);
    await task.release(2);
    expect((await findTask(store, key))?.releases).toBe(1);
    expect([task.isOver, task.signal.aborted]).toEqual([true, true]);
  });
});

describe("an attempt at a task that another node has taken over", () => {
  test.each([
    ["reads the record", ({ task }: Rig) => task.poll()],
    ["changes the record", ({ task }: Rig) => task.explain("still here")],
    ["ends the task", ({ task }: Rig) => task.end({ status: "completed", outcome: { kind: "result", result: {} } })],
  ])("an attempt that %s is aborted, and changes nothing", async (_name, act) => {
    const rig = await Rig.open({ attempt: 1 });
    await rig.takeOver();
    const taken = await rig.stored;
    await act(rig);
    expect(rig.task.signal.reason).toMatchObject({ message: "Another node runs the task" });
    expect(await rig.stored).toEqual(taken);
    expect(rig.notified).toEqual([]);
  });

  test.each([
    ["reads the record", ({ task }: Rig) => task.poll()],
    ["changes the record", ({ task }: Rig) => task.explain("still here")],
  ])("an attempt that %s continues while no other node has taken it over", async (_name, act) => {
    const rig = await Rig.open({ attempt: 1 });
    await act(rig);
    expect(rig.task.signal.aborted).toBe(false);
  });
});

describe("an input request of a task", () => {
  test("an input request whose signal is aborted already is rejected, and no longer open", async () => {
    const rig = await Rig.open();
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(rig.task.ask(elicit, form, { signal })).rejects.toThrow("enough");
    expect(await rig.stored).toMatchObject({ status: "working", inputRequests: {} });
  });

  test("an input request without the capability of its client is rejected before it is stored", async () => {
    const rig = await Rig.open({ capabilities: {} });
    await expect(rig.task.ask(elicit, form)).rejects.toMatchObject({ name: "CapabilityError" });
    expect((await rig.stored)?.status).toBe("working");
  });

  test("input requests one after the other read the store for responses until the last has one", async () => {
    const { task, store, key, clock } = await Rig.open();
    for (const id of ["elicit-1", "elicit-2"]) {
      const pending = task.ask(elicit, form);
      await settle();
      expect(await findTask(store, key)).toMatchObject({ status: "input_required", inputRequests: { [id]: {} } });
      await store.change(key, { inputResponses: { [id]: accept }, updatedAt: "2026-01-01T00:00:00Z" });
      await clock.pass(1_000);
      expect(await pending).toEqual(accept);
    }
    expect((await findTask(store, key))?.status).toBe("working");
    await clock.pass(1_000);
    expect(clock.active).toBe(0);
  });

  test("concurrent input requests are all in the record, which is read once in each interval", async () => {
    const { task, store, key, clock } = await Rig.open();
    const pending = ["first", "second"].map((message) => task.ask(elicit, { ...form, message }));
    await settle();
    const inputRequests = {
      "elicit-1": { params: { message: "first" } },
      "elicit-2": { params: { message: "second" } },
    };
    await expect.poll(() => findTask(store, key)).toMatchObject({ status: "input_required", inputRequests });
    expect(clock.active).toBe(1);
    const inputResponses = { "elicit-1": accept, "elicit-2": accept };
    await store.change(key, { inputResponses, updatedAt: "2026-01-01T00:00:00Z" });
    await clock.pass(1_000);
    expect(await Promise.all(pending)).toEqual([accept, accept]);
  });

  test("a task that ends while it waits for a response no longer reads the store", async () => {
    const { task, clock } = await Rig.open();
    const pending = task.ask(elicit, form);
    await settle();
    expect(clock.active).toBe(1);
    task.abandon("gone");
    await expect(pending).rejects.toThrow("gone");
    await settle();
    expect(clock.active).toBe(0);
  });

  test("an input request of a task that is over is rejected, and not listed", async () => {
    const { task, channel } = await Rig.open();
    task.abandon("gone");
    await expect(task.ask(elicit, form)).rejects.toThrow("gone");
    expect(channel.inputRequests).toEqual({});
  });
});

describe("the tasks of a process", () => {
  function add(tasks: RunningTasks, { task, key, record, call }: Rig, ended = (): void => {}): void {
    const channel = new SessionChannel(key.id, call, false);
    tasks.add({ key, node: "", record, task, channel, during: new TaskCall(call, task, tasks.timer) }, ended);
  }

  test("a task that has ended is forgotten once, and its timer stops", async () => {
    const clock = new ManualClock();
    const tasks = new RunningTasks(clock);
    const rig = await Rig.open();
    let ends = 0;
    add(tasks, rig, () => (ends += 1));
    expect(tasks.size).toBe(1);
    rig.task.abandon("gone");
    await settle();
    expect([tasks.size, ends]).toEqual([0, 1]);
    tasks.stop();
    expect(clock.active).toBe(0);
  });

  test("a process that closes at once does not wait for its tasks", async () => {
    const clock = new ManualClock();
    const tasks = new RunningTasks(clock);
    add(tasks, await Rig.open());
    await tasks.drain(0);
    expect(tasks.size).toBe(1);
    tasks.stop();
    expect(clock.active).toBe(0);
  });

  test("a later attempt at a task stays when the earlier one ends", async () => {
    const tasks = new RunningTasks(new ManualClock());
    const [earlier, later] = [await Rig.open(), await Rig.open()];
    let ends = 0;
    add(tasks, earlier, () => (ends += 1));
    add(tasks, later);
    earlier.task.abandon("gone");
    await settle();
    expect(tasks.get("a")?.task).toBe(later.task);
    expect(ends).toBe(0);
    tasks.stop();
  });

  test("each task is read at five times its own interval", async () => {
    const clock = new ManualClock();
    const tasks = new RunningTasks(clock);
    const open = (pollInterval: number): Promise<Rig> => Rig.open({ id: String(pollInterval), pollInterval });
    const rigs = await Promise.all([1_000, 3_000].map(open));
    const reads = rigs.map(({ store }) => {
      const find = store.find.bind(store);
      const counted = { times: 0 };
      store.find = (key) => ((counted.times += 1), find(key));
      return counted;
    });
    for (const rig of rigs) add(tasks, rig);
    await clock.pass(15_000);
    await settle();
    expect(reads).toEqual([{ times: 3 }, { times: 1 }]);
    tasks.stop();
  });

  test("the tasks are read 20 at a time, and those that are due meanwhile with their next turn", async () => {
    const clock = new ManualClock();
    const tasks = new RunningTasks(clock);
    const gate = createGate();
    let reads = 0;
    for (let index = 0; index < 45; index += 1) {
      const rig = await Rig.open({ id: String(index) });
      const find = rig.store.find.bind(rig.store);
      rig.store.find = async (key) => ((reads += 1), await gate.opened, find(key));
      add(tasks, rig);
    }
    await clock.pass(10_000);
    expect(reads).toBe(20);
    gate.open();
    await expect.poll(() => reads).toBe(45);
    await settle();
    await clock.pass(5_000);
    await expect.poll(() => reads).toBe(90);
    tasks.stop();
  });

  test.each([
    ["until they have ended", (rig: Rig) => rig.task.abandon("gone")],
    ["no longer than it may", (_rig: Rig, clock: ManualClock) => clock.advance(1_000)],
  ])("a process that closes waits for its tasks %s", async (_name, end) => {
    const clock = new ManualClock();
    const tasks = new RunningTasks(clock);
    const rig = await Rig.open();
    add(tasks, rig);
    let isOver = false;
    const drained = tasks.drain(1_000).then(() => (isOver = true));
    await clock.pass(999);
    expect(isOver).toBe(false);
    end(rig, clock);
    await drained;
    tasks.stop();
    expect(clock.active).toBe(0);
  });
});
