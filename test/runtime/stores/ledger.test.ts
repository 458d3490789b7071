import { describe, expect, test } from "vitest";
import { MemoryLedger, type Ledger, type MemoryLedgerOptions } from "../../../runtime/stores/ledger.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

interface Opened {
  readonly ledger: Ledger;
  pass(milliseconds: number): Promise<void> | void;
}

/** Every ledger must keep the contract: add an adapter's here, with a way to let its time pass. */
const ledgers: readonly (readonly [string, (options?: MemoryLedgerOptions) => Opened])[] = [
  [
    "in memory",
    (options) => {
      const clock = new ManualClock();
      return { ledger: new MemoryLedger({ clock, ...options }), pass: (time) => clock.advance(time) };
    },
  ],
];

describe.each(ledgers)("a ledger %s", (_name, open) => {
  test("a ledger returns the outcome of a finished step to every attempt", async () => {
    const { ledger } = open();
    const { token } = { token: "", ...(await ledger.begin("task", "pay", 1)) };
    expect(await ledger.finish("task", "pay", { attempt: 1, outcome: { paid: [1, 2] } })).toBe("kept");
    for (const attempt of [1, 2]) {
      expect(await ledger.begin("task", "pay", attempt)).toEqual({ state: "done", token, outcome: { paid: [1, 2] } });
    }
  });

  test("a ledger gives an unfinished step the same token at each attempt, and other steps other tokens", async () => {
    const { ledger } = open();
    const first = await ledger.begin("task", "pay", 1);
    expect(first).toEqual({ state: "new", token: expect.stringMatching(/./) });
    expect(await ledger.begin("task", "pay", 2)).toEqual(first);
    expect(await ledger.begin("task", "send", 2)).not.toEqual(first);
    expect(await ledger.begin("other", "pay", 1)).not.toEqual(first);
  });

  test("a ledger accepts nothing of an attempt before the latest, in any step", async () => {
    const { ledger } = open();
    await ledger.begin("task", "pay", 1);
    await ledger.begin("task", "send", 2);
    expect(await ledger.finish("task", "pay", { attempt: 1, outcome: "late" })).toBe("fenced");
    expect(await ledger.begin("task", "pay", 1)).toEqual({ state: "fenced" });
    expect(await ledger.begin("task", "third", 1)).toEqual({ state: "fenced" });
    expect(await ledger.begin("task", "pay", 2)).toMatchObject({ state: "new" });
    expect(await ledger.begin("other", "pay", 1)).toMatchObject({ state: "new" });
  });

  test("a ledger keeps the first outcome of a step", async () => {
    const { ledger } = open();
    await ledger.begin("task", "pay", 1);
    for (const outcome of ["first", "second"]) {
      expect(await ledger.finish("task", "pay", { attempt: 1, outcome })).toBe("kept");
    }
    expect(await ledger.begin("task", "pay", 2)).toMatchObject({ outcome: "first" });
    expect(await ledger.finish("task", "pay", { attempt: 2, outcome: "third" })).toBe("fenced");
  });

  test("a ledger records no outcome of a step that has not begun", async () => {
    const { ledger } = open();
    expect(await ledger.finish("task", "pay", { attempt: 1, outcome: 1 })).toBe("fenced");
    expect(await ledger.begin("task", "pay", 1)).toMatchObject({ state: "new" });
    expect(await ledger.finish("task", "send", { attempt: 1, outcome: 1 })).toBe("fenced");
  });

  test("a ledger keeps a step without a value as null", async () => {
    const { ledger } = open();
    await ledger.begin("task", "log", 1);
    await ledger.finish("task", "log", { attempt: 1, outcome: undefined });
    expect(await ledger.begin("task", "log", 1)).toMatchObject({ state: "done", outcome: null });
  });

  test("a ledger removes the steps of ended work, also twice", async () => {
    const { ledger } = open();
    await ledger.begin("task", "pay", 2);
    await ledger.begin("other", "pay", 2);
    for (let time = 0; time < 2; time += 1) await ledger.remove("task");
    expect(await ledger.begin("task", "pay", 1)).toMatchObject({ state: "new" });
    expect(await ledger.begin("other", "pay", 1)).toEqual({ state: "fenced" });
  });

  test("a ledger removes steps some time after the last one of the same work", async () => {
    const { ledger, pass } = open({ ttl: 100 });
    await ledger.begin("short", "a", 2);
    await ledger.begin("long", "a", 2);
    await pass(60);
    await ledger.begin("long", "b", 2);
    await pass(60);
    expect(await ledger.begin("short", "a", 1)).toMatchObject({ state: "new" });
    expect(await ledger.begin("long", "a", 1)).toEqual({ state: "fenced" });
  });
});

describe("limits of a memory ledger", () => {
  test("a memory ledger rejects steps beyond the maximum, until some are removed", () => {
    const ledger = new MemoryLedger({ maxSteps: 1 });
    ledger.begin("task", "a", 1);
    expect(() => ledger.begin("task", "b", 1)).toThrow("The ledger is full; increase maxSteps");
    expect(ledger.begin("task", "a", 1)).toMatchObject({ state: "new" });
    ledger.remove("task");
    expect(ledger.size).toBe(0);
    expect(ledger.begin("task", "b", 1)).toMatchObject({ state: "new" });
  });

  test("a memory ledger rejects outcomes beyond the maximum, until some are removed", () => {
    const ledger = new MemoryLedger({ maxSize: 5 });
    for (const scope of ["one", "two"]) ledger.begin(scope, "a", 1);
    expect(ledger.finish("one", "a", { attempt: 1, outcome: "abc" })).toBe("kept");
    expect(() => ledger.finish("two", "a", { attempt: 1, outcome: 1 })).toThrow("The ledger is full; increase maxSize");
    ledger.remove("one");
    expect(ledger.finish("two", "a", { attempt: 1, outcome: 1 })).toBe("kept");
  });
});
