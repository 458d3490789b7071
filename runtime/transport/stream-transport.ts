import { encode } from "../framing/json.ts";
import { LineDecoder } from "../framing/ndjson.ts";
import { startTimer } from "../internal/timers.ts";
import type { NetworkDetails, Receiver } from "../jsonrpc/channel.ts";
import { toLimits, type Limits } from "../jsonrpc/limits.ts";
import type { Outgoing } from "../jsonrpc/message.ts";
import { FirstMessage, readStart } from "./first-message.ts";
import { ChunkedLines } from "./write-chunks.ts";
import type { Transport } from "./transport.ts";

/** Readable side of a byte stream. */
export interface ByteSource {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** Writable side of a byte stream, without its `write`. */
export interface ByteSink {
  /** Bytes not yet written. */
  readonly writableLength: number;
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Options of a transport over two byte streams. */
export interface StreamTransportOptions {
  readonly input: ByteSource;
  readonly output: ByteSink;
  /** Writes to the output. Returns `false` when the reader is slow. */
  readonly write: (text: string) => boolean;
  readonly limits?: Partial<Limits> | undefined;
  /** Stop reading while the reader of the output is slow. Only the server may do so: if both ends did, each could wait indefinitely for the other. */
  readonly pausesInput?: boolean;
  /** Milliseconds for the peer's first message; then the connection is closed. Default: no limit. */
  readonly handshakeTimeout?: number;
  /** Close the connection when its first bytes are not the start of a JSON message, such as those of an HTTP request. Default `false`. */
  readonly requiresMessage?: boolean;
  /** Properties of the network connection. Default: unknown. */
  readonly network?: NetworkDetails;
  /** Called when a stream ends or breaks, instead of the default: the peer has finished, or nothing more can be sent. */
  readonly onEnd?: () => void;
  /** Writes the remaining bytes and closes the underlying streams; called once. */
  readonly finish: () => Promise<void>;
}

/**
 * Transport with one message a line over a pair of byte streams. Messages of one turn of the event loop are written together, except responses after
 * progress reports.
 */
export class StreamTransport implements Transport {
  readonly #options: StreamTransportOptions;
  readonly #limits: Limits;
  #receiver: Receiver | undefined;
  #first: FirstMessage | undefined;
  readonly #pieces = new ChunkedLines();
  #isScheduled = false;
  #congestion: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #state: "open" | "closing" | "closed" = "open";
  #closing: Promise<void> | undefined;
  #reason: Error | undefined;

  constructor(options: StreamTransportOptions) {
    this.#options = options;
    this.#limits = toLimits(options.limits);
  }

  get buffered(): number {
    return this.#options.output.writableLength + this.#pieces.length;
  }

  get network(): NetworkDetails | undefined {
    return this.#options.network;
  }

  start(receiver: Receiver): void {
    const { input, output, handshakeTimeout = Infinity } = this.#options;
    this.#receiver = receiver;
    if (this.#state === "closed") return receiver.disconnected(this.#reason);
    const first = new FirstMessage(handshakeTimeout, (reason) => this.disconnect(reason));
    this.#first = first;
    const decoder = new LineDecoder(this.#limits, {
      message(value) {
        first.settle();
        receiver.message(value);
      },
      problem: (problem) => receiver.problem(problem),
    });
    let isChecked = this.#options.requiresMessage !== true;
    input.on("data", (chunk) => {
      if (this.#state !== "open") return;
      const start = isChecked ? "message" : readStart(chunk);
      if (start === "other") return this.#rejectProtocol(receiver);
      isChecked = start === "message";
      decoder.push(chunk);
    });
    input.on("end", () => {
      if (this.#state === "open") decoder.end();
      if (this.#options.onEnd) this.#options.onEnd();
      else receiver.ended();
    });
    input.on("error", (error) => this.disconnect(error));
    output.on("error", (error) => this.#leave(error));
    output.on("drain", () => this.#relieve());
    output.on("close", () => this.#leave());
  }

  send(message: Outgoing): void | Promise<void> {
    const line = encode(message);
    if (this.#state === "closed") return;
    this.#pieces.add(message, line);
    // Large amounts are written immediately, so that a slow reader is noticed during the turn.
    if (this.#pieces.length > comfortable && !this.#congestion) this.#flush();
    else if (!this.#isScheduled) this.#schedule();
    if (this.#congestion === undefined) return;
    if (this.buffered > this.#limits.maxBufferedBytes) {
      this.disconnect(new Error(`The peer does not read; more than ${this.#limits.maxBufferedBytes} bytes are queued`));
    }
    return this.#congestion?.promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the transport, because its streams are no longer usable. During `close` the reason is dropped. */
  disconnect(reason?: Error): void {
    if (this.#state === "closed") return;
    this.#reason = this.#state === "closing" ? undefined : reason;
    this.#state = "closed";
    this.#first?.settle();
    this.#pieces.takeAll();
    this.#relieve();
    this.#receiver?.disconnected(this.#reason);
    void this.close();
  }

  /** Closes a connection of another protocol. Bytes after the first are ignored: a line of the body of an HTTP request may be a message. */
  #rejectProtocol(receiver: Receiver): void {
    receiver.problem({
      kind: "syntax",
      message: "The first bytes are not a JSON-RPC message; the connection is closed",
    });
    void this.close();
  }

  /** Uses the reason of `onEnd`, if it is set: it may know more about the end than the streams do. */
  #leave(reason?: Error): void {
    if (this.#options.onEnd && this.#state === "open") this.#options.onEnd();
    else this.disconnect(reason);
  }

  async #close(): Promise<void> {
    if (this.#state === "open") this.#state = "closing";
    this.#write(this.#pieces.takeAll());
    await this.#options.finish();
    this.disconnect();
  }

  /** Schedules a write after the current turn of the event loop, promises included. */
  #schedule(): void {
    this.#isScheduled = true;
    queueMicrotask(() => process.nextTick(() => this.#flush()));
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#write(this.#pieces.take());
    if (this.#pieces.length === 0) return;
    this.#isScheduled = true;
    startTimer(pieceDelay, () => this.#flush());
  }

  #write(text: string): void {
    if (text === "" || this.#state === "closed") return;
    if (this.#options.write(text) || this.#congestion) return;
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => (resolve = done));
    this.#congestion = { promise, resolve };
    if (this.#options.pausesInput) this.#options.input.pause();
  }

  #relieve(): void {
    if (!this.#congestion) return;
    this.#congestion.resolve();
    this.#congestion = undefined;
    if (this.#options.pausesInput) this.#options.input.resume();
  }
}

/** Milliseconds between a piece with a progress report and the one with the response: with less, the peer could read both together. */
const pieceDelay = 1;

/** Characters below which it is worth waiting for more. */
const comfortable = 64 * 1024;
