import type { CallContext } from "../protocol/incoming-call.ts";
import type { RequestHandler } from "../protocol/routes.ts";
import type { Session } from "../protocol/session.ts";

/** A request that the lifecycle answers itself. */
export interface LifecycleRequest {
  readonly method: string;
  readonly params: unknown;
  /** For `initialize` the one that is being opened: the connection has it only when `next` has run. */
  readonly session: Session;
  readonly call: CallContext;
}

/** Runs around the requests that the lifecycle answers itself; `next` goes on to the answer. */
export type Around = (request: LifecycleRequest, next: () => unknown) => unknown;

/** A handler that something runs around. */
export function wrapAround(handle: RequestHandler, method: string, around: Around | undefined): RequestHandler {
  if (!around) return handle;
  return (params, call) => around({ method, params, session: call.session, call }, () => handle(params, call));
}
