import type { Progress, RequestRow } from "../../generated/support.ts";
import type { RequestOptions } from "./incoming-call.ts";
import type { Timeouts } from "../jsonrpc/limits.ts";
import type { ErrorObject, Outgoing, RequestId } from "../jsonrpc/message.ts";
import type { Routes } from "./routes.ts";
import type { ErrorReport } from "../jsonrpc/error-report.ts";
import type { Sendable } from "./outgoing-params.ts";
import type { Session } from "./session.ts";
import type { DeadlineTimer } from "../internal/timers.ts";

/** What the table of pending calls needs of its connection. */
export interface OutgoingRequestsHost {
  // @part questions, tasks
  readonly session: Session | undefined;
  // @part questions, tasks
  readonly timeouts: Timeouts;
  // @part questions, tasks
  now(): number;
  // @part questions, tasks
  /** Params as the session's revision has them. */
  toSendable(sendable: Sendable): unknown;
  // @part questions, tasks
  /** Looks at time-outs, and keeps the process alive while there are any. */
  readonly deadlines: Pick<DeadlineTimer, "watch" | "hold" | "release">;
  // @part questions, tasks
  send(message: Outgoing, related?: RequestId): void | Promise<void>;
  // @part questions, tasks
  readonly routes: Routes;
  report(report: ErrorReport): void;
}

/** Where the outcome of a call goes: one of the two is called, once, while the answer is being read. */
export interface Settler<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Options of a call that is sent. */
export interface StartOptions extends RequestOptions {
  /** The peer's request that this one belongs to. */
  readonly related?: RequestId | undefined;
}

/** The requests that one end sends. */
export interface OutgoingRequests {
  // @part questions, tasks
  /** How many calls wait for their answer. */
  readonly size: number;
  // @part questions, tasks
  /** Sends a request. Throws when it cannot be sent at all. */
  start<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    settler: Settler<Result>,
    options: StartOptions,
  ): void;
  /** The peer's result for one of our requests. */
  answer(id: RequestId, result: unknown): void;
  /** The peer's error for one of our requests; without an id nobody knows for which. */
  refuse(id: RequestId | undefined, error: ErrorObject): void;
  // @part questions, tasks
  /** The answer to one of our requests cannot be used. Returns whether the request waited for it. */
  discard(id: RequestId, error: Error): boolean;
  // @part questions, tasks
  /** The peer reports progress. */
  progress(token: RequestId, progress: Progress): void;
  // @part questions, tasks
  /** A call waits for something on our side, such as a user who signs in: its time stands still until what is returned is called. */
  hold(id: RequestId): () => void;
  // @part questions, tasks
  /** Ends what is due, and returns the earliest deadline left. */
  sweep(now: number): number;
  // @part questions, tasks
  /** Fails everything that waits. */
  failAll(error: Error): void;
}

/** How an end sends requests. */
export type CreatePendingRequests = (host: OutgoingRequestsHost) => OutgoingRequests;

/** For an end that only answers: whatever comes as an answer was never asked for. */
export function createNoRequests(host: Pick<OutgoingRequestsHost, "report">): OutgoingRequests {
  const reportStray = (id: RequestId | undefined): void =>
    host.report({
      kind: "protocol",
      ...(id !== undefined && { id }),
      error: new Error("The peer answered a request that was never sent"),
    });
  return {
    // @part questions, tasks
    size: 0,
    // @part questions, tasks
    start({ method }) {
      throw new Error(`This program was made without questions to the other side: it cannot send ${method}.`);
    },
    answer: reportStray,
    refuse: reportStray,
    // @part questions, tasks
    discard: () => false,
    // @part questions, tasks
    progress: reportStray,
    // @part questions, tasks
    hold: () => () => {},
    // @part questions, tasks
    sweep: () => Infinity,
    // @part questions, tasks
    failAll() {},
  };
}
