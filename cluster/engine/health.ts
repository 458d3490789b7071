import { SetupError } from "../../runtime/jsonrpc/errors.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { EngineStatus } from "../stores/engine.ts";
import { describeProblem } from "./describe-problem.ts";

/**
 * State of the connection, from the outcomes of operations. After 5 failures within 1 s no operation is performed for 250 to 350 ms; then one is
 * tried, and the others follow when it succeeds.
 */
export class Health {
  readonly #product: string;
  readonly #now: () => number;
  readonly #weaknesses: string[] = [];
  readonly #failures: number[] = [];
  /** Last failure of each operation. */
  readonly #failing = new Map<string, { readonly at: number; readonly problem: string }>();
  readonly #durations: { readonly at: number; readonly milliseconds: number }[] = [];
  #isConnected = false;
  /** Problem with the settings of a server which is reachable but not used. */
  #setupProblem: string | undefined;
  #pausedUntil = 0;
  #isTrying = false;
  #invalid = 0;
  #state: EngineStatus["state"] = "lost";
  #since: number;

  /** @param product - name of the engine in messages */
  constructor(product: string, now: () => number = Date.now) {
    this.#product = product;
    this.#now = now;
    this.#since = now();
  }

  /**
   * Called before each operation.
   *
   * @throws {EngineError} when no operation is performed now
   */
  admit(): void {
    if (!this.#isConnected)
      throw new EngineError(this.#setupProblem ?? `${this.#product} is not connected; try again later`);
    if (this.#pausedUntil === 0) return;
    if (this.#isTrying || this.#now() < this.#pausedUntil)
      throw new EngineError(`${this.#product} has failed repeatedly; try again later`);
    this.#isTrying = true;
  }

  succeeded(milliseconds: number): void {
    this.#isTrying = false;
    this.#pausedUntil = 0;
    this.#failures.length = 0;
    this.#durations.push({ at: this.#now(), milliseconds });
    if (this.#durations.length > mostDurations) this.#durations.shift();
  }

  /** Called when the engine has rejected an operation, and so is there. */
  rejected(operation: string, problem: string): void {
    this.#isTrying = false;
    this.#pausedUntil = 0;
    this.#note(operation, problem);
  }

  /** Called when an operation got no reply. */
  failed(operation: string, problem: string): void {
    const now = this.#now();
    this.#note(operation, problem);
    this.#failures.push(now);
    if (this.#failures.length > failuresToPause) this.#failures.shift();
    const isMany = this.#failures.length >= failuresToPause && now - (this.#failures[0] ?? now) <= 1_000;
    if (isMany || this.#isTrying) this.#pausedUntil = now + 250 + Math.random() * 100;
    this.#isTrying = false;
    this.#update();
  }

  connected(): void {
    this.#isConnected = true;
    this.#setupProblem = undefined;
    this.#pausedUntil = 0;
    this.#isTrying = false;
    this.#failures.length = 0;
    this.#update();
  }

  lost(): void {
    this.#isConnected = false;
    this.#setupProblem = undefined;
    this.#update();
  }

  /** Called when an attempt to connect again has failed. A `SetupError`: the server is there, but its settings do not permit to use it. */
  reconnectFailed(error: unknown): void {
    this.#setupProblem = error instanceof SetupError ? error.message : undefined;
    if (this.#setupProblem === undefined) return this.#note("connect", describeProblem(error));
    this.#isConnected = false;
    this.#update();
  }

  /** Replaces the weaknesses of the settings. */
  setWeaknesses(weaknesses: readonly string[]): void {
    this.#weaknesses.splice(0, Infinity, ...weaknesses);
  }

  /** Counts a message or value without a valid signature. */
  countInvalid(): void {
    this.#invalid += 1;
  }

  read(): EngineStatus {
    this.#update();
    const problems = [...this.#weaknesses];
    if (!this.#isConnected) problems.push(this.#setupProblem ?? `${this.#product} is not connected`);
    if (this.#isSlow()) problems.push(`${this.#product} takes more than 250 ms for some operations`);
    for (const { problem } of this.#recentFailures()) problems.push(problem);
    if (this.#invalid > 0)
      problems.push(`${this.#invalid} messages or values were dropped because they did not verify`);
    return { state: this.#state, since: this.#since, problems };
  }

  #note(operation: string, problem: string): void {
    this.#failing.delete(operation);
    this.#failing.set(operation, { at: this.#now(), problem: `The operation ${operation} fails: ${problem}` });
    this.#update();
  }

  #update(): void {
    const state = this.#compute();
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#now();
  }

  #compute(): EngineStatus["state"] {
    if (!this.#isConnected || this.#pausedUntil > 0) return "lost";
    return this.#recentFailures().length > 0 || this.#isSlow() ? "degraded" : "ready";
  }

  #recentFailures(): readonly { readonly problem: string }[] {
    const oldest = this.#now() - recent;
    return [...this.#failing.values()].filter(({ at }) => at > oldest);
  }

  /** True if 1 % of the last operations took more than 250 ms. */
  #isSlow(): boolean {
    const oldest = this.#now() - recent;
    const last = this.#durations.filter(({ at }) => at > oldest);
    const slow = last.filter(({ milliseconds }) => milliseconds > 250).length;
    return slow > 0 && slow * 100 >= last.length;
  }
}

const failuresToPause = 5;

/** Operations whose durations are kept. */
const mostDurations = 200;

/** Milliseconds for which a failure is reported. */
const recent = 5_000;
