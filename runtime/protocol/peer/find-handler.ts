import type { RequestRow } from "../../../generated/support.ts";
import { invalidParams, methodNotFound, type RpcError } from "../../jsonrpc/errors.ts";
import type { RequestHandler } from "../session/call-context.ts";
import type { IncomingRequest } from "./incoming-call.ts";
import { withoutNulls, type RequestRoute, type Routes } from "./routes.ts";
import { isOpen, type Session } from "../session/session.ts";

/** Request whose params are valid, with its row and its handler. */
export interface HandledRequest {
  readonly request: IncomingRequest;
  readonly row: RequestRow;
  readonly handle: RequestHandler;
  /** True if later messages wait for the response. */
  readonly isFirst: boolean;
}

/** Routes and session for a request: the connection's, or its own. */
export interface RequestRoutes {
  readonly routes: Routes;
  readonly session: Session | undefined;
}

/** Finds the handler of a request, and checks its params. Returns the error if there is no handler, or if the params are not valid. */
export function findHandler(request: IncomingRequest, situation: RequestRoutes): HandledRequest | RpcError {
  const { method, params } = request;
  const { routes, session } = situation;
  const route = routes.requests.get(method) ?? findFallback(request, routes);
  if (!route) return routes.reject(method);
  const { row, handle, isFirst = false } = route;
  if (!handle || (row.gate && session && !isOpen(row.gate, session))) return methodNotFound(method);
  const issue = params === undefined && row.paramsOptional ? undefined : row.params(params);
  if (!issue) return { request: toWritten(request, session), row, handle, isFirst };
  const readable = withoutNulls(row, params);
  return readable ? findHandler({ ...request, params: readable }, situation) : invalidParams(issue);
}

/** Returns a valid request as the code of this end knows it. */
function toWritten(request: IncomingRequest, session: Session | undefined): IncomingRequest {
  if (!session?.converter) return request;
  const { method } = request;
  const params = session.converter.receivedParams({ kind: "request", method, params: request.params });
  return params === request.params ? request : { ...request, params };
}

function findFallback({ method, params }: IncomingRequest, routes: Routes): RequestRoute | undefined {
  const fallback = routes.findFallback?.(method);
  if (!fallback) return undefined;
  const row: RequestRow = {
    kind: "request",
    method,
    handler: "fallback",
    params: acceptAny,
    paramsOptional: true,
    result: acceptAny,
  };
  return { row, handle: (_params, context) => fallback({ method, params }, context) };
}

/** Nothing is known about the params and the result of a method outside of the revision. */
function acceptAny(): undefined {
  return undefined;
}
