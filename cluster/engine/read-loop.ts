import { systemClock } from "../../runtime/internal/timers.ts";

/** Runs a function to read what is new: one run at a time, and one more when it is requested meanwhile. */
export class ReadLoop {
  readonly #read: () => Promise<void>;
  /** Ends with the run in progress. */
  #current: Promise<void> = Promise.resolve();
  /** Run after the one in progress. */
  #next: Promise<void> | undefined;
  #isStopped = false;

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Requests a run. */
  request(): void {
    // A run that fails is repeated.
    this.run().catch(() => {});
  }

  /**
   * Resolves after a run begun after this call. A failed run is repeated, because the store may not request another one.
   *
   * @throws {unknown} when the run fails: its error
   */
  run(): Promise<void> {
    this.#next ??= this.#current.then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    if (this.#isStopped) return Promise.resolve();
    const run = this.#read();
    this.#current = run.catch(() => this.#requestLater());
    return run;
  }

  #requestLater(): void {
    systemClock.after(retryDelay, () => this.request());
  }
}

/** Milliseconds before a failed run is repeated. */
const retryDelay = 250;
