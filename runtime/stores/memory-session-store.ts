import { systemClock, type Clock } from "../internal/timers.ts";
import { Shares } from "./shares.ts";
import { UseOrder, type Place } from "./use-order.ts";
import type { SessionKey, SessionRecord, SessionStore } from "./session-store.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Limits of an in-memory session store. */
export interface MemorySessionStoreOptions {
  /** Lifetime of an unused session in milliseconds. Default 30 min. */
  readonly ttl?: number;
  /** Sessions at a time. One owner may hold as many as remain free. Default 10,000. */
  readonly maxSessions?: number;
  /** Sessions of one owner at a time, if less than its share. Default: its share. */
  readonly maxSessionsPerOwner?: number;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Session store in the memory of this process.
 *
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { MemorySessionStore } from "mcp-server-runtime/stores";
 *
 * await serveHttp(server, { port: 3000, sessions: { store: new MemorySessionStore() } });
 * ```
 */
export class MemorySessionStore implements SessionStore {
  readonly ttl: number;
  readonly #shares: Shares;
  readonly #maxSessionsPerOwner: number;
  readonly #clock: Pick<Clock, "now">;
  /** Sessions by id. */
  readonly #entries = new Map<string, Entry>();
  /** Sessions, the longest unused first. */
  readonly #order = new UseOrder<Entry>();

  constructor(options: MemorySessionStoreOptions = {}) {
    checkNumbers(options);
    this.ttl = options.ttl ?? 30 * 60_000;
    this.#shares = new Shares(options.maxSessions ?? 10_000);
    this.#maxSessionsPerOwner = options.maxSessionsPerOwner ?? Infinity;
    this.#clock = options.clock ?? systemClock;
  }

  /** Number of live sessions. */
  get size(): number {
    this.#expire();
    return this.#entries.size;
  }

  add(record: SessionRecord): boolean {
    const expiresAt = this.#expire() + this.ttl;
    const known = this.#entries.get(record.id);
    if (known && known.record.owner !== record.owner) return false;
    if (!known && !this.#hasRoom(record.owner)) return false;
    if (known) this.#forget(known);
    this.#entries.set(record.id, new Entry(record, expiresAt, this.#order));
    this.#shares.change(record.owner, 1);
    return true;
  }

  find(key: SessionKey): SessionRecord | undefined {
    const expiresAt = this.#expire() + this.ttl;
    const entry = this.#entries.get(key.id);
    if (!entry || entry.record.owner !== key.owner) return undefined;
    entry.expiresAt = expiresAt;
    this.#order.renew(entry.place);
    return entry.record;
  }

  remove(key: SessionKey): void {
    const entry = this.#entries.get(key.id);
    if (entry && entry.record.owner === key.owner) this.#forget(entry);
  }

  #hasRoom(owner: string | undefined): boolean {
    if (this.#shares.roomFor(owner) < 1) return false;
    return owner === undefined || this.#shares.held(owner) < this.#maxSessionsPerOwner;
  }

  #forget({ record, place }: Entry): void {
    this.#entries.delete(record.id);
    this.#order.remove(place);
    this.#shares.change(record.owner, -1);
  }

  /** Removes the sessions whose time is over, and returns the time. */
  #expire(): number {
    const now = this.#clock.now();
    for (let entry = this.#order.first; entry && entry.expiresAt <= now; entry = this.#order.first) this.#forget(entry);
    return now;
  }
}

class Entry {
  readonly record: SessionRecord;
  readonly place: Place<Entry>;
  expiresAt: number;

  constructor(record: SessionRecord, expiresAt: number, order: UseOrder<Entry>) {
    this.record = record;
    this.expiresAt = expiresAt;
    this.place = order.add(this);
  }
}
