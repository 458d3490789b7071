import type { Clock } from "../../../runtime/rpc/timers.ts";

/** Time that passes when told to. */
export class ManualClock implements Clock {
  /** How many timers were ever started. */
  started = 0;
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();

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

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
  }
}
