import { describe, expect, test } from "vitest";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { MemoryLedger } from "../../../runtime/stores/ledger.ts";
import { createStepRecorder, type StepRecorder } from "../../../runtime/tasks/step-recorder.ts";
import { ManualClock } from "../../../runtime/testing/manual-clock.ts";

/** The first attempt at a task, whose ledger can be lost. */
class Rig {
  readonly clock = new ManualClock();
  readonly ledger = new MemoryLedger({ clock: this.clock });
  readonly controller = new AbortController();
  /** True while the ledger cannot be reached. */
  isLost = false;
  /** Number of times that the attempt learned of a later one. */
  fenced = 0;
  readonly recorder: StepRecorder;

  constructor() {
    const reach = (): MemoryLedger => {
      if (this.isLost) throw new EngineError("lost");
      return this.ledger;
    };
    this.recorder = createStepRecorder({
      ledger: {
        begin: (...given) => reach().begin(...given),
        finish: (...given) => reach().finish(...given),
        remove: (scope) => reach().remove(scope),
      },
      scope: "task",
      attempt: 1,
      clock: this.clock,
      signal: this.controller.signal,
      fenced: () => void (this.fenced += 1),
    });
  }
}

/** Operations of a recorder, on a step that has begun. */
const operations = [
  ["begins", (recorder: StepRecorder): Promise<unknown> => recorder.begin("pay")],
  ["is finished", (recorder: StepRecorder): Promise<unknown> => recorder.finish("pay", "paid")],
] as const;

describe.each(operations)("a step that %s", (_name, operate) => {
  test("a step is not recorded for an attempt after which another has begun, and the attempt stops", async () => {
    const rig = new Rig();
    await rig.recorder.begin("pay");
    expect(rig.fenced).toBe(0);
    rig.ledger.begin("task", "pay", 2);
    await expect(operate(rig.recorder)).rejects.toMatchObject({ name: "AbortError" });
    expect(rig.fenced).toBe(1);
  });

  test("a step waits while the ledger cannot be reached", async () => {
    const rig = new Rig();
    await rig.recorder.begin("pay");
    rig.isLost = true;
    const operating = operate(rig.recorder);
    await rig.clock.pass(5_000);
    rig.isLost = false;
    await rig.clock.pass(1_000);
    await operating;
    expect(rig.clock.active).toBe(0);
  });

  test("a step no longer waits for the ledger when its attempt is over", async () => {
    const rig = new Rig();
    await rig.recorder.begin("pay");
    rig.isLost = true;
    const operating = operate(rig.recorder);
    const rejected = expect(operating).rejects.toThrow("over");
    await rig.clock.pass(1_500);
    rig.controller.abort(new Error("over"));
    await rejected;
    expect(rig.clock.active).toBe(0);
  });
});

test("a step does not begin in an attempt that is over, so that the next one runs it", async () => {
  const rig = new Rig();
  rig.controller.abort(new Error("over"));
  await expect(rig.recorder.begin("pay")).rejects.toThrow("over");
  expect(rig.ledger.size).toBe(0);
});

test("a step that begins while its attempt ends is not run", async () => {
  const rig = new Rig();
  const begun = rig.recorder.begin("pay");
  rig.controller.abort(new Error("over"));
  await expect(begun).rejects.toThrow("over");
});
