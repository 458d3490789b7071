import type { Clock } from "../internal/timers.ts";

/** Time that passes when told to: give it to a server or a client as its `clock`. */
export class ManualClock implements Clock {
  /** How many timers were ever started. */
  started = 0;
  #now = 0;
  readonly #timers = new Set<Timer>();

  /** How many timers wait. */
  get active(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run };
    this.started += 1;
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Lets time pass at once; what promises bring about happens afterwards. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (let timer = this.#takeNext(end); timer; timer = this.#takeNext(end)) timer.run();
    this.#now = end;
  }

  /** Lets time pass, and everything that follows from one timer happen before the next is due. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let timer = this.#takeNext(end); timer; timer = this.#takeNext(end)) {
      timer.run();
      await settle();
    }
    this.#now = end;
  }

  #takeNext(end: number): Timer | undefined {
    const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (!next) return undefined;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    return next;
  }
}

/** Lets everything run that is ready to run, without letting any time pass. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}
