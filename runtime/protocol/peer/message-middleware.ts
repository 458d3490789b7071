import { isObject, type Role } from "../../../generated/support.ts";
import { asHandled } from "../../internal/as-handled.ts";
import { StaticResult } from "../../jsonrpc/message.ts";
import type { Session } from "../session/session.ts";

/** A request or a notification on its way through middleware. */
export interface MiddlewareMessage {
  /** JSON-RPC method, such as `tools/call`. */
  readonly method: string;
  /** Params with their `_meta`, without the metadata added by the runtime when it sends them. */
  readonly params: unknown;
  /** End of the connection where the middleware runs. A gateway is the server of its clients, and the client of its server. */
  readonly role: Role;
  /** Session of the message. Absent before the handshake, and for notifications of clients without sessions. */
  readonly session: Session | undefined;
}

/**
 * Passes a message on to the next middleware, and finally to its receiver; with `{ params }`, in changed form. Changed params without a `_meta` keep
 * the one of the message. Resolves with the result of a request, or when a notification has been sent or handled. It may be called once, except for
 * `send.request`: there each call sends a request.
 */
export type Next = (changed?: { readonly params: unknown }) => Promise<unknown>;

/**
 * Functions around the messages at one end of a connection: one call per message. A message that is not passed on with `next` goes no further: the
 * returned value is the result of a request, and a notification is dropped. An error thrown around a received request is its error response, around a
 * received notification it is reported, and around a sent message it rejects the call. Calls pass in wire order; a function that waits may be overtaken.
 *
 * @example
 * ```ts
 * import { createClient, type MessageMiddleware } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const trace: MessageMiddleware = {
 *   receive: { notification: ({ method }, next) => (console.error(method), next()) },
 *   send: { request: ({ params }, next) => next({ params: { ...Object(params), _meta: { "com.example/trace": "1" } } }) },
 * };
 * const client = createClient({ info: { name: "my-client", version: "1.0.0" }, revisions, middleware: [trace] });
 * ```
 */
export interface MessageMiddleware<Received extends MiddlewareMessage = MiddlewareMessage> {
  /** Functions around messages of the peer whose params are valid. */
  readonly receive?: {
    readonly request?: (request: Received, next: Next) => unknown;
    readonly notification?: (notification: MiddlewareMessage, next: Next) => unknown;
  };
  /** Functions around messages to the peer. */
  readonly send?: {
    readonly request?: (request: MiddlewareMessage, next: Next) => unknown;
    readonly notification?: (notification: MiddlewareMessage, next: Next) => unknown;
  };
}

/** Returns middleware in its order: inside the listed ones run the added ones, which belong to extensions. */
export function orderMiddleware<Step>(listed: readonly Step[] = [], added: readonly Step[] = []): readonly Step[] {
  return [...listed, ...added];
}

/** Message without the role of its end. */
type Given = Omit<MiddlewareMessage, "role">;

/** Middleware of one end of a connection, composed once. A kind of message without middleware has no member. */
export interface MessageSteps {
  readonly receiveRequest?: ReceiveRequest | undefined;
  readonly receiveNotification?: PassNotification | undefined;
  readonly sendRequest?: ((request: Given, send: (params: unknown) => unknown) => Promise<unknown>) | undefined;
  readonly sendNotification?: PassNotification | undefined;
}

/** Runs a received request through middleware to its handler. The call must not have an effect once its signal is aborted. */
export type ReceiveRequest = (
  request: Given,
  call: Cancellable,
  handle: (params: unknown) => unknown,
) => Promise<unknown>;

/** Call whose signal is created when it is first read. */
interface Cancellable {
  readonly signal: AbortSignal;
}

/** Runs a notification through middleware, and passes it on. */
type PassNotification = (notification: Given, pass: (params: unknown) => unknown) => Promise<void>;

/** Steps of an end without middleware. */
export const noSteps: MessageSteps = Object.freeze({});

/** Composes the middleware of one end. */
export function createMessageSteps(middleware: readonly MessageMiddleware[] | undefined, role: Role): MessageSteps {
  if (!middleware || middleware.length === 0) return noSteps;
  const received = middleware.flatMap(({ receive }) => receive?.request?.bind(receive) ?? []);
  const sent = middleware.flatMap(({ send }) => send?.request?.bind(send) ?? []);
  const toPass = (steps: readonly Step[]): PassNotification | undefined =>
    when(steps, async (notification, pass) => void (await runSteps(steps, { ...notification, role }, { last: pass })));
  return {
    receiveRequest: when(received, (request, call, handle) =>
      runRequest(received, { ...request, role }, { call, handle }),
    ),
    receiveNotification: toPass(middleware.flatMap(({ receive }) => receive?.notification?.bind(receive) ?? [])),
    sendRequest: when(sent, (request, send) => runSteps(sent, { ...request, role }, { last: send, mayRepeat: true })),
    sendNotification: toPass(middleware.flatMap(({ send }) => send?.notification?.bind(send) ?? [])),
  };
}

function when<Value>(steps: readonly Step[], value: Value): Value | undefined {
  return steps.length > 0 ? value : undefined;
}

/** One function of middleware. */
type Step<Message = MiddlewareMessage> = (message: Message, next: Next) => unknown;

/** Runs a received request through steps. A result that no step replaced keeps its encoded form. */
export async function runRequest<Request extends { readonly params: unknown }>(
  steps: readonly Step<Request>[],
  request: Request,
  { call, handle }: { readonly call: Cancellable; readonly handle: (params: unknown) => unknown },
): Promise<unknown> {
  let response: unknown;
  const last = async (params: unknown): Promise<unknown> => {
    // Middleware may wait. A call has no effect if it was cancelled in the meantime.
    call.signal.throwIfAborted();
    response = await handle(params);
    return response instanceof StaticResult ? freeze(response.value) : response;
  };
  const result = await runSteps(steps, request, { last });
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

/** Runs a message through steps, each inside the one before. Steps that do not wait run at once, which keeps messages in order. */
function runSteps<Message extends { readonly params: unknown }>(
  steps: readonly Step<Message>[],
  message: Message,
  {
    last,
    mayRepeat = false,
  }: {
    /** Passes the message on behind the last step. */
    readonly last: (params: unknown) => unknown;
    /** True if a step may pass the message on several times. */
    readonly mayRepeat?: boolean;
  },
): Promise<unknown> {
  const enter = async (index: number, current: Message): Promise<unknown> => {
    const step = steps[index];
    if (!step) return last(current.params);
    let isUsed = false;
    return step(current, (changed) => {
      if (isUsed && !mayRepeat) return Promise.reject(new Error(calledTwice));
      isUsed = true;
      // A step need not wait for the outcome.
      return asHandled(enter(index + 1, changed ? change(current, changed.params) : current));
    });
  };
  return enter(0, message);
}

/** Returns a message with other params. They keep the `_meta` of the message if they have none of their own. */
function change<Message extends { readonly params: unknown }>(message: Message, params: unknown): Message {
  const { params: given } = message;
  const isMissing =
    isObject(params) && !Object.hasOwn(params, "_meta") && isObject(given) && Object.hasOwn(given, "_meta");
  return { ...message, params: isMissing ? { ...params, _meta: given._meta } : params };
}

const calledTwice = "The middleware called next() twice; call it once per message";
