/** Runs tasks with the same key in order, one after the other, and others concurrently. */
export class KeyedQueue<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>();

  /** Runs a task after the earlier ones with its key, even if they failed. */
  run<Result>(key: Key, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const result = before ? before.then(task) : task();
    const tail = result
      .catch(() => {})
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return result;
  }

  /** Resolves when all tasks begun so far are finished. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
