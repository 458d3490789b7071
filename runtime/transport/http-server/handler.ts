import type { IncomingMessage, ServerResponse } from "node:http";
import type { StreamPosition } from "../../stores/event-store.ts";
import type { CloseOptions } from "../../protocol/connection.ts";
import type { Connection } from "../../protocol/peer.ts";
import { errorCodes } from "../../jsonrpc/errors.ts";
import type { Profile } from "../../protocol/profile.ts";
import { createClaims } from "./metadata-headers.ts";
import { ClaimPost } from "./stateless-response.ts";
import { toCorsFields, toPreflightFields } from "./cors.ts";
import { deliver, type Delivery } from "./dispatch-messages.ts";
import type { Exchange, RequestHead } from "./exchange/exchange.ts";
import { answerDocument } from "./authenticate.ts";
import { FetchExchange } from "./exchange/fetch-exchange.ts";
import { checkHost, checkOpen, climb, type Admission, type House } from "./validate-request.ts";
import { NodeExchange } from "./exchange/node-exchange.ts";
import { Opening } from "./initialize-response.ts";
import type { Identity } from "./identity.ts";
import { idOf, type Parcel } from "./post-body.ts";
import { Pipelines } from "./exchange/pipeline-limiter.ts";
import { toProfiledRefusal } from "./profiled-rejection.ts";
import { refuse, type Refusal } from "./rejection.ts";
import { toSpokenRevisions } from "./revisions.ts";
import type { HttpSession } from "./session.ts";
import { Sessions } from "./sessions.ts";
import { toSettings, type HttpOptions, type HttpService } from "./settings.ts";
import { findSseEndpoint, serveSse, tooManySessions, type SseHouse } from "../http-sse/http-sse-endpoints.ts";
import type { SseSession } from "../http-sse/http-sse-session.ts";
import { Turns } from "./exchange/write-batcher.ts";

/** A server over HTTP, for whatever accepts the connections. */
export interface HttpHandler {
  /** For the web platform: Bun, Deno, workers, Hono. */
  fetch(request: Request): Promise<Response>;
  /**
   * For `node:http`, Express and Fastify: the faster one on Node. Where a body parser comes first, its limits hold, too; what it has
   * made of the body is taken from `request.body`, as Express leaves it, or given as `body`.
   */
  node(request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** The sessions that this process takes part in, by id. */
  readonly sessions: ReadonlyMap<string, OpenSession>;
  /** Refuses what comes from now on, lets running calls finish for as long as the options say, and ends all streams. */
  close(options?: CloseOptions): Promise<void>;
}

/** A session over HTTP. */
export interface OpenSession {
  readonly connection: Connection;
}

/**
 * Serves Streamable HTTP, and HTTP with SSE where a revision is served that knows nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createHttpHandler(service: HttpService, options: HttpOptions = {}): HttpHandler {
  const house = new OpenHouse(service, options);
  const pipelines = new Pipelines();
  const turns = new Turns();
  return {
    fetch(request) {
      const exchange = new FetchExchange(request);
      void handle(exchange, house);
      return exchange.response;
    },
    node(request, response, body) {
      pipelines.begin(request, response, () => {
        void handle(new NodeExchange(request, response, turns, body), house);
      });
    },
    get sessions() {
      return house.streams.size === 0
        ? house.sessions.live
        : new Map<string, OpenSession>([...house.sessions.live, ...house.streams]);
    },
    async close(options) {
      house.isClosing = true;
      await house.sessions.close(options);
    },
  };
}

class OpenHouse implements House {
  readonly service: HttpService;
  readonly settings: House["settings"];
  readonly revisions: House["revisions"];
  readonly claims: House["claims"];
  readonly sessions: Sessions;
  readonly sse: SseHouse["sse"] | undefined;
  readonly streams: Map<string, SseSession> = new Map();
  isClosing: boolean = false;

  constructor(service: HttpService, options: HttpOptions) {
    this.service = service;
    this.revisions = toSpokenRevisions(service.revisions);
    this.settings = toSettings(options, this.revisions);
    this.claims = createClaims(service.revisions);
    this.sessions = new Sessions(service, this.settings, this.revisions);
    this.sse = this.settings.sse;
  }
}

async function handle(exchange: Exchange, house: OpenHouse): Promise<void> {
  try {
    const fields = toCorsFields(exchange, house.settings);
    if (fields) exchange.addFields(fields);
    const document = house.settings.guard?.documents?.get(exchange.path);
    if (document)
      return exchange.answer(
        (checkOpen(house) ?? checkHost(exchange, house))?.answer ?? answerDocument(exchange, document),
      );
    if (isSseHouse(house)) {
      const endpoint = findSseEndpoint(exchange, house);
      if (endpoint) return answerRefused(exchange, await serveSse(endpoint, exchange, house), house);
    }
    const admission = await climb(exchange, house);
    await perform(exchange, checkOpen(house) ?? admission, house);
  } catch (thrown) {
    house.settings.fail(thrown);
    exchange.fail(refuse(500, "Internal error", { code: errorCodes.internalError }).answer);
  }
}

function isSseHouse(house: OpenHouse): house is OpenHouse & SseHouse {
  return house.sse !== undefined;
}

function answerRefused(exchange: Exchange, refusal: Refusal | undefined, house: OpenHouse): void {
  if (!refusal) return;
  house.settings.counters?.turnedAway(refusal.answer.status);
  exchange.answer(toProfiledRefusal(refusal.answer, exchange, profileFor(exchange, house)));
}

/** No habits concern revisions whose requests stand alone. */
function profileFor(head: RequestHead, { settings, claims }: OpenHouse): Profile | undefined {
  if (!settings.profile || !claims) return settings.profile;
  const version = head.header(claims.headers.version.field)?.trim();
  return claims.revisions.some(({ id }) => id === version) ? undefined : settings.profile;
}

async function perform(exchange: Exchange, admission: Admission, house: OpenHouse): Promise<void> {
  switch (admission.kind) {
    case "message":
      return deliverNow(exchange, admission, house);
    case "refused":
      return answerRefused(exchange, admission, house);
    case "preflight":
      return exchange.answer({ status: 204, headers: toPreflightFields(exchange, house.settings.cors ?? {}) });
    case "claim":
      return answerClaim(exchange, admission, house);
    case "noted":
      return exchange.answer({ status: 202 });
    case "open":
      return openSession(exchange, admission, house);
    case "alone":
      return deliverAlone(exchange, admission, house);
    case "listen":
      return answerRefused(exchange, await listen(exchange, admission.session, admission.cursor), house);
    case "leave":
      await house.sessions.end(admission.session);
      return exchange.answer({ status: 204 });
    default:
      return admission satisfies never;
  }
}

function deliverNow(exchange: Exchange, delivery: Delivery, { sessions, settings }: OpenHouse): void {
  const post = deliver(exchange, delivery);
  if (post && !post.isDone && settings.answers === "sse") sessions.expectStream(post);
}

/** The connection lasts as long as the request. */
function answerClaim(
  exchange: Exchange,
  { identity, claimed }: Admission & { readonly kind: "claim" },
  { service, sessions, settings }: OpenHouse,
): void {
  const { answers: style, maxStreamBytes: maxWaiting, counters } = settings;
  const post = new ClaimPost(exchange, { identity, claimed, style, maxWaiting, counters });
  const connection = service.accept(post);
  post.receive();
  if (!post.isDone) sessions.adopt({ connection, keepAlive: () => post.keepAlive() });
}

function openSession(
  exchange: Exchange,
  { identity, parcel }: { readonly identity: Identity | undefined; readonly parcel: Parcel },
  house: OpenHouse,
): void {
  const { service, sessions, settings } = house;
  if (service.takesSessions?.() === false) return answerRefused(exchange, tooManySessions(), house);
  const id = idOf(parcel);
  if (parcel.kind !== "single" || id === undefined) return;
  const session = sessions.open(identity?.principal);
  const reply = new Opening(exchange, session, sessions, settings);
  session.expect(id, reply);
  session.receive(parcel.value, { identity, releaseConnection: () => false });
}

/** The session lasts as long as the POST. */
function deliverAlone(
  exchange: Exchange,
  { identity, parcel, revision }: Admission & { readonly kind: "alone" },
  house: OpenHouse,
): void {
  const session = house.sessions.openAlone(identity?.principal, revision);
  const forget = (): void => queueMicrotask(() => house.sessions.forget(session));
  session.whenIdle(forget);
  deliverNow(exchange, { identity, parcel, session }, house);
  if (!session.isBusy) forget();
}

async function listen(
  exchange: Exchange,
  session: HttpSession,
  cursor: string | undefined,
): Promise<Refusal | undefined> {
  if (cursor === undefined) return void session.listen(exchange);
  const position = readPosition(cursor);
  if (position && (await session.resume(exchange, position))) return undefined;
  return refuse(400, "The Last-Event-ID is not known (any more): open a stream without it");
}

function readPosition(cursor: string): StreamPosition | undefined {
  const match = /^([0-9a-z]{1,64})-(\d{1,15})$/.exec(cursor);
  const [, stream, sequence] = match ?? [];
  return stream === undefined ? undefined : { stream, sequence: Number(sequence) };
}
