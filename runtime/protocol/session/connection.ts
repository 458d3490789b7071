import type { Caller, NotificationRow, RequestRow } from "../../../generated/support.ts";
import type { TransportSession } from "../../jsonrpc/channel.ts";
import type { RequestOptions } from "./request-options.ts";
import type { Session } from "./session.ts";

/** State in the lifecycle of a connection. */
export type State = "NOT_INITIALIZED" | "INITIALIZING" | "INITIALIZED" | "DISCONNECTED";

/** One end of a connection, as the application sees it. */
export interface Connection extends Caller {
  readonly state: State;
  /** Session the two sides have agreed on; absent before the handshake. */
  readonly session: Session | undefined;
  /** Session of the transport, if it does not end with the connection. */
  readonly transportSession?: TransportSession | undefined;
  /** Resolves when nothing can be sent or received, with the reason if the connection broke. */
  readonly closed: Promise<Error | undefined>;
  /** Completes the handshake, when the client's confirmation may have reached another process. */
  confirm?(): void;
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
  /** Sends a notification. Callers may ignore a rejection: it counts as handled. */
  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void>;
  /** Fails pending requests, waits a while for running handlers, flushes and closes. May be called again. */
  close(options?: CloseOptions): Promise<void>;
}

/** Options of closing a connection. */
export interface CloseOptions {
  /** Milliseconds to wait for running handlers. Default: the connection's timeout `drain`, 1 s. */
  readonly drain?: number;
}
