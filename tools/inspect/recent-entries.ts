import type { TimelineEntry } from "./page-messages.ts";

/** Bounds of the kept messages. */
export interface TrafficLimits {
  /** Messages. Default 50,000. */
  readonly maxEntries?: number;
  /** Characters of all messages together. Default 64 Mi. */
  readonly maxLength?: number;
}

/** Latest messages within bounds, from the oldest to the newest. The newest one is always kept. */
export class RecentEntries {
  readonly #maxEntries: number;
  readonly #maxLength: number;
  #list: TimelineEntry[] = [];
  /** Number of entries at the beginning of the list already removed. */
  #removed = 0;
  #length = 0;
  #dropped = 0;

  constructor({ maxEntries = 50_000, maxLength = 64 * 1024 * 1024 }: TrafficLimits = {}) {
    this.#maxEntries = maxEntries;
    this.#maxLength = maxLength;
  }

  get list(): readonly TimelineEntry[] {
    this.#compact();
    return this.#list;
  }

  /** Number of removed messages. */
  get dropped(): number {
    return this.#dropped;
  }

  add(entry: TimelineEntry): void {
    this.#list.push(entry);
    this.#length += entry.json.length;
    while (this.#isOver) {
      this.#length -= this.#list[this.#removed]?.json.length ?? 0;
      this.#removed += 1;
      this.#dropped += 1;
    }
    // In large steps only: each one moves all others. Few messages may be as large as all may be together.
    if (this.#removed >= Math.min(1_000, this.#list.length / 2)) this.#compact();
  }

  get #isOver(): boolean {
    const count = this.#list.length - this.#removed;
    return count > this.#maxEntries || (count > 1 && this.#length > this.#maxLength);
  }

  #compact(): void {
    if (this.#removed > 0) this.#list = this.#list.slice(this.#removed);
    this.#removed = 0;
  }
}
