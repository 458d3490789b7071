import { isObject, type Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import {
  runRequest,
  type MessageMiddleware,
  type MiddlewareMessage,
  type Next,
} from "../../protocol/peer/message-middleware.ts";
import type { AnyContext } from "../protocol-types.ts";

/** A request on its way to its handler. Its method and params have been checked against the revision. */
export interface ServerRequest extends MiddlewareMessage {
  /** Facts about the request, and functions for middleware to call while the request runs. */
  readonly context: AnyContext;
}

/**
 * Function around a request. `next` calls the next middleware, finally the handler, and resolves with the result. The returned value becomes the
 * result. Lists are frozen, because all clients share them: return a changed copy instead. A thrown `RpcError` becomes the error response; any other
 * thrown value becomes an internal error.
 */
export type Middleware = (request: ServerRequest, next: () => Promise<unknown>) => unknown;

/** Middleware of a server: a function around received requests, or functions around several kinds of messages. */
export type ServerMiddleware = Middleware | MessageMiddleware<ServerRequest>;

/** Function around a received request, which may change its params. */
export type RequestStep = (request: ServerRequest, next: Next) => unknown;

/** Returns the functions around received requests, in their order. */
export function readRequestSteps(middleware: readonly ServerMiddleware[]): readonly RequestStep[] {
  return middleware.flatMap((one) =>
    typeof one === "function" ? one : (one.receive?.request?.bind(one.receive) ?? []),
  );
}

/** Returns the functions around all other messages, in their order, if there are any. */
export function readMessageMiddleware(
  middleware: readonly ServerMiddleware[],
): readonly MessageMiddleware[] | undefined {
  const found = middleware.flatMap((one) => {
    if (typeof one === "function") return [];
    const { receive, send } = one;
    const notification = receive?.notification?.bind(receive);
    if (!notification && !send) return [];
    return { ...(notification && { receive: { notification } }), ...(send && { send }) };
  });
  return found.length > 0 ? found : undefined;
}

/** Wraps every handler of a revision in middleware. Without middleware the handlers stay as they are. */
export function wrapHandlers(
  handlers: object,
  revision: Revision,
  options: { readonly steps: readonly RequestStep[]; toContext(call: CallContext): AnyContext },
): object {
  const { steps, toContext } = options;
  if (steps.length === 0) return handlers;
  const methods = new Map(Object.values(revision.clientRequests).map(({ handler, method }) => [handler, method]));
  const wrap = (name: string, handler: Handler): Handler => {
    const method = methods.get(name);
    const toRequest = method === undefined ? readFallback : (params: unknown) => ({ method, params });
    const toParams = method === undefined ? toFallback : (params: unknown) => params;
    return (given, call) => {
      const context = toContext(call);
      const request = { ...toRequest(given), role: "server", session: call.session, context } as const;
      return runRequest(steps, request, {
        call: context,
        handle: (params) => handler.call(handlers, toParams(params, request), call),
      });
    };
  };
  const wrapped = Object.entries(handlers).map(([name, handler]: [string, unknown]) =>
    isHandler(handler) && (methods.has(name) || name === "fallback") ? [name, wrap(name, handler)] : [name, handler],
  );
  return Object.fromEntries(wrapped);
}

/** A request without a method of the revision contains its method: see `Routes.findFallback`. */
function readFallback(request: unknown): Pick<ServerRequest, "method" | "params"> {
  const { method, params } = isObject(request) ? request : {};
  return { method: String(method), params };
}

function toFallback(params: unknown, { method }: Pick<ServerRequest, "method">): unknown {
  return { method, params };
}

/** Returns the name or URI of the target of a request, if any. */
export function readTarget({ params }: ServerRequest): string | undefined {
  if (!isObject(params)) return undefined;
  const { name, uri } = params;
  if (typeof name === "string") return name;
  return typeof uri === "string" ? uri : undefined;
}

/** True if a result reports a failed tool. */
export function isToolFailure(result: unknown): boolean {
  return isObject(result) && result.isError === true;
}

type Handler = (params: unknown, call: CallContext) => unknown;

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
