import type { Awaitable } from "../../generated/support.ts";
import { systemClock, type Clock } from "../internal/timers.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** State of a step at its beginning. */
export type LedgerEntry =
  /** The step has no outcome: it is to be run, and then finished. */
  | { readonly state: "new"; readonly token: string }
  /** The step has an outcome and is not run again. */
  | { readonly state: "done"; readonly token: string; readonly outcome: unknown }
  /** A later attempt runs the work, so that this one must stop. */
  | { readonly state: "fenced" };

/**
 * Records the steps of work that several nodes may run one after the other: a finished step is not run again. Every attempt of the work has a number;
 * with the first step of a later attempt, those before it can record nothing more.
 */
export interface Ledger {
  /**
   * Begins a step, or returns its outcome.
   *
   * @param scope - work of the step, such as the id of a task
   * @returns a `token`, the same for every attempt: an idempotency key for other systems
   */
  begin(scope: string, step: string, attempt: number): Awaitable<LedgerEntry>;
  /** Records the outcome of a step, a JSON value. The first outcome is kept. Returns `fenced` if a later attempt runs the work, or has finished the step. */
  finish(scope: string, step: string, end: StepEnd): Awaitable<"kept" | "fenced">;
  /** Removes the steps of ended work. */
  remove(scope: string): Awaitable<void>;
}

/** Outcome of one attempt at a step. */
export interface StepEnd {
  readonly attempt: number;
  readonly outcome: unknown;
}

/** Limits of an in-memory ledger. */
export interface MemoryLedgerOptions {
  /** Milliseconds for which the steps of unfinished work are kept after the last one began. Default 24 h. */
  readonly ttl?: number;
  /** Steps at a time. Default 100,000. */
  readonly maxSteps?: number;
  /** Characters of all outcomes as JSON. Default 64 Mi. */
  readonly maxSize?: number;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Ledger in the memory of this process: for tests. Ledgers for tasks beyond the life of a process are in a database.
 *
 * @example
 * ```ts
 * import { MemoryLedger, MemoryTaskStore } from "mcp-server-runtime/stores";
 *
 * const report = defineTool({ name: "report", task: { retryable: true }, execute: () => "Done." });
 * const tasks = { store: new MemoryTaskStore(), ledger: new MemoryLedger() };
 * defineServer({ name: "reports", version: "1.0.0", tools: [report], tasks });
 * ```
 */
export class MemoryLedger implements Ledger {
  readonly #options: Required<MemoryLedgerOptions>;
  /** Work by scope, the longest without a step first. */
  readonly #scopes = new Map<string, Work>();
  #steps = 0;
  #size = 0;

  constructor(options: MemoryLedgerOptions = {}) {
    checkNumbers(options);
    this.#options = { ...defaults, clock: systemClock, ...options };
  }

  /** Number of recorded steps. */
  get size(): number {
    this.#expire();
    return this.#steps;
  }

  /** @throws {Error} when the ledger is full: an unrecorded step could be run twice */
  begin(scope: string, step: string, attempt: number): LedgerEntry {
    this.#expire();
    const work = this.#scopes.get(scope) ?? { attempt, steps: new Map<string, Step>(), expiresAt: 0 };
    if (attempt < work.attempt) return { state: "fenced" };
    const known = work.steps.get(step);
    if (!known && this.#steps >= this.#options.maxSteps) throw new Error("The ledger is full; increase maxSteps");
    const begun = known ?? { token: crypto.randomUUID(), end: undefined };
    if (!known) this.#steps += 1;
    work.steps.set(step, begun);
    work.attempt = attempt;
    work.expiresAt = this.#options.clock.now() + this.#options.ttl;
    this.#scopes.delete(scope);
    this.#scopes.set(scope, work);
    const { token, end } = begun;
    return end ? { state: "done", token, outcome: JSON.parse(end.text) } : { state: "new", token };
  }

  /** @throws {Error} when the ledger has no room for the outcome */
  finish(scope: string, step: string, { attempt, outcome }: StepEnd): "kept" | "fenced" {
    this.#expire();
    const work = this.#scopes.get(scope);
    const begun = work?.steps.get(step);
    if (!work || !begun || attempt < work.attempt) return "fenced";
    if (begun.end) return begun.end.attempt === attempt ? "kept" : "fenced";
    const text = JSON.stringify(outcome ?? null);
    if (this.#size + text.length > this.#options.maxSize) throw new Error("The ledger is full; increase maxSize");
    begun.end = { attempt, text };
    this.#size += text.length;
    return "kept";
  }

  remove(scope: string): void {
    const work = this.#scopes.get(scope);
    if (!work) return;
    this.#scopes.delete(scope);
    this.#steps -= work.steps.size;
    for (const { end } of work.steps.values()) this.#size -= end?.text.length ?? 0;
  }

  #expire(): void {
    const now = this.#options.clock.now();
    for (const [scope, { expiresAt }] of this.#scopes) {
      if (expiresAt > now) return;
      this.remove(scope);
    }
  }
}

const defaults = { ttl: 86_400_000, maxSteps: 100_000, maxSize: 64 * 1024 * 1024 } as const;

/** Steps of the same work. */
interface Work {
  readonly steps: Map<string, Step>;
  /** Latest attempt to have begun a step. */
  attempt: number;
  expiresAt: number;
}

interface Step {
  readonly token: string;
  end: { readonly attempt: number; readonly text: string } | undefined;
}
