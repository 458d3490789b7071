import { expect, test } from "vitest";
import { runLocked } from "../../../cluster/engine/run-locked.ts";
import { MemorySharedValues } from "../../../cluster/memory-values.ts";
import type { SharedValueStore, ValueLease } from "../../../runtime/stores/shared-value-store.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { createGate } from "../../kit/time.ts";
import { override } from "../../kit/override.ts";

test("a task that waits for the exclusive use begins at most 250 ms after its end", async () => {
  const clock = new ManualClock();
  const values = new MemorySharedValues(clock);
  expect(values.lock("key", { holder: "other", milliseconds: 5_000 })).toBe(true);
  let begun = false;
  const run = { values, lease: 3_000, clock, fail: (thrown: unknown) => expect.unreachable(String(thrown)) };
  const locked = runLocked("key", async () => (begun = true), run);
  await clock.pass(4_000);
  expect(begun).toBe(false);
  values.unlock("key", "other");
  await clock.pass(250);
  expect(begun).toBe(true);
  await locked;
});

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

test.each<readonly [string, () => boolean, string]>([
  ["has expired", () => false, "The exclusive use of a value has expired; another node may use it"],
  ["cannot be extended", () => fail("The engine is away"), "The engine is away"],
])(
  "an exclusive use that %s is reported at each extension, and its task ends all the same",
  async (_what, extend, message) => {
    const clock = new ManualClock();
    const work = createGate();
    let locks = 0;
    const values = override<SharedValueStore>(new MemorySharedValues(clock), {
      async lock() {
        locks += 1;
        return locks === 1 || extend();
      },
      unlock: () => fail("The engine is still away"),
    });
    const failures: unknown[] = [];
    const run = { values, lease: 3_000, clock, fail: (thrown: unknown) => void failures.push(thrown) };
    const locked = runLocked("key", () => work.opened.then(() => "done"), run);
    await clock.pass(2_000);
    expect(failures.splice(0)).toEqual([new Error(message), new Error(message)]);
    work.open();
    expect(await locked).toBe("done");
    expect([failures, clock.active]).toEqual([[new Error("The engine is still away")], 0]);
  },
);

function fail(message: string): never {
  throw new Error(message);
}
