import { systemClock, type Clock } from "../internal/timers.ts";
import { Shares } from "./shares.ts";
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
  /** Sessions by id, the longest unused first. */
  readonly #entries = new Map<string, Entry>();

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
    this.#expire();
    const known = this.#entries.get(record.id);
    if (known && known.record.owner !== record.owner) return false;
    if (!known && !this.#hasRoom(record.owner)) return false;
    if (!known) this.#shares.change(record.owner, 1);
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
    if (this.#shares.roomFor(owner) < 1) return false;
    return owner === undefined || this.#shares.held(owner) < this.#maxSessionsPerOwner;
  }

  #forget(entry: Entry): void {
    if (this.#entries.delete(entry.record.id)) this.#shares.change(entry.record.owner, -1);
  }

  #keep(record: SessionRecord): void {
    this.#entries.delete(record.id);
    this.#entries.set(record.id, { record, expiresAt: this.#clock.now() + this.ttl });
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
