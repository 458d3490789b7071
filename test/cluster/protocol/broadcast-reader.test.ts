import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BroadcastReader, type ReadBroadcast } from "../../../cluster/engine/broadcast-reader.ts";
import { ReadLoop } from "../../../cluster/engine/read-loop.ts";
import { renewRevocations } from "../../../cluster/engine/renew-revocations.ts";
import type { Broadcast } from "../../../cluster/stores/node-directory.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";

const at = (
  position: number,
  broadcast: Broadcast | undefined = { kind: "revoked", key: `${position}`, until: 1 },
) => ({
  position: String(position),
  broadcast,
});

interface Reading {
  readonly reader: BroadcastReader;
  /** What happened, in order. */
  readonly log: string[];
  /** Broadcasts that the store returns next; `undefined`: some are no longer kept. */
  readonly found: (readonly ReadBroadcast[] | undefined)[];
}

function open(): Reading {
  const log: string[] = [];
  const found: Reading["found"] = [];
  const reader: BroadcastReader = new BroadcastReader(
    {
      message: () => {},
      changed: () => {},
      missed: () => void log.push("missed"),
      broadcastReceived(broadcast, position) {
        log.push(`received ${position} ${broadcast.kind === "revoked" ? broadcast.key : ""}`);
        if (position === "stop") reader.stop();
      },
    },
    { readAll: async () => void log.push("messages") },
    {
      findLast: async () => "9",
      async after(position) {
        log.push(`after ${position}`);
        return found.length === 0 ? [] : found.shift();
      },
    },
  );
  return { reader, log, found };
}

describe("broadcasts of a store", () => {
  test("broadcasts are received in order, each once, after the messages that were sent before", async () => {
    const { reader, log, found } = open();
    await reader.start("3");
    found.push([at(4), at(5)], [at(6)]);
    reader.read();
    await settle();
    reader.read();
    await settle();
    reader.read();
    await settle();
    expect(log).toEqual([
      "after 3",
      "messages",
      "received 4 4",
      "received 5 5",
      "after 5",
      "messages",
      "received 6 6",
      "after 6",
    ]);
  });

  test("a reader without a position begins after the last broadcast, and one that has not begun reads nothing", async () => {
    const { reader, log } = open();
    reader.read();
    await settle();
    expect(log).toEqual([]);
    await reader.start(undefined);
    reader.read();
    await settle();
    expect(log).toEqual(["after 9"]);
  });

  test("broadcasts that are no longer kept are missed: the next ones are those after the last", async () => {
    const { reader, log, found } = open();
    await reader.start("3");
    found.push(undefined);
    reader.read();
    await settle();
    reader.read();
    await settle();
    expect(log).toEqual(["after 3", "messages", "missed", "after 9"]);
  });

  test("a broadcast that does not verify is passed over", async () => {
    const { reader, log, found } = open();
    await reader.start("3");
    found.push([{ position: "4", broadcast: undefined }, at(5)]);
    reader.read();
    await settle();
    expect(log).toEqual(["after 3", "messages", "received 5 5"]);
  });

  test("a reader that is stopped receives nothing more", async () => {
    const { reader, log, found } = open();
    await reader.start("3");
    found.push([{ ...at(4), position: "stop" }, at(5)]);
    reader.read();
    await settle();
    reader.read();
    await settle();
    expect(log).toEqual(["after 3", "messages", "received stop 4"]);
    const other = open();
    await other.reader.start("3");
    other.found.push(undefined);
    other.reader.read();
    // The store has been read when the reader is stopped.
    await Promise.resolve();
    other.reader.stop();
    await settle();
    expect(other.log).not.toContain("missed");
  });
});

describe("a loop that reads what is new", () => {
  test("a run that is requested during another one follows it, once", async () => {
    const ends: (() => void)[] = [];
    const loop = new ReadLoop(() => new Promise((resolve) => ends.push(resolve)));
    loop.request();
    await settle();
    for (let time = 0; time < 3; time += 1) loop.request();
    await settle();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await settle();
    expect(ends).toHaveLength(2);
  });

  test("a run that fails is repeated after 250 ms, unless the loop is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let runs = 0;
    const loop = new ReadLoop(() => {
      runs += 1;
      return runs < 3 ? Promise.reject(new Error("lost")) : Promise.resolve();
    });
    await expect(loop.run()).rejects.toThrow("lost");
    await vi.advanceTimersByTimeAsync(249);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    loop.stop();
    expect(loop.isStopped).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(2);
    await loop.run();
    expect(runs).toBe(2);
  });
});

describe("revocations with older keys", () => {
  const renew = async (found: Parameters<typeof renewRevocations>[0], fails = false) => {
    const added: unknown[] = [];
    const returned = await renewRevocations(found, async (revocation) => {
      added.push(revocation);
      if (fails) throw new Error("rejected");
    });
    return { returned, added };
  };

  test("each is returned once with its latest time, and stored again if no current key can read it", async () => {
    const { returned, added } = await renew([
      { key: "a", until: 1, isOutdated: false },
      { key: "a", until: 5, isOutdated: false },
      { key: "b", until: 20_000, isOutdated: true },
      { key: "c", until: 20_000, isOutdated: true },
      { key: "c", until: 10_000, isOutdated: false },
      { key: "d", until: 20_000, isOutdated: true },
      { key: "d", until: 9_999, isOutdated: false },
    ]);
    expect(returned).toEqual([
      { key: "a", until: 5 },
      { key: "b", until: 20_000 },
      { key: "c", until: 20_000 },
      { key: "d", until: 20_000 },
    ]);
    // The times of one expiry differ by as much as the clocks may.
    expect(added).toEqual([
      { key: "b", until: 20_000 },
      { key: "d", until: 20_000 },
    ]);
  });

  test("all are applied and tried, also when the store rejects them", async () => {
    const found = Array.from({ length: 250 }, (_, index) => ({ key: `${index}`, until: 20_000, isOutdated: true }));
    const { returned, added } = await renew(found, true);
    expect([returned.length, added.length]).toEqual([250, 250]);
  });
});
