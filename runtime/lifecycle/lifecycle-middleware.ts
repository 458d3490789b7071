import type { CallContext } from "../protocol/peer/incoming-call.ts";
import type { ReceiveRequest } from "../protocol/peer/message-middleware.ts";
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

/** Middleware around requests handled by the lifecycle itself; `next` continues to the handler, with changed params if given. */
export type LifecycleMiddleware = (
  request: LifecycleRequest,
  next: (changed?: { readonly params: unknown }) => unknown,
) => unknown;

/** Returns composed middleware as middleware around `initialize`. */
export function toLifecycleMiddleware(receive: ReceiveRequest | undefined): LifecycleMiddleware | undefined {
  if (!receive) return undefined;
  return ({ method, params, session, call }, next) =>
    receive({ method, params, session }, call, (given) => next({ params: given }));
}

/** Wraps a handler in middleware; without middleware, returns the handler itself. */
export function withLifecycleMiddleware(
  handle: RequestHandler,
  method: string,
  around: LifecycleMiddleware | undefined,
): RequestHandler {
  if (!around) return handle;
  return (params, call) =>
    around({ method, params, session: call.session, call }, (changed) =>
      handle(changed ? changed.params : params, call),
    );
}
