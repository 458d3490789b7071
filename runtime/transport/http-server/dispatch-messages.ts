import type { Revision } from "../../../generated/support.ts";
import { notInBatch } from "../../jsonrpc/batch.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import type { Incoming, RequestId } from "../../jsonrpc/message.ts";
import { stillRunning } from "../../protocol/peer/incoming-requests.ts";
import type { HttpResponse } from "./exchange/exchange.ts";
import { toOrigin, type Identity } from "./identity.ts";
import { toUnusable, type Batched, type PostBody, type SingleMessage } from "./post-body.ts";
import {
  SessionResponse,
  type ResponseExchange,
  type ResponseSink,
  type SessionResponseHost,
} from "./session/session-response.ts";
import { rejectHttp } from "./rejection.ts";

/** POST that has passed its checks. */
export interface MessageDispatch {
  readonly identity: Identity | undefined;
  readonly postBody: PostBody;
  readonly session: DispatchTarget;
  /** Ids whose requests have been reserved before, here or on another node. Default: none. */
  readonly used?: readonly RequestId[];
  /** Part of the session for a POST whose responses are a stream from the beginning. Default: the session, and the first message determines the form. */
  readonly host?: SessionResponseHost;
}

/** Session to receive the messages of a POST. */
export interface DispatchTarget extends SessionResponseHost {
  readonly revision: Revision | undefined;
  /** True if it receives no more messages. */
  readonly isClosed: boolean;
  isRunning(id: RequestId): boolean;
  /** Registers the destination of the response to a request, before the request is received. */
  expect(id: RequestId, sink: ResponseSink): void;
  receive(incoming: Incoming, origin: unknown): void;
}

/** Passes the messages of a POST to their session and responds; returns the POST if responses are still to come. */
export function dispatchMessages(
  exchange: ResponseExchange,
  { postBody, ...target }: MessageDispatch,
): SessionResponse | undefined {
  return postBody.kind === "single"
    ? dispatchSingle(exchange, target, postBody)
    : dispatchBatch(exchange, target, postBody);
}

type Target = Omit<MessageDispatch, "postBody">;

function dispatchSingle(
  exchange: ResponseExchange,
  { identity, session, used, host }: Target,
  { incoming }: SingleMessage,
): SessionResponse | undefined {
  if (incoming.kind !== "request") {
    session.receive(incoming, toOrigin(identity, exchange));
    exchange.respond(acknowledge([incoming]));
    return undefined;
  }
  const { id } = incoming;
  if (session.isRunning(id) || used?.includes(id)) {
    exchange.respond(rejectHttp(400, stillRunning, { id }).response);
    return undefined;
  }
  const post = new SessionResponse(exchange, host ?? session, { identity, requests: [id], isBatch: false });
  if (host) post.toStream();
  session.expect(id, post);
  session.receive(incoming, post);
  return post;
}

/**
 * Delivers a batch. All responses are registered before the first message is delivered: a session may end with its last response.
 *
 * @see https://www.jsonrpc.org/specification#batch
 */
function dispatchBatch(
  exchange: ResponseExchange,
  { identity, session, used = [], host }: Target,
  { members }: Batched,
): SessionResponse | undefined {
  const { admitted, rejections, requests } = admitBatch(members, session, used);
  const post = new SessionResponse(exchange, host ?? session, {
    identity,
    requests: [...requests],
    rejected: rejections.length,
    isBatch: true,
  });
  if (host) post.toStream();
  for (const id of requests) session.expect(id, post);
  for (const rejection of rejections) post.respond(rejection, undefined);
  for (const incoming of admitted) {
    session.receive(incoming, incoming.kind === "request" ? post : toOrigin(identity, exchange));
  }
  if (requests.size + rejections.length > 0) return post;
  exchange.respond(acknowledge(members));
  return undefined;
}

/** Returns the response to messages which need none: an error if none of them is accepted. */
function acknowledge(messages: readonly Incoming[]): HttpResponse {
  const isAccepted = messages.some(({ kind }) => kind !== "unusable");
  const [first] = messages;
  return first?.kind === "unusable" && !isAccepted ? rejectHttp(400, first.reason).response : { status: 202 };
}

/** Session whose rules the members of a batch have to follow. */
export interface BatchSession {
  readonly revision: Revision | undefined;
  /** True for a request in progress on this node. */
  isRunning?(id: RequestId): boolean;
}

/** Members of a batch after the checks. */
export interface AdmittedBatch {
  readonly admitted: readonly Incoming[];
  /** Error responses to the others, as JSON texts. */
  readonly rejections: readonly string[];
  readonly requests: ReadonlySet<RequestId>;
}

/** Checks the members of a batch. */
export function admitBatch(
  members: readonly Incoming[],
  session: BatchSession,
  used: readonly RequestId[],
): AdmittedBatch {
  const requests = new Set<RequestId>();
  const admitted: Incoming[] = [];
  const rejections: string[] = [];
  for (const incoming of members) {
    const rejection = findRejection(incoming, session, [...used, ...requests]);
    if (rejection !== undefined) rejections.push(rejection);
    if (rejection === undefined && incoming.kind === "request") requests.add(incoming.id);
    const passed = rejection === undefined ? incoming : toResponse(incoming);
    if (passed) admitted.push(passed);
  }
  return { admitted, rejections, requests };
}

/** Returns an invalid member as a response if it may be one. Its call then fails. */
function toResponse(incoming: Incoming): Incoming | undefined {
  return incoming.kind === "invalid" ? toUnusable(incoming, incoming.reason) : undefined;
}

function findRejection(incoming: Incoming, session: BatchSession, used: readonly RequestId[]): string | undefined {
  // The sender would take an error with this id for the response to a request of its own.
  if (incoming.kind === "invalid") return toError(incoming.mayRespond ? undefined : incoming.id, incoming.reason);
  if (incoming.kind !== "request") return undefined;
  const { id, method } = incoming;
  if (session.revision?.neverBatched.includes(method)) return toError(id, notInBatch(method));
  return session.isRunning?.(id) || used.includes(id) ? toError(id, stillRunning) : undefined;
}

function toError(id: RequestId | undefined, message: string): string {
  const error = { code: errorCodes.invalidRequest, message };
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
