import type { Channel } from "./channel.ts";
import type { Message } from "./message.ts";
import type { ErrorReport } from "./error-report.ts";

/** Something that has a size. */
export interface Sized {
  readonly size: number;
}

/** What a connection has to do. */
export interface Load {
  readonly running: Sized;
  readonly waiting: Sized;
  readonly channel: Pick<Channel, "buffered">;
}

/**
 * `event`: one that was forgotten before its time, so that it cannot be fetched any more. `stream`: one whose reader was too slow. `log`: a log
 * message for which there was no room.
 */
export type DropReason = "event" | "stream" | "log";

/** Is told what connections do, as `Metrics` are. */
export interface Counting {
  /** A connection has opened. */
  enter(running: Sized, waiting: Sized, channel: Load["channel"]): void;
  /** It has closed. */
  leave(running: Sized): void;
  /** Something was answered. */
  answered(message: Message): void;
  /** A request of HTTP was answered with a status of its own. */
  rejected(status: number): void;
  /** Something was given up. */
  drop(what: DropReason, count?: number): void;
  /** Something was reported. */
  reported(report: ErrorReport): void;
}
