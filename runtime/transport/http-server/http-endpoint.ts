import type { Awaitable } from "../../../generated/support.ts";
import { attempt, chain, isThenable } from "../../internal/maybe-async.ts";
import type { Channel } from "../../jsonrpc/channel.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { CloseOptions } from "../../protocol/session/connection.ts";
import { connectStateless } from "../../protocol/peer/stateless-connection.ts";
import type { Profile } from "../../protocol/profile.ts";
import { extensionOf } from "../../protocol/revision/defined-extension.ts";
import { EngineError } from "../../stores/engine-error.ts";
import type { StreamPosition } from "../../stores/event-store.ts";
import { findSseEndpoint, serveSse, tooManySessions, type HttpSseContext } from "../http-sse/http-sse-endpoints.ts";
import type { SseSession } from "../http-sse/http-sse-session.ts";
import { respondWithDocument } from "./authenticate.ts";
import { toCorsFields, toPreflightFields } from "./cors.ts";
import { CancellationOrder } from "./exchange/cancellation-order.ts";
import type { Exchange, RequestHead } from "./exchange/exchange.ts";
import { toGuard, toOrigin } from "./identity.ts";
import { createMetadataRules } from "./metadata-headers.ts";
import { idOf } from "./post-body.ts";
import { toProfiledRejection } from "./profiled-rejection.ts";
import { rejectHttp, storeUnavailable, unknownEvent, type RejectedRequest } from "./rejection.ts";
import { toSessionRevisions } from "./revisions.ts";
import { InitializeResponse } from "./session/initialize-response.ts";
import { LocalSessions } from "./session/local-sessions.ts";
import type { FoundSession, SessionDirectory } from "./session/session-directory.ts";
import { Sessions } from "./session/sessions.ts";
import { toSettings, type HttpOptions, type HttpService } from "./settings.ts";
import { StatelessResponse } from "./stateless-response.ts";
import {
  checkHost,
  checkOpen,
  isForRunningCalls,
  sessionHeader,
  validateRequest,
  type HttpServerContext,
  type ValidationOutcome,
} from "./validate-request.ts";

/** Outcome of the checks with this kind. */
type Outcome<Kind extends ValidationOutcome["kind"]> = ValidationOutcome & { readonly kind: Kind };

/** Endpoint of a server over HTTP: checks each request, and passes it on to what responds. */
export class HttpEndpoint implements HttpServerContext {
  readonly service: HttpService;
  readonly settings: HttpServerContext["settings"];
  readonly revisions: HttpServerContext["revisions"];
  readonly metadataRules: HttpServerContext["metadataRules"];
  readonly sessions: Sessions;
  readonly directory: SessionDirectory;
  readonly cancellations: CancellationOrder = new CancellationOrder();
  readonly sse: HttpSseContext["sse"] | undefined;
  readonly streams: Map<string, SseSession> = new Map();
  #isClosing = false;

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

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Handles a request, synchronously unless a check or its response takes time. */
  handle(exchange: Exchange): Awaitable<void> {
    return attempt(
      () => this.#dispatch(exchange),
      (thrown) => this.#fail(exchange, thrown),
    );
  }

  /** Rejects new requests, waits for running calls for as long as the options permit, and ends all streams. */
  async close(options?: CloseOptions): Promise<void> {
    this.#isClosing = true;
    await this.sessions.close(options);
  }

  #dispatch(exchange: Exchange): Awaitable<void> {
    const { cors, hosts, documents } = this.settings;
    const fields = cors && toCorsFields(exchange, hosts);
    if (fields) exchange.addFields(fields);
    const document = documents.get(exchange.path);
    if (document) {
      const rejection = checkOpen(this) ?? checkHost(exchange, this);
      const response = rejection?.response ?? respondWithDocument(exchange, document);
      if (response.status < 400) return exchange.respond(response);
      return this.#reject(exchange, { kind: "refused", response });
    }
    if (isHttpSseContext(this)) {
      const endpoint = findSseEndpoint(exchange, this);
      if (endpoint) return chain(serveSse(endpoint, exchange, this), (rejection) => this.#reject(exchange, rejection));
    }
    return chain(this.#validateInOrder(exchange), (admission) =>
      this.#perform(exchange, this.#checkLate(admission) ?? admission),
    );
  }

  #validateInOrder(exchange: Exchange): Awaitable<ValidationOutcome> {
    const checks = validateRequest(exchange, this);
    const session = exchange.header(sessionHeader);
    if (!isThenable(checks) || session === undefined || exchange.method !== "POST") return checks;
    return this.cancellations.arrange(session, checks);
  }

  /** Checks once more that the server is open. It may have closed during the other checks. */
  #checkLate(admission: ValidationOutcome): RejectedRequest | undefined {
    if (admission.kind === "message" && isForRunningCalls(admission.postBody)) return undefined;
    const late = checkOpen(this);
    if (late && admission.kind === "message") admission.session.release?.();
    return late;
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    const { metrics, fail } = this.settings;
    if (thrown instanceof EngineError) {
      const { response } = storeUnavailable(thrown);
      metrics?.rejected(response.status);
      return exchange.fail(response);
    }
    fail(thrown);
    exchange.fail(rejectHttp(500, "Internal error", { code: errorCodes.internalError }).response);
  }

  #reject(exchange: Exchange, rejection: RejectedRequest | undefined): void {
    if (!rejection) return;
    this.settings.metrics?.rejected(rejection.response.status);
    exchange.respond(toProfiledRejection(rejection.response, exchange, this.#profileFor(exchange)));
  }

  /** Returns the profile; none for requests of stateless revisions. */
  #profileFor(head: RequestHead): Profile | undefined {
    const { settings, metadataRules } = this;
    if (!settings.profile || !metadataRules) return settings.profile;
    const version = head.header(metadataRules.headers.version.field)?.trim();
    return metadataRules.revisions.some(({ id }) => id === version) ? undefined : settings.profile;
  }

  #perform(exchange: Exchange, admission: ValidationOutcome): Awaitable<void> {
    switch (admission.kind) {
      case "message":
        return chain(admission.session.deliver(exchange, admission), (rejection) => this.#reject(exchange, rejection));
      case "refused":
        return this.#reject(exchange, admission);
      case "preflight":
        return exchange.respond({ status: 204, headers: toPreflightFields(exchange, this.settings.cors ?? {}) });
      case "stateless":
        return this.#respondStateless(exchange, admission);
      case "noted":
        return this.#receiveNotification(exchange, admission);
      case "open":
        return this.#openSession(exchange, admission);
      case "without-session":
        return this.#dispatchStateless(exchange, admission);
      case "listen":
        return this.#listen(exchange, admission);
      case "leave":
        return this.#leave(exchange, admission);
      default:
        return admission satisfies never;
    }
  }

  /** Responds to a stateless request. If it continues something in another process, it is relayed there. */
  #respondStateless(exchange: Exchange, request: Outcome<"stateless">): Awaitable<void> {
    const { service, directory } = this;
    const { identity, parsed } = request;
    const { message } = parsed;
    const state = directory.relayStateless && service.readBoundState?.(message.params);
    const relayed = state !== undefined && directory.relayStateless?.(exchange, { identity, message, state });
    return chain(relayed, (isRelayed) => (isRelayed ? undefined : this.#respondHere(exchange, request)));
  }

  /** Responds to a stateless request in this process. The connection lasts as long as the request. */
  #respondHere(exchange: Exchange, { identity, parsed }: Outcome<"stateless">): void {
    const { responseMode: style, maxStreamBytes: maxWaiting, metrics } = this.settings;
    const post = new StatelessResponse(exchange, { identity, parsed, style, maxWaiting, metrics });
    const connection = this.service.accept(post, parsed.agreement, connectStateless);
    post.receive();
    if (!post.isDone) this.sessions.adopt({ connection, keepAlive: () => post.keepAlive() });
  }

  /** Acknowledges a notification without a session. One of an extension is handled on a connection of its own. */
  #receiveNotification(exchange: Exchange, { identity, message, revision }: Outcome<"noted">): void {
    const row = revision && findMethod(revision.clientNotifications, message.method);
    if (row && extensionOf(row) !== undefined) {
      const channel: Channel = {
        start: (receiver) => receiver.classified(message, toOrigin(identity, exchange)),
        send: () => {},
        close: () => Promise.resolve(),
      };
      void this.service.accept(channel, { revision, client: { info: undefined, capabilities: {} } }).close();
    }
    exchange.respond({ status: 202 });
  }

  #openSession(exchange: Exchange, { identity, postBody }: Outcome<"open">): void {
    const { service, sessions, settings } = this;
    if (service.takesSessions?.(identity?.principal) === false) return this.#reject(exchange, tooManySessions());
    const id = idOf(postBody);
    if (postBody.kind !== "single" || id === undefined) return;
    const session = sessions.open(identity?.principal);
    const reply = new InitializeResponse(exchange, session, sessions, settings);
    session.expect(id, reply);
    session.receive(postBody.incoming, toOrigin(identity, exchange));
  }

  /** Dispatches a POST without sessions. Its own session lasts as long as the POST. */
  #dispatchStateless(exchange: Exchange, { identity, postBody, revision }: Outcome<"without-session">): void {
    const { sessions } = this;
    const session = sessions.openStateless(identity?.principal, revision);
    this.#reject(exchange, sessions.deliver(exchange, { identity, postBody, session }));
    void session.whenIdle().then(() => sessions.forget(session));
  }

  async #leave(exchange: Exchange, { session }: Outcome<"leave">): Promise<void> {
    await session.end();
    exchange.respond({ status: 204 });
  }

  async #listen(exchange: Exchange, { session, cursor }: Outcome<"listen">): Promise<void> {
    const { sessions, directory } = this;
    const rejection = await openListener(exchange, session, cursor);
    // The events of a session are removed when it ends.
    const isUnknown = rejection?.response.status === 400;
    const hasEnded = isUnknown && !(await directory.access(session.key, []));
    this.#reject(exchange, hasEnded ? sessions.rejectClosed() : rejection);
  }
}

/** Returns options whose guard uses the cluster. Its public documents stay those of the given guard. */
function protectGuard(options: HttpOptions): HttpOptions {
  const guard = toGuard(options.authenticate);
  if (!guard || !options.cluster) return options;
  const documents = new Map([...(options.documents ?? []), ...(guard.documents ?? [])]);
  return { ...options, documents, authenticate: options.cluster.protect(guard) };
}

function isHttpSseContext(endpoint: HttpEndpoint): endpoint is HttpEndpoint & HttpSseContext {
  return endpoint.sse !== undefined;
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
