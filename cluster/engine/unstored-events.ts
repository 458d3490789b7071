/** Size of the events waiting for storage in the engine, over all streams of a node. */
export class UnstoredEvents {
  readonly #limit: number;
  #size = 0;

  /** @param limit - characters of waiting events */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if no more requests should begin: half of the limit is left for the running ones. */
  get isFull(): boolean {
    return this.#size >= this.#limit / 2;
  }

  /** True if another event may wait. */
  hasRoom(length: number): boolean {
    return this.#size + sizeOf(length) <= this.#limit;
  }

  /** True if an important event may wait: a response, or the only event of a stream. The limit for them is twice as high. */
  hasReserve(length: number): boolean {
    return this.#size + sizeOf(length) <= 2 * this.#limit;
  }

  add(length: number): void {
    this.#size += sizeOf(length);
  }

  remove(length: number): void {
    this.#size -= sizeOf(length);
  }
}

/** Returns the size of an event: many small ones take memory as well. */
function sizeOf(length: number): number {
  return length + 256;
}
