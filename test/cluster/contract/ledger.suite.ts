import { describe, expect, test } from "vitest";
import type { EngineFixture } from "../engine-fixture.ts";
import { startTwoNodes } from "./cluster.ts";

/** Declares the tests of the ledger of an engine. */
export function describeLedger(fixture: EngineFixture): void {
  describe("the ledger of an engine", () => {
    test("a step that one node has finished has its outcome at every node and attempt (E11)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const begun = await first.ledger.begin("task", "pay", 1);
      expect(begun).toEqual({ state: "new", token: expect.stringMatching(/./) });
      const outcome = { kind: "done", value: [null, 1.5, "é😀\u0000"] };
      expect(await first.ledger.finish("task", "pay", { attempt: 1, outcome })).toBe("kept");
      for (const attempt of [1, 2]) {
        expect(await second.ledger.begin("task", "pay", attempt)).toEqual({ ...begun, state: "done", outcome });
      }
    });

    test("a step that is not finished has the same token at each attempt, and no other step has it (E11)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const begun = await first.ledger.begin("task", "pay", 1);
      expect(await second.ledger.begin("task", "pay", 2)).toEqual(begun);
      expect(await second.ledger.begin("task", "send", 2)).not.toEqual(begun);
      expect(await second.ledger.begin("other", "pay", 1)).not.toEqual(begun);
    });

    test("an attempt before the latest records nothing more, in any step (E11)", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.ledger.begin("task", "pay", 1);
      await second.ledger.begin("task", "send", 2);
      expect(await first.ledger.finish("task", "pay", { attempt: 1, outcome: "late" })).toBe("fenced");
      expect(await first.ledger.begin("task", "pay", 1)).toEqual({ state: "fenced" });
      expect(await first.ledger.begin("task", "third", 1)).toEqual({ state: "fenced" });
      expect(await second.ledger.begin("task", "pay", 2)).toMatchObject({ state: "new" });
      expect(await first.ledger.begin("other", "pay", 1)).toMatchObject({ state: "new" });
    });

    test("the first outcome of a step is kept", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.ledger.begin("task", "pay", 1);
      for (const outcome of ["first", "second"]) {
        expect(await first.ledger.finish("task", "pay", { attempt: 1, outcome })).toBe("kept");
      }
      expect(await second.ledger.begin("task", "pay", 2)).toMatchObject({ outcome: "first" });
      expect(await second.ledger.finish("task", "pay", { attempt: 2, outcome: "third" })).toBe("fenced");
    });

    test("attempts are compared as numbers", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.ledger.begin("task", "pay", 9);
      expect(await second.ledger.begin("task", "pay", 10)).toMatchObject({ state: "new" });
      expect(await first.ledger.finish("task", "pay", { attempt: 9, outcome: "late" })).toBe("fenced");
      for (let time = 0; time < 2; time += 1)
        expect(await second.ledger.finish("task", "pay", { attempt: 10, outcome: "in time" })).toBe("kept");
      expect(await first.ledger.begin("task", "pay", 9)).toEqual({ state: "fenced" });
      expect(await first.ledger.begin("task", "pay", 11)).toMatchObject({ outcome: "in time" });
    });

    test("a step that never began has no outcome", async () => {
      const { first } = await startTwoNodes(fixture);
      expect(await first.ledger.finish("task", "pay", { attempt: 1, outcome: "none" })).toBe("fenced");
    });

    test("a step whose outcome is undefined has the outcome null", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.ledger.begin("task", "pay", 1);
      await first.ledger.begin("task", "send", 1);
      expect(await first.ledger.finish("task", "send", { attempt: 1, outcome: undefined })).toBe("kept");
      expect(await second.ledger.begin("task", "send", 1)).toMatchObject({ state: "done", outcome: null });
      expect(await second.ledger.begin("task", "pay", 1)).toMatchObject({ state: "new" });
    });

    test("steps that are removed begin again", async () => {
      const { first, second } = await startTwoNodes(fixture);
      await first.ledger.begin("task", "pay", 3);
      await first.ledger.finish("task", "pay", { attempt: 3, outcome: 1 });
      for (let time = 0; time < 2; time += 1) await second.ledger.remove("task");
      expect(await first.ledger.begin("task", "pay", 1)).toMatchObject({ state: "new" });
    });

    test("a finished step is kept when the store restarts", async ({ skip }) => {
      const { cluster, first } = await startTwoNodes(fixture);
      const { kill, restart } = cluster;
      if (!kill || !restart) return skip("the store of this engine cannot be made unreachable");
      await first.ledger.begin("task", "pay", 1);
      await first.ledger.finish("task", "pay", { attempt: 1, outcome: 7 });
      await kill.call(cluster);
      await expect(async () => first.ledger.begin("task", "pay", 1)).rejects.toThrow();
      await restart.call(cluster);
      const begin = async (): Promise<unknown> => Promise.resolve(first.ledger.begin("task", "pay", 2)).catch(String);
      await expect.poll(begin).toMatchObject({ state: "done", outcome: 7 });
    });
  });
}
