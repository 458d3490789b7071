import type { ConnectionMetrics } from "../jsonrpc/counted-channel.ts";
import { systemClock, type Clock } from "../internal/timers.ts";
import type { EventStore, StoredEvent, StreamPosition } from "./event-store.ts";
import type { SessionKey } from "./session-store.ts";
import { Shares } from "./shares.ts";
import { UseOrder, type Place } from "./use-order.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Limits of an in-memory event store. */
export interface MemoryEventStoreOptions {
  /** Events per stream. Default 1,000. */
  readonly maxEvents?: number;
  /** Characters per stream; the last event is kept even if it is longer. Default 4 Mi. */
  readonly maxStreamSize?: number;
  /** Characters of all streams, shared among the owners of sessions. The longest idle streams of an owner are removed first. Default 64 Mi. */
  readonly maxSize?: number;
  /** Milliseconds for which a stream is kept after its last event. Default 10 min. */
  readonly ttl?: number;
  readonly clock?: Pick<Clock, "now">;
  /** Counts events removed early because of a limit. Default: nothing is counted. */
  readonly metrics?: Pick<ConnectionMetrics, "drop">;
}

/**
 * Event store in the memory of this process.
 *
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { MemoryEventStore } from "mcp-server-runtime/stores";
 *
 * await serveHttp(server, { port: 3000, events: new MemoryEventStore() });
 * ```
 */
export class MemoryEventStore implements EventStore {
  readonly #options: Required<Omit<MemoryEventStoreOptions, "metrics">>;
  readonly #metrics: Pick<ConnectionMetrics, "drop"> | undefined;
  readonly #sessions = new Map<string, SessionLog>();
  /** Streams, the longest idle first. */
  readonly #streams = new UseOrder<StreamLog>();
  /** Streams by owner, the longest idle first. */
  readonly #owned = new Map<string | undefined, UseOrder<StreamLog>>();
  readonly #shares: Shares;

  constructor(options: MemoryEventStoreOptions = {}) {
    checkNumbers(options);
    const { metrics, ...bounds } = options;
    this.#options = { ...defaults, clock: systemClock, ...bounds };
    this.#metrics = metrics;
    this.#shares = new Shares(this.#options.maxSize);
  }

  /** Number of stored characters, including the overhead of each event and stream. */
  get size(): number {
    this.#expire();
    return this.#shares.total;
  }

  append(session: SessionKey, event: StoredEvent): void {
    const log = this.#open(session, event.stream);
    if (!log || event.sequence < log.next) return;
    this.#touch(log);
    // Events in a gap can never be replayed, so the events before it cannot either.
    if (event.sequence > log.next) this.#trim(log, log.events.length);
    log.events.push(event);
    log.next = event.sequence + 1;
    const now = this.#options.clock.now();
    log.touchedAt = now;
    this.#grow(log, costOf(event));
    this.#trim(log, this.#countExcess(log));
    this.#expire(now);
    this.#shrink(session.owner);
  }

  after(session: SessionKey, position: StreamPosition): readonly StoredEvent[] | undefined {
    this.#expire();
    const log = this.#find(session)?.streams.get(position.stream);
    const first = log?.events[0]?.sequence;
    if (!log || first === undefined) return undefined;
    // The client has the event at `position`, or it would not know its id.
    const index = position.sequence + 1 - first;
    return index < 0 || position.sequence >= log.next ? undefined : log.events.slice(index);
  }

  remove(session: SessionKey): void {
    for (const log of this.#find(session)?.streams.values() ?? []) this.#drop(log);
  }

  #find(session: SessionKey): SessionLog | undefined {
    const log = this.#sessions.get(session.id);
    return log?.owner === session.owner ? log : undefined;
  }

  #open(session: SessionKey, stream: string): StreamLog | undefined {
    const log = this.#sessions.get(session.id) ?? this.#openSession(session);
    if (log.owner !== session.owner) return undefined;
    const known = log.streams.get(stream);
    if (known) return known;
    const made = new StreamLog(stream, log, this.#streams);
    log.streams.set(stream, made);
    this.#shares.change(session.owner, streamOverhead);
    return made;
  }

  #openSession({ id, owner }: SessionKey): SessionLog {
    const owned = this.#owned.get(owner) ?? new UseOrder();
    const log: SessionLog = { id, owner, owned, streams: new Map() };
    this.#owned.set(owner, owned);
    this.#sessions.set(id, log);
    return log;
  }

  #countExcess({ events, size }: StreamLog): number {
    const { maxEvents, maxStreamSize } = this.#options;
    if (events.length <= maxEvents && size <= maxStreamSize) return 0;
    let count = Math.max(0, events.length - maxEvents);
    let left = size;
    for (const event of events.slice(0, count)) left -= costOf(event);
    for (; left > maxStreamSize && count < events.length - 1; count += 1) {
      const event = events[count];
      if (event) left -= costOf(event);
    }
    return count;
  }

  #trim(log: StreamLog, count: number): void {
    if (count === 0) return;
    this.#metrics?.drop("event", count);
    for (const event of log.events.splice(0, count)) this.#grow(log, -costOf(event));
  }

  /** Moves a stream to the end of the idle order. */
  #touch(log: StreamLog): void {
    this.#streams.renew(log.place);
    log.session.owned.renew(log.ownedPlace);
  }

  #expire(now: number = this.#options.clock.now()): void {
    const oldest = now - this.#options.ttl;
    for (let log = this.#streams.first; log && log.touchedAt <= oldest; log = this.#streams.first) this.#drop(log);
  }

  /** Removes streams of an owner until it holds no more than its share. */
  #shrink(owner: string | undefined): void {
    while (this.#shares.roomFor(owner) < 0) {
      const log = this.#owned.get(owner)?.first;
      if (!log) return;
      this.#metrics?.drop("event", log.events.length);
      this.#drop(log);
    }
  }

  #drop(log: StreamLog): void {
    const { owner, owned } = log.session;
    owned.remove(log.ownedPlace);
    if (!owned.first) this.#owned.delete(owner);
    this.#grow(log, -log.size);
    this.#shares.change(owner, -streamOverhead);
    this.#streams.remove(log.place);
    log.session.streams.delete(log.key);
    if (log.session.streams.size === 0) this.#sessions.delete(log.session.id);
  }

  #grow(log: StreamLog, size: number): void {
    log.size += size;
    this.#shares.change(log.session.owner, size);
  }
}

const defaults = { maxEvents: 1_000, maxStreamSize: 4 * 1024 * 1024, maxSize: 64 * 1024 * 1024, ttl: 600_000 } as const;

/** Characters counted for each event in addition to its data: an empty event takes memory too. */
const eventOverhead = 100;

/** Characters counted for each stream in addition to its events. */
const streamOverhead = 400;

function costOf(event: StoredEvent): number {
  return event.data.length + eventOverhead;
}

interface SessionLog {
  readonly id: string;
  readonly owner: string | undefined;
  /** Streams of the owner. */
  readonly owned: UseOrder<StreamLog>;
  readonly streams: Map<string, StreamLog>;
}

class StreamLog {
  readonly key: string;
  readonly session: SessionLog;
  readonly events: StoredEvent[] = [];
  /** Sequence of the next event. */
  next = 0;
  size = 0;
  touchedAt = 0;
  /** Places in the idle orders of all streams, and of the streams of the owner. */
  readonly place: Place<StreamLog>;
  readonly ownedPlace: Place<StreamLog>;

  constructor(key: string, session: SessionLog, streams: UseOrder<StreamLog>) {
    this.key = key;
    this.session = session;
    this.place = streams.add(this);
    this.ownedPlace = session.owned.add(this);
  }
}
