import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { EngineFixture } from "../engine-fixture.ts";
import { startTwoNodes } from "./cluster.ts";

/** Declares the tests of the replay store of an engine. */
export function describeReplays(fixture: EngineFixture): void {
  describe("replays of an engine", () => {
    test("a key is accepted once in the cluster, however many nodes receive it at once (E13)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const until = Date.now() + 60_000;
      const uses = Array.from({ length: 20 }, async (_, index) =>
        (index % 2 ? first : second).replays.add("jti", until, "ada"),
      );
      expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
      expect(await first.replays.add("jti", until)).toBe(false);
      expect(await second.replays.add("other", until)).toBe(true);
    });

    test("a key of 400 characters differs from another in its last one", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const until = Date.now() + 60_000;
      const start = "é".repeat(399);
      expect(await first.replays.add(`${start}a`, until)).toBe(true);
      expect(await second.replays.add(`${start}b`, until)).toBe(true);
      expect(await second.replays.add(`${start}a`, until)).toBe(false);
    });

    test("a key is forgotten after its time", async () => {
      const { first, second } = await startTwoNodes(fixture);
      expect(await first.replays.add("jti", Date.now() + 200)).toBe(true);
      await sleep(400);
      // A store in memory forgets keys when the next one is added.
      await second.replays.add("next", Date.now() + 60_000);
      expect(await second.replays.add("jti", Date.now() + 60_000)).toBe(true);
    });

    test("a key that a node with a fast clock has recorded is not accepted before its time (E13)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const until = Date.now() + 60_100;
      const fast = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
      onTestFinished(() => void fast.mockRestore());
      expect(await first.replays.add("jti", until)).toBe(true);
      fast.mockRestore();
      await sleep(400);
      expect(await second.replays.add("jti", until)).toBe(false);
    });

    test("a key is not accepted while the store cannot tell (E13)", async ({ skip }) => {
      const { cluster, first } = await startTwoNodes(fixture);
      const { kill, restart } = cluster;
      if (!kill || !restart) return skip("the store of this engine cannot be made unreachable");
      const until = Date.now() + 60_000;
      expect(await first.replays.add("jti", until)).toBe(true);
      await kill.call(cluster);
      for (const key of ["jti", "other"]) await expect(async () => first.replays.add(key, until)).rejects.toThrow();
      await restart.call(cluster);
      const add = async (): Promise<unknown> => Promise.resolve(first.replays.add("jti", until)).catch(String);
      await expect.poll(add).toBe(false);
    });
  });
}
