import {
  fail,
  isObject,
  under,
  type Issue,
  type NotificationRow,
  type RequestRow,
  type Revision,
  type Role,
  type Table,
} from "../../../generated/support.ts";
import type { StatelessHost, StatelessRequest } from "./stateless-request.ts";
import type { NotificationHandler, RequestHandler } from "../session/call-context.ts";
import type { IncomingCall } from "./incoming-call.ts";
import type { RevisionConverter } from "../revision/revision-converter.ts";
import { InvalidMessageError, methodNotFound, type RpcError } from "../../jsonrpc/errors.ts";
import type { ReceiveRequest } from "./message-middleware.ts";
import { omit } from "../revision/known-members.ts";
import { profileHandler, type Profile } from "../profile.ts";
import { toReadable } from "./readable-result.ts";
import type { Session, SessionConverter } from "../session/session.ts";

export type { NotificationHandler, RequestHandler } from "../session/call-context.ts";

/** Handlers by name (`callTool`): a Map, an object, or an instance of a class. `fallback` handles the methods outside of a revision. */
export type Handlers = object;

/** Route of one request; without a handler the request is rejected. */
export interface RequestRoute {
  readonly row: RequestRow;
  readonly handle: RequestHandler | undefined;
  /** True if later messages wait for the response, because it decides how they are handled. */
  readonly isFirst?: true;
}

/** Route of one notification, with an optional handler. */
export interface NotificationRoute {
  readonly row: NotificationRow;
  readonly handle: NotificationHandler | undefined;
}

/** Messages that may arrive now, by method. Any number of connections share the same routes. */
export interface Routes {
  readonly requests: ReadonlyMap<string, RequestRoute>;
  readonly notifications: ReadonlyMap<string, NotificationRoute>;
  readonly batching: boolean;
  readonly neverBatched: ReadonlySet<string>;
  /** Returns the handler of a request without a route: of a method outside of the revision. Its first argument is the request. */
  readonly findFallback?: (method: string) => RequestHandler | undefined;
  /** Creates the error of a request without a route. */
  readonly reject: (method: string) => RpcError;
  /** True if the peer may not send requests: they get no response. */
  readonly isSilent?: true;
  /** Runs first for every request. A stateless request brings its own session, regardless of the connection's. */
  readonly enter?: FindStatelessRoutes | undefined;
  /** Routes of a channel for sessions only: no stateless requests. Default: these. */
  readonly sessionOnly?: Routes | undefined;
  readonly profile?: Profile | undefined;
}

/** Returns the entry of a stateless request, or its rejection; nothing for a request of the connection's session. */
export type FindStatelessRoutes = (request: {
  readonly method: string;
  readonly params: unknown;
}) => StatelessRoutes | RpcError | undefined;

/** Routes and session of one stateless request. */
export interface StatelessRoutes {
  readonly routes: Routes;
  readonly session: Session;
  createCall(host: StatelessHost, session: Session, request: StatelessRequest): IncomingCall;
}

/** Options of routes: the role of this end, its handlers and the built-in ones. */
export interface RouteOptions {
  readonly role: Role;
  readonly handlers: Handlers;
  /** Handlers by method, with precedence over the user's. */
  readonly builtins?: ReadonlyMap<string, RequestHandler>;
  /** Set when the handlers are written for a newer revision. */
  readonly converter?: RevisionConverter | undefined;
  readonly profile?: Profile | undefined;
  /** Middleware around the handlers of requests. */
  readonly receive?: ReceiveRequest | undefined;
}

/** Copies the tables of a revision into maps, once: method names come from peers and must not reach an object's prototype. */
export function createRoutes(revision: Revision, options: RouteOptions): Routes {
  const { clientRequests, clientNotifications } = revision;
  if (options.role === "client") {
    return toRoutes(revision, [revision.serverRequests, revision.serverNotifications], options);
  }
  return toRoutes(revision, [clientRequests, clientNotifications], options);
}

/** Creates routes from the tables of what the peer sends. */
function toRoutes(
  revision: Revision,
  [requests, notifications]: readonly [Table<RequestRow>, Table<NotificationRow>],
  options: RouteOptions,
): Routes {
  const fallback = wrapFallback(readHandler(options.handlers, "fallback"), options.receive);
  return {
    requests: createRequestRoutes(requests, options),
    notifications: createNotificationRoutes(notifications, options.handlers),
    batching: revision.batching,
    neverBatched: new Set(revision.neverBatched),
    reject: methodNotFound,
    findFallback: () => fallback,
    profile: options.profile,
  };
}

/** Options of checking a result. */
export interface CheckResultOptions {
  /** Receives a description of each value read as absent, and of each item left out. */
  readonly onChange?: ((text: string) => void) | undefined;
  /** Converts the result to the revision of this end's code. */
  readonly converter?: Pick<SessionConverter, "receivedResult"> | undefined;
}

/**
 * Returns a value of the peer with the type of its row. Optional members that are `null` count as absent, and invalid items of lists are left out.
 *
 * @throws {InvalidMessageError} when it does not fit
 */
export function checkResult<Params, Result>(
  row: RequestRow<Params, Result>,
  value: unknown,
  { onChange = () => {}, converter }: CheckResultOptions = {},
): Result {
  const given = toPermitted(row, value);
  const readable = given.issue && toReadable(row, given.value);
  for (const text of readable?.changes ?? []) onChange(text);
  const { value: read, issue } = readable ? toPermitted(row, readable.value) : given;
  if (issue) throw new InvalidMessageError(row.method, "result", issue);
  const result = converter ? converter.receivedResult(row.method, read) : read;
  // The only assertion of the runtime: the generated check has just accepted the value, and check and type come from one declaration. A converter
  // only adds or replaces values that the generator has checked against the newer declaration.
  return result as Result;
}

/** Checks that the kind of a result is allowed for this request: others cannot be understood. A result without a kind is complete. */
export function checkResultType(revision: Revision | undefined, row: RequestRow, result: unknown): Issue | undefined {
  const always = revision?.resultTypes?.known;
  const kind = isObject(result) ? result.resultType : undefined;
  if (!always || kind === undefined) return undefined;
  const { kinds = [] } = row;
  if (typeof kind === "string" && (always.includes(kind) || kinds.includes(kind))) return undefined;
  return under("resultType", fail([...always, ...kinds].map((name) => JSON.stringify(name)).join(" or ")));
}

/** Returns a result without anything the revision permits a peer to send in place of a valid member, and the remaining issue. */
function toPermitted(row: RequestRow, value: unknown): { readonly value: unknown; readonly issue: Issue | undefined } {
  const issue = row.result(value);
  const permitted = issue && (withMinimum(row, value, issue) ?? withoutNulls(row, value));
  return permitted ? toPermitted(row, permitted) : { value, issue };
}

/** Returns a result with the minimum in place of a lower number, where the revision permits peers to send one; `undefined` for any other issue. */
function withMinimum({ minimums = {} }: RequestRow, value: unknown, { path }: Issue): object | undefined {
  if (!isObject(value) || !Object.hasOwn(minimums, path)) return undefined;
  const [sent, minimum] = [value[path], minimums[path]];
  const isLow = typeof sent === "number" && minimum !== undefined && sent < minimum;
  return isLow ? { ...value, [path]: minimum } : undefined;
}

/** Returns params or a result without `null`s, where a peer may send them for absent members; `undefined` where there are none. */
export function withoutNulls({ nulls = [] }: RequestRow, value: unknown): object | undefined {
  if (!isObject(value)) return undefined;
  const found = nulls.filter((name) => value[name] === null);
  return found.length > 0 ? omit(value, ...found) : undefined;
}

function createRequestRoutes(table: Table<RequestRow>, options: RouteOptions): ReadonlyMap<string, RequestRoute> {
  const routes = new Map<string, RequestRoute>();
  for (const [method, row] of Object.entries(table)) {
    const handle = options.builtins?.get(method) ?? readHandler(options.handlers, row.handler);
    routes.set(method, { row, handle: handle && wrapHandler(handle, method, options.receive) });
  }
  fitHandlers(routes, options);
  return routes;
}

/** Converts results to the session's revision, and after that with the profile. */
function fitHandlers(routes: Map<string, RequestRoute>, options: RouteOptions): void {
  for (const [method, { row, handle }] of routes) {
    if (!handle) continue;
    let fitting = handle;
    fitting = options.converter?.handler(fitting, method) ?? fitting;
    fitting = profileHandler(fitting, method, options.profile);
    routes.set(method, { row, handle: fitting });
  }
}

/** Wraps a handler in middleware; without middleware, returns the handler itself. */
function wrapHandler(handle: RequestHandler, method: string, receive: ReceiveRequest | undefined): RequestHandler {
  if (!receive) return handle;
  return (params, call) => receive({ method, params, session: call.session }, call, (given) => handle(given, call));
}

/** Wraps the handler of methods outside of the revision, whose first argument is the request. */
function wrapFallback(handle: RequestHandler | undefined, receive: ReceiveRequest | undefined): typeof handle {
  if (!handle || !receive) return handle;
  return (request, call) => {
    const { method, params } = isObject(request) ? request : {};
    const message = { method: String(method), params, session: call.session };
    return receive(message, call, (given) => handle({ method, params: given }, call));
  };
}

function createNotificationRoutes(
  table: Table<NotificationRow>,
  handlers: Handlers,
): ReadonlyMap<string, NotificationRoute> {
  const routes = new Map<string, NotificationRoute>();
  for (const [method, row] of Object.entries(table)) {
    const route = { row, handle: readHandler(handlers, row.handler) };
    for (const name of [method, ...(row.aliases ?? [])]) routes.set(name, route);
  }
  return routes;
}

/** Returns a handler by name. It may be a method of an object, so it keeps its `this`. */
function readHandler(handlers: Handlers, name: string): ((params: unknown, context: unknown) => unknown) | undefined {
  const handler: unknown = handlers instanceof Map ? handlers.get(name) : Reflect.get(handlers, name);
  return isFunction(handler) ? (params, context) => handler.call(handlers, params, context) : undefined;
}

function isFunction(value: unknown): value is (params: unknown, context: unknown) => unknown {
  return typeof value === "function";
}
