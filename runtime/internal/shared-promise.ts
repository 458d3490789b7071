/**
 * Promise for many waiting callers, each with its own signal. A caller leaves nothing behind when it stops waiting, whereas a plain promise keeps
 * every caller that ever waited for it until it settles.
 */
export class SharedPromise<Value> {
  readonly #awaited: Promise<Value>;
  readonly #waiters = new Set<() => void>();
  #isSettled = false;

  constructor(awaited: Promise<Value>) {
    this.#awaited = awaited;
    const settle = (): void => {
      this.#isSettled = true;
      for (const wake of this.#waiters) wake();
    };
    awaited.then(settle, settle);
  }

  /** Settles as the awaited promise does, or rejects with the reason of the signal, if there is one, when it is aborted first. */
  wait(signal?: AbortSignal): Promise<Value> {
    if (this.#isSettled || !signal) return this.#awaited;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiters.delete(wake);
        signal.removeEventListener("abort", stop);
      };
      const wake = (): void => {
        leave();
        resolve(this.#awaited);
      };
      const stop = (): void => {
        leave();
        reject(signal.reason);
      };
      this.#waiters.add(wake);
      signal.addEventListener("abort", stop);
    });
  }
}
