/**
 * Division of a capacity, such as a number of characters, among owners. Each owner may hold as much as remains free: a single owner half, and each of
 * n owners the (n+1)th part. So one owner does not use up what the next one needs. Unauthenticated clients are one owner, `undefined`, which may hold
 * everything free: a server authenticates all of its clients or none.
 */
export class Shares {
  readonly #capacity: number;
  readonly #held = new Map<string | undefined, number>();
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Amount held by all owners together. */
  get total(): number {
    return this.#total;
  }

  held(owner: string | undefined): number {
    return this.#held.get(owner) ?? 0;
  }

  /** Returns the amount an owner may take in addition to what it holds; below 0 for an owner beyond its share. */
  roomFor(owner: string | undefined): number {
    const free = this.#capacity - this.#total;
    return owner === undefined ? free : Math.ceil((free - this.held(owner)) / 2);
  }

  /** Adds an amount to what an owner holds; a negative amount releases it. */
  change(owner: string | undefined, amount: number): void {
    const held = this.held(owner) + amount;
    this.#total += amount;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }
}
