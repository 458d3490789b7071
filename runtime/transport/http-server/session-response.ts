import { encodeEvent } from "../../framing/sse-events.ts";
import { UnreachableError } from "../../jsonrpc/errors.ts";
import type { EventStream } from "./event-stream.ts";
import type { Answer, Exchange, HeaderFields } from "./exchange/exchange.ts";
import type { HttpOrigin, Identity } from "./identity.ts";
import type { ErrorStatus } from "./profiled-rejection.ts";
import { refuse } from "./rejection.ts";

/** Where answers, and messages that belong to a request, go. */
export interface Reply {
  /** An answer as JSON text, with its status where that is not 200. */
  answer(text: string, failure?: ErrorStatus): void;
  /** A request gets no answer. */
  skip(): void;
  /** A message that comes before the answer. */
  push(text: string, kind: "request" | "notification"): void | Promise<void>;
  /** Makes sure that bytes flow, if none have for a while. */
  keepAlive(): void;
  /** The session ends: nothing will be answered any more. */
  end(): void;
}

/** How requests are answered: `auto` is JSON unless something comes before the answer. `json` gives notifications up for it. */
export type ResponseMode = "auto" | "json" | "sse";

/** What POSTs need of their session. */
export interface PostHost {
  readonly style: ResponseMode;
  /** Whether clients come back for the rest of a stream whose connection was closed in order. */
  readonly polls: boolean;
  /** A stream that can be resumed until it is ended. */
  openStream(): EventStream;
  endStream(stream: EventStream): void;
}

/** What is known of a POST with requests. */
export interface PostDetails {
  readonly identity: Identity | undefined;
  /** How many answers there will be. */
  readonly answers: number;
  readonly isBatch: boolean;
}

/**
 * A POST that waits for answers. What comes first decides how it is answered: an answer makes it JSON, anything else a stream.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
export class Post implements Reply, HttpOrigin {
  readonly identity: Identity | undefined;
  readonly #exchange: Exchange;
  readonly #host: PostHost;
  readonly #isBatch: boolean;
  #open: number;
  /** Answers that wait for the others of their batch. */
  #text = "";
  #failure: ErrorStatus | undefined;
  #stream: EventStream | undefined;
  #isOld = false;

  constructor(exchange: Exchange, host: PostHost, { identity, answers, isBatch }: PostDetails) {
    this.identity = identity;
    this.#exchange = exchange;
    this.#host = host;
    this.#open = answers;
    this.#isBatch = isBatch;
  }

  answer(text: string, failure?: ErrorStatus): void {
    this.#failure = failure;
    if (this.#stream) void this.#stream.send(text);
    else this.#text = this.#text === "" ? text : `${this.#text},${text}`;
    this.skip();
  }

  skip(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    if (this.#stream) this.#host.endStream(this.#stream);
    else if (this.#text === "") this.#exchange.answer({ status: 202 });
    else this.#answerAtOnce(this.#takeText());
  }

  push(text: string, kind: "request" | "notification"): void | Promise<void> {
    const isDropped = !this.#stream && kind === "notification" && this.#host.style === "json";
    if (isDropped) return;
    const stream = this.toStream();
    if (kind === "request" && !stream.isConnected && !stream.isResumable) {
      return Promise.reject(new UnreachableError("The client closed the connection on which it could be asked"));
    }
    return stream.send(text);
  }

  /** Whether every answer has been given. */
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

  /** The answer will be a stream. */
  toStream(): EventStream {
    if (this.#stream) return this.#stream;
    const stream = this.#host.openStream();
    this.#stream = stream;
    if (!this.#exchange.isGone) stream.connect(this.#exchange.stream(streamFields));
    if (this.#host.polls) stream.prime();
    if (this.#text !== "") void stream.send(this.#takeText());
    return stream;
  }

  end(): void {
    if (this.#open <= 0) return;
    this.#open = 0;
    if (this.#stream) this.#host.endStream(this.#stream);
    else this.#exchange.answer(refuse(404, "The session has ended: send initialize to begin a new one").answer);
  }

  #answerAtOnce(text: string): void {
    if (this.#failure && !this.#isBatch) {
      const { status, headers } = this.#failure;
      return this.#exchange.answer({ status, headers: { ...jsonFields, ...headers }, body: text });
    }
    this.#exchange.answer(this.#host.style === "sse" ? toOnlyEvent(text) : toJsonAnswer(text));
  }

  #takeText(): string {
    const text = this.#text;
    this.#text = "";
    return this.#isBatch ? `[${text}]` : text;
  }
}

/** A message as the whole of an answer. */
export function toJsonAnswer(text: string, status: number = 200): Answer {
  return { status, headers: jsonFields, body: text };
}

/** A stream of which all is known when it begins: there is nothing to come back for, so the event needs no id. */
export function toOnlyEvent(text: string): Answer {
  return { status: 200, headers: streamFields, body: encodeEvent({ type: "message", data: text }) };
}

/** Fields of a JSON answer. */
export const jsonFields: HeaderFields = { "content-type": "application/json" };

/** Fields of an answer that is a stream; the last one keeps proxies from holding events back. */
export const streamFields: HeaderFields = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
