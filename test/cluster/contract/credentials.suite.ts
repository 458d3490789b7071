import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CredentialStore } from "../../../runtime/auth/client/index.ts";
import { createSharedCredentials } from "../../../cluster/shared-credentials.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { SharedValueStore } from "../../../runtime/stores/shared-value-store.ts";
import type { EngineFixture } from "../engine-fixture.ts";
import { startTwoNodes } from "./cluster.ts";

/** Declares the tests of the secret values of an engine, and of the credentials that are kept there. */
export function describeValues(fixture: EngineFixture): void {
  describe("shared secret values", () => {
    test("a value is found on another node, with any text, until it is deleted", async () => {
      const { first, second } = await startTwoNodes(fixture);
      for (const text of ["", "token", "{a}:*", "a\u0000b", "\ud83d\ude00 é", "e1.abc"]) {
        expect(await valuesOf(second).get(`key ${text}`)).toBeUndefined();
        await valuesOf(first).set(`key ${text}`, text, 60_000);
        expect(await valuesOf(second).get(`key ${text}`)).toBe(text);
        await valuesOf(second).set(`key ${text}`, `${text} again`, 60_000);
        expect(await valuesOf(first).get(`key ${text}`)).toBe(`${text} again`);
        await valuesOf(first).delete(`key ${text}`);
        expect(await valuesOf(second).get(`key ${text}`)).toBeUndefined();
      }
    });

    test("a value is forgotten after its time", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await valuesOf(first).set("short", "a", 200);
      await valuesOf(first).set("long", "b", 60_000);
      await cluster.pass(400);
      expect(await valuesOf(second).get("short")).toBeUndefined();
      expect(await valuesOf(second).get("long")).toBe("b");
    });

    test.each([0.4, 1.5])("a value and a lease of %d ms end like longer ones", async (milliseconds) => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      await valuesOf(first).set("short", "a", milliseconds);
      expect(await valuesOf(first).lock("key", { holder: "a", milliseconds })).toBe(true);
      await cluster.pass(200);
      expect(await valuesOf(second).get("short")).toBeUndefined();
      expect(await valuesOf(second).lock("key", { holder: "b", milliseconds: 60_000 })).toBe(true);
    });

    test("one holder has a key at a time, until it ends the use or its lease expires", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const lock = (engine: Engine, holder: string, milliseconds = 60_000): unknown =>
        valuesOf(engine).lock("key", { holder, milliseconds });
      expect(await lock(first, "a")).toBe(true);
      expect(await lock(second, "b")).toBe(false);
      expect(await lock(second, "a")).toBe(true);
      await valuesOf(second).unlock("key", "b");
      expect(await lock(second, "b")).toBe(false);
      await valuesOf(first).unlock("key", "a");
      expect(await lock(second, "b", 200)).toBe(true);
      await cluster.pass(400);
      expect(await lock(first, "a")).toBe(true);
      expect(await valuesOf(first).lock("other", { holder: "b", milliseconds: 60_000 })).toBe(true);
      const racers = Array.from({ length: 20 }, async (_, index) =>
        valuesOf(index % 2 === 0 ? first : second).lock("race", { holder: String(index), milliseconds: 60_000 }),
      );
      expect((await Promise.all(racers)).filter(Boolean)).toHaveLength(1);
    });
  });
}

/** Describes the credentials of users on an engine, after its values. */
export function describeCredentials(fixture: EngineFixture): void {
  describeValues(fixture);

  describe("credentials on several nodes", () => {
    test("the credentials of one user are never those of another", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const ada: CredentialStore = createSharedCredentials(first, { owner: "ada" });
      await ada.set("tokens", "secret of ada");
      expect(await createSharedCredentials(second, { owner: "ada" }).get("tokens")).toBe("secret of ada");
      for (const owner of ["bob", "", "ada ", 'ada","tokens'])
        expect(await createSharedCredentials(second, { owner }).get("tokens")).toBeUndefined();
    });

    test("no two nodes run a task for one key at a time", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const stores = [first, second].map((engine) => createSharedCredentials(engine, { owner: "ada" }));
      let running = 0;
      let most = 0;
      const task = async (): Promise<number> => {
        running += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
        return most;
      };
      await Promise.all(stores.flatMap((store) => [1, 2, 3].map(() => store.exclusively("tokens", task))));
      expect(most).toBe(1);
    });

    test("a task that fails ends the exclusive use", async () => {
      const { first, second } = await startTwoNodes(fixture);
      const failing = createSharedCredentials(first, { owner: "ada" }).exclusively("tokens", async () => {
        throw new Error("The refresh token was rejected");
      });
      await expect(failing).rejects.toThrow("The refresh token was rejected");
      const next = createSharedCredentials(second, { owner: "ada" }).exclusively("tokens", async () => "done");
      expect(await next).toBe("done");
    });

    test("a task that takes longer than the lease keeps the exclusive use", async () => {
      const { cluster, first, second } = await startTwoNodes(fixture);
      const order: string[] = [];
      // A busy machine may extend a lease a second late.
      const lease = 2_000;
      let slow: Promise<void> | undefined;
      await new Promise<void>((begin) => {
        slow = createSharedCredentials(first, { owner: "ada", lease }).exclusively("tokens", async () => {
          begin();
          for (let step = 0; step < 6; step += 1) {
            await sleep(lease / 4);
            await cluster.pass(0);
          }
          order.push("slow");
        });
      });
      const quick = createSharedCredentials(second, { owner: "ada", lease }).exclusively("tokens", async () => {
        order.push("quick");
      });
      await Promise.all([slow, quick]);
      expect(order).toEqual(["slow", "quick"]);
    });
  });
}

function valuesOf({ values }: Engine): SharedValueStore {
  if (!values) throw new Error("The engine keeps no secret values");
  return values;
}
