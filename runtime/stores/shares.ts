/**
 * Division of a capacity, such as a number of characters, among owners. Each owner may hold as much as stays free: alone half, and each
 * of n owners that come together the n+1st part. So one owner does not take what the next one needs. Clients that are not authenticated are one owner, `undefined`, which may
 * hold all that is free: a server authenticates all of its clients or none.
 */
export class Shares {
  readonly #capacity: number;
  readonly #held = new Map<string | undefined, number>();
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Amount that all owners hold together. */
  get total(): number {
    return this.#total;
  }

  held(owner: string | undefined): number {
    return this.#held.get(owner) ?? 0;
  }

  /** Amount that an owner may take on top of what it holds; below 0 for an owner that holds more than its share. */
  roomFor(owner: string | undefined): number {
    const free = this.#capacity - this.#total;
    return owner === undefined ? free : Math.ceil((free - this.held(owner)) / 2);
  }

  /** Adds an amount to what an owner holds, or takes it away. */
  change(owner: string | undefined, amount: number): void {
    const held = this.held(owner) + amount;
    this.#total += amount;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }
}
