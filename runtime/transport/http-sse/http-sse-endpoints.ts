import { errorCodes } from "../../jsonrpc/errors.ts";
import { isStatelessBody } from "../http-server/validate-stateless.ts";
import { toPreflightFields, type CorsOptions } from "../http-server/cors.ts";
import type { Exchange } from "../http-server/exchange/exchange.ts";
import { authenticate, checkScopes } from "../http-server/authenticate.ts";
import {
  checkAccept,
  checkContent,
  checkHost,
  checkLines,
  checkOpen,
  checkOrigin,
  isRefusal,
  readBody,
  sessionHeader,
  type HttpServerContext,
} from "../http-server/validate-request.ts";
import type { HttpOrigin, Identity } from "../http-server/identity.ts";
import { streamFields } from "../http-server/session-response.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import { refuse, type Refusal } from "../http-server/rejection.ts";
import type { HttpService, SseOptions } from "../http-server/settings.ts";
import { SseSession } from "./http-sse-session.ts";

/** What the two endpoints of HTTP with SSE need. */
export interface HttpSseContext extends HttpServerContext {
  readonly service: HttpService;
  readonly sse: Required<SseOptions>;
  /** Sessions whose stream ends in this process. */
  readonly streams: Map<string, SseSession>;
}

/**
 * The endpoint of HTTP with SSE that a request is for. Where the endpoint of Streamable HTTP has the same path, or every path, it is for that
 * unless it can be for nothing else.
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

/** Answers a request to one of the two endpoints. */
export async function serveSse(
  endpoint: "stream" | "messages",
  exchange: Exchange,
  house: HttpSseContext,
): Promise<Refusal | undefined> {
  const { cors } = house.settings;
  if (cors && exchange.method === "OPTIONS") return answerPreflight(exchange, house, cors);
  return endpoint === "stream" ? openSse(exchange, house) : receiveSse(exchange, house);
}

function answerPreflight(exchange: Exchange, house: HttpSseContext, cors: CorsOptions): Refusal | undefined {
  const early = checkEarly(exchange, house, "OPTIONS");
  if (early) return early;
  return void exchange.answer({ status: 204, headers: toPreflightFields(exchange, cors) });
}

/** GET of the first endpoint: opens a session and its stream. */
async function openSse(exchange: Exchange, house: HttpSseContext): Promise<Refusal | undefined> {
  const early = checkEarly(exchange, house, "GET");
  if (early) return early;
  const identity = await authenticate(exchange, house);
  if (isRefusal(identity)) return identity;
  const unacceptable = checkAccept(exchange, ["text/event-stream"]);
  if (unacceptable) return unacceptable;
  if (house.service.takesSessions?.() === false) return tooManySessions();
  const key = { id: crypto.randomUUID(), owner: identity?.principal };
  if (!(await house.sessions.admit(key))) return tooManySessions();
  const late = checkOpen(house);
  if (late) {
    await forget(key, house);
    return late;
  }
  const session = new SseSession(key, exchange.stream(streamFields), house.settings);
  const connection = await accept(session, house);
  house.streams.set(key.id, session);
  const { endpoint, handshakeTimeout } = house.sse;
  session.serve(connection, { endpoint: `${endpoint}?${sessionParameter}=${key.id}`, handshakeTimeout });
  house.sessions.adopt(session);
  void connection.closed.then(() => forget(key, house));
  return undefined;
}

/** Serves a session; one that cannot be served gives its place back. */
async function accept(session: SseSession, house: HttpSseContext): Promise<Connection> {
  try {
    return house.service.accept(session);
  } catch (thrown) {
    await forget(session.key, house);
    throw thrown;
  }
}

/** POST to the second endpoint: takes one message, whose answer goes on the stream. */
async function receiveSse(exchange: Exchange, house: HttpSseContext): Promise<Refusal | undefined> {
  const early = checkEarly(exchange, house, "POST");
  if (early) return early;
  const identity = await authenticate(exchange, house);
  if (isRefusal(identity)) return identity;
  const unfit = checkContent(exchange, house);
  if (unfit) return unfit;
  const parcel = await readBody(exchange, house);
  if (isRefusal(parcel)) return parcel;
  if (isStatelessBody(parcel, house)) return refuse(400, "HTTP with SSE is for sessions: send initialize first");
  const session = await findSse(exchange, house, identity);
  if (isRefusal(session)) return session;
  const forbidden = checkScopes(exchange, house, { identity, parcel });
  if (forbidden) return forbidden;
  const origin: HttpOrigin = { identity, releaseConnection: () => false };
  exchange.answer({ status: 202 });
  session.receive(parcel.kind === "single" ? parcel.value : parcel.values, origin);
  return undefined;
}

const sessionParameter = "sessionId";

function checkEarly(exchange: Exchange, house: HttpSseContext, method: string): Refusal | undefined {
  const wrongMethod =
    exchange.method === method
      ? undefined
      : refuse(405, `The endpoint takes ${method}`, { headers: { allow: method } });
  return (
    checkOpen(house) ??
    wrongMethod ??
    checkLines(exchange) ??
    checkHost(exchange, house) ??
    checkOrigin(exchange, house)
  );
}

async function findSse(
  exchange: Exchange,
  house: HttpSseContext,
  identity: Identity | undefined,
): Promise<SseSession | Refusal> {
  const id = exchange.query(sessionParameter);
  if (id === undefined) return refuse(400, `The query parameter ${sessionParameter} is missing`);
  const session = house.streams.get(id);
  if (!session || session.key.owner !== identity?.principal)
    return refuse(404, "There is no such session (any more)", { reason: "unknown-session" });
  // The store must not take a session for unused that only this process can serve.
  await house.settings.sessions?.store.find(session.key);
  return session;
}

async function forget(key: SessionKey, house: HttpSseContext): Promise<void> {
  house.streams.delete(key.id);
  try {
    await house.settings.sessions?.store.remove(key);
  } catch (error) {
    house.settings.fail(error);
  }
}

/** The refusal of another session. */
export function tooManySessions(): Refusal {
  const details = { code: errorCodes.internalError, headers: { "retry-after": "30" } };
  return refuse(503, "There are too many sessions: try again later", details);
}
