import { encodeEvent } from "../../../framing/sse-events.ts";
import { serverShutdown, UnreachableError } from "../../../jsonrpc/errors.ts";
import type { NetworkDetails } from "../../../jsonrpc/channel.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { SessionStream } from "./event-stream.ts";
import type { HttpResponse, Exchange, HeaderFields } from "../exchange/exchange.ts";
import { toNetwork, type HttpOrigin, type Identity, type RemoteEnd } from "../identity.ts";
import type { ErrorStatus } from "../profiled-rejection.ts";
import { rejectHttp } from "../rejection.ts";

/** Destination of the response to a request and of the messages before it. */
export interface ResponseSink {
  /** Sends the response to a request as JSON text, with its status unless it is 200. Without an id, the request could not be read. */
  respond(text: string, id: RequestId | undefined, failure?: ErrorStatus): void;
  /** Marks a request without a response. */
  skip(id: RequestId): void;
  /** Sends a message ahead of the response. */
  push(text: string, kind: "request" | "notification"): void | Promise<void>;
  /** Keeps bytes flowing: called periodically, it switches a slow response to a stream. */
  keepAlive(): void;
  /** Ends the reply, because the session ends: there are no more responses. */
  end(): void;
}

/** Part of an exchange used by responses. */
export type ResponseExchange = Pick<Exchange, "isGone" | "respond" | "stream"> & RemoteEnd;

/** Form of responses: `auto` is JSON unless a message comes before the response. `json` drops such notifications instead. */
export type ResponseMode = "auto" | "json" | "sse";

/** Part of a session used by its POSTs. */
export interface SessionResponseHost {
  readonly style: ResponseMode;
  /** True if clients reconnect for the rest of a stream whose connection was closed in order. */
  readonly polls: boolean;
  /** True if the session has ended for all processes, and not only for this one. */
  readonly isEnded: boolean;
  /** Opens a stream for the responses to these requests. It can be resumed until it ends. Default name: one of this process. */
  openStream(requests: readonly RequestId[], name?: string): SessionStream;
  endStream(stream: SessionStream): void;
}

/** Properties of a POST with requests. */
export interface SessionResponseDetails {
  readonly identity: Identity | undefined;
  /** Requests to be handled. */
  readonly requests: readonly RequestId[];
  /** Number of immediately rejected members of a batch. Default 0. */
  readonly rejected?: number;
  readonly isBatch: boolean;
}

/**
 * POST with outstanding responses. The first message determines the form: a response makes it JSON, any other message a stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
export class SessionResponse implements ResponseSink, HttpOrigin {
  readonly identity: Identity | undefined;
  readonly #exchange: ResponseExchange;
  readonly #host: SessionResponseHost;
  readonly #isBatch: boolean;
  readonly #requests: readonly RequestId[];
  /** Requests with a response, and skipped ones. */
  readonly #settled: RequestId[] = [];
  #open: number;
  /** Responses waiting for the others of their batch. */
  #text = "";
  #failure: ErrorStatus | undefined;
  #stream: SessionStream | undefined;
  #isOld = false;

  constructor(exchange: ResponseExchange, host: SessionResponseHost, details: SessionResponseDetails) {
    const { identity, requests, rejected = 0, isBatch } = details;
    this.identity = identity;
    this.#exchange = exchange;
    this.#host = host;
    this.#requests = requests;
    this.#open = requests.length + rejected;
    this.#isBatch = isBatch;
  }

  get network(): NetworkDetails {
    return toNetwork(this.#exchange);
  }

  respond(text: string, id: RequestId | undefined, failure?: ErrorStatus): void {
    this.#failure = failure;
    if (this.#stream) void this.#stream.send(text, { respondsTo: id });
    else this.#text = this.#text === "" ? text : `${this.#text},${text}`;
    this.skip(id);
  }

  skip(id: RequestId | undefined): void {
    this.#open -= 1;
    if (id !== undefined) this.#settle(id);
    if (this.#open > 0) return;
    if (this.#stream) this.#host.endStream(this.#stream);
    else if (this.#text === "") this.#exchange.respond({ status: 202 });
    else this.#respondAtOnce(this.#takeText());
  }

  push(text: string, kind: "request" | "notification"): void | Promise<void> {
    const isDropped = !this.#stream && kind === "notification" && this.#host.style === "json";
    if (isDropped) return;
    const stream = this.toStream();
    if (kind === "request" && !stream.isConnected && !stream.isResumable) {
      return Promise.reject(new UnreachableError("The client closed the stream of the request"));
    }
    return stream.send(text);
  }

  /** True if every response has been sent. */
  get isDone(): boolean {
    return this.#open <= 0;
  }

  releaseConnection(): boolean {
    if (!this.#host.polls || this.#open === 0) return false;
    this.toStream().release();
    return true;
  }

  keepAlive(): void {
    if (this.#isOld && this.#open > 0) this.toStream();
    this.#isOld = true;
  }

  /** Switches the response to a stream. */
  toStream(): SessionStream {
    if (this.#stream) return this.#stream;
    const stream = this.#host.openStream(this.#requests);
    this.#stream = stream;
    if (!this.#exchange.isGone) stream.connect(this.#exchange.stream(streamFields));
    if (this.#host.polls) stream.prime();
    if (this.#text !== "") void stream.send(this.#takeText());
    for (const id of this.#settled) stream.settle(id);
    return stream;
  }

  end(): void {
    if (this.#open <= 0) return;
    this.#open = 0;
    if (this.#stream) return this.#host.endStream(this.#stream);
    if (!this.#host.isEnded) return this.#endInThisProcess();
    this.#exchange.respond(rejectHttp(404, "The session has ended; send initialize to start a new session").response);
  }

  /** Responds with errors: after 404 or another status, the client may repeat a request whose effects are unknown. */
  #endInThisProcess(): void {
    for (const id of this.#requests.filter((request) => !this.#settled.includes(request))) {
      const text = JSON.stringify({ jsonrpc: "2.0", id, error: serverShutdown });
      this.#text = this.#text === "" ? text : `${this.#text},${text}`;
    }
    this.#respondAtOnce(this.#takeText());
  }

  #respondAtOnce(text: string): void {
    if (this.#failure && !this.#isBatch) {
      const { status, headers } = this.#failure;
      return this.#exchange.respond({ status, headers: { ...jsonFields, ...headers }, body: text });
    }
    this.#exchange.respond(this.#host.style === "sse" ? toOnlyEvent(text) : toJsonResponse(text));
  }

  #settle(id: RequestId): void {
    this.#settled.push(id);
    this.#stream?.settle(id);
  }

  #takeText(): string {
    const text = this.#text;
    this.#text = "";
    return this.#isBatch ? `[${text}]` : text;
  }
}

/** Creates a JSON response from one message. */
export function toJsonResponse(text: string, status: number = 200): HttpResponse {
  return { status, headers: jsonFields, body: text };
}

/** Creates a stream with a single event. The stream is complete from the start and is never resumed, so the event needs no id. */
export function toOnlyEvent(text: string): HttpResponse {
  return { status: 200, headers: streamFields, body: encodeEvent({ type: "message", data: text }) };
}

/** Fields of a JSON response. */
export const jsonFields: HeaderFields = { "content-type": "application/json" };

/** Fields of a stream; the last one keeps proxies from buffering events. */
export const streamFields: HeaderFields = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
