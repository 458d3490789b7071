import { describe, expect, test } from "vitest";
import { FollowedTask, type TaskPort } from "../../../runtime/tasks/task-handle.ts";
import type { TaskState } from "../../../runtime/tasks/task.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";

/* Tasks of a peer, as they are followed here: when they are polled, and for whom. */

const time = "2026-01-01T00:00:00Z";

/** A task of a peer that a test decides about. */
class Rig {
  readonly clock = new ManualClock();
  state: TaskState = { taskId: "a", status: "working", createdAt: time, lastUpdatedAt: time, ttl: null };
  /** Number of requests for the status. */
  polls = 0;
  /** Number of times that the task was no longer watched. */
  unwatched = 0;
  /** Error that a request for the status fails with. */
  failure: Error | undefined;
  readonly task: FollowedTask<unknown>;

  constructor(state: Partial<TaskState> = {}, port: Partial<TaskPort<unknown>> = {}) {
    this.state = { ...this.state, ...state };
    this.task = new FollowedTask<unknown>(this.state, {
      clock: this.clock,
      send: async (handler) => {
        if (handler !== "getTask") return { content: [] };
        this.polls += 1;
        if (this.failure) throw this.failure;
        return this.state;
      },
      toResult: (value) => value,
      ended: () => {},
      unwatch: () => void (this.unwatched += 1),
      ...port,
    });
  }

  /** Returns the time on the clock of the next poll. */
  async untilPoll(): Promise<number> {
    const { polls } = this;
    for (let limit = 0; this.polls === polls && limit < 1_000; limit += 1) await this.clock.pass(1_000);
    return this.clock.now();
  }
}

describe("the delay between two polls of a task", () => {
  test.each([
    ["suggested, within its bounds", 7_000, false, 7_000],
    ["suggested, above its bounds", 900_000, false, 300_000],
    ["30 s where changes are announced and none is suggested", undefined, true, 30_000],
    ["30 s where changes are announced and a shorter one is suggested", 7_000, true, 30_000],
    ["suggested where changes are announced and it is longer", 40_000, true, 40_000],
    ["suggested where changes are announced, within its bounds", 900_000, true, 300_000],
  ])("the delay between two polls is %s", async (_name, pollInterval, isHeard, expected) => {
    const rig = new Rig(pollInterval === undefined ? {} : { pollInterval }, { isHeard: () => isHeard });
    const { signal } = new AbortController();
    void rig.task.result({ signal });
    for (let poll = 1; poll <= 2; poll += 1) expect(await rig.untilPoll()).toBe(poll * expected);
  });
});

describe("a task that several callers follow", () => {
  test("a task is watched until the last of its callers has left", async () => {
    const rig = new Rig();
    const [first, second] = [new AbortController(), new AbortController()];
    const updates = rig.task.updates[Symbol.asyncIterator]();
    await updates.next();
    const next = updates.next();
    const waits = [rig.task.result({ signal: first.signal }), rig.task.result({ signal: second.signal })];
    const left = Promise.allSettled(waits);
    await settle();
    first.abort(new Error("enough"));
    await settle();
    expect(rig.unwatched).toBe(0);
    second.abort(new Error("enough"));
    await left;
    expect(rig.unwatched).toBe(0);
    rig.state = { ...rig.state, status: "completed" };
    await rig.untilPoll();
    await next;
    expect(rig.unwatched).toBe(0);
    await updates.next();
    expect(rig.unwatched).toBe(1);
  });

  test("a follower that leaves before it waits for a change does not end the watch of another", async () => {
    const rig = new Rig();
    const { signal } = new AbortController();
    void rig.task.result({ signal });
    for await (const state of rig.task.updates) {
      expect(state.status).toBe("working");
      break;
    }
    expect(rig.unwatched).toBe(0);
  });

  test("a wait after a failed one begins with a delay", async () => {
    const rig = new Rig({ pollInterval: 5_000 });
    const { signal } = new AbortController();
    rig.failure = new Error("broken");
    const failed = expect(rig.task.result({ signal })).rejects.toThrow("broken");
    await rig.clock.pass(5_000);
    await failed;
    rig.failure = undefined;
    expect(rig.polls).toBe(1);
    void rig.task.result({ signal });
    await rig.clock.pass(4_999);
    expect(rig.polls).toBe(1);
    await rig.clock.pass(1);
    expect(rig.polls).toBe(2);
  });
});
