import { isObject, type Revision } from "../../../generated/support.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { StaticResult } from "../../jsonrpc/message.ts";
import type { AnyContext } from "../protocol-types.ts";

/** A request on its way to its handler. Its method and params have been checked against the revision. */
export interface ServerRequest {
  /** JSON-RPC method, such as `tools/call`. */
  readonly method: string;
  /** Params of the request, as the client sent them. */
  readonly params: unknown;
  /** Facts about the request, and functions for middleware to call while the request runs. */
  readonly context: AnyContext;
}

/**
 * Function around a request. `next` calls the next middleware, finally the handler, and resolves with the result. The returned value becomes the
 * result. Lists are frozen, because all clients share them: return a changed copy instead. A thrown `RpcError` becomes the error response; any other
 * thrown value becomes an internal error.
 */
export type Middleware = (request: ServerRequest, next: () => Promise<unknown>) => unknown;

/** Wraps every handler of a revision in middleware. Without middleware the handlers stay as they are. */
export function wrapHandlers(
  handlers: object,
  revision: Revision,
  options: { readonly middleware: readonly Middleware[]; toContext(call: CallContext): AnyContext },
): object {
  const { middleware, toContext } = options;
  if (middleware.length === 0) return handlers;
  const methods = new Map(Object.values(revision.clientRequests).map(({ handler, method }) => [handler, method]));
  const wrap = (name: string, handler: Handler): Handler => {
    const method = methods.get(name);
    const toRequest = method === undefined ? readFallback : (params: unknown) => ({ method, params });
    return (params, call) =>
      runMiddleware(middleware, { ...toRequest(params), context: toContext(call) }, () =>
        handler.call(handlers, params, call),
      );
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

/** Runs a request through the middleware to its handler. */
export async function runMiddleware(
  middleware: readonly Middleware[],
  request: ServerRequest,
  handle: () => unknown,
): Promise<unknown> {
  let response: unknown;
  const enter = async (index: number): Promise<unknown> => {
    const step = middleware[index];
    if (step)
      return step(
        request,
        once(() => enter(index + 1)),
      );
    // Middleware may wait. A call has no effect if it was cancelled in the meantime.
    request.context.signal.throwIfAborted();
    response = await handle();
    return response instanceof StaticResult ? freeze(response.value) : response;
  };
  const result = await enter(0);
  // A result that no middleware replaced keeps its encoded form.
  return response instanceof StaticResult && response.value === result ? response : result;
}

/** Freezes a result with its lists and their entries. What these refer to belongs to the definition of the server, and stays as it is. */
function freeze(result: unknown): unknown {
  if (!isObject(result) || Object.isFrozen(result)) return result;
  for (const list of Object.values(result).filter(Array.isArray)) {
    for (const entry of list) Object.freeze(entry);
    Object.freeze(list);
  }
  return Object.freeze(result);
}

function once(next: () => Promise<unknown>): () => Promise<unknown> {
  let isUsed = false;
  return async () => {
    if (isUsed) throw new Error("The middleware called next() twice; call it once per request");
    isUsed = true;
    return next();
  };
}
