import { toError } from "./errors.ts";

/** Semaphore with a number of permits. Callers wait for a free permit in order of arrival. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Number of free permits. */
  get free(): number {
    return this.#free;
  }

  /** Takes a permit and returns true, if one is free. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Takes a permit as soon as one is free.
   *
   * @throws {Error} when the signal is aborted first
   */
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

  /** Releases a permit. The next waiting caller takes it. */
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
