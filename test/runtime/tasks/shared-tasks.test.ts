import { describe, expect, test } from "vitest";
import { newest } from "../../kit/revisions.ts";
import { findRow } from "../../../runtime/protocol/methods/method-rows.ts";
import { MemoryLedger } from "../../../runtime/stores/ledger.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskMessage, TaskNode } from "../../../runtime/stores/task-node.ts";
import type { TaskRecord } from "../../../runtime/stores/task-store.ts";
import { RunningTask } from "../../../runtime/tasks/running-task.ts";
import {
  SharedTasks,
  TaskFollower,
  type LeasedTask,
  type LeasedTaskStore,
} from "../../../runtime/tasks/shared-tasks.ts";
import type { RestoreTask } from "../../../runtime/tasks/task-request.ts";
import { createStoredCall } from "../../../runtime/server/tasks/tool-tasks.ts";
import { StoredInputRequests, InputHistory, toStoredRequest } from "../../../runtime/tasks/requestor-channel.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { findTask } from "./task-wire.ts";

/* Tasks of other nodes, at one node: its leases, its messages, and its waiting calls. */

const lease = 3_000;
const time = "2026-01-01T00:00:00Z";
const client = { info: undefined, capabilities: {} };

function toRecord(more: Partial<TaskRecord> = {}): TaskRecord {
  const key = { id: "a", owner: "ada" };
  const times = { createdAt: time, updatedAt: time, ttl: null, pollInterval: 1_000 };
  return { ...key, status: "working", ...times, node: "gone", attempt: 1, lease, ...more };
}

/** An idle node, with a task of a lost node. */
class Rig {
  readonly clock = new ManualClock();
  readonly store: LeasedTaskStore = new MemoryTaskStore({ clock: this.clock });
  readonly reports: unknown[] = [];
  readonly run: TaskRecord[] = [];
  readonly restorers = new Map<string, RestoreTask>();
  /** Tasks that run here. */
  readonly running: (LeasedTask & { readonly task: RunningTask })[] = [];
  readonly sent: (TaskMessage & { readonly to: string })[] = [];
  readonly key = { id: "a", owner: "ada" };
  receive: (message: TaskMessage) => void = () => {};
  readonly shared: SharedTasks;

  private constructor(node: Partial<TaskNode>) {
    const { store, clock } = this;
    const ledger = new MemoryLedger();
    this.shared = new SharedTasks({
      store,
      clock,
      ledger,
      written: newest,
      restorers: this.restorers,
      isOffered: () => true,
      running: () => this.running,
      find: (id) => this.running.find(({ key }) => key.id === id),
      run: (taken) => void this.run.push(taken),
      report: (thrown) => void this.reports.push(thrown),
      node: {
        name: "here",
        canTakeOver: true,
        store,
        ledger,
        lease,
        send: (to, message) => void this.sent.push({ to, ...message }),
        receive: (receiver) => void (this.receive = receiver),
        ...node,
      },
    });
    this.shared.leases.start();
  }

  static async open(record: Partial<TaskRecord> = {}, node: Partial<TaskNode> = {}): Promise<Rig> {
    const rig = new Rig(node);
    await rig.store.add(toRecord(record));
    return rig;
  }

  get stored(): Promise<TaskRecord | undefined> {
    return findTask(this.store, this.key);
  }

  /** Runs a task at this node. */
  async begin(id: string): Promise<TaskRecord> {
    const record = toRecord({ id, node: "here" });
    const { store, clock } = this;
    await store.add(record);
    const retry = { revision: newest.id, params: {}, client };
    const call = createStoredCall(id, retry, { revision: newest });
    const channel = new StoredInputRequests({ check: () => undefined, notifyStatus: () => {} });
    const key = { id, owner: record.owner };
    const task = new RunningTask(key, call, {
      ...{ store, clock, channel, pollInterval: 1_000 },
      attempt: undefined,
      closing: undefined,
      changed() {},
    });
    this.running.push({ key, node: "here", task });
    return record;
  }

  /** Lets an operation of the store wait until the returned function is called. */
  hold(name: "takeOver" | "renew"): () => void {
    const { opened, open } = createGate();
    const operation = this.store[name].bind(this.store);
    const held = async (...given: unknown[]) => (await opened, Reflect.apply(operation, this.store, given));
    Object.assign(this.store, { [name]: held });
    return open;
  }
}

describe("a task whose node is gone", () => {
  test("a task whose node is gone is taken over by this node, in its name", async () => {
    const rig = await Rig.open();
    await rig.clock.pass(2 * lease);
    const statusMessage = "The node that ran the task is gone; its effects are unknown";
    expect(await rig.stored).toMatchObject({ node: "here", attempt: 2, status: "failed", statusMessage });
    rig.shared.leases.stop();
  });

  test("a task at a revision that is not served any more fails with that reason, which is reported", async () => {
    const rig = await Rig.open({ retry: { revision: "2020-01-01", params: {}, client } });
    await rig.clock.pass(2 * lease);
    const reason = "Revision 2020-01-01 is not served any more";
    expect(await rig.stored).toMatchObject({
      status: "failed",
      statusMessage: `The node that ran the task is gone, and it cannot be run again: ${reason}`,
    });
    expect(rig.reports).toMatchObject([{ message: reason }]);
    rig.shared.leases.stop();
  });

  test.each([
    [
      "fails after three nodes that are gone",
      { attempt: 3 },
      "The 3 nodes that ran the task are gone; its effects are unknown",
    ],
    ["is run by the third node", { attempt: 2 }, undefined],
    ["is run by the fourth node if one of the others closed in order", { attempt: 3, releases: 1 }, undefined],
  ])("a task that may be run again %s", async (_name, more, statusMessage) => {
    const retry = { revision: newest.id, params: {}, client };
    const rig = await Rig.open({ ...more, retry });
    const row = findRow(newest.clientRequests, "callTool") ?? expect.unreachable();
    rig.restorers.set(newest.id, (id) => ({
      call: createStoredCall(id, retry, { revision: newest }),
      request: { row, ttl: undefined, taskOptions: {}, work: () => ({}) },
    }));
    await rig.clock.pass(1.5 * lease);
    const isRun = statusMessage === undefined;
    await expect
      .poll(async () => [(await rig.stored)?.statusMessage, rig.run.map(({ attempt }) => attempt)])
      .toEqual([statusMessage, isRun ? [more.attempt + 1] : []]);
    rig.shared.leases.stop();
  });

  test.each(["takeOver", "change"] as const)(
    "a failure of the store at %s is reported, and a later search takes the task over",
    async (operation) => {
      const rig = await Rig.open();
      const working = rig.store[operation].bind(rig.store);
      Object.assign(rig.store, { [operation]: () => Promise.reject(new Error("lost")) });
      await rig.clock.pass(2 * lease);
      expect(rig.reports).toContainEqual(expect.objectContaining({ message: "lost" }));
      Object.assign(rig.store, { [operation]: working });
      await rig.clock.pass(3 * lease);
      expect(await rig.stored).toMatchObject({ node: "here", status: "failed" });
      rig.shared.leases.stop();
    },
  );

  test.each([
    ["while this node cannot tell whether others have stopped", { canTakeOver: false }],
    ["after this node takes over no more tasks", {}],
  ])("a task is not taken over %s", async (when, node) => {
    const rig = await Rig.open({}, node);
    if (when.startsWith("after")) rig.shared.leases.stopTaking();
    await rig.clock.pass(5 * lease);
    expect(await rig.stored).toMatchObject({ node: "gone", status: "working" });
    rig.shared.leases.stop();
    expect(rig.clock.active).toBe(0);
  });

  test("a task that arrives while this node stops taking is left to others at once", async () => {
    const rig = await Rig.open();
    const open = rig.hold("takeOver");
    await rig.clock.pass(2 * lease);
    rig.shared.leases.stopTaking();
    open();
    await settle();
    expect(await rig.stored).toMatchObject({ node: "here", attempt: 2, status: "working" });
    expect(await rig.store.takeOver("next", 10)).toMatchObject([{ id: "a" }]);
    rig.shared.leases.stop();
  });

  test("no task is taken over after a search whose renewal has failed: this node may have lost its own", async () => {
    const rig = await Rig.open();
    await rig.begin("own");
    const renew = rig.store.renew.bind(rig.store);
    rig.store.renew = () => {
      throw new Error("lost");
    };
    await rig.clock.pass(5 * lease);
    expect(await rig.stored).toMatchObject({ node: "gone", status: "working" });
    rig.store.renew = renew;
    await rig.clock.pass(2 * lease);
    expect(await rig.stored).toMatchObject({ node: "here", status: "failed" });
    rig.shared.leases.stop();
  });

  test("a stopped node has no timer left, even if a renewal was under way", async () => {
    const rig = await Rig.open();
    await rig.begin("own");
    const open = rig.hold("renew");
    await rig.clock.pass(lease);
    rig.shared.leases.stop();
    open();
    await settle();
    expect(rig.clock.active).toBe(0);
  });
});

describe("messages about a task of another node", () => {
  test("a changed record of a task sends a message to its own node, and no other", async () => {
    const { shared, sent } = await Rig.open();
    shared.wake(toRecord({ node: "there" }));
    shared.wake(toRecord({ node: "here" }));
    const { node: _node, ...withoutNode } = toRecord();
    shared.wake(withoutNode);
    expect(sent).toEqual([{ to: "there", id: "a", owner: "ada" }]);
    shared.leases.stop();
  });

  test("a waiting call registers once for an attempt, and again for the next", async () => {
    const { shared, sent, clock, receive } = await Rig.open();
    const follower = shared.follow("a", new AbortController().signal);
    for (const attempt of [1, 1, 2]) {
      const waiting = follower.wait(toRecord({ node: "there", attempt }));
      receive({ id: "a", owner: "ada" });
      await waiting;
      follower.clear();
    }
    const registration = { to: "there", id: "a", owner: "ada", from: "here" };
    expect(sent).toEqual([registration, registration]);
    follower.end();
    shared.leases.stop();
    expect(clock.active).toBe(0);
  });

  test.each([
    ["this node", { node: "here" }],
    ["a node without a name", { node: undefined }],
  ])("a waiting call does not register with %s", async (_name, { node }) => {
    const { shared, sent, receive } = await Rig.open();
    const follower = shared.follow("a", new AbortController().signal);
    const { node: _node, ...record } = toRecord();
    const waiting = follower.wait({ ...record, ...(node !== undefined && { node }) });
    receive({ id: "a", owner: "ada" });
    await waiting;
    expect(sent).toEqual([]);
    follower.end();
    shared.leases.stop();
  });

  test("a changed record of a task sends a message to each of the first 100 nodes that wait for it", async () => {
    const rig = await Rig.open();
    const record = await rig.begin("own");
    const nodes = Array.from({ length: 101 }, (_one, index) => `node ${index}`);
    for (const from of [...nodes, "node 0"]) rig.receive({ id: "own", owner: "ada", from });
    rig.sent.length = 0;
    rig.shared.changed(record);
    expect(rig.sent.map(({ to }) => to)).toEqual(nodes.slice(0, 100));
    rig.shared.forget("own");
    rig.shared.changed(record);
    expect(rig.sent).toHaveLength(100);
    rig.shared.leases.stop();
  });

  test("a waiting call registers again when no message has come for as long as a lease", async () => {
    const { shared, sent, clock } = await Rig.open();
    const follower = shared.follow("a", new AbortController().signal);
    for (let time = 0; time < 2; time += 1) {
      const waiting = follower.wait(toRecord({ node: "there" }));
      await clock.pass(lease);
      await waiting;
    }
    expect(sent).toHaveLength(2);
    follower.end();
    shared.leases.stop();
  });

  test("the calls that wait for a task are woken, except one that has ended", async () => {
    const { shared, receive } = await Rig.open();
    const { signal } = new AbortController();
    const [first, second] = [shared.follow("a", signal), shared.follow("a", signal)];
    first.end();
    const woken: string[] = [];
    void first.wait(toRecord()).then(() => woken.push("first"));
    void second.wait(toRecord()).then(() => woken.push("second"));
    receive({ id: "b", owner: "ada" });
    await settle();
    expect(woken).toEqual([]);
    receive({ id: "a", owner: "ada" });
    await settle();
    expect(woken).toEqual(["second"]);
    shared.leases.stop();
  });

  test.each([
    ["ends it here, where another node has cancelled it", "ada", true],
    ["of another owner does not", "bob", false],
  ])("a message about a task %s", async (_name, owner, isOver) => {
    const rig = await Rig.open();
    const { id } = await rig.begin("own");
    await rig.store.change({ id, owner: "ada" }, { status: "cancelled", updatedAt: time });
    rig.receive({ id, owner });
    await settle();
    await expect.poll(() => rig.running.map(({ task }) => task.isOver)).toEqual([isOver]);
    rig.shared.leases.stop();
  });

  test("a message of a node that waits has a response, also for a task that does not run here", async () => {
    const { shared, sent, receive } = await Rig.open();
    receive({ id: "a", owner: "ada", from: "there" });
    receive({ id: "a", owner: "ada" });
    expect(sent).toEqual([{ to: "there", id: "a", owner: "ada" }]);
    shared.leases.stop();
  });
});

test("a call that is cancelled while it follows a task ends at once, and leaves no timer", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const follower = new TaskFollower({
    clock,
    signal: controller.signal,
    longestWait: lease,
    register: () => {},
    receive: () => () => {},
  });
  const waiting = follower.wait(toRecord());
  controller.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  expect(clock.active).toBe(0);
  follower.end();
});

describe("the input requests of earlier attempts", () => {
  const elicit = findRow(newest.serverRequests, "elicit") ?? expect.unreachable();
  const request = { method: "elicitation/create", params: { message: "?" } };
  const response = { action: "accept" };
  const open = { inputRequests: { elicit: request } };

  test("a response that arrives before its input request is repeated is kept for it", () => {
    const history = new InputHistory(open);
    history.settleOpen({ elicit: response, other: {} });
    expect([history.openRequests, history.responses]).toEqual([{}, { elicit: response }]);
    expect(history.begin(elicit, "elicit", request)).toEqual({ key: "elicit", settled: { request, response } });
  });

  test("an input request without a response stays open until it is repeated", () => {
    const history = new InputHistory(open);
    history.settleOpen({ other: response });
    expect(history.openRequests).toEqual({ elicit: request });
    expect(history.begin(elicit, "elicit", request)).toEqual({ key: "elicit" });
    expect(history.openRequests).toEqual({});
  });

  test("another input request gets another key", () => {
    const history = new InputHistory({ ...open, inputResponses: { elicit: response } });
    const { key, settled } = history.begin(elicit, "elicit", { ...request, params: { message: "other" } });
    expect([key, settled]).toEqual(["elicit-2", undefined]);
  });

  test("a kept response is part of the record of the next attempt", () => {
    const history = new InputHistory();
    history.settle("elicit", request, response);
    const { settledRequests, responses: inputResponses } = history;
    const next = new InputHistory({ settledRequests, inputResponses });
    expect(next.begin(elicit, "elicit", request)).toMatchObject({ settled: { response } });
  });

  const roots = findRow(newest.serverRequests, "listRoots") ?? expect.unreachable();
  const method = "roots/list";

  test.each([
    ["optional params that are absent", roots, undefined, { method }],
    ["optional params without members", roots, {}, { method }],
    ["optional params", roots, { _meta: { a: 1 } }, { method, params: { _meta: { a: 1 } } }],
    ["required params", elicit, request.params, request],
    ["required params without members", elicit, {}, { ...request, params: {} }],
    ["undefined members", elicit, { message: "?", title: undefined }, request],
  ])("an input request with %s is stored as it is sent", (_name, row, params, stored) => {
    expect(toStoredRequest(row, params)).toStrictEqual(stored);
  });
});
