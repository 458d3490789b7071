import type { IncomingMessage, ServerResponse } from "node:http";
import type { Awaitable } from "../../../../generated/support.ts";
import { ByteBuffer } from "../../../framing/byte-buffer.ts";
import { merge } from "../../../internal/merge.ts";
import { startTimer } from "../../../internal/timers.ts";
import type { HttpResponse, Body, BodyLimits, EventWriter, Exchange, HeaderFields } from "./exchange.ts";
import { isChunked, NodeHead } from "./node-head.ts";
import { expectReader } from "./stalled-reader.ts";
import type { TurnBatcher } from "./turn-batcher.ts";

/** Exchange for a request of `node:http` and its response. */
export class NodeExchange extends NodeHead implements Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #turns: TurnBatcher;
  readonly #parsed: unknown;
  #fields: HeaderFields = none;
  #onStream: ((writer: EventWriter) => void)[] | undefined;
  /** Removes the listeners for the body. */
  #forgetBody: (() => void) | undefined;
  #isRead = false;
  #hasResponse = false;

  /** @param parsed - the body, if a body parser has read it */
  constructor(request: IncomingMessage, response: ServerResponse, turns: TurnBatcher, parsed?: unknown) {
    super(request);
    this.#request = request;
    this.#response = response;
    this.#turns = turns;
    this.#parsed = parsed ?? ("body" in request ? request.body : undefined);
  }

  get isGone(): boolean {
    return this.#hasResponse || this.#response.destroyed || this.#response.writableEnded;
  }

  onClose(run: () => void): void {
    onceClosed(this.#response, run);
  }

  addFields(fields: HeaderFields): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  readBody(limits: BodyLimits): Awaitable<Body> {
    const request = this.#request;
    this.#isRead = true;
    if (request.readableEnded && this.#parsed !== undefined) return toBody(this.#parsed, limits.maxBytes);
    // Nearly every body arrives with its head: it is complete, and no listener is needed.
    const isComplete = request.complete && request.readableLength > 0 && !request.readableFlowing;
    if (isComplete) return this.#takeBody(limits);
    // A body parser has read the body, or the client has disconnected: no event would ever come.
    if (request.readableEnded || request.destroyed) return { kind: "lost" };
    return this.#receiveBody(limits);
  }

  #takeBody({ maxBytes }: BodyLimits): Body {
    const request = this.#request;
    this.#isRead = request.readableLength <= maxBytes;
    return this.#isRead ? toText(toBytes(request.read(), request.readableEncoding)) : { kind: "too-large" };
  }

  #receiveBody({ maxBytes, timeout }: BodyLimits): Promise<Body> {
    const request = this.#request;
    return new Promise((resolve) => {
      const body = new ByteBuffer();
      const settle = (outcome: Body): void => {
        cancel();
        this.#forgetBody?.();
        resolve(outcome);
      };
      const stop = (kind: "too-large" | "late"): void => {
        settle({ kind });
        request.pause();
        this.#isRead = false;
      };
      const read = (chunk: Uint8Array | string): void => {
        cancel();
        cancel = startTimer(timeout, expire);
        const bytes = toBytes(chunk, request.readableEncoding);
        if (body.length + bytes.length > maxBytes) return stop("too-large");
        body.push(bytes);
      };
      const end = (): void => settle(toText(body.bytes));
      const lose = (): void => settle({ kind: "lost" });
      const expire = (): void => stop("late");
      let cancel = startTimer(timeout, expire);
      request.on("data", read).on("end", end).on("error", lose).on("close", lose);
      this.#forgetBody = () => request.off("data", read).off("end", end).off("error", lose).off("close", lose);
    });
  }

  respond({ status, headers, body }: HttpResponse): void {
    if (this.isGone) return;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const fields: Record<string, string | number> = merge(headers ?? none, this.#fields);
    if (status !== 204) fields["content-length"] = length;
    if (!this.#isRead && this.#hasLongBody()) fields.connection = "close";
    const response = this.#response.writeHead(status, fields);
    this.#hasResponse = true;
    if (fields.connection === "close" && !this.#request.complete) return this.#respondEarly(body);
    if (length <= heldBytes) return this.#turns.write(() => response.end(body));
    response.end(body);
    expectReader(response);
  }

  /**
   * Sends a response before its request has arrived completely, and closes the connection when it has, or after a while. The rest of the request is
   * read and discarded, because a client whose connection closes while it sends loses the response.
   *
   * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
   */
  #respondEarly(body: string | undefined): void {
    const response = this.#response;
    // The response to HEAD has no body: a write would send nothing.
    response.flushHeaders();
    if (body !== undefined) response.write(body);
    response.once(
      "close",
      startTimer(discardTime, () => response.end()),
    );
    this.#request.once("end", () => response.end()).resume();
  }

  fail(respond: HttpResponse): void {
    if (this.isGone) return;
    if (this.#response.headersSent) return void this.#response.destroy();
    this.#fields = none;
    this.respond(respond);
  }

  takeTurn(principal: string): Promise<void> | undefined {
    return this.#turns.principals.take(principal);
  }

  onStream(run: (writer: EventWriter) => void): void {
    (this.#onStream ??= []).push(run);
  }

  stream(headers: HeaderFields): EventWriter {
    // A stream may last for days, and would hold the body all that time.
    this.#forgetBody?.();
    this.#forgetBody = undefined;
    const writer = new NodeWriter(this.#response.writeHead(200, merge(headers ?? none, this.#fields)));
    for (const run of this.#onStream ?? []) run(writer);
    return writer;
  }

  /** True if a long or chunked body would have to be discarded before the connection can be reused. */
  #hasLongBody(): boolean {
    return isChunked(this.#request) || Number(this.#request.headers["content-length"] ?? 0) > drainedBytes;
  }
}

const none: HeaderFields = {};

/** Size in bytes up to which the operating system buffers a whole response. */
const heldBytes = 64 * 1024;

class NodeWriter implements EventWriter {
  readonly #response: ServerResponse;
  #isFlushed = false;
  #isWatched = false;
  #drained: Promise<void> | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("error", ignore);
    // Unless a write follows immediately, only the head shows the client that the stream is open.
    queueMicrotask(() => this.#flush());
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  write(text: string): void {
    this.#isFlushed = true;
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#watch();
    this.#response.write(text);
  }

  drained(): Promise<void> {
    const response = this.#response;
    if (response.destroyed) return Promise.resolve();
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        response.off("drain", done).off("close", done);
        this.#drained = undefined;
        resolve();
      };
      response.on("drain", done).on("close", done);
    });
    return this.#drained;
  }

  end(): void {
    this.#isFlushed = true;
    if (this.#response.writableEnded) return;
    this.#watch();
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }

  onClose(run: () => void): void {
    onceClosed(this.#response, run);
  }

  /** Watches for a stalled reader as soon as bytes wait while more is written. */
  #watch(): void {
    if (this.#isWatched || this.waiting === 0) return;
    this.#isWatched = true;
    expectReader(this.#response);
  }

  #flush(): void {
    if (!this.#isFlushed && !this.#response.destroyed) this.#response.flushHeaders();
  }
}

/** Calls `run` when the connection closes, also when it is closed already: the event occurs only once. */
function onceClosed(response: ServerResponse, run: () => void): void {
  if (response.destroyed) queueMicrotask(run);
  else response.once("close", run);
}

/** Milliseconds for which the rest of a rejected body is discarded before its connection closes. */
const discardTime = 2_000;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Bytes to read of the rest of a rejected body, to make the connection reusable. A longer body closes it. */
const drainedBytes = 64 * 1024;

function toText(bytes: Uint8Array): Body {
  try {
    return { kind: "text", text: utf8.decode(bytes), bytes };
  } catch {
    return { kind: "not-text" };
  }
}

/** Returns the bytes of a chunk, which is a string after `setEncoding`. */
function toBytes(chunk: Uint8Array | string, encoding: BufferEncoding | null): Uint8Array {
  return typeof chunk === "string" ? Buffer.from(chunk, encoding ?? "utf8") : chunk;
}

/** Converts the result of a body parser back to text, to run the same checks as for other bodies. */
function toBody(parsed: unknown, maxBytes: number): Body {
  if (parsed instanceof Uint8Array) return parsed.length > maxBytes ? { kind: "too-large" } : toText(parsed);
  const text = typeof parsed === "string" ? parsed : stringify(parsed);
  if (text === undefined) return { kind: "lost" };
  const bytes = Buffer.from(text);
  return bytes.length > maxBytes ? { kind: "too-large" } : { kind: "text", text, bytes };
}

/** Returns `undefined` when serialization fails: parsers accept any depth, and `JSON.stringify` does not. */
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function ignore(): void {}
