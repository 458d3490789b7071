import { nextTick } from "node:process";
import { encode } from "../framing/json.ts";
import { LineDecoder } from "../framing/ndjson.ts";
import type { Receiver } from "../jsonrpc/channel.ts";
import { toLimits, type Limits } from "../jsonrpc/limits.ts";
import type { Outgoing } from "../jsonrpc/message.ts";
import { FirstMessage, readStart } from "./first-message.ts";
import { Pieces } from "./write-chunks.ts";
import type { Transport } from "./transport.ts";

/** What is read from. */
export interface ByteSource {
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** What tells how writing goes. */
export interface ByteSink {
  /** Bytes that wait to be written. */
  readonly writableLength: number;
  on(event: "drain" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** How two byte streams become a transport. */
export interface StreamOptions {
  readonly input: ByteSource;
  readonly output: ByteSink;
  /** Writes to the output; `false` when the reader is slow. */
  readonly write: (text: string) => boolean;
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Stop reading while the reader of our output is slow. Only one of the two ends may do so, the server: if both did, each could wait for
   * the other for ever.
   */
  readonly pausesInput?: boolean;
  /** Milliseconds for the peer's first message; then the connection is over. Default: as many as it likes. */
  readonly handshakeTimeout?: number;
  /** Closes the connection when its first bytes are not the start of a JSON message, as those of an HTTP request are not. Default `false`. */
  readonly requiresMessage?: boolean;
  /** Called when a stream ends or breaks, instead of what it means by itself: the peer is done, or nothing can be sent any more. */
  readonly onEnd?: () => void;
  /** Writes out and closes what is below; called once. */
  readonly finish: () => Promise<void>;
}

/**
 * One message a line over a pair of byte streams. What is sent in one turn of the event loop is written in one piece, but for responses after
 * progress reports.
 */
export class StreamTransport implements Transport {
  readonly #options: StreamOptions;
  readonly #limits: Limits;
  #receiver: Receiver | undefined;
  #first: FirstMessage | undefined;
  readonly #pieces = new Pieces();
  #isScheduled = false;
  #congestion: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #state: "open" | "closing" | "closed" = "open";
  #closing: Promise<void> | undefined;
  #reason: Error | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#limits = toLimits(options.limits);
  }

  get buffered(): number {
    return this.#options.output.writableLength + this.#pieces.length;
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
    // Much at once is written at once, so that a slow reader is noticed while it is being sent.
    if (this.#pieces.length > comfortable && !this.#congestion) this.#flush();
    else if (!this.#isScheduled) this.#schedule();
    if (this.#congestion === undefined) return;
    if (this.buffered > this.#limits.maxBufferedBytes) {
      this.disconnect(
        new Error(`The peer does not read: more than ${this.#limits.maxBufferedBytes} bytes wait for it`),
      );
    }
    return this.#congestion?.promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The streams are of no use any more. While we close them ourselves, that needs no reason. */
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

  /** Nothing after the first bytes is looked at: a line of the body of an HTTP request may well be a message. */
  #rejectProtocol(receiver: Receiver): void {
    receiver.problem({
      kind: "syntax",
      message: "The connection does not begin with a JSON-RPC message; it is closed",
    });
    void this.close();
  }

  /** Whoever knows more about the end than the streams do says why. */
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

  /** After everything that this turn of the event loop still does, promises included. */
  #schedule(): void {
    this.#isScheduled = true;
    queueMicrotask(() => nextTick(() => this.#flush()));
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#write(this.#pieces.take());
    if (this.#pieces.length === 0) return;
    this.#isScheduled = true;
    setTimeout(() => this.#flush(), pieceDelay);
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

/** Milliseconds between a piece with a progress report and the one with the response: sooner, the peer could read both at once. */
const pieceDelay = 1;

/** Fewer characters than this are worth waiting for more. */
const comfortable = 64 * 1024;
