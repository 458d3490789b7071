import type { Awaitable } from "../../generated/support.ts";
import type { SessionKey } from "./session-store.ts";

/** Position on one stream of a session. */
export interface StreamPosition {
  /** Name of the stream, unique among the streams of its session. */
  readonly stream: string;
  /** Number of the event on its stream, counted from 0 without gaps. */
  readonly sequence: number;
}

/** Event as it was sent. */
export interface StoredEvent extends StreamPosition {
  /** JSON text; empty for an event that only marks a position. */
  readonly data: string;
}

/**
 * Stores sent events: a client whose connection broke can fetch the rest. Every operation is idempotent: an event is identified by session, stream
 * and sequence. The events of a session are never returned for another session or another owner.
 */
export interface EventStore {
  /** Stores an event; older ones may be removed to make room. The next event may follow before this one is stored, and may be stored first. */
  append(session: SessionKey, event: StoredEvent): Awaitable<void>;
  /** Returns the later events of the same stream, in order; `undefined` when the position is unknown or no longer known. */
  after(session: SessionKey, position: StreamPosition): Awaitable<readonly StoredEvent[] | undefined>;
  /** Removes all events of a session. */
  remove(session: SessionKey): Awaitable<void>;
}
