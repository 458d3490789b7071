import type { IncomingMessage, ServerResponse } from "node:http";
import type { Awaitable } from "../../../generated/support.ts";
import { attempt, chain, isThenable } from "../../internal/maybe-async.ts";
import { EngineError } from "../../stores/engine.ts";
import type { StreamPosition } from "../../stores/event-store.ts";
import type { CloseOptions } from "../../protocol/session/connection.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import { connectStateless } from "../../protocol/peer/stateless-connection.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import type { Incoming } from "../../jsonrpc/message.ts";
import type { Profile } from "../../protocol/profile.ts";
import { createMetadataRules } from "./metadata-headers.ts";
import { StatelessResponse } from "./stateless-response.ts";
import { toCorsFields, toPreflightFields } from "./cors.ts";
import type { ForwardingSession, HttpNode } from "./cluster.ts";
import { dispatchMessages, type MessageDispatch } from "./dispatch-messages.ts";
import type { Exchange, RequestHead } from "./exchange/exchange.ts";
import { respondWithDocument } from "./authenticate.ts";
import { CancellationOrder } from "./exchange/cancellation-order.ts";
import { FetchExchange } from "./exchange/fetch-exchange.ts";
import {
  checkHost,
  checkOpen,
  isForRunningCalls,
  sessionHeader,
  validateRequest,
  type ValidationOutcome,
  type HttpServerContext,
} from "./validate-request.ts";
import { NodeExchange } from "./exchange/node-exchange.ts";
import { isChunked } from "./exchange/node-head.ts";
import { InitializeResponse } from "./session/initialize-response.ts";
import { toOrigin, type Identity } from "./identity.ts";
import { idOf, type PostBody } from "./post-body.ts";
import { PipelineLimiter } from "./exchange/pipeline-limiter.ts";
import { toProfiledRejection } from "./profiled-rejection.ts";
import { rejectHttp, storeUnavailable, unknownEvent, unknownSession, type RejectedRequest } from "./rejection.ts";
import { toSessionRevisions } from "./revisions.ts";
import { isRemote, Sessions } from "./session/sessions.ts";
import { toSettings, type HttpOptions, type HttpService } from "./settings.ts";
import { findSseEndpoint, serveSse, tooManySessions, type HttpSseContext } from "../http-sse/http-sse-endpoints.ts";
import type { SseSession } from "../http-sse/http-sse-session.ts";
import { TurnBatcher } from "./exchange/turn-batcher.ts";

/** HTTP handler of a server, independent of the platform that accepts connections. */
export interface HttpHandler {
  /** Handles a request of the web platform: Bun, Deno, workers, Hono. */
  fetch(request: Request): Promise<Response>;
  /**
   * Handles a request of `node:http`, Express and Fastify; faster than `fetch` on Node. If a body parser runs first, its limits apply, too. The
   * parsed body is taken from `request.body`, as in Express, or from `body`. A listener that reads the body as well has to be added before.
   */
  node(request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Sessions that this process serves, by id. */
  readonly sessions: ReadonlyMap<string, OpenSession>;
  /** Rejects new requests, waits for running calls for as long as the options permit, and ends all streams. */
  close(options?: CloseOptions): Promise<void>;
}

/** Open session over HTTP. */
export interface OpenSession {
  readonly connection: Connection;
}

/**
 * Creates a handler for Streamable HTTP, and for HTTP with SSE if a served revision supports only that.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 * @throws {SetupError} when `allowedOrigins` contains a value that is not an origin
 */
export function createServiceHandler(service: HttpService, options: HttpOptions = {}): HttpHandler {
  const serverContext = new OpenServerContext(service, options);
  const pipelines = new PipelineLimiter();
  const turns = new TurnBatcher();
  return {
    fetch(request) {
      const exchange = new FetchExchange(request);
      void handle(exchange, serverContext);
      return exchange.response;
    },
    node(request, response, body) {
      // A framework restores the URL of a request after its handler has been called.
      const exchange = new NodeExchange(request, response, turns, body);
      pipelines.begin(request, response, () => {
        const run = (): void => void handle(exchange, serverContext);
        // A body with another reader has to be read from its start.
        if (request.readableFlowing === null && !isChunked(request)) turns.handle(run);
        else run();
      });
    },
    get sessions() {
      return serverContext.streams.size === 0
        ? serverContext.sessions.live
        : new Map<string, OpenSession>([...serverContext.sessions.live, ...serverContext.streams]);
    },
    async close(options) {
      serverContext.isClosing = true;
      await serverContext.sessions.close(options);
    },
  };
}

class OpenServerContext implements HttpServerContext {
  readonly service: HttpService;
  readonly settings: HttpServerContext["settings"];
  readonly revisions: HttpServerContext["revisions"];
  readonly metadataRules: HttpServerContext["metadataRules"];
  readonly sessions: Sessions;
  readonly cancellations: CancellationOrder = new CancellationOrder();
  readonly sse: HttpSseContext["sse"] | undefined;
  readonly streams: Map<string, SseSession> = new Map();
  isClosing: boolean = false;

  constructor(service: HttpService, options: HttpOptions) {
    this.service = service;
    this.revisions = toSessionRevisions(service.revisions);
    this.settings = toSettings(options, this.revisions);
    this.metadataRules = createMetadataRules(service.revisions);
    this.sessions = new Sessions(service, this.settings, this.revisions);
    this.sse = this.settings.sse;
    const { cluster } = this.settings;
    cluster?.start(this.sessions, this.streams, service.clients);
    if (cluster?.tasks) service.startTasks?.(cluster.tasks);
    if (options.cluster) service.useCluster?.(options.cluster.shared);
  }
}

/** Handles a request, synchronously unless a check or its response takes time. */
function handle(exchange: Exchange, serverContext: OpenServerContext): Awaitable<void> {
  return attempt(
    () => dispatch(exchange, serverContext),
    (thrown) => failRequest(exchange, serverContext, thrown),
  );
}

function dispatch(exchange: Exchange, serverContext: OpenServerContext): Awaitable<void> {
  const { cors, hosts } = serverContext.settings;
  const fields = cors && toCorsFields(exchange, hosts);
  if (fields) exchange.addFields(fields);
  const document = serverContext.settings.documents.get(exchange.path);
  if (document) {
    const rejection = checkOpen(serverContext) ?? checkHost(exchange, serverContext);
    const response = rejection?.response ?? respondWithDocument(exchange, document);
    if (response.status < 400) return exchange.respond(response);
    return respondRejected(exchange, { kind: "refused", response }, serverContext);
  }
  if (isHttpSseContext(serverContext)) {
    const endpoint = findSseEndpoint(exchange, serverContext);
    if (endpoint)
      return chain(serveSse(endpoint, exchange, serverContext), (rejection) =>
        respondRejected(exchange, rejection, serverContext),
      );
  }
  return chain(validateInOrder(exchange, serverContext), (admission) =>
    perform(exchange, checkLate(admission, serverContext) ?? admission, serverContext),
  );
}

function validateInOrder(exchange: Exchange, serverContext: OpenServerContext): Awaitable<ValidationOutcome> {
  const checks = validateRequest(exchange, serverContext);
  const session = exchange.header(sessionHeader);
  if (!isThenable(checks) || session === undefined || exchange.method !== "POST") return checks;
  return serverContext.cancellations.arrange(session, checks);
}

/** Checks again that the server is open, which it was before the other checks. */
function checkLate(admission: ValidationOutcome, serverContext: OpenServerContext): RejectedRequest | undefined {
  if (admission.kind === "message" && isForRunningCalls(admission.postBody)) return undefined;
  return checkOpen(serverContext);
}

function failRequest(exchange: Exchange, serverContext: OpenServerContext, thrown: unknown): void {
  if (thrown instanceof EngineError) return failUnavailable(exchange, serverContext, thrown);
  serverContext.settings.fail(thrown);
  exchange.fail(rejectHttp(500, "Internal error", { code: errorCodes.internalError }).response);
}

function failUnavailable(exchange: Exchange, { settings }: OpenServerContext, error: EngineError): void {
  const { response } = storeUnavailable(error);
  settings.metrics?.rejected(response.status);
  exchange.fail(response);
}

function isHttpSseContext(serverContext: OpenServerContext): serverContext is OpenServerContext & HttpSseContext {
  return serverContext.sse !== undefined;
}

function respondRejected(
  exchange: Exchange,
  rejection: RejectedRequest | undefined,
  serverContext: OpenServerContext,
): void {
  if (!rejection) return;
  serverContext.settings.metrics?.rejected(rejection.response.status);
  exchange.respond(toProfiledRejection(rejection.response, exchange, profileFor(exchange, serverContext)));
}

/** Returns the profile; none for requests of stateless revisions. */
function profileFor(head: RequestHead, { settings, metadataRules }: OpenServerContext): Profile | undefined {
  if (!settings.profile || !metadataRules) return settings.profile;
  const version = head.header(metadataRules.headers.version.field)?.trim();
  return metadataRules.revisions.some(({ id }) => id === version) ? undefined : settings.profile;
}

function perform(
  exchange: Exchange,
  admission: ValidationOutcome,
  serverContext: OpenServerContext,
): void | Promise<void> {
  switch (admission.kind) {
    case "message":
      return isRemote(admission.session) || serverContext.settings.cluster
        ? deliverInCluster(exchange, admission, serverContext)
        : deliverNow(exchange, { ...admission, session: admission.session }, serverContext);
    case "refused":
      return respondRejected(exchange, admission, serverContext);
    case "preflight":
      return exchange.respond({ status: 204, headers: toPreflightFields(exchange, serverContext.settings.cors ?? {}) });
    case "stateless":
      return respondStateless(exchange, admission, serverContext);
    case "noted":
      return exchange.respond({ status: 202 });
    case "open":
      return openSession(exchange, admission, serverContext);
    case "without-session":
      return dispatchStateless(exchange, admission, serverContext);
    case "listen":
      return listen(exchange, admission, serverContext);
    case "leave":
      return leave(exchange, admission, serverContext);
    default:
      return admission satisfies never;
  }
}

/** Forwards messages that belong to requests or sessions of other nodes, and passes the others to their session. */
async function deliverInCluster(
  exchange: Exchange,
  { session, ...delivery }: ValidationOutcome & { readonly kind: "message" },
  serverContext: OpenServerContext,
): Promise<void> {
  const { cluster } = serverContext.settings;
  if (!cluster) return;
  if (isRemote(session))
    return respondRejected(exchange, await cluster.relays.post(exchange, { ...delivery, session }), serverContext);
  const postBody = await forwardMessages({ postBody: delivery.postBody, session }, cluster);
  if (postBody) return deliverNow(exchange, { ...delivery, session, postBody }, serverContext);
  exchange.respond({ status: 202 });
}

/** Forwards messages. Returns those that this node handles; `undefined` when there are none. */
async function forwardMessages(
  { postBody, session }: { readonly postBody: PostBody; readonly session: ForwardingSession },
  cluster: HttpNode,
): Promise<PostBody | undefined> {
  if (postBody.kind === "single") return (await cluster.forward(session, postBody.incoming)) ? undefined : postBody;
  const members: Incoming[] = [];
  for (const incoming of postBody.members) if (!(await cluster.forward(session, incoming))) members.push(incoming);
  return members.length === 0 ? undefined : { ...postBody, members };
}

function deliverNow(exchange: Exchange, delivery: MessageDispatch, serverContext: OpenServerContext): void {
  const { sessions, settings } = serverContext;
  if (delivery.session.isClosed) return respondRejected(exchange, rejectClosed(serverContext), serverContext);
  const post = dispatchMessages(exchange, delivery);
  if (post && !post.isDone && settings.responseMode === "sse") sessions.expectStream(post);
}

type StatelessRequest = ValidationOutcome & { readonly kind: "stateless" };

/** Responds to a stateless request. One that continues something on another node is relayed to it. */
function respondStateless(
  exchange: Exchange,
  request: StatelessRequest,
  serverContext: OpenServerContext,
): void | Promise<void> {
  const { service, settings } = serverContext;
  const { identity, parsed } = request;
  const relays = settings.cluster?.relays;
  const state = relays && service.readBoundState?.(parsed.message.params);
  const node = state === undefined ? undefined : relays?.findOwner(state);
  if (!relays || node === undefined) return respondHere(exchange, request, serverContext);
  const relayed = relays.stateless(exchange, { identity, message: parsed.message, node });
  return relayed.then((isRelayed) => (isRelayed ? undefined : respondHere(exchange, request, serverContext)));
}

/** Responds to a stateless request on this node. The connection lasts as long as the request. */
function respondHere(
  exchange: Exchange,
  { identity, parsed }: StatelessRequest,
  { service, sessions, settings }: OpenServerContext,
): void {
  const { responseMode: style, maxStreamBytes: maxWaiting, metrics } = settings;
  const post = new StatelessResponse(exchange, { identity, parsed, style, maxWaiting, metrics });
  const connection = service.accept(post, parsed.agreement, connectStateless);
  post.receive();
  if (!post.isDone) sessions.adopt({ connection, keepAlive: () => post.keepAlive() });
}

function openSession(
  exchange: Exchange,
  { identity, postBody }: { readonly identity: Identity | undefined; readonly postBody: PostBody },
  serverContext: OpenServerContext,
): void {
  const { service, sessions, settings } = serverContext;
  if (service.takesSessions?.(identity?.principal) === false)
    return respondRejected(exchange, tooManySessions(), serverContext);
  const id = idOf(postBody);
  if (postBody.kind !== "single" || id === undefined) return;
  const session = sessions.open(identity?.principal);
  const reply = new InitializeResponse(exchange, session, sessions, settings);
  session.expect(id, reply);
  session.receive(postBody.incoming, toOrigin(identity, exchange));
}

/** Dispatches a POST without sessions, with a session that lasts as long as the POST. */
function dispatchStateless(
  exchange: Exchange,
  { identity, postBody, revision }: ValidationOutcome & { readonly kind: "without-session" },
  serverContext: OpenServerContext,
): void {
  const session = serverContext.sessions.openStateless(identity?.principal, revision);
  const forget = (): void => queueMicrotask(() => serverContext.sessions.forget(session));
  deliverNow(exchange, { identity, postBody, session }, serverContext);
  session.whenIdle(forget);
}

async function leave(
  exchange: Exchange,
  { session }: ValidationOutcome & { readonly kind: "leave" },
  { sessions }: OpenServerContext,
): Promise<void> {
  await sessions.end(session);
  exchange.respond({ status: 204 });
}

async function listen(
  exchange: Exchange,
  admission: ValidationOutcome & { readonly kind: "listen" },
  serverContext: OpenServerContext,
): Promise<void> {
  const rejection = await openListener(exchange, admission, serverContext);
  // The events of a session are removed when it ends.
  const isUnknown = rejection?.response.status === 400;
  const hasEnded = isUnknown && !(await serverContext.sessions.access(admission.session.key, []));
  respondRejected(exchange, hasEnded ? rejectClosed(serverContext) : rejection, serverContext);
}

async function openListener(
  exchange: Exchange,
  { session, cursor }: ValidationOutcome & { readonly kind: "listen" },
  serverContext: OpenServerContext,
): Promise<RejectedRequest | undefined> {
  const { cluster } = serverContext.settings;
  const position = cursor === undefined ? undefined : readPosition(cursor);
  if (cursor !== undefined && !position) return rejectHttp(400, unknownEvent);
  if (isRemote(session)) return cluster?.relays.listen(exchange, { session, position });
  if (session.isClosed) return rejectClosed(serverContext);
  if (!position) return void session.listen(exchange);
  return (await session.resume(exchange, position)) ? undefined : rejectHttp(400, unknownEvent);
}

/** Rejects a request whose session has closed since it was found: by a DELETE at the same time, or because the server closes. */
function rejectClosed(serverContext: OpenServerContext): RejectedRequest {
  return checkOpen(serverContext) ?? unknownSession();
}

function readPosition(cursor: string): StreamPosition | undefined {
  const match = /^([0-9a-z]{1,64})-(\d{1,15})$/.exec(cursor);
  const [, stream, sequence] = match ?? [];
  return stream === undefined ? undefined : { stream, sequence: Number(sequence) };
}
