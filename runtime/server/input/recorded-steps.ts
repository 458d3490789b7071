import type { StepRecorder } from "../../tasks/step-recorder.ts";
import type { Step } from "./once.ts";
import { StepError, isOutcome, readOutcome, toFailure, toJson, type Outcome } from "./steps.ts";

/** Steps of a retryable task: their outcomes are recorded for later attempts. */
export class RecordedSteps {
  readonly #recorder: StepRecorder;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(recorder: StepRecorder) {
    this.#recorder = recorder;
  }

  run(key: string, work: (step: Step) => unknown): Promise<unknown> {
    const known = this.#running.get(key);
    if (known) return known;
    const made = this.#run(key, work);
    this.#running.set(key, made);
    // Callers that await the step receive the failure; an abandoned handler does not.
    made.catch(() => {});
    return made;
  }

  async #run(key: string, work: (step: Step) => unknown): Promise<unknown> {
    const begun = await this.#recorder.begin(key);
    if (begun.state === "new") return this.#perform(key, () => work({ token: begun.token }));
    if (isOutcome(begun.outcome)) return readOutcome(key, begun.outcome);
    throw new Error(`The outcome of the step ${JSON.stringify(key)} is invalid; the step is not run again`);
  }

  async #perform(key: string, work: () => unknown): Promise<unknown> {
    let value: unknown;
    try {
      value = toJson(await work(), key);
    } catch (thrown) {
      // A step that fails because its attempt has ended belongs to the next attempt.
      this.#recorder.signal.throwIfAborted();
      const outcome = toFailure(thrown);
      await this.#recorder.finish(key, outcome);
      throw outcome.kind === "failed" ? new StepError(key, { cause: thrown }) : thrown;
    }
    const outcome: Outcome = value === undefined ? { kind: "done" } : { kind: "done", value };
    await this.#recorder.finish(key, outcome);
    return structuredClone(value);
  }
}
