import { errorCodes } from "../../jsonrpc/errors.ts";
import { toPreflightFields, type CorsOptions } from "../http-server/cors.ts";
import type { Exchange } from "../http-server/exchange/exchange.ts";
import { authenticate, checkScopes } from "../http-server/authenticate.ts";
import {
  checkAccept,
  checkBodyHeaders,
  checkHost,
  checkLines,
  checkOpen,
  checkOrigin,
  isForRunningCalls,
  isRejection,
  sessionHeader,
  type HttpServerContext,
} from "../http-server/validate-request.ts";
import { readPostBody, type PostBody } from "../http-server/post-body.ts";
import { toOrigin, type Identity } from "../http-server/identity.ts";
import { streamFields } from "../http-server/session/session-response.ts";
import type { Connection } from "../../protocol/session/connection.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import { rejectHttp, type RejectedRequest } from "../http-server/rejection.ts";
import type { Sessions } from "../http-server/session/sessions.ts";
import type { HttpService, SseOptions } from "../http-server/settings.ts";
import { SseSession } from "./http-sse-session.ts";

/** Context of the two endpoints of HTTP with SSE. */
export interface HttpSseContext extends HttpServerContext {
  readonly service: HttpService;
  readonly sessions: Sessions;
  readonly sse: Required<SseOptions>;
  /** Sessions whose stream ends in this process, by id. */
  readonly streams: Map<string, SseSession>;
}

/**
 * Returns the endpoint of HTTP with SSE to which a request is addressed. If the endpoint of Streamable HTTP has the same path, or every path, it
 * takes the request unless only HTTP with SSE can.
 */
export function findSseEndpoint(
  exchange: Exchange,
  { sse, settings }: HttpSseContext,
): "stream" | "messages" | undefined {
  const { method, path } = exchange;
  if (path !== sse.path && path !== sse.messagesPath) return undefined;
  const isShared = settings.path === undefined || settings.path === path;
  if (path === sse.path) {
    const isOfSession = exchange.header(sessionHeader) !== undefined;
    if (!isShared || (method === "GET" && !isOfSession)) return "stream";
  }
  const isMessage = method === "POST" && exchange.query(sessionParameter) !== undefined;
  return path === sse.messagesPath && (!isShared || isMessage) ? "messages" : undefined;
}

/** Serves a request to one of the two endpoints. Returns a rejection for the caller to send. */
export async function serveSse(
  endpoint: "stream" | "messages",
  exchange: Exchange,
  serverContext: HttpSseContext,
): Promise<RejectedRequest | undefined> {
  const { cors } = serverContext.settings;
  if (cors && exchange.method === "OPTIONS") return respondToPreflight(exchange, serverContext, cors);
  return endpoint === "stream" ? openSse(exchange, serverContext) : receiveSse(exchange, serverContext);
}

function respondToPreflight(
  exchange: Exchange,
  serverContext: HttpSseContext,
  cors: CorsOptions,
): RejectedRequest | undefined {
  const early = checkEarly(exchange, serverContext, "OPTIONS");
  if (early) return early;
  return void exchange.respond({ status: 204, headers: toPreflightFields(exchange, cors) });
}

/** Serves GET of the first endpoint: opens a session and its stream. */
async function openSse(exchange: Exchange, serverContext: HttpSseContext): Promise<RejectedRequest | undefined> {
  const early = checkEarly(exchange, serverContext, "GET");
  if (early) return early;
  const { guard } = serverContext.settings;
  const identity = guard && (await authenticate(exchange, guard, serverContext.settings));
  if (identity && isRejection(identity)) return identity;
  const unacceptable = checkAccept(exchange, ["text/event-stream"]);
  if (unacceptable) return unacceptable;
  if (serverContext.service.takesSessions?.(identity?.principal) === false) return tooManySessions();
  // Only this process has the stream.
  const key = { id: serverContext.directory.createId({ isBound: true }), owner: identity?.principal };
  if (!(await serverContext.sessions.admit(key))) return tooManySessions();
  const late = checkOpen(serverContext);
  if (late) {
    await forget(key, serverContext);
    return late;
  }
  const session = new SseSession(key, exchange.stream(streamFields), serverContext.settings);
  const connection = await accept(session, serverContext);
  serverContext.streams.set(key.id, session);
  const { endpoint, handshakeTimeout } = serverContext.sse;
  const separator = endpoint.includes("?") ? "&" : "?";
  session.serve(connection, { endpoint: `${endpoint}${separator}${sessionParameter}=${key.id}`, handshakeTimeout });
  serverContext.sessions.adopt(session);
  void connection.closed.then(() => forget(key, serverContext));
  return undefined;
}

/** Serves a session. If this fails, the session is removed from the store. */
async function accept(session: SseSession, serverContext: HttpSseContext): Promise<Connection> {
  try {
    return serverContext.service.accept(session);
  } catch (thrown) {
    await forget(session.key, serverContext);
    throw thrown;
  }
}

/** Serves POST to the second endpoint: receives one message, whose response is sent on the stream. */
async function receiveSse(exchange: Exchange, serverContext: HttpSseContext): Promise<RejectedRequest | undefined> {
  const { directory, cancellations } = serverContext;
  const checks = validateSse(exchange, serverContext);
  const outcome = await cancellations.arrange(exchange.query(sessionParameter) ?? "", checks);
  if (isRejection(outcome)) return outcome;
  const { identity, postBody, session } = outcome;
  const value: unknown = postBody.kind === "single" ? postBody.value : postBody.values;
  if (!(session instanceof SseSession)) {
    const isSent = await directory.forwardPost?.(session, { value, identity });
    return isSent ? acceptSse(exchange, postBody) : unknownSession();
  }
  const origin = toOrigin(identity, exchange);
  const rejected = acceptSse(exchange, postBody);
  session.receive(value, origin);
  return rejected;
}

interface SseMessage {
  readonly kind: "message";
  readonly identity: Identity | undefined;
  readonly postBody: PostBody;
  readonly session: SseSession | SessionKey;
}

async function validateSse(exchange: Exchange, serverContext: HttpSseContext): Promise<SseMessage | RejectedRequest> {
  const early = checkEarly(exchange, serverContext, "POST");
  if (early) return early;
  const { guard } = serverContext.settings;
  const identity = guard && (await authenticate(exchange, guard, serverContext.settings));
  if (identity && isRejection(identity)) return identity;
  const unfit = checkBodyHeaders(exchange, serverContext);
  if (unfit) return unfit;
  const { bodyLimits, limits } = serverContext.settings;
  const postBody = readPostBody(await exchange.readBody(bodyLimits), limits);
  if (postBody.kind === "refused") return postBody;
  const closing = isForRunningCalls(postBody) ? undefined : checkOpen(serverContext);
  if (closing) return closing;
  const session = await findSse(exchange, serverContext, identity);
  if (isRejection(session)) return checkOpen(serverContext) ?? session;
  const forbidden = checkScopes(exchange, serverContext, { identity, postBody });
  return forbidden ?? { kind: "message", identity, postBody, session };
}

/** Responds to a POST with a message for a session. The rejection of a malformed response has no id: it may be the id of another call. */
function acceptSse(exchange: Exchange, postBody: PostBody): RejectedRequest | undefined {
  if (postBody.kind === "single" && postBody.incoming.kind === "unusable")
    return rejectHttp(400, postBody.incoming.reason);
  return void exchange.respond({ status: 202 });
}

function unknownSession(): RejectedRequest {
  return rejectHttp(404, "Session not found", { reason: "unknown-session" });
}

const sessionParameter = "sessionId";

function checkEarly(exchange: Exchange, serverContext: HttpSseContext, method: string): RejectedRequest | undefined {
  const wrongMethod =
    exchange.method === method
      ? undefined
      : rejectHttp(405, `Method not allowed; use ${method}`, { headers: { allow: method } });
  return (
    // The body of a POST may have what running calls wait for.
    (method === "POST" ? undefined : checkOpen(serverContext)) ??
    wrongMethod ??
    checkLines(exchange) ??
    checkHost(exchange, serverContext) ??
    checkOrigin(exchange, serverContext)
  );
}

/** Returns the session of a message; only its key when another process may have its stream. */
async function findSse(
  exchange: Exchange,
  serverContext: HttpSseContext,
  identity: Identity | undefined,
): Promise<SseSession | SessionKey | RejectedRequest> {
  const id = exchange.query(sessionParameter);
  if (id === undefined) return rejectHttp(400, `The query parameter ${sessionParameter} is required`);
  const session = serverContext.streams.get(id);
  const { store, forwardPost } = serverContext.directory;
  if (!session && forwardPost) return (await store?.find({ id, owner: identity?.principal })) ?? unknownSession();
  if (!session || session.key.owner !== identity?.principal) return unknownSession();
  // Keeps the store from expiring a session that only this process can serve.
  await serverContext.settings.sessions?.store.find(session.key);
  return session;
}

async function forget(key: SessionKey, serverContext: HttpSseContext): Promise<void> {
  serverContext.streams.delete(key.id);
  try {
    await serverContext.settings.sessions?.store.remove(key);
  } catch (error) {
    serverContext.settings.fail(error);
  }
}

/** Creates the rejection of a session beyond the limit. */
export function tooManySessions(): RejectedRequest {
  const details = { code: errorCodes.internalError, headers: { "retry-after": "30" } };
  return rejectHttp(503, "Too many sessions; retry later", details);
}
