import { describe, expect, test } from "vitest";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { RateStore } from "../../../runtime/stores/rate-store.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { startTwoNodes } from "./cluster.ts";

/** Rate that no test waits for. */
const slow = { burst: 3, perSecond: 0.01 };

/** Declares the tests of the rate store of an engine. */
export function describeRates(fixture: EngineFixture): void {
  describe("a shared rate store", () => {
    test("two nodes together take as many events as the burst permits (E14)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const takes = [first, second, first, second, first].map(async (engine) => ratesOf(engine).take("ada", slow));
      const waits = await Promise.all(takes);
      expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
      for (const wait of waits.filter((each) => each > 0)) expectNear(wait, 100_000);
    });

    test("a rejected event is not counted, and each key has a quota of its own", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (let time = 0; time < 10; time += 1) await ratesOf(first).take("ada", slow);
      expectNear(await ratesOf(second).take("ada", slow), 100_000);
      for (const key of ["bob", "ada ", "", "a\u0000b", "{ada}:*"])
        expect(await ratesOf(second).take(key, slow)).toBe(0);
    });

    test("a burst that takes days to be compensated is used up as well", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const each = 2 ** 17;
      const rare = { burst: 5, perSecond: 1 / each };
      const waits = [];
      for (const engine of [first, second, first, second, first, second, first, second])
        waits.push(await ratesOf(engine).take("ada", rare));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
      expectNear(await ratesOf(second).check("ada", rare), each * 1_000);
    });

    test("events are possible again after their time, at the rate", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const rate = { burst: 2, perSecond: 4 };
      expect(await ratesOf(first).take("ada", rate)).toBe(0);
      expect(await ratesOf(first).take("ada", rate)).toBe(0);
      expect(await ratesOf(first).take("ada", rate)).toBeGreaterThan(0);
      await cluster.pass(300);
      expect(await ratesOf(second).take("ada", rate)).toBe(0);
      await cluster.pass(2_000);
      const waits = [];
      for (let time = 0; time < 3; time += 1) waits.push(await ratesOf(first).take("ada", rate));
      expect(waits.map((wait) => wait > 0)).toEqual([false, false, true]);
    });

    test("a check takes nothing, and a recorded event counts even beyond the burst", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (let time = 0; time < 5; time += 1) expect(await ratesOf(first).check("ada", slow)).toBe(0);
      for (let time = 0; time < 5; time += 1) await ratesOf(first).record("ada", slow);
      expectNear(await ratesOf(second).check("ada", slow), 300_000);
      expectNear(await ratesOf(second).take("ada", slow), 300_000);
    });

    test("fractions and extreme rates are counted", async () => {
      const { first } = await startTwoNodes(fixture);
      const rates = ratesOf(first);
      const third = { burst: 7, perSecond: 1 / 30 };
      for (let time = 0; time < 7; time += 1) expect(await rates.take("third", third)).toBe(0);
      expect(await rates.take("third", third)).toBeGreaterThan(0);
      for (let time = 0; time < 20; time += 1)
        expect(await rates.take("fast", { burst: 1, perSecond: Infinity })).toBe(0);
      expect(await rates.take("rare", { burst: 1, perSecond: 1e-12 })).toBe(0);
      expect(await rates.take("rare", { burst: 1, perSecond: 1e-12 })).toBeGreaterThan(1_000_000);
    });
  });
}

function ratesOf({ rates }: Engine): RateStore {
  if (!rates) throw new Error("The engine does not count rates");
  return rates;
}

/** Expects a time that is a little less than another one, because time passes meanwhile. The clocks of two nodes differ by up to a second. */
function expectNear(milliseconds: number, expected: number): void {
  expect(milliseconds).toBeLessThanOrEqual(expected + 1_000);
  expect(milliseconds).toBeGreaterThan(expected - 60_000);
}
