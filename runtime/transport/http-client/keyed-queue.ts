/** Keeps the order of what belongs together: tasks with the same key run one after the other, others at the same time. */
export class KeyedQueue<Key> {
  readonly #tails = new Map<Key, Promise<unknown>>();

  /** Runs a task after those before it in its lane, even if they failed. */
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

  /** Resolves when all that was begun has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
