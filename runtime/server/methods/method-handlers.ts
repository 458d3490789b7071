import { isObject, type NotificationRow, type RequestRow, type Revision } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import { InvalidMessageError, SetupError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { NotificationHandler } from "../../protocol/session/call-context.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { AnyCoreDefinition } from "../any-definition.ts";
import { readAuth } from "../context.ts";
import { InputRequired } from "../input/input-required.ts";
import type { RevisionServer } from "../revision-server.ts";
import type { ServedMethod } from "./method-types.ts";

const served: readonly ServedMethod[] = ["initialize", "ping", "discover", "setLevel"];

type Handler = (params: unknown, context: unknown) => unknown;

/** Part of a definition with handlers of methods. */
export type MethodSource = Pick<AnyCoreDefinition, "handlers" | "fallback">;

/**
 * Checks the handlers of methods.
 *
 * @throws {SetupError} when one is no function, or names a method of the runtime itself or of no revision of the server
 */
export function checkMethods({ handlers = {} }: MethodSource, revisions: readonly Revision[]): void {
  for (const [name, handler] of Object.entries(handlers)) {
    if (typeof handler !== "function")
      throw new SetupError(`handlers.${name} is not a function; write ${name}() { ... }`);
    if (served.some((own) => own === name))
      throw new SetupError(`handlers.${name} is served by the runtime; remove it, or add middleware`);
    const isKnown = revisions.some((revision) =>
      [revision.clientRequests, revision.clientNotifications].some((table) =>
        findRow<RequestRow | NotificationRow>(table, name),
      ),
    );
    if (!isKnown)
      throw new SetupError(`handlers.${name} is not a method of these revisions; check the name, or use fallback`);
  }
}

/**
 * Returns the handlers of methods at one revision, as far as the revision has them.
 *
 * @param taken - handler names of the other members of the definition
 * @throws {SetupError} when another member of the definition serves a method as well
 */
export function implementMethods(
  { handlers = {}, fallback }: MethodSource,
  server: RevisionServer,
  taken: ReadonlySet<string>,
): object {
  const { revision } = server;
  const given = findGiven(Object.values(revision.clientRequests), handlers);
  const notified = findGiven(Object.values(revision.clientNotifications), handlers);
  const twice = given.map(({ row }) => row.handler).find((name) => taken.has(name));
  if (twice !== undefined)
    throw new SetupError(`handlers.${twice} is already served by another member of the definition; remove one`);
  return {
    ...Object.fromEntries(given.map(({ row, handler }) => [row.handler, implementMethod(row, handler, server)])),
    ...Object.fromEntries(notified.map(({ row, handler }) => [row.handler, implementNotification(handler, revision)])),
    ...(fallback && { fallback: (request: FallbackCall, call: CallContext) => fallback(request, server.scope(call)) }),
  };
}

/** Finds the handlers of some rows. A handler may be a method of a class, which is no own member. */
function findGiven<Row extends { readonly handler: string }>(
  rows: readonly Row[],
  handlers: object,
): { readonly row: Row; readonly handler: Handler }[] {
  return rows.flatMap((row) => {
    const handler: unknown = Reflect.get(handlers, row.handler);
    return isHandler(handler) ? [{ row, handler: handler.bind(handlers) }] : [];
  });
}

type FallbackCall = Parameters<NonNullable<AnyCoreDefinition["fallback"]>>[0];

function implementMethod(row: RequestRow, handle: Handler, server: RevisionServer): object {
  const complete = createCompletion(row, server);
  return (given: unknown, call: CallContext): unknown => {
    // Params may be absent at some revisions only: a handler always gets an object.
    const params = isObject(given) ? given : {};
    return server.inputRunner.run({ method: row.method, params }, call, (during) =>
      chain(handle(params, server.scope(during)), complete),
    );
  };
}

/** Without a session, nothing is known of the client but its principal. */
function implementNotification(handle: Handler, { id }: Revision): NotificationHandler {
  return (params, { session }, origin) => {
    const { info, capabilities = {} } = session?.peer ?? {};
    const context = { auth: readAuth(origin), client: { info, capabilities }, session, revision: id };
    return handle(isObject(params) ? params : {}, context);
  };
}

/** Adds the members of all results of the revision, and checks the result: converters for older revisions need a valid one. */
function createCompletion(row: RequestRow, { envelope, parts }: RevisionServer): (result: unknown) => object {
  const [written] = parts.revisions;
  // A lower `ttlMs` is read as 0: the table says so for each result with a cache hint.
  const isCacheable = Object.hasOwn(row.minimums ?? {}, "ttlMs");
  const members = isCacheable ? envelope.cacheable() : envelope.result;
  const { result: check } = written?.clientRequests[row.method] ?? row;
  return (result) => {
    if (result instanceof InputRequired) return result;
    const whole = { ...members, ...(isObject(result) && result) };
    const issue = result === undefined || isObject(result) ? check(whole) : { path: "", expected: "object" };
    if (issue) throw new InvalidMessageError(row.method, "result", issue);
    return whole;
  };
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}
