import type { Scheduler } from "fast-check";

/** Process that calls the store, and may stop at any time. */
export interface Caller {
  readonly name: string;
  readonly isUp: boolean;
}

/** Way between nodes and the store. The scheduler chooses what arrives next. */
export class Network {
  readonly #scheduler: Scheduler;
  /** Numbers of the calls whose reply does not come in time. */
  readonly #late: ReadonlySet<number>;
  #calls = 0;
  #steps = 0;

  constructor(scheduler: Scheduler, late: readonly number[]) {
    this.#scheduler = scheduler;
    this.#late = new Set(late);
  }

  /** True if the run was stopped because it did not come to rest. */
  get isEndless(): boolean {
    return this.#steps > maxSteps;
  }

  step(label: string): Promise<void> {
    this.#steps += 1;
    if (this.isEndless) return never;
    return this.#scheduler.schedule(Promise.resolve(), label);
  }

  /** Runs an operation of the store. `unknown`: the caller has given up; the operation may have happened, may still happen, or neither. */
  async call<T>(caller: Caller, label: string, run: () => T | Promise<T>): Promise<T | "unknown"> {
    const name = `${caller.name} ${label}`;
    const isLate = this.#late.has(this.#calls);
    this.#calls += 1;
    const reply = this.step(name).then(run);
    const value = isLate ? "unknown" : await reply;
    await this.step(`${name}: ${isLate ? "time-out" : "reply"}`);
    return caller.isUp ? value : never;
  }

  /** Repeats an operation until its outcome is known. */
  async settle<T>(caller: Caller, label: string, run: () => T | Promise<T>): Promise<T> {
    for (;;) {
      const outcome = await this.call(caller, label, run);
      if (outcome !== "unknown") return outcome;
    }
  }
}

const never: Promise<never> = new Promise(() => {});

/** Several times as many as the longest run without a fault takes. */
const maxSteps = 2_000;
