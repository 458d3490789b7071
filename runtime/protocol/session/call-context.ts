import type { Caller, Progress, RequestRow, Revision } from "../../../generated/support.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";
import type { Connection } from "./connection.ts";
import type { RequestOptions } from "./request-options.ts";
import type { Session } from "./session.ts";

/** Context of a handler. Messages sent through it belong to its request. */
export interface CallContext extends Caller {
  readonly requestId: RequestId;
  readonly session: Session;
  readonly revision: Revision;
  /** `_meta` of the request; empty when there is none. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Aborted when the peer cancels, the connection closes or the handler's timeout expires. Created when it is first read. */
  readonly signal: AbortSignal;
  /**
   * Calls a function once when `signal` is aborted, or now if it is already. For calls that last: a signal takes a kilobyte of memory.
   */
  onAbort?(run: () => void): void;
  /** Information of the transport about the source of the request, such as the authenticated principal. */
  readonly origin: unknown;
  /** Connection for work after the response. */
  readonly connection: Connection;
  /** Rate at which progress may be reported. */
  readonly progressRate: Rate;
  /** Reports progress, if the peer requested it. Values that do not grow are dropped; of several in quick succession, only the newest is sent. */
  progress(progress: Progress): Promise<void>;
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result>;
}

/** Handles a request and returns a result or a promise of it; a `StaticResult` is encoded only once. */
export type RequestHandler = (params: unknown, context: CallContext) => unknown;

/** Handles a notification. Its return value is ignored; a rejected promise is reported. `origin` is what the transport knows about its source. */
export type NotificationHandler = (params: unknown, connection: Connection, origin?: unknown) => unknown;
