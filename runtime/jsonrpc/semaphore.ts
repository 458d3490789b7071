import { toError } from "./errors.ts";

/** A number of places: who finds none waits, in the order of coming. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Number of free places. */
  get free(): number {
    return this.#free;
  }

  /** Takes a place, if there is one. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a place, as soon as there is one. Rejects when the signal is aborted before. */
  enter(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(toError(signal.reason));
    if (this.take()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(admit);
        reject(toError(signal?.reason));
      };
      const admit = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      this.#waiting.add(admit);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Gives a place back: the next takes it. */
  leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
