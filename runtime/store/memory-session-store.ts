import { systemClock, type Clock } from "../rpc/timers.ts";
import type { SessionKey, SessionRecord, SessionStore } from "./session-store.ts";

/** Bounds of sessions that are kept in memory. */
export interface MemorySessionStoreOptions {
  /** Milliseconds that an unused session lives. Default 30 min. */
  readonly ttl?: number;
  /** Sessions at a time. Default 10,000. */
  readonly maxSessions?: number;
  /** Sessions of one owner at a time, so that nobody takes the places of all others. Default: half of `maxSessions`. */
  readonly maxSessionsPerOwner?: number;
  readonly clock?: Pick<Clock, "now">;
}

/** Sessions in the memory of this process. */
export class MemorySessionStore implements SessionStore {
  readonly #ttl: number;
  readonly #maxSessions: number;
  readonly #maxSessionsPerOwner: number;
  readonly #clock: Pick<Clock, "now">;
  /** How many sessions each owner has. */
  readonly #owners = new Map<string, number>();
  /** The longest unused first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: MemorySessionStoreOptions = {}) {
    this.#ttl = options.ttl ?? 30 * 60_000;
    this.#maxSessions = options.maxSessions ?? 10_000;
    this.#maxSessionsPerOwner = options.maxSessionsPerOwner ?? Math.ceil(this.#maxSessions / 2);
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
    if (!known && !this.#hasRoom(record.owner)) return false;
    if (!known) this.#count(record.owner, 1);
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
    const entry = this.#entries.get(key.id);
    if (entry && entry.record.owner === key.owner) this.#forget(entry);
  }

  #hasRoom(owner: string | undefined): boolean {
    if (this.#entries.size >= this.#maxSessions) return false;
    return owner === undefined || (this.#owners.get(owner) ?? 0) < this.#maxSessionsPerOwner;
  }

  #count(owner: string | undefined, step: 1 | -1): void {
    if (owner === undefined) return;
    const count = (this.#owners.get(owner) ?? 0) + step;
    if (count === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, count);
  }

  #forget(entry: Entry): void {
    if (this.#entries.delete(entry.record.id)) this.#count(entry.record.owner, -1);
  }

  #keep(record: SessionRecord): void {
    this.#entries.delete(record.id);
    this.#entries.set(record.id, { record, expiresAt: this.#clock.now() + this.#ttl });
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt > now) return;
      this.#forget(entry);
    }
  }
}

interface Entry {
  readonly record: SessionRecord;
  readonly expiresAt: number;
}
