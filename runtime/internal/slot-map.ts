/**
 * A map for what comes and goes with every message. A `Map` leaves a table behind whenever it makes room; one that has grown old keeps its
 * successors alive, and with them every value that was in one of them, so that nothing is collected while it is young. Here tables hold
 * numbers, and values stand in slots that are used again.
 */
export class SlotMap<Key, Value extends object> {
  readonly #slots = new Map<Key, number>();
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.size;
  }

  has(key: Key): boolean {
    return this.#slots.has(key);
  }

  get(key: Key): Value | undefined {
    const slot = this.#slots.get(key);
    return slot === undefined ? undefined : this.#values[slot];
  }

  set(key: Key, value: Value): void {
    const slot = this.#slots.get(key) ?? this.#free.pop() ?? this.#values.length;
    this.#slots.set(key, slot);
    this.#values[slot] = value;
  }

  delete(key: Key): void {
    const slot = this.#slots.get(key);
    if (slot === undefined) return;
    this.#slots.delete(key);
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  clear(): void {
    this.#slots.clear();
    this.#values.length = 0;
    this.#free.length = 0;
  }

  // @part questions, tasks
  keys(): IterableIterator<Key> {
    return this.#slots.keys();
  }

  /** In the order in which they came. What is added or deleted meanwhile may be left out. */
  *values(): Generator<Value, void> {
    for (const slot of this.#slots.values()) {
      const value = this.#values[slot];
      if (value !== undefined) yield value;
    }
  }
}
