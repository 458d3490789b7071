import { describe, expect, onTestFinished, test } from "vitest";
import { joinCluster, type Cluster } from "../../../cluster/cluster.ts";
import type { Clock } from "../../../runtime/internal/timers.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";
import { toTokenId } from "../../../runtime/stores/revocations.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { RevocationStore } from "../../../cluster/stores/revocation-store.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { override } from "../../kit/override.ts";
import { startTwoNodes } from "./cluster.ts";

/** Declares the tests of the revocations of an engine, and of the nodes that use them. */
export function describeRevocations(fixture: EngineFixture): void {
  describe("a shared store of revocations", () => {
    test("a revocation is listed on another node, once, with its later expiry", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const until = Date.now() + 600_000;
      for (const at of [until, until + 60_000, until - 60_000])
        await storeOf(first).add({ key: "ada\u0000é", until: at });
      await storeOf(first).add({ key: "bob", until });
      const found = new Map((await storeOf(second).list()).map((revocation) => [revocation.key, revocation.until]));
      expect([...found.keys()].sort()).toEqual(["ada\u0000é", "bob"]);
      expect(Math.abs((found.get("ada\u0000é") ?? 0) - until - 60_000)).toBeLessThan(5_000);
      expect(Math.abs((found.get("bob") ?? 0) - until)).toBeLessThan(5_000);
    });

    test("an expired revocation is forgotten", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await storeOf(first).add({ key: "past", until: Date.now() - 1 });
      await storeOf(first).add({ key: "short", until: Date.now() + 400 });
      await storeOf(first).add({ key: "long", until: Date.now() + 600_000 });
      await cluster.pass(600);
      expect((await storeOf(second).list()).map(({ key }) => key)).toEqual(["long"]);
      await storeOf(first).add({ key: "next", until: Date.now() + 600_000 });
      expect((await storeOf(second).list()).map(({ key }) => key).sort()).toEqual(["long", "next"]);
    });

    test("thousands of revocations are listed", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const until = Date.now() + 600_000;
      let added = 0;
      const keys = Array.from({ length: 2_500 }, (_, index) => `principal ${index}`);
      while (keys.length > added) {
        const some = keys.slice(added, added + 100);
        await Promise.all(some.map(async (key) => storeOf(first).add({ key, until })));
        added += some.length;
      }
      expect(new Set((await storeOf(second).list()).map(({ key }) => key))).toEqual(new Set(keys));
    });
  });

  describe("revocations of a cluster", () => {
    test("a principal that one node revokes is rejected by every node within 1 s, and what is open ends (E15)", async () => {
      // No timer of a node runs on this clock, so that nothing but the broadcast can be what the other node learns it from.
      const clock = new ManualClock();
      const { first, second } = await joinTwoNodes(fixture, clock);
      await clock.pass(10_000);
      const from = clock.now();
      const until = Date.now() + 600_000;
      const ended: string[] = [];
      const end = (who: string) => (): void => void ended.push(`${who} after ${clock.now() - from} ms`);
      const eve = { principal: "eve", tokenId: await toTokenId("eve's token") };
      second.revocations.watch({ principal: "ada" }, end("ada"));
      second.revocations.watch(eve, end("eve"));
      second.revocations.watch({ principal: "bob" }, end("bob"))();
      second.revocations.watch({ principal: "carl" }, end("carl"));
      await first.revocations.revoke({ principal: "ada", until });
      await first.revocations.revoke({ principal: "bob", until });
      await first.revocations.revoke({ token: "eve's token", until });
      expect(first.revocations.isRevoked({ principal: "ada" })).toBe(true);
      await expect.poll(() => ended, { interval: 10 }).toEqual(["ada after 0 ms", "eve after 0 ms"]);
      expect(second.revocations.isRevoked({ principal: "ada", tokenId: "any" })).toBe(true);
      expect(second.revocations.isRevoked(eve)).toBe(true);
      expect(second.revocations.isRevoked({ principal: "eve" })).toBe(false);
      expect(second.revocations.isRevoked({ principal: "carl" })).toBe(false);
    });

    test("a principal whose broadcast is lost is rejected by every node after 30 s", async () => {
      const { first: sender, second: receiver } = await startTwoNodes(fixture);
      const clock = new ManualClock();
      const lossy = override(sender, { nodes: override(sender.nodes, { broadcast: () => Promise.resolve("lost") }) });
      const [first, second] = [await joinCluster(lossy), await joinCluster(receiver, { clock })];
      await first.revocations.revoke({ principal: "ada", until: Date.now() + 600_000 });
      await clock.pass(29_999);
      expect(second.revocations.isRevoked({ principal: "ada" })).toBe(false);
      await clock.pass(1);
      await expect.poll(() => second.revocations.isRevoked({ principal: "ada" }), { interval: 10 }).toBe(true);
    });

    test("a revocation without end is known to every node, and to those that start later", async () => {
      const { cluster, first, second } = await joinTwoNodes(fixture);
      await first.revocations.revoke({ principal: "ada", until: Infinity });
      await expect.poll(() => second.revocations.isRevoked({ principal: "ada" }), { interval: 10 }).toBe(true);
      const third = await joinCluster(await cluster.connect());
      onTestFinished(() => third.close());
      expect(third.revocations.isRevoked({ principal: "ada" })).toBe(true);
    });

    test("a node that starts later knows the revocations before", async () => {
      const { cluster, first } = await joinTwoNodes(fixture);
      await first.revocations.revoke({ principal: "ada", until: Date.now() + 600_000 });
      const third = await joinCluster(await cluster.connect());
      onTestFinished(() => third.close());
      expect(third.revocations.isRevoked({ principal: "ada" })).toBe(true);
      const ended: string[] = [];
      third.revocations.watch({ principal: "ada" }, () => ended.push("ada"));
      await expect.poll(() => ended).toEqual(["ada"]);
    });

    test("a token that has just expired is rejected by nodes that start later: guards accept it for a moment longer", async () => {
      const { cluster, first } = await joinTwoNodes(fixture);
      await first.revocations.revoke({ principal: "ada", until: Date.now() - 1_000 });
      const third = await joinCluster(await cluster.connect());
      onTestFinished(() => third.close());
      expect(third.revocations.isRevoked({ principal: "ada" })).toBe(true);
    });

    test("a principal is revoked on its node even if the store is lost", async ({ skip }) => {
      const { cluster, first } = await joinTwoNodes(fixture);
      if (!cluster.kill) return skip("the store of this engine cannot be made unreachable");
      await cluster.kill();
      await expect(first.revocations.revoke({ principal: "ada", until: Date.now() + 600_000 })).rejects.toThrow();
      expect(first.revocations.isRevoked({ principal: "ada" })).toBe(true);
    });
  });
}

async function joinTwoNodes(
  fixture: EngineFixture,
  clock?: Clock,
): Promise<{
  readonly cluster: Awaited<ReturnType<EngineFixture["start"]>>;
  readonly first: Cluster;
  readonly second: Cluster;
}> {
  const { cluster, first, second } = await startTwoNodes(fixture);
  const options = clock ? { clock } : {};
  const [one, other] = await Promise.all([joinCluster(first, options), joinCluster(second, options)]);
  return { cluster, first: one, second: other };
}

function storeOf({ revocations }: Engine): RevocationStore {
  if (!revocations) throw new Error("The engine keeps no revocations");
  return revocations;
}
