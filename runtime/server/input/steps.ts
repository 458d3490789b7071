import { isObject } from "../../../generated/support.ts";
import { RpcError, isPeerError, isRpcError } from "../../jsonrpc/errors.ts";
import { ToolError, isToolError } from "../errors.ts";
import { createStep, type Step } from "./once.ts";
import { findNotJson } from "../../internal/not-json.ts";
import type { StepRecorder } from "../../tasks/step-recorder.ts";

/** Outcome of a step, as JSON. */
export type Outcome =
  /** Without `value`, the step returned `undefined`. */
  | { readonly kind: "done"; readonly value?: unknown }
  /** Message of an error that is meant for the client. */
  | { readonly kind: "toolError"; readonly message: string }
  | { readonly kind: "rpcError"; readonly code: number; readonly message: string; readonly data?: unknown }
  /** Any other error, without its message, because clients could read it. */
  | { readonly kind: "failed" };

/** Failure of a step of a handler. `cause` is set in the round in which the step failed. */
export class StepError extends Error {
  readonly step: string;

  constructor(step: string, options: { readonly cause?: unknown } = {}) {
    super(`The step ${JSON.stringify(step)} failed`, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "StepError";
    this.step = step;
  }
}

/** Steps of one call. Each runs once, however often it is called, and returns the same result each time. */
export class Steps {
  readonly #outcomes: Map<string, Outcome>;
  readonly #running = new Map<string, Promise<unknown>>();
  #beginning: string | undefined;

  constructor(recorded: Iterable<readonly [string, Outcome]> = []) {
    this.#outcomes = new Map(recorded);
  }

  /** Outcomes of the steps ended so far, by key. */
  get outcomes(): readonly (readonly [string, Outcome])[] {
    return [...this.#outcomes];
  }

  /** Key of the step running synchronously at this moment. Anything happening now is caused by it. */
  get beginning(): string | undefined {
    return this.#beginning;
  }

  /** Keys of the steps begun but not ended. */
  get unfinished(): readonly string[] {
    return [...this.#running.keys()].filter((key) => !this.#outcomes.has(key));
  }

  /** True if a step has begun and not ended. */
  get isRunning(): boolean {
    return this.#beginning !== undefined || this.unfinished.length > 0;
  }

  run(key: string, work: (step: Step) => unknown): Promise<unknown> {
    const known = this.#running.get(key);
    if (known) return known;
    const outcome = this.#outcomes.get(key);
    const made = outcome ? readOutcome(key, outcome) : this.#perform(key, work);
    this.#running.set(key, made);
    // Callers that await the step receive the failure; an abandoned handler does not.
    made.catch(() => {});
    return made;
  }

  #begin(key: string, work: (step: Step) => unknown): unknown {
    const outer = this.#beginning;
    this.#beginning = key;
    try {
      return work(createStep());
    } finally {
      this.#beginning = outer;
    }
  }

  async #perform(key: string, work: (step: Step) => unknown): Promise<unknown> {
    try {
      const value = toJson(await this.#begin(key, work), key);
      this.#outcomes.set(key, value === undefined ? { kind: "done" } : { kind: "done", value });
      return structuredClone(value);
    } catch (thrown) {
      const outcome = toFailure(thrown);
      this.#outcomes.set(key, outcome);
      if (outcome.kind === "failed") throw new StepError(key, { cause: thrown });
      throw thrown;
    }
  }
}

/** True if a value is the outcome of a step. */
export function isOutcome(value: unknown): value is Outcome {
  if (!isObject(value)) return false;
  switch (value.kind) {
    case "done":
    case "failed":
      return true;
    case "toolError":
      return typeof value.message === "string";
    case "rpcError":
      return Number.isInteger(value.code) && typeof value.message === "string";
    default:
      return false;
  }
}

/** Returns the value of an outcome, or throws its error. */
export async function readOutcome(key: string, outcome: Outcome): Promise<unknown> {
  switch (outcome.kind) {
    case "done":
      return structuredClone(outcome.value);
    case "toolError":
      throw new ToolError(outcome.message);
    case "rpcError":
      throw new RpcError(outcome.code, outcome.message, { data: outcome.data });
    case "failed":
      throw new StepError(key);
    default:
      return outcome satisfies never;
  }
}

/** Returns the outcome of a failed step. */
export function toFailure(thrown: unknown): Outcome {
  if (isToolError(thrown)) return { kind: "toolError", message: thrown.message };
  if (!isRpcError(thrown) || isPeerError(thrown)) return { kind: "failed" };
  const { code, message, data } = thrown;
  return { kind: "rpcError", code, message, ...(data !== undefined && { data }) };
}

/** Copies a value through JSON: the handler sees the same value in every round. Throws for values without a form in JSON. */
export function toJson(value: unknown, key: string): unknown {
  if (value === undefined) return undefined;
  const problem = findNotJson(value);
  if (problem === undefined) return JSON.parse(JSON.stringify(value));
  throw new Error(`The step ${JSON.stringify(key)} must return JSON or undefined: ${problem}`);
}

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
