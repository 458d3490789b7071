import { expect, it } from "vitest";
import { drainSessions, type DrainedSession } from "../../../cluster/drain-sessions.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

/** Sessions of a node, which report the end of their streams. */
function createSessions(count: number, polls: boolean): { readonly sessions: DrainedSession[]; ended(): number } {
  let ended = 0;
  const sessions = Array.from({ length: count }, () => ({
    polls,
    hasListeners: true,
    releaseStreams: () => void (ended += 1),
    whenIdle: () => Promise.resolve(),
  }));
  return { sessions, ended: () => ended };
}

it("streams whose clients know when to reconnect end at once, and the others one after the other (retry is 1 s)", async () => {
  const clock = new ManualClock();
  const [newer, older] = [createSessions(50, true), createSessions(200, false)];
  const drained = drainSessions([...newer.sessions, ...older.sessions], { clock, drain: 60_000, retry: 1_000 });
  await clock.pass(0);
  expect(newer.ended()).toBe(50);
  const counts: number[] = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    await clock.pass(1_000);
    counts.push(older.ended() - counts.reduce((sum, count) => sum + count, 0));
  }
  for (const count of counts) expect(count).toBeGreaterThan(10);
  expect(older.ended()).toBe(200);
  await drained;
});

it("all streams have ended after half of the time in which the node has to close", async () => {
  const clock = new ManualClock();
  const { sessions, ended } = createSessions(50, false);
  const drained = drainSessions(sessions, { clock, drain: 1_000, retry: 1_000 });
  await clock.pass(500);
  expect(ended()).toBe(50);
  await drained;
});

it("a session with a running request holds the node up to the end of that time", async () => {
  const clock = new ManualClock();
  const busy: DrainedSession = {
    polls: true,
    hasListeners: false,
    releaseStreams() {},
    whenIdle: () => new Promise(() => {}),
  };
  let isOver = false;
  const drained = drainSessions([busy], { clock, drain: 1_000, retry: 1_000 }).then(() => (isOver = true));
  await clock.pass(999);
  expect(isOver).toBe(false);
  await clock.pass(1);
  await drained;
});
