import type { Progress, RequestRow } from "../../../generated/support.ts";
import type { RequestOptions } from "../session/request-options.ts";
import { PeerError } from "../../jsonrpc/errors.ts";
import type { Timeouts } from "../../jsonrpc/limits.ts";
import type { ErrorObject, NotificationMessage, Outgoing, RequestId } from "../../jsonrpc/message.ts";
import type { Routes } from "./routes.ts";
import type { ErrorReport } from "../../jsonrpc/error-report.ts";
import type { OutgoingMessage } from "./outgoing-params.ts";
import type { MessageSteps } from "./message-middleware.ts";
import type { Session } from "../session/session.ts";
import type { DeadlineTimer } from "../../internal/timers.ts";

/** Part of the connection used by the table of pending calls. */
export interface OutgoingRequestsHost {
  readonly session: Session | undefined;
  readonly timeouts: Timeouts;
  /** Text before the number in the ids of requests. Default: ids are numbers. */
  readonly requestIdPrefix?: string | undefined;
  now(): number;
  /** Returns params as the session's revision has them. */
  toOutgoingMessage(sendable: OutgoingMessage): unknown;
  /** Watches timeouts, and keeps the process alive while there are any. */
  readonly deadlines: Pick<DeadlineTimer, "watch" | "hold" | "release">;
  send(message: Outgoing, related?: RequestId): void | Promise<void>;
  /** Middleware of this end, composed. */
  readonly steps: MessageSteps;
  /** Sends a notification through middleware. */
  sendNotification(message: NotificationMessage, related?: RequestId): Promise<void>;
  /**
   * Checks that a request can still be sent.
   *
   * @throws {ClosedError} when the connection is closed
   */
  requireSendable(related: RequestId | undefined): void;
  /** Called when a request fails before its response: its timeout has expired, or its signal was aborted. */
  failed(id: RequestId, error: unknown): void;
  readonly routes: Routes;
  report(report: ErrorReport): void;
}

/** Receives the outcome of a call. One of the two is called, once, while the response is being read. */
export interface ResponseListener<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Options of an outgoing call. */
export interface StartOptions extends RequestOptions {
  /** Request of the peer to which this one belongs. */
  readonly related?: RequestId | undefined;
}

/** Table of the requests sent by one end. */
export interface OutgoingRequests {
  /** Number of calls waiting for their response. */
  readonly size: number;
  /** True while the result that opens the session is in middleware: notifications and requests behind it wait. */
  readonly isBusy: boolean;
  /** Sets a callback for the end of the wait. */
  whenFree(run: () => void): void;
  /**
   * Sends a request.
   *
   * @throws {Error} when it cannot be sent at all
   */
  start<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    settler: ResponseListener<Result>,
    options: StartOptions,
  ): void;
  /** Handles the peer's result for an outgoing request. */
  resolve(id: RequestId, result: unknown): void;
  /** Handles the peer's error for an outgoing request; without an id, the request is unknown. */
  reject(id: RequestId | undefined, error: ErrorObject): void;
  /** Fails an outgoing request whose response cannot be used. Returns true if the request was pending. */
  discard(id: RequestId, error: Error): boolean;
  /** Handles a progress report of the peer. */
  progress(token: RequestId, progress: Progress): void;
  /** Pauses the timeout of a call while it waits for something on this side, such as a user who signs in. Returns a function to resume it. */
  hold(id: RequestId): () => void;
  /** Ends calls whose timeout has expired, and returns the earliest deadline left. */
  sweep(now: number): number;
  /** Fails the pending calls outside of any request of the peer. */
  failUnrelated(error: Error): void;
  /** Fails every pending call with an error. */
  failAll(error: Error): void;
}

/** Creates the table of outgoing requests. */
export type CreatePendingRequests = (host: OutgoingRequestsHost) => OutgoingRequests;

/** Returns the report of a response or a progress report without a request. */
export function toStray(id: RequestId, kind: "response" | "progress"): ErrorReport {
  const problem = { response: "The response has an unknown request id", progress: "The progress has an unknown token" };
  return { kind: "protocol", id, error: new Error(problem[kind]) };
}

/** Creates the table of an end without requests. It reports every response as unexpected. */
export function createNoRequests(host: Pick<OutgoingRequestsHost, "report">): OutgoingRequests {
  const reportStray = (id: RequestId): void => host.report(toStray(id, "response"));
  return {
    size: 0,
    isBusy: false,
    whenFree() {},
    start({ method }) {
      throw new Error(`The project is generated without requests to the peer; ${method} cannot be sent`);
    },
    resolve: reportStray,
    reject(id, error) {
      if (id === undefined) host.report({ kind: "protocol", error: new PeerError(error) });
      else reportStray(id);
    },
    discard: () => false,
    progress: (token) => host.report(toStray(token, "progress")),
    hold: () => () => {},
    sweep: () => Infinity,
    failUnrelated() {},
    failAll() {},
  };
}
