import { expect, test } from "vitest";
import { SharedSessionValues } from "../../../cluster/engine/session-values.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { key } from "../contract/cluster.ts";

const hour = 3_600_000;

test("the values of a session are kept for a day after their last use, by each node", async () => {
  const clock = new ManualClock();
  const memory = createMemoryCluster({ clock });
  const create = async (): Promise<SharedSessionValues> => {
    const engine = memory.connect();
    await engine.open();
    const fail = (thrown: unknown): never => expect.unreachable(String(thrown));
    return new SharedSessionValues(key, { values: engine.values, clock, fail });
  };
  const [first, second] = [await create(), await create()];
  expect(await second.get("a")).toBeUndefined();
  await first.update("a", () => "x");
  expect(await second.update("b", (text) => `${text} y`)).toBe("undefined y");
  for (let days = 0; days < 3; days += 1) {
    await clock.pass(20 * hour);
    expect([await first.get("a"), await second.get("b"), await first.get("c")]).toEqual([
      "x",
      "undefined y",
      undefined,
    ]);
    await clock.pass(0);
  }
  await clock.pass(25 * hour);
  expect([await first.get("a"), await second.get("b")]).toEqual([undefined, undefined]);
});

test("a change that fails leaves the values, and the next one works", async () => {
  const engine = createMemoryCluster().connect();
  await engine.open();
  const fail = (thrown: unknown): never => expect.unreachable(String(thrown));
  const values = new SharedSessionValues(key, { values: engine.values, clock: new ManualClock(), fail });
  await values.update("a", () => "x");
  const broken = values.update("a", () => {
    throw new Error("broken");
  });
  const large = values.update("a", () => "x".repeat(128 * 1024));
  const next = values.update("b", () => "y");
  await expect(broken).rejects.toThrow("broken");
  await expect(large).rejects.toThrow("of at most 131072; store large values elsewhere");
  await next;
  expect([await values.get("a"), await values.get("b")]).toEqual(["x", "y"]);
});
