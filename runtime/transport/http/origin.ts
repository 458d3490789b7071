import type { Awaitable } from "../../../generated/support.ts";
import type { Answer, RequestHead } from "./exchange.ts";

/** Who sends a request. */
export interface Identity {
  /** Owns the sessions that it opens; nobody else can use them. */
  readonly principal: string;
  /** What handlers may know besides, such as scopes. */
  readonly claims?: unknown;
}

/** Finds out who sends a request, or answers in place of the server: 401 with `WWW-Authenticate`, 403, ... */
export type Authenticate = (request: RequestHead) => Awaitable<Identity | Answer>;

/** Where a message came from: what handlers find in `context.origin` over HTTP. */
export interface HttpOrigin {
  /** Absent where nobody is asked who they are. */
  readonly identity: Identity | undefined;
  /**
   * Closes the connection that waits for the answer. A client of a revision with resumable streams comes back for it; others wait on, so
   * nothing is closed.
   *
   * @returns whether it was closed
   */
  releaseConnection(): boolean;
}
