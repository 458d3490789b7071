import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { fail } from "../../../generated/support.ts";
import { Metrics } from "../../../runtime/jsonrpc/metrics.ts";
import type { Clock } from "../../../runtime/internal/timers.ts";
import { statelessRevision, newest, row } from "../../kit/revisions.ts";
import { rejectUnhandledRejections } from "../../kit/unhandled-rejections.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { noticesOf, openPeer, requestsOf, type OpenedPeer } from "./open-peer.ts";

/* Calls of a peer without a handshake: their ids, timeouts, results and cancellations, each by itself. */

rejectUnhandledRejections();

const work = row("work", "work");
const ok = (id: unknown, result: object = {}): object => ({ jsonrpc: "2.0", id, result });
const report = (progressToken: unknown, progress = 1): object => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, progress },
});
const progressRoute: ReturnType<typeof openPeer>["peer"]["routes"]["notifications"] = new Map(
  Object.entries(newest.serverNotifications).map(([method, known]) => [method, { row: known, handle: undefined }]),
);

/** Returns the outcome of a call, or `open` when it has none yet. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const outcome = call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return Promise.race([outcome, settle().then(() => "open")]);
}

test("a call that cannot be sent fails, and is not pending", async () => {
  const metrics = new Metrics();
  const error = new Error("no text");
  const send = (): never => {
    throw error;
  };
  const { peer } = openPeer({ channel: { send }, settings: { metrics } });
  expect(await outcomeOf(peer.request(work, undefined))).toEqual({ error });
  expect(metrics.read()).toMatchObject({ waiting: 0 });
});

test("a message that is lost after the response changes nothing", async () => {
  let lose = (_error: Error): void => {};
  const send = (): Promise<void> => new Promise((_, reject) => (lose = reject));
  const { peer, wire } = openPeer({ channel: { send } });
  const call = peer.request(work, undefined);
  wire.post(ok(1));
  lose(new Error("cut"));
  expect(await outcomeOf(call)).toEqual({ result: {} });
  await settle();
});

describe("kinds of results", () => {
  const expected = '"complete" or "input_required"';
  const rejected = (text: string): object => ({
    error: { name: "InvalidMessageError", part: "result", issue: { path: "resultType", expected: text } },
  });

  test.each<readonly [string, object, readonly string[] | undefined, object]>([
    ["without a kind", {}, undefined, { result: {} }],
    ["of a kind of the revision", { resultType: "complete" }, undefined, { result: { resultType: "complete" } }],
    ["of a kind of the request", { resultType: "task" }, ["task"], { result: { resultType: "task" } }],
    ["of an unknown kind", { resultType: "other" }, undefined, rejected(expected)],
    ["of another request's kind", { resultType: "task" }, ["more"], rejected(`${expected} or "more"`)],
    ["whose kind is no text", { resultType: 7 }, undefined, rejected(expected)],
  ])("a result %s is accepted or rejected as the revision says", async (_, result, kinds, outcome) => {
    const { peer, wire } = openPeer({ session: { revision: statelessRevision } });
    const call = peer.request({ ...work, ...(kinds && { kinds }) }, undefined);
    wire.post(ok(1, result));
    expect(await outcomeOf(call)).toMatchObject(outcome);
  });

  test("a kind has no meaning at a revision without kinds", async () => {
    const { peer, wire } = openPeer();
    const call = peer.request(work, undefined);
    wire.post(ok(1, { resultType: "other", rest: 1 }));
    expect(await outcomeOf(call)).toEqual({ result: { rest: 1 } });
  });

  test("a result is read with the profile before it is checked", async () => {
    const readResult = (result: unknown, method: string, { id }: { id: string }): object => ({ result, method, id });
    const { peer, wire } = openPeer({ routes: { profile: { readResult } } });
    const call = peer.request(work, undefined);
    wire.post(ok(1, { a: 1 }));
    expect(await outcomeOf(call)).toEqual({ result: { result: { a: 1 }, method: "work", id: newest.id } });
  });
});

describe("ids", () => {
  test("ids have the prefix of the channel", async () => {
    const { peer, wire } = openPeer({ channel: { requestIdPrefix: "s1-" } });
    const calls = [peer.request(work, undefined), peer.request(work, undefined)];
    expect(wire.sent).toMatchObject([{ id: "s1-1" }, { id: "s1-2" }]);
    wire.post(ok("s1-2", { n: 2 }), ok("s1-1", { n: 1 }));
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test.each([
    ["was used", "s1-", "s1-1", false],
    ["was never used", "s1-", "s1-2", true],
    ["is that of no call", "s1-", "s1-0", true],
    ["has another prefix", "s2-", "s1-1", true],
    ["has no prefix", "s1-", "1", true],
    ["is a number in place of a text", "s1-", 1, true],
    ["is a number that was used", undefined, 1, false],
    ["is a number that was never used", undefined, 2, true],
    ["is zero", undefined, 0, true],
    ["is a text in place of a number", undefined, "1", true],
  ])("a response whose id %s is reported only if no call had the id", async (_, requestIdPrefix, id, isReported) => {
    const { peer, wire, reports } = openPeer({ channel: { requestIdPrefix } });
    const call = peer.request(work, undefined);
    wire.post(ok(requestIdPrefix === undefined ? 1 : `${requestIdPrefix}1`));
    await call;
    wire.post(ok(id));
    const error = { message: "The response has an unknown request id" };
    expect(reports).toMatchObject(isReported ? [{ kind: "protocol", id, error }] : []);
    expect(reports).toHaveLength(isReported ? 1 : 0);
  });

  test("progress of a token that no call had is reported as such", () => {
    const progress = noticesOf({ "notifications/progress": () => {} });
    const { wire, reports } = openPeer({ routes: { notifications: progress } });
    wire.post({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 7, progress: 1 } });
    expect(reports).toMatchObject([
      { kind: "protocol", id: 7, error: { message: "The progress has an unknown token" } },
    ]);
  });

  test("an error without an id is reported as the peer's", () => {
    const { wire, reports } = openPeer();
    wire.post({ jsonrpc: "2.0", error: { code: -32700, message: "What?" } });
    expect(reports).toEqual([
      { kind: "protocol", error: expect.objectContaining({ name: "PeerError", code: -32700 }) },
    ]);
    expect(reports[0]).not.toHaveProperty("id");
  });
});

describe("timeouts", () => {
  test("a call that is held gets its time back when it is released", async () => {
    const { peer, clock } = openPeer();
    clock.advance(500);
    const call = peer.request(work, undefined, { timeout: 100 });
    clock.advance(60);
    const release = peer.hold(1);
    clock.advance(1_000);
    expect(await outcomeOf(call)).toBe("open");
    release();
    clock.advance(39);
    expect(await outcomeOf(call)).toBe("open");
    clock.advance(1);
    expect(await outcomeOf(call)).toMatchObject({ error: { name: "TimeoutError", milliseconds: 100 } });
  });

  test("the total time of a call is extended by the time that it was held", async () => {
    const { peer, wire, clock } = openPeer({ routes: { notifications: progressRoute } });
    clock.advance(500);
    const call = peer.request(work, undefined, { timeout: 100, totalTimeout: 250 });
    clock.advance(50);
    const release = peer.hold(1);
    clock.advance(1_000);
    release();
    for (const [value, wait] of [40, 90].entries()) {
      clock.advance(wait);
      wire.post(report(1, value));
    }
    clock.advance(69);
    expect(await outcomeOf(call)).toBe("open");
    clock.advance(1);
    expect(await outcomeOf(call)).toMatchObject({ error: { name: "TimeoutError", milliseconds: 250 } });
  });

  test("progress of a call that is held extends its time, which goes on when it is released", async () => {
    const { peer, wire, clock } = openPeer({ routes: { notifications: progressRoute } });
    const call = peer.request(work, undefined, { timeout: 100 });
    const release = peer.hold(1);
    const releaseOther = peer.hold(1);
    clock.advance(50);
    wire.post(report(1));
    clock.advance(1_000);
    releaseOther();
    clock.advance(1_000);
    expect(await outcomeOf(call)).toBe("open");
    release();
    clock.advance(99);
    expect(await outcomeOf(call)).toBe("open");
    clock.advance(51);
    expect(await outcomeOf(call)).toMatchObject({ error: { name: "TimeoutError" } });
  });

  test("a call that is held twice gets its time back when both have released it", async () => {
    const { peer, clock } = openPeer();
    const call = peer.request(work, undefined, { timeout: 100 });
    const releases = [peer.hold(1), peer.hold(1)];
    clock.advance(1_000);
    for (const release of releases) release();
    clock.advance(99);
    expect(await outcomeOf(call)).toBe("open");
    clock.advance(1);
    expect(await outcomeOf(call)).toMatchObject({ error: { name: "TimeoutError" } });
  });

  test("a call that is not pending cannot be held", () => {
    const { peer, clock } = openPeer();
    peer.hold(99)();
    expect(clock.active).toBe(0);
  });

  test("the process is kept alive while a call with a timeout is pending, not for others", async () => {
    const events: string[] = [];
    const cancel = (): void => {};
    const clock: Clock = {
      now: () => 0,
      after: () => Object.assign(cancel, { hold: () => events.push("hold"), release: () => events.push("release") }),
    };
    const requests = requestsOf({ slow: () => new Promise(() => {}) });
    const { peer, wire } = openPeer({ routes: { requests }, settings: { clock } });
    const endless = { timeout: Infinity, totalTimeout: Infinity };
    const calls = [peer.request(work, undefined, endless)];
    wire.post({ jsonrpc: "2.0", id: 1, method: "slow" });
    expect(events).toEqual([]);
    for (const _ of [2, 3]) calls.push(peer.request(work, undefined));
    expect(events).toEqual(["hold"]);
    wire.post(ok(1), ok(2));
    calls.push(peer.request(work, undefined));
    expect(events).toEqual(["hold"]);
    wire.post(ok(3), ok(4));
    expect(events).toEqual(["hold", "release"]);
    calls.push(peer.request(work, undefined));
    expect(events).toEqual(["hold", "release", "hold"]);
    wire.post(ok(5));
    await Promise.all(calls);
  });
});

describe("signals", () => {
  test("a signal without an error as its reason cancels without one", async () => {
    const { peer, wire, given } = openPeer();
    const controller = new AbortController();
    const failed: unknown[] = [];
    Object.assign(wire, { failed: (...args: readonly unknown[]) => failed.push(args) });
    const call = peer.request(work, undefined, { signal: controller.signal });
    controller.abort("enough");
    expect(await outcomeOf(call)).toEqual({ error: "enough" });
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect(given.at(-1)).toStrictEqual(cancelled);
    expect(failed).toEqual([[1, "enough"]]);
  });

  test("a cancellation that is lost is reported", async () => {
    const { peer, wire, reports } = openPeer();
    const controller = new AbortController();
    const call = peer.request(work, undefined, { signal: controller.signal });
    const error = new Error("cut");
    wire.send = () => Promise.reject(error);
    controller.abort();
    expect(await outcomeOf(call)).toMatchObject({ error: { name: "AbortError" } });
    expect(reports).toEqual([{ kind: "transport", error }]);
  });

  test("a signal has no listener after the response", async () => {
    const { peer, wire } = openPeer();
    const { signal } = new AbortController();
    const call = peer.request(work, undefined, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    wire.post(ok(1));
    await call;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("a signal cancels nothing when the response came while the request was sent", async () => {
    const { peer, wire, given } = openPeer();
    const send = wire.send.bind(wire);
    wire.send = (message) => {
      send(message);
      wire.post(ok(1));
    };
    const controller = new AbortController();
    const call = peer.request(work, undefined, { signal: controller.signal });
    controller.abort();
    expect(await outcomeOf(call)).toEqual({ result: {} });
    expect(given).toHaveLength(1);
  });

  test.each<readonly [string, (opened: OpenedPeer) => unknown]>([
    ["ends", ({ wire }) => wire.end()],
    ["is closed", ({ peer }) => peer.close()],
  ])("a call that another one aborts while all fail is settled once: the connection %s", async (_, end) => {
    const opened = openPeer();
    const { peer } = opened;
    const controller = new AbortController();
    const settled: unknown[] = [];
    const resolve = (): void => {};
    peer.ask(work, undefined, { resolve, reject: () => controller.abort("together") });
    void peer.request(work, undefined, { signal: controller.signal }).catch((error: unknown) => settled.push(error));
    await end(opened);
    await settle();
    expect(settled).toEqual(["together"]);
  });
});

describe("progress", () => {
  test("a call without a callback gets progress without an error", async () => {
    const { peer, wire, reports } = openPeer({ routes: { notifications: progressRoute } });
    const call = peer.request(work, undefined);
    wire.post(report(1), ok(1));
    await call;
    expect(reports).toEqual([]);
  });

  test("a short call requests progress only for a callback", () => {
    const { peer, wire } = openPeer();
    for (const options of [{}, { onProgress() {} }]) void peer.request(work, {}, options);
    expect(wire.sent).toMatchObject([{ params: {} }, { params: { _meta: { progressToken: 2 } } }]);
    expect(wire.sent[0]).not.toHaveProperty("params._meta");
  });

  test("progress of a task follows the response until the task ends", async () => {
    const { peer, wire, reports } = openPeer({ routes: { notifications: progressRoute } });
    const seen: number[] = [];
    const controller = new AbortController();
    const onProgress = ({ progress }: { progress: number }): void => void seen.push(progress);
    const call = peer.request(work, undefined, { onProgress, taskEnded: controller.signal });
    wire.post(report(1, 1), ok(1), report(1, 2));
    await call;
    wire.post(report(1, 3));
    controller.abort();
    wire.post(report(1, 4));
    expect(seen).toEqual([1, 2, 3]);
    expect(reports).toEqual([]);
  });
});

test("params that are given are checked, also where they may be absent", async () => {
  const params = (): ReturnType<typeof fail> => fail("something else");
  const { peer, wire } = openPeer();
  for (const [paramsOptional, given] of [
    [true, {}],
    [false, undefined],
  ] as const) {
    const call = peer.request({ ...work, params, paramsOptional }, given);
    expect(await outcomeOf(call)).toMatchObject({ error: { name: "InvalidMessageError", part: "params" } });
  }
  expect(wire.sent).toEqual([]);
  void peer.request({ ...work, params }, undefined).catch(() => {});
  expect(wire.sent).toHaveLength(1);
});
