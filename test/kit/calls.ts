import { isObject, type Caller, type Progress, type Revision } from "../../generated/support.ts";
import type { CallContext } from "../../runtime/protocol/peer/incoming-call.ts";
import { StaticResult } from "../../runtime/jsonrpc/message.ts";
import type { Session } from "../../runtime/protocol/session/session.ts";
import type { Server } from "../../runtime/server/create-server.ts";

/** Messages that a handler sent while it ran. */
export interface Sent {
  readonly method: string;
  readonly params: unknown;
}

export interface CallSetup {
  readonly requestId?: string;
  readonly session?: Session;
  readonly sent?: Sent[];
  readonly signal?: AbortSignal;
  /** `_meta` of the request as the context shows it. */
  readonly meta?: unknown;
  /** Information of the transport about the sender. */
  readonly origin?: unknown;
  /** Returns the result of a request to the client. */
  readonly respond?: (method: string, params: unknown) => unknown;
}

/** Calls a handler as the core does: params and result are checked against the revision. */
export async function callServer(
  server: Server,
  revision: Revision,
  request: readonly [method: string, params?: unknown],
  setup: CallSetup = {},
): Promise<unknown> {
  const [method, params] = request;
  const { handlers } = server.implement(revision);
  const row = revision.clientRequests[method];
  const handler: unknown = row && Reflect.get(handlers, row.handler);
  if (!row || typeof handler !== "function") throw new Error(`${method} has no handler`);
  const badParams = params === undefined && row.paramsOptional ? undefined : row.params(params);
  if (badParams) throw new Error(`params ${badParams.path}: ${badParams.expected}`);
  const outcome: unknown = await handler.call(handlers, params, createCall(server, revision, setup));
  const result = outcome instanceof StaticResult ? outcome.value : outcome;
  const badResult = row.result(result);
  if (badResult) throw new Error(`result ${badResult.path}: ${badResult.expected}`);
  return result;
}

/** A session without a connection. */
export function createSession(server: Server, revision: Revision, capabilities: object = {}): Session {
  return {
    revision,
    role: "server",
    own: { info: server.info, capabilities: server.implement(revision).capabilities },
    peer: { info: { name: "test", version: "1" }, capabilities: { ...capabilities } },
    instructions: server.instructions,
  };
}

/** The `_meta` that a request of a revision needs, as params. */
export function meta(revision: Revision): object {
  if (revision.lifecycle === "handshake") return {};
  const keys = revision.reservedMeta.filter((key) => key.required && key.on === "request").map((key) => key.key);
  const values = keys.map((key) => [key, key.endsWith("Version") ? revision.id : {}]);
  return { _meta: Object.fromEntries(values) };
}

export function createCall(server: Server, revision: Revision, setup: CallSetup): CallContext {
  const sent = setup.sent ?? [];
  const caller: Caller = {
    async request(row, params) {
      sent.push({ method: row.method, params });
      const result: unknown = setup.respond?.(row.method, params);
      if (!isResult<never>(result)) throw new Error("The client has no result");
      return result;
    },
    async notify(row, params) {
      sent.push({ method: row.method, params });
    },
  };
  const session = setup.session ?? createSession(server, revision);
  const closed = new Promise<undefined>(() => {});
  return {
    ...caller,
    requestId: setup.requestId ?? 1,
    session,
    connection: { ...caller, state: "INITIALIZED", session, closed, close: () => Promise.resolve() },
    revision,
    meta: isObject(setup.meta) ? setup.meta : {},
    signal: setup.signal ?? new AbortController().signal,
    origin: setup.origin,
    progressRate: { burst: 100, perSecond: 20 },
    async progress(progress: Progress) {
      sent.push({ method: "notifications/progress", params: progress });
    },
  };
}

function isResult<T>(value: unknown): value is T {
  return value !== undefined;
}
