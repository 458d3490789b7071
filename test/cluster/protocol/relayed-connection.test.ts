import { expect, test } from "vitest";
import { RelayedConnection, type RelayEnd } from "../../../cluster/relay/relayed-connection.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";

/** Connection to a stream of another node, and the calls that it makes. */
function create(end: RelayEnd) {
  const clock = new ManualClock();
  const calls: string[] = [];
  const { opened: finished, open: finish } = createGate();
  const stream = Object.create({
    finished,
    touch: (comment: string) => void calls.push(`touch ${comment.trim()}`),
    release() {
      calls.push("release");
      finish();
    },
  });
  const renew = (): void => void calls.push("renew");
  const maintained = new RelayedConnection({ stream, clock, end, retry: 1_000, renew });
  return { calls, clock, finish, maintained };
}

test("a relayed connection is kept alive, and so is its session", () => {
  const { calls, maintained } = create("at-once");
  maintained.keepAlive();
  maintained.renew();
  expect(calls).toEqual([expect.stringMatching(/^touch :/), "renew"]);
});

test.each<readonly [RelayEnd, number | undefined, number, number]>([
  ["at-once", 5_000, 0, 0],
  ["spread", 5_000, 0, 2_500],
  ["spread", undefined, 0, 0],
  ["after-response", 5_000, 5_000, 5_000],
  ["after-response", undefined, 0, 0],
])("a relayed connection that ends %s closes within the drain %s", async (end, drain, earliest, latest) => {
  const { calls, clock, maintained } = create(end);
  let isClosed = false;
  void maintained.connection.closed.then(() => (isClosed = true));
  const closed = maintained.connection.close(drain === undefined ? {} : { drain });
  await settle();
  await clock.pass(Math.max(0, earliest - 1));
  if (earliest > 0) expect([calls, isClosed]).toEqual([[], false]);
  await clock.pass(latest - Math.max(0, earliest - 1));
  await closed;
  expect([calls, isClosed, clock.active]).toEqual([["release"], true, 0]);
});

test("a relayed connection closes when its response has come, and leaves no timer behind", async () => {
  const { calls, clock, finish, maintained } = create("after-response");
  const closed = maintained.connection.close({ drain: 5_000 });
  await settle();
  finish();
  await closed;
  expect([calls, clock.active]).toEqual([["release"], 0]);
});
