import type { Channel } from "./channel.ts";
import type { Message } from "./message.ts";
import type { ErrorReport, OnError } from "./error-report.ts";

/** Collection with a number of members. */
export interface HasSize {
  readonly size: number;
}

/** Load of one connection, read when metrics are read. */
export interface ConnectionLoad {
  readonly running: HasSize;
  readonly waiting: HasSize;
  readonly channel: Pick<Channel, "buffered">;
}

/**
 * Kind of dropped data. `event`: a stored event discarded early, so it can no longer be fetched. `stream`: a stream whose reader was too slow. `log`:
 * a log message for which there was no room.
 */
export type DropReason = "event" | "stream" | "log";

/** Counts the activity of connections, as `Metrics` does. */
export interface ConnectionMetrics {
  /** Counts an opened connection. */
  enter(running: HasSize, waiting: HasSize, channel: ConnectionLoad["channel"]): void;
  /** Removes a closed connection. */
  leave(running: HasSize): void;
  /** Counts a response to a request. */
  responded(message: Message): void;
  /** Counts an HTTP request rejected with an HTTP status. */
  rejected(status: number): void;
  /** Counts data dropped to stay within limits. */
  drop(what: DropReason, count?: number): void;
  /** Counts an error report by its kind. */
  reported(report: ErrorReport): void;
}

/** Receivers of what happens on connections. */
export interface ReportOptions {
  /** Receives errors that are visible nowhere else: failed handlers, faults of the peer. Default: none. */
  readonly onError?: OnError;
  /** Counts messages, connections and rejected requests, together with everything else that is given the same object. Default: nothing is counted. */
  readonly metrics?: ConnectionMetrics;
}
