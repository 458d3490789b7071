import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { RequestHandler } from "../protocol/peer/routes.ts";
import type { Session } from "../protocol/session/session.ts";

/** Request handled by the lifecycle itself. */
export interface LifecycleRequest {
  readonly method: string;
  readonly params: unknown;
  /** Session of the request. For `initialize` it is the session being opened: the connection has it only after the middleware has ended. */
  readonly session: Session;
  readonly call: CallContext;
}

/** Middleware around requests handled by the lifecycle itself; `next` continues to the handler. */
export type LifecycleMiddleware = (request: LifecycleRequest, next: () => unknown) => unknown;

/** Wraps a handler in middleware; without middleware, returns the handler itself. */
export function withLifecycleMiddleware(
  handle: RequestHandler,
  method: string,
  around: LifecycleMiddleware | undefined,
): RequestHandler {
  if (!around) return handle;
  return (params, call) => around({ method, params, session: call.session, call }, () => handle(params, call));
}
