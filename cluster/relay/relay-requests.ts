import type { Revision } from "../../generated/support.ts";
import { encodeEvent } from "../../runtime/framing/sse-events.ts";
import { nodeGone } from "../../runtime/jsonrpc/errors.ts";
import type { RequestId } from "../../runtime/jsonrpc/message.ts";
import { stillRunning } from "../../runtime/protocol/peer/incoming-requests.ts";
import type { StreamPosition } from "../../runtime/stores/event-store.ts";
import type { IdentifiedPost, LiveSessions } from "../../runtime/transport/http-server/session/session-directory.ts";
import { admitBatch } from "../../runtime/transport/http-server/dispatch-messages.ts";
import type { EventWriter, Exchange } from "../../runtime/transport/http-server/exchange/exchange.ts";
import type { Identity } from "../../runtime/transport/http-server/identity.ts";
import type { Batched, SingleMessage } from "../../runtime/transport/http-server/post-body.ts";
import {
  rejectHttp,
  storeUnavailable,
  unknownEvent,
  unknownSession,
  type RejectedRequest,
} from "../../runtime/transport/http-server/rejection.ts";
import { jsonFields, streamFields } from "../../runtime/transport/http-server/session/session-response.ts";
import type { Following } from "../streams/followed-stream.ts";
import { spreadRetry } from "../streams/spread-retry.ts";
import type { FollowedResponse, OutgoingRelays, RemoteKey } from "./outgoing-relays.ts";
import { RelayedConnection, type RelayEnd } from "./relayed-connection.ts";

/** Session served by only one other node, as found in the store. */
export interface RemoteSession extends RemoteKey {
  readonly revision: Revision;
}

/** POST of a session at another node. */
export interface RemotePost extends IdentifiedPost {
  readonly session: RemoteSession;
  /** Ids of the POST with earlier reservations. */
  readonly used: readonly RequestId[];
}

/** GET of a session at another node. */
export interface RemoteListener {
  readonly session: RemoteSession;
  /** Last event the client has; absent for a new stream. */
  readonly position: StreamPosition | undefined;
}

/** Parts of a node used to relay requests. */
export interface RelayContext {
  readonly relays: OutgoingRelays;
  readonly sessions: LiveSessions;
  /** Extends the lifetime of a session. */
  renew(session: RemoteSession): void;
  /** Ends the reservations of requests which did not run. */
  releaseUnused(session: RemoteSession, ids: readonly RequestId[]): void;
}

/** Passes the messages of a POST on to the node of their session. Returns a rejection for the caller to send. */
export function relayPost(
  exchange: Exchange,
  post: RemotePost,
  context: RelayContext,
): Promise<RejectedRequest | undefined> {
  const { postBody } = post;
  return postBody.kind === "single"
    ? relaySingle(exchange, { ...post, postBody }, context)
    : relayBatch(exchange, { ...post, postBody }, context);
}

/** Opens a stream for messages unrelated to a request of the client, or resumes a stream after an event. */
export async function relayListen(
  exchange: Exchange,
  { session, position }: RemoteListener,
  context: RelayContext,
): Promise<RejectedRequest | undefined> {
  const following = toFollowing(session, context, () => exchange.stream(streamFields));
  const end = following.isPrimed ? "at-once" : "spread";
  if (position) {
    if (!(await context.relays.isServed(session))) return unknownSession();
    const stream = await context.relays.resume(session, position, following);
    if (!stream) return rejectHttp(400, unknownEvent);
    return keep({ stream, session, end }, context);
  }
  const spread = { ...following, retry: spreadRetry(following.retry) };
  const outcome = await context.relays.begin({ remote: session, following: spread });
  if (outcome.kind === "followed") return keep({ stream: outcome.stream, session, end }, context);
  return outcome.kind === "unavailable" ? storeUnavailable() : unknownSession();
}

async function relaySingle(
  exchange: Exchange,
  { session, identity, postBody: { incoming, value }, used }: RemotePost & { readonly postBody: SingleMessage },
  context: RelayContext,
): Promise<RejectedRequest | undefined> {
  if (incoming.kind !== "request") {
    if (!(await context.relays.isServed(session))) return unknownSession();
    await context.relays.deliver(session, incoming);
    if (incoming.kind === "unusable") return rejectHttp(400, incoming.reason);
    return void exchange.respond({ status: 202 });
  }
  const { id } = incoming;
  if (used.includes(id)) return rejectHttp(400, stillRunning, { id });
  return relayRequests(exchange, { session, ids: [id], value, identity, rejections: [] }, context);
}

/** Relays the requests of a batch together, and its other messages one after the other. */
async function relayBatch(
  exchange: Exchange,
  { session, identity, postBody: { members, values }, used }: RemotePost & { readonly postBody: Batched },
  context: RelayContext,
): Promise<RejectedRequest | undefined> {
  if (!(await context.relays.isServed(session))) return unknownSession();
  const { admitted, rejections, requests } = admitBatch(members, session, used);
  for (const incoming of admitted) {
    if (incoming.kind !== "request") await context.relays.deliver(session, incoming);
  }
  const ids = [...requests];
  if (ids.length > 0) {
    const value = values.filter((_, index) => admitted.some((one) => one === members[index] && one.kind === "request"));
    return relayRequests(exchange, { session, ids, value, identity, rejections }, context);
  }
  if (rejections.length === 0) return void exchange.respond({ status: 202 });
  return void exchange.respond({ status: 200, headers: jsonFields, body: `[${rejections.join()}]` });
}

/** Requests of one POST. */
interface RemoteRequests {
  readonly session: RemoteSession;
  readonly ids: readonly RequestId[];
  readonly value: unknown;
  readonly identity: Identity | undefined;
  /** Error responses to rejected members of the batch, as JSON texts. */
  readonly rejections: readonly string[];
}

async function relayRequests(
  exchange: Exchange,
  post: RemoteRequests,
  context: RelayContext,
): Promise<RejectedRequest | undefined> {
  const { session, ids, value, identity, rejections } = post;
  const following = toFollowing(session, context, () => {
    const writer = exchange.stream(streamFields);
    for (const data of rejections) writer.write(encodeEvent({ type: "message", data }));
    return writer;
  });
  const outcome = await context.relays.begin({ remote: session, post: { value, identity }, following });
  switch (outcome.kind) {
    case "followed":
      return keep({ stream: outcome.stream, session, end: following.isPrimed ? "at-once" : "after-response" }, context);
    case "ended":
      return unknownSession();
    case "unavailable":
      context.releaseUnused(session, ids);
      return storeUnavailable();
    case "lost":
      return void exchange.respond({ status: 200, headers: jsonFields, body: toLostResponse(post) });
    default:
      return outcome satisfies never;
  }
}

/** Clients get events without a message only at revisions whose clients reconnect to the streams of requests. */
function toFollowing(
  { revision }: RemoteSession,
  { sessions: { settings } }: RelayContext,
  open: () => EventWriter,
): Following {
  return { retry: settings.retry, isPrimed: revision.polling === true && settings.polling, open };
}

/** Keeps the connection to a stream, and the session, alive. */
function keep(
  {
    stream,
    session,
    end,
  }: {
    readonly stream: FollowedResponse;
    readonly session: RemoteSession;
    readonly end: RelayEnd;
  },
  { sessions, renew }: RelayContext,
): undefined {
  const { clock, retry } = sessions.settings;
  sessions.adopt(new RelayedConnection({ stream, clock, end, retry, renew: () => renew(session) }));
}

/** Returns the response to requests whose node is gone, as JSON text. A batch has an array, also with one member. */
function toLostResponse({ ids, value, rejections }: RemoteRequests): string {
  const lost = ids.map((id) => JSON.stringify({ jsonrpc: "2.0", id, error: nodeGone }));
  const text = [...rejections, ...lost].join();
  return Array.isArray(value) ? `[${text}]` : text;
}
