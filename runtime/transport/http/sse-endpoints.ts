import { errorCodes } from "../../rpc/errors.ts";
import type { Exchange } from "./exchange.ts";
import { authenticate, checkScopes } from "./guard.ts";
import {
  checkAccept,
  checkContent,
  checkHost,
  checkOpen,
  checkOrigin,
  isRefusal,
  readBody,
  type House,
} from "./ladder.ts";
import type { HttpOrigin, Identity } from "./origin.ts";
import { streamFields } from "./post.ts";
import type { SessionKey } from "../../store/session-store.ts";
import { refuse, type Refusal } from "./refusal.ts";
import type { HttpService, SseOptions } from "./settings.ts";
import { SseSession } from "./sse.ts";

/** What the two endpoints of HTTP with SSE need. */
export interface SseHouse extends House {
  readonly service: HttpService;
  readonly sse: Required<SseOptions>;
  /** Sessions whose stream ends in this process. */
  readonly streams: Map<string, SseSession>;
}

/** GET of the first endpoint: opens a session and its stream. */
export async function openSse(exchange: Exchange, house: SseHouse): Promise<Refusal | undefined> {
  const early = checkEarly(exchange, house, "GET");
  if (early) return early;
  const identity = await authenticate(exchange, house);
  if (isRefusal(identity)) return identity;
  const unacceptable = checkAccept(exchange, ["text/event-stream"]);
  if (unacceptable) return unacceptable;
  const key = { id: crypto.randomUUID(), owner: identity?.principal };
  const isListed = await house.settings.sessions?.store.add(key);
  if (isListed === false) return tooMany();
  const late = checkOpen(house);
  if (late) {
    await forget(key, house);
    return late;
  }
  const session = new SseSession(key, exchange.stream(streamFields), house.settings);
  const connection = house.service.accept(session);
  house.streams.set(key.id, session);
  const { endpoint, handshakeTimeout } = house.sse;
  session.serve(connection, { endpoint: `${endpoint}?${sessionParameter}=${key.id}`, handshakeTimeout });
  house.sessions.adopt(session);
  void connection.closed.then(() => forget(key, house));
  return undefined;
}

/** POST to the second endpoint: takes one message, whose answer goes on the stream. */
export async function receiveSse(exchange: Exchange, house: SseHouse): Promise<Refusal | undefined> {
  const early = checkEarly(exchange, house, "POST");
  if (early) return early;
  const identity = await authenticate(exchange, house);
  if (isRefusal(identity)) return identity;
  const unfit = checkContent(exchange, house);
  if (unfit) return unfit;
  const parcel = await readBody(exchange, house);
  if (isRefusal(parcel)) return parcel;
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

function checkEarly(exchange: Exchange, house: SseHouse, method: string): Refusal | undefined {
  const wrongMethod =
    exchange.method === method
      ? undefined
      : refuse(405, `The endpoint takes ${method}`, { headers: { allow: method } });
  return checkOpen(house) ?? wrongMethod ?? checkHost(exchange, house) ?? checkOrigin(exchange, house);
}

async function findSse(
  exchange: Exchange,
  house: SseHouse,
  identity: Identity | undefined,
): Promise<SseSession | Refusal> {
  const id = exchange.query(sessionParameter);
  if (id === undefined) return refuse(400, `The query parameter ${sessionParameter} is missing`);
  const session = house.streams.get(id);
  if (!session || session.key.owner !== identity?.principal) return refuse(404, "There is no such session (any more)");
  // The store must not take a session for unused that only this process can serve.
  await house.settings.sessions?.store.find(session.key);
  return session;
}

async function forget(key: SessionKey, house: SseHouse): Promise<void> {
  house.streams.delete(key.id);
  try {
    await house.settings.sessions?.store.remove(key);
  } catch (error) {
    house.settings.fail(error);
  }
}

function tooMany(): Refusal {
  const details = { code: errorCodes.internalError, headers: { "retry-after": "30" } };
  return refuse(503, "There are too many sessions: try again later", details);
}
