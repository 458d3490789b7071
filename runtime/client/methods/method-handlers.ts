import { isObject, type EmbeddedRow, type RequestRow, type Revision } from "../../../generated/support.ts";
import { chain } from "../../internal/maybe-async.ts";
import { InvalidMessageError, SetupError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isDefinedExtension, namedAfterExtension } from "../../protocol/revision/defined-extension.ts";
import type { Connection } from "../../protocol/session/connection.ts";
import { unknownImplementation, type Capabilities } from "../../protocol/session/session.ts";
import { declareCapability } from "../../protocol/session/declare-capability.ts";
import type { ClientRequestContext } from "../protocol-types.ts";
import type { AnyClientOptions } from "../options.ts";
import { ResponseScope } from "../input/response-scope.ts";

/** Part of the options with handlers of methods. */
export type MethodOptions = Pick<AnyClientOptions, "handlers" | "fallback" | "revisions" | "extensions">;

type Handler = (params: object, context: unknown) => unknown;

/**
 * Checks the handlers of methods.
 *
 * @throws {SetupError} when one is no function, or names a method of another option, of the runtime itself or of no revision of the client
 */
export function checkMethodOptions(source: AnyClientOptions): void {
  for (const [name, handler] of Object.entries(source.handlers ?? {})) {
    if (typeof handler !== "function")
      throw new SetupError(`handlers.${name} is not a function; write ${name}() { ... }`);
    if (name === "ping") throw new SetupError("handlers.ping is served by the runtime; remove it");
    const option = findOption(name, source);
    if (option !== undefined)
      throw new SetupError(`handlers.${name} is already handled by the option ${option}; remove one`);
    if (!source.revisions.some((revision) => isMethod(name, revision)))
      throw new SetupError(`handlers.${name} is not a method of these revisions; check the name, or use fallback`);
  }
}

/** Returns the option for a server's request, if it is set. */
function findOption(name: string, { sampling, elicitation, roots }: AnyClientOptions): string | undefined {
  switch (name) {
    case "createMessage":
      return sampling && "sampling";
    case "elicit":
      return elicitation && "elicitation";
    case "listRoots":
      return roots && "roots";
    case "getTask":
    case "getTaskPayload":
    case "listTasks":
    case "cancelTask":
      return sampling?.task || elicitation?.task ? "task" : undefined;
    default:
      return undefined;
  }
}

function isMethod(name: string, revision: Revision): boolean {
  return findRequest(name, revision) !== undefined || findRow(revision.serverNotifications, name) !== undefined;
}

/** Returns the handlers of requests at one revision, and the fallback. */
export function implementRequests(source: MethodOptions, revision: Revision): object {
  const [written = revision] = source.revisions;
  const { fallback } = source;
  const rows = [...Object.values(revision.serverRequests), ...Object.values(revision.embeddedRequests)];
  const given = rows.flatMap((row) => {
    const handle = findHandler(source, row.handler);
    return handle ? [[row.handler, implementRequest(findRequest(row.handler, written) ?? row, handle)]] : [];
  });
  return {
    ...Object.fromEntries(given),
    ...(fallback && {
      fallback: (request: Parameters<typeof fallback>[0], call: CallContext) =>
        fallback(request, new ResponseScope(call)),
    }),
  };
}

/** Returns the handler of a notification, if the options have one. */
export function implementNotification(
  source: MethodOptions,
  name: string,
): ((params: unknown, connection: Connection) => unknown) | undefined {
  const handle = findHandler(source, name);
  return (
    handle && ((params, connection) => handle(isObject(params) ? params : {}, createNotificationContext(connection)))
  );
}

/** Adds the capabilities of requests with a handler by name. */
export function declareMethods(source: MethodOptions, revision: Revision, declared: Capabilities): Capabilities {
  const gates = [...Object.values(revision.serverRequests), ...Object.values(revision.embeddedRequests)].flatMap(
    ({ handler, gate }) => (gate?.side === "client" && findHandler(source, handler) ? [gate] : []),
  );
  return gates.reduce((known, { path }) => declareCapability(known, path), declared);
}

/** The row of a newer revision checks the result: converters for older revisions need a valid one. */
function implementRequest(row: RequestRow | EmbeddedRow, handle: Handler): object {
  const { method, result: check } = row;
  const complete = (result: unknown = {}): unknown => {
    const issue = check(result);
    if (issue) throw new InvalidMessageError(method, "result", issue);
    return result;
  };
  return namedAfterExtension(row, (params, call: CallContext) =>
    chain(handle(isObject(params) ? params : {}, new ResponseScope(call)), complete),
  );
}

function findRequest(
  name: string,
  { serverRequests, embeddedRequests }: Revision,
): RequestRow | EmbeddedRow | undefined {
  return findRow(serverRequests, name) ?? findRow(embeddedRequests, name);
}

/** Finds a handler of the options, or of an extension. A handler may be a method of a class, which is no own member. */
function findHandler({ handlers = {}, extensions = [] }: MethodOptions, name: string): Handler | undefined {
  const owners = [handlers, ...extensions.filter(isDefinedExtension).map((extension) => extension.handlers)];
  for (const owner of owners) {
    const handler: unknown = Reflect.get(owner, name);
    if (isHandler(handler)) return handler.bind(owner);
  }
  return undefined;
}

function isHandler(value: unknown): value is Handler {
  return typeof value === "function";
}

function createNotificationContext({ session }: Connection): Pick<ClientRequestContext, "server" | "revision"> {
  const { info = unknownImplementation, capabilities = {} } = session?.peer ?? {};
  return { server: { info, capabilities }, revision: session?.revision.id ?? "" };
}
