import { systemClock, type Clock } from "../rpc/timers.ts";
import type { SessionKey, SessionRecord, SessionStore } from "./session-store.ts";

/** Bounds of sessions that are kept in memory. */
export interface MemorySessionStoreOptions {
  /** Milliseconds that an unused session lives. Default 30 min. */
  readonly ttl?: number;
  /** Sessions at a time. Default 10,000. */
  readonly maxSessions?: number;
  readonly clock?: Pick<Clock, "now">;
}

/** Sessions in the memory of this process. */
export class MemorySessionStore implements SessionStore {
  readonly #ttl: number;
  readonly #maxSessions: number;
  readonly #clock: Pick<Clock, "now">;
  /** The longest unused first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: MemorySessionStoreOptions = {}) {
    this.#ttl = options.ttl ?? 30 * 60_000;
    this.#maxSessions = options.maxSessions ?? 10_000;
    this.#clock = options.clock ?? systemClock;
  }

  /** How many sessions live. */
  get size(): number {
    this.#expire();
    return this.#entries.size;
  }

  add(record: SessionRecord): boolean {
    this.#expire();
    const known = this.#entries.get(record.id);
    if (known && known.record.owner !== record.owner) return false;
    if (!known && this.#entries.size >= this.#maxSessions) return false;
    this.#keep(record);
    return true;
  }

  find(key: SessionKey): SessionRecord | undefined {
    this.#expire();
    const record = this.#entries.get(key.id)?.record;
    if (record === undefined || record.owner !== key.owner) return undefined;
    this.#keep(record);
    return record;
  }

  remove(key: SessionKey): void {
    if (this.#entries.get(key.id)?.record.owner === key.owner) this.#entries.delete(key.id);
  }

  #keep(record: SessionRecord): void {
    this.#entries.delete(record.id);
    this.#entries.set(record.id, { record, expiresAt: this.#clock.now() + this.#ttl });
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(id);
    }
  }
}

interface Entry {
  readonly record: SessionRecord;
  readonly expiresAt: number;
}
