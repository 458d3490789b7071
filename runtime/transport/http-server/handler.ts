import type { IncomingMessage, ServerResponse } from "node:http";
import type { Awaitable } from "../../../generated/support.ts";
import { attempt, chain, isThenable } from "../../internal/maybe-async.ts";
import { EngineError } from "../../stores/engine.ts";
import type { StreamPosition } from "../../stores/event-store.ts";
import type { CloseOptions } from "../../protocol/session/connection.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import { connectStateless } from "../../protocol/peer/stateless-connection.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import type { Profile } from "../../protocol/profile.ts";
import { createMetadataRules } from "./metadata-headers.ts";
import { StatelessResponse } from "./stateless-response.ts";
import { toCorsFields, toPreflightFields } from "./cors.ts";
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
import { toGuard, toOrigin, type Identity } from "./identity.ts";
import { idOf, type PostBody } from "./post-body.ts";
import { PipelineLimiter } from "./exchange/pipeline-limiter.ts";
import { toProfiledRejection } from "./profiled-rejection.ts";
import { rejectHttp, storeUnavailable, unknownEvent, type RejectedRequest } from "./rejection.ts";
import { toSessionRevisions } from "./revisions.ts";
import { LocalSessions } from "./session/local-sessions.ts";
import type { FoundSession, SessionDirectory } from "./session/session-directory.ts";
import { Sessions } from "./session/sessions.ts";
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
  readonly directory: SessionDirectory;
  readonly cancellations: CancellationOrder = new CancellationOrder();
  readonly sse: HttpSseContext["sse"] | undefined;
  readonly streams: Map<string, SseSession> = new Map();
  isClosing: boolean = false;

  constructor(service: HttpService, options: HttpOptions) {
    this.service = service;
    this.revisions = toSessionRevisions(service.revisions);
    const { cluster } = options;
    const shared = cluster?.createNode();
    this.settings = toSettings(protectGuard(options), this.revisions, shared);
    this.directory = shared ?? new LocalSessions(this.settings);
    this.metadataRules = createMetadataRules(service.revisions);
    this.sessions = new Sessions({
      service,
      settings: this.settings,
      revisions: this.revisions,
      directory: this.directory,
    });
    this.sse = this.settings.sse;
    this.directory.start(this.sessions, this.streams, service);
    if (cluster) service.useCluster?.(cluster.shared);
  }
}

/** Returns options whose guard uses the cluster. Its public documents stay those of the given guard. */
function protectGuard(options: HttpOptions): HttpOptions {
  const guard = toGuard(options.authenticate);
  if (!guard || !options.cluster) return options;
  const documents = new Map([...(options.documents ?? []), ...(guard.documents ?? [])]);
  return { ...options, documents, authenticate: options.cluster.protect(guard) };
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
  const late = checkOpen(serverContext);
  if (late && admission.kind === "message") admission.session.release?.();
  return late;
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

function perform(exchange: Exchange, admission: ValidationOutcome, serverContext: OpenServerContext): Awaitable<void> {
  switch (admission.kind) {
    case "message":
      return chain(admission.session.deliver(exchange, admission), (rejection) =>
        respondRejected(exchange, rejection, serverContext),
      );
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
      return leave(exchange, admission);
    default:
      return admission satisfies never;
  }
}

type StatelessRequest = ValidationOutcome & { readonly kind: "stateless" };

/** Responds to a stateless request. One that continues something in another process is relayed to it. */
function respondStateless(
  exchange: Exchange,
  request: StatelessRequest,
  serverContext: OpenServerContext,
): Awaitable<void> {
  const { service, directory } = serverContext;
  const { identity, parsed } = request;
  const { message } = parsed;
  const state = directory.relayStateless && service.readBoundState?.(message.params);
  const relayed = state !== undefined && directory.relayStateless?.(exchange, { identity, message, state });
  return chain(relayed, (isRelayed) => (isRelayed ? undefined : respondHere(exchange, request, serverContext)));
}

/** Responds to a stateless request in this process. The connection lasts as long as the request. */
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
  respondRejected(exchange, serverContext.sessions.deliver(exchange, { identity, postBody, session }), serverContext);
  session.whenIdle(forget);
}

async function leave(exchange: Exchange, { session }: ValidationOutcome & { readonly kind: "leave" }): Promise<void> {
  await session.end();
  exchange.respond({ status: 204 });
}

async function listen(
  exchange: Exchange,
  { session, cursor }: ValidationOutcome & { readonly kind: "listen" },
  serverContext: OpenServerContext,
): Promise<void> {
  const { sessions, directory } = serverContext;
  const rejection = await openListener(exchange, session, cursor);
  // The events of a session are removed when it ends.
  const isUnknown = rejection?.response.status === 400;
  const hasEnded = isUnknown && !(await directory.access(session.key, []));
  respondRejected(exchange, hasEnded ? sessions.rejectClosed() : rejection, serverContext);
}

async function openListener(
  exchange: Exchange,
  session: FoundSession,
  cursor: string | undefined,
): Promise<RejectedRequest | undefined> {
  const position = cursor === undefined ? undefined : readPosition(cursor);
  if (cursor !== undefined && !position) return rejectHttp(400, unknownEvent);
  return session.listen(exchange, position);
}

function readPosition(cursor: string): StreamPosition | undefined {
  const match = /^([0-9a-z]{1,64})-(\d{1,15})$/.exec(cursor);
  const [, stream, sequence] = match ?? [];
  return stream === undefined ? undefined : { stream, sequence: Number(sequence) };
}
