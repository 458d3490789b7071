/**
 * Map whose entries come and go with every message. A `Map` leaves a table behind whenever it allocates a new one. A table in the old generation
 * keeps its successors alive, and with them every value ever held by one of them, so no value is collected while it is young. Here the tables hold
 * numbers, and the values are in reused slots.
 */
export class SlotMap<Key, Value extends object> {
  /** Created with the first entry: most sessions of a server never send a request. */
  #slots: Map<Key, number> | undefined;
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots?.size ?? 0;
  }

  has(key: Key): boolean {
    return this.#slots?.has(key) ?? false;
  }

  get(key: Key): Value | undefined {
    const slot = this.#slots?.get(key);
    return slot === undefined ? undefined : this.#values[slot];
  }

  set(key: Key, value: Value): void {
    const slots = (this.#slots ??= new Map());
    const slot = slots.get(key) ?? this.#free.pop() ?? this.#values.length;
    slots.set(key, slot);
    this.#values[slot] = value;
  }

  delete(key: Key): void {
    const slot = this.#slots?.get(key);
    if (slot === undefined) return;
    this.#slots?.delete(key);
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  clear(): void {
    this.#slots?.clear();
    this.#values.length = 0;
    this.#free.length = 0;
  }

  keys(): Iterable<Key> {
    return this.#slots?.keys() ?? [];
  }

  /** Yields the values in insertion order. Values added or deleted during the iteration may be omitted. */
  *values(): Generator<Value, void> {
    for (const slot of this.#slots?.values() ?? []) {
      const value = this.#values[slot];
      if (value !== undefined) yield value;
    }
  }
}
