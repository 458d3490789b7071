import { expect, test } from "vitest";
import { runLocked } from "../../../cluster/engine/run-locked.ts";
import { MemorySharedValues } from "../../../cluster/memory-values.ts";
import type { SharedValueStore, ValueLease } from "../../../runtime/stores/shared-value-store.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../runtime/tasks/task-wire.ts";
import { override } from "../mutants/mutants.ts";

test("the exclusive use of a key ends after an extension that takes long", async () => {
  const clock = new ManualClock();
  const values = new MemorySharedValues(clock);
  const [slow, work] = [createGate(), createGate()];
  let locks = 0;
  const slowly = override<SharedValueStore>(values, {
    async lock(key: string, lease: ValueLease) {
      locks += 1;
      if (locks > 1) await slow.opened;
      return values.lock(key, lease);
    },
  });
  const failures: unknown[] = [];
  const fail = (thrown: unknown): void => void failures.push(thrown);
  const locked = runLocked("key", () => work.opened, { values: slowly, lease: 3_000, clock, fail });
  await clock.pass(1_000);
  expect(locks).toBe(2);
  work.open();
  await settle();
  slow.open();
  await locked;
  expect(values.lock("key", { holder: "other", milliseconds: 1 })).toBe(true);
  expect(failures).toEqual([]);
});
