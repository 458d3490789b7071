import type { Clock } from "../internal/timers.ts";
import type { Ledger, LedgerEntry } from "../stores/ledger.ts";
import { repeatWhileLost } from "../stores/repeat-while-lost.ts";

/** Records the steps of one attempt at a task. */
export interface StepRecorder {
  /** Aborted when the attempt is over. */
  readonly signal: AbortSignal;
  /** Begins a step. Rejects when a later attempt runs the task. */
  begin(step: string): Promise<Exclude<LedgerEntry, { readonly state: "fenced" }>>;
  /** Records the outcome of a step. Rejects when a later attempt runs the task. */
  finish(step: string, outcome: unknown): Promise<void>;
}

/** Runs the steps of a handler, each once. */
export interface StepRunner {
  run(key: string, work: (step: { readonly token: string }) => unknown): Promise<unknown>;
}

/**
 * Creates the recorder of an attempt at a task.
 *
 * @param scope - id of the task
 * @param fenced - called when a later attempt runs the task
 */
export function createStepRecorder({
  ledger,
  scope,
  attempt,
  clock,
  signal,
  fenced,
}: {
  readonly ledger: Ledger;
  readonly scope: string;
  readonly attempt: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  fenced(): void;
}): StepRecorder {
  const stop = (): never => {
    fenced();
    throw new DOMException("Another node runs the task", "AbortError");
  };
  const repeat = <T>(operate: () => Promise<T>): Promise<T> => repeatWhileLost(operate, { clock, signal });
  return {
    signal,
    async begin(step) {
      signal.throwIfAborted();
      const entry = await repeat(async () => ledger.begin(scope, step, attempt));
      signal.throwIfAborted();
      return entry.state === "fenced" ? stop() : entry;
    },
    async finish(step, outcome) {
      const state = await repeat(async () => ledger.finish(scope, step, { attempt, outcome }));
      if (state === "fenced") stop();
    },
  };
}
