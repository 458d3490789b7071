import type { Caller, NotificationRow, RequestRow } from "../../generated/support.ts";
import type { RequestOptions } from "./incoming-call.ts";
import type { Session } from "./session.ts";

/** Where a connection is. */
export type State = "NOT_INITIALIZED" | "INITIALIZING" | "INITIALIZED" | "DISCONNECTED";

/** One end of a connection, as its user sees it. */
export interface Connection extends Caller {
  readonly state: State;
  /** What was agreed on; absent before the handshake. */
  readonly session: Session | undefined;
  /** Resolves when nothing can be sent or received any more, with the reason if the connection broke. */
  readonly closed: Promise<Error | undefined>;
  // @part questions, tasks
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  /** Fails what waits for the peer, lets running handlers finish for a while, flushes and closes. May be called again. */
  close(options?: CloseOptions): Promise<void>;
}

/** Options of closing a connection. */
export interface CloseOptions {
  /** Milliseconds for running handlers. Default: the connection's time-out `drain`, 1 s. */
  readonly drain?: number;
}
