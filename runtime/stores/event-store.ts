import type { Awaitable } from "../../generated/support.ts";
import type { SessionKey } from "./session-store.ts";

/** A place on one stream of a session. */
export interface StreamPosition {
  /** Unique among the streams of its session. */
  readonly stream: string;
  /** Counts from 0 and leaves nothing out. */
  readonly sequence: number;
}

/** An event as it was sent. */
export interface StoredEvent extends StreamPosition {
  /** JSON text; empty for an event that only marks a place. */
  readonly data: string;
}

/**
 * Remembers what was sent, so that a client whose connection broke can fetch the rest. Every operation may be repeated without harm: an event
 * is identified by session, stream and sequence. What one session stored is never shown to another, nor to another owner.
 */
export interface EventStore {
  /** Remembers an event; old ones may be forgotten for it. */
  append(session: SessionKey, event: StoredEvent): Awaitable<void>;
  /** What followed on the same stream, in order; `undefined` when the place is not known (any more). */
  after(session: SessionKey, position: StreamPosition): Awaitable<readonly StoredEvent[] | undefined>;
  /** Forgets everything of a session. */
  remove(session: SessionKey): Awaitable<void>;
}
