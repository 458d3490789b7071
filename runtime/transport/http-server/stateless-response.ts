import { isObject, type Revision } from "../../../generated/support.ts";
import { encodeEvent, keepAliveComment } from "../../framing/sse-events.ts";
import { encode } from "../../framing/json.ts";
import type { Channel, NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import type { ConnectionMetrics } from "../../jsonrpc/counted-channel.ts";
import { errorCodes, serverShutdown } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { isEndless } from "../../jsonrpc/limits.ts";
import type { ErrorObject, Outgoing } from "../../jsonrpc/message.ts";
import { findMethod } from "../../protocol/methods/method-rows.ts";
import type { EventWriter, Exchange } from "./exchange/exchange.ts";
import { toNetwork, type HttpOrigin, type Identity } from "./identity.ts";
import { streamFields, toJsonResponse, toOnlyEvent, type ResponseMode } from "./session/session-response.ts";
import type { ParsedRequest } from "./validate-stateless.ts";

/** Request, and form and limits of its response. */
export interface StatelessResponseOptions {
  readonly identity: Identity | undefined;
  readonly parsed: ParsedRequest;
  readonly style: ResponseMode;
  /** Bytes to hold for a slow reader. */
  readonly maxWaiting: number;
  readonly metrics: ConnectionMetrics | undefined;
}

/**
 * Response to a POST with one stateless request, and the whole transport of its connection. The response is JSON, unless a notification comes first.
 * The client cancels the request by closing the connection.
 */
export class StatelessResponse implements Channel, HttpOrigin {
  readonly identity: Identity | undefined;
  readonly #exchange: Exchange;
  readonly #options: StatelessResponseOptions;
  #receiver: Receiver | undefined;
  #writer: EventWriter | undefined;
  #isDone = false;
  #isOld = false;

  constructor(exchange: Exchange, options: StatelessResponseOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.identity = options.identity;
  }

  /** True if the response has been sent, or the client no longer waits for it. */
  get isDone(): boolean {
    return this.#isDone;
  }

  get buffered(): number {
    return this.#writer?.waiting ?? 0;
  }

  get maxBuffered(): number {
    return this.#options.maxWaiting;
  }

  get network(): NetworkDetails {
    return toNetwork(this.#exchange);
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  /** Delivers the request. Without an immediate response, watches for the client to disconnect. */
  receive(): void {
    this.#receiver?.classified(this.#options.parsed.message, this);
    // A stream has its own listener.
    if (!this.#isDone && !this.#writer) this.#exchange.onClose(() => this.#leave());
  }

  send(outgoing: Outgoing): void | Promise<void> {
    if (this.#isDone) return;
    const text = encode(outgoing);
    if ("method" in outgoing) return this.#push(text);
    this.#respond(text, "error" in outgoing ? outgoing.error : undefined);
  }

  abandon(): void {
    this.#finish();
    this.#writer?.end();
  }

  close(): Promise<void> {
    // After 503, the client may repeat a request whose effects are unknown.
    if (!this.#isDone && !this.#writer) {
      const { id } = this.#options.parsed.message;
      this.#exchange.respond(toJsonResponse(encode({ jsonrpc: "2.0", id, error: serverShutdown })));
    }
    this.abandon();
    return Promise.resolve();
  }

  /** Keeps bytes flowing: a long call gets a stream as its response. */
  keepAlive(): void {
    if (this.#isDone) return;
    if (this.#writer) this.#writer.write(keepAliveComment);
    else if (this.#isOld) this.#toStream();
    this.#isOld = true;
  }

  releaseConnection(): boolean {
    return false;
  }

  #push(text: string): void | Promise<void> {
    if (!this.#writer && this.#options.style === "json" && !this.#isEndless) return;
    const writer = this.#toStream();
    const { waiting } = writer;
    writer.write(encodeEvent({ type: "message", data: text }));
    if (writer.waiting <= comfortable) return;
    if (waiting <= this.#options.maxWaiting) return writer.drained();
    this.#options.metrics?.drop("stream");
    writer.destroy();
    this.#leave();
  }

  get #isEndless(): boolean {
    const { message, agreement } = this.#options.parsed;
    const row = findMethod(agreement.revision.clientRequests, message.method);
    return row !== undefined && isEndless(row);
  }

  #respond(text: string, error: ErrorObject | undefined): void {
    this.#finish();
    if (this.#writer) {
      this.#writer.write(encodeEvent({ type: "message", data: text }));
      return this.#writer.end();
    }
    const status = error ? statusOf(error, this.#options.parsed.agreement.revision) : 200;
    const isStream = this.#options.style === "sse" && status === 200;
    const response = toJsonResponse(text, status);
    if (isStream) this.#exchange.respond(toOnlyEvent(text));
    else if (status !== rejectionCodes.unavailable) this.#exchange.respond(response);
    else this.#exchange.respond({ ...response, headers: { ...response.headers, "retry-after": "1" } });
  }

  #toStream(): EventWriter {
    if (this.#writer) return this.#writer;
    this.#writer = this.#exchange.stream(streamFields);
    this.#writer.onClose(() => this.#leave());
    return this.#writer;
  }

  /** Cancels the request: the client has closed the connection. */
  #leave(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    // The client does not read this response, but some platforms wait for one.
    if (!this.#writer) this.#exchange.respond({ status: 499 });
    this.#receiver?.disconnected(new Error("The client closed the connection before the response"));
  }

  /** Marks the response as complete. It is still being sent, so the end of the connection is reported afterwards. */
  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    queueMicrotask(() => this.#receiver?.disconnected());
  }
}

/** Bytes to hold before a reader counts as slow. */
const comfortable = 64 * 1024;

/**
 * Returns the HTTP status of an error: the one specified by the revision, 400 for invalid requests and metadata, and 200 for others. Invalid metadata
 * counts as missing.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
function statusOf({ code, data }: ErrorObject, { errors }: Revision): number {
  const fixed = Object.values(errors).find((rule) => rule.code === code && rule.emitted)?.status;
  if (fixed !== undefined) return fixed;
  if (code === errorCodes.invalidRequest) return 400;
  if (code === rejectionCodes.unavailable) return code;
  const path = isObject(data) ? data.path : undefined;
  const isMetadata = code === errorCodes.invalidParams && typeof path === "string" && /^_meta(\/|$)/.test(path);
  return isMetadata ? 400 : 200;
}
