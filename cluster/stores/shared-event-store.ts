import type { Awaitable } from "../../generated/support.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { SessionKey } from "../../runtime/stores/session-store.ts";

/** Events added to a stream by its owner. */
export interface StreamAppend {
  /** Name of the stream, unique among the streams of its session. */
  readonly stream: string;
  /** Node writing the stream. */
  readonly owner: string;
  /** Fence of the owner: 0 for the node that creates the stream, otherwise the one returned by its adoption. */
  readonly fence: number;
  /** Sequence of the first of the events; 0 creates the stream. */
  readonly first: number;
  /** JSON texts in order; an empty one only marks a position. May be empty when only `settled` counts. */
  readonly data: readonly string[];
  /**
   * Requests of the client to which the stream responds; read with the first events only. The stream ends when each of them is settled. A stream
   * without any, opened by GET, ends with its session, or when it is sealed.
   */
  readonly requests?: readonly RequestId[];
  /** Requests without further events: these events contain their responses, or they get none. */
  readonly settled?: readonly RequestId[];
}

/** Effect of an attempt to add events, as `append` of a store describes it. */
export type AppendOutcome = "stored" | "fenced" | "gap" | "full";

/** Events of a stream after a position, and its state. */
export interface StreamPart {
  /** Events after the position, in order and without gaps; at most 256 and 1 Mi characters at a time, but one at least. */
  readonly events: readonly { readonly sequence: number; readonly data: string }[];
  /** Sequence of the owner's next event. */
  readonly next: number;
  readonly owner: string;
  /** Number of owners replaced so far. */
  readonly fence: number;
  /** Requests without a response. */
  readonly open: readonly RequestId[];
  /** True if the stream responds to requests; false if it was opened by GET. */
  readonly isResponse: boolean;
  /** True if no more events will follow those before `next`. */
  readonly isEnded: boolean;
}

/** Last events of a stream whose owner has no lease any more, or ends it. */
export interface StreamSeal {
  readonly stream: string;
  /** Fence of the owner. */
  readonly fence: number;
  /** Node sealing the stream. */
  readonly node: string;
  /** JSON texts of the responses to the requests left open by the owner. */
  readonly data: readonly string[];
}

/** Change of the owner of a stream. */
export interface StreamAdoption {
  readonly stream: string;
  /** Fence of the replaced owner. */
  readonly fence: number;
  /** Node to become the owner. */
  readonly node: string;
}

/** Stream as its new owner finds it. */
export interface AdoptedStream {
  /** Fence of the new owner. */
  readonly fence: number;
  /** Sequence of the next event. */
  readonly next: number;
}

/**
 * Stores the streams of sessions for several nodes. Each stream has one owner, the only node that adds events. The fence of a stream is a number
 * that rises with each new owner. A replaced owner is fenced: it can add nothing more. Fences are compared, not names: a node owning a stream for
 * the second time cannot add what it has sent as the first owner. Events have gapless sequences of the owner, so a repeated append changes nothing,
 * and an append with a gap before it is rejected: the store has lost events. Streams are never found with the key of another session or owner.
 */
export interface SharedEventStore {
  /**
   * Adds events, all or none, and extends the lifetime of the stream, also without events. An append whose outcome is unknown may be repeated with
   * the same events. `"stored"`: the store keeps them as durably as it can; this includes a repetition, also by an owner replaced meanwhile.
   * `"fenced"`: the stream has another owner, has ended, or is unknown although the first sequence is not 0. `"gap"`: the store does not have the
   * events before the first one. `"full"`: the stream would be new, and the session has too many open streams.
   */
  append(session: SessionKey, append: StreamAppend): Awaitable<AppendOutcome>;
  /**
   * Returns the events after a position. `undefined` when the stream or the position is unknown, or when an event in between is no longer kept. A
   * sequence of -1 is the position before the first event. A position beyond the last event of an ended stream means the last event.
   */
  read(session: SessionKey, position: StreamPosition): Awaitable<StreamPart | undefined>;
  /** Adds the last events of a stream and ends it, in one step. Returns `false` when it has another fence, or has ended. */
  seal(session: SessionKey, seal: StreamSeal): Awaitable<boolean>;
  /** Replaces the owner, and raises the fence. Returns `undefined` when the stream has another fence, or has ended. */
  adopt(session: SessionKey, adoption: StreamAdoption): Awaitable<AdoptedStream | undefined>;
  /** Removes all streams of a session. */
  remove(session: SessionKey): Awaitable<void>;
}
