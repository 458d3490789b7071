import { decode, encode } from "../../framing/json.ts";
import { startTimer } from "../../internal/timers.ts";
import type { NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { defaultLimits, toLimits, type Limits } from "../../jsonrpc/limits.ts";
import type { Outgoing } from "../../jsonrpc/message.ts";
import { FirstMessage } from "../first-message.ts";
import { toServerAddress } from "../server-address.ts";
import type { Transport } from "../transport.ts";

/** Subprotocols of a WebSocket with this protocol, the preferred one first. */
export const webSocketProtocols: readonly string[] = ["mcp.v1", "mcp"];

/** Close codes of the transport. @see https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
export const closeCodes: {
  readonly normal: 1000;
  readonly goingAway: 1001;
  readonly binary: 1003;
  readonly policy: 1008;
  readonly tooBig: 1009;
} = {
  normal: 1000,
  goingAway: 1001,
  binary: 1003,
  policy: 1008,
  tooBig: 1009,
};

/** Part of a WebSocket used by the transport, independent of the implementation. */
export interface MessageSocket {
  /** Bytes not yet written. */
  readonly bufferedAmount: number;
  /** Registers the listeners for events. Called once. */
  listen(events: SocketEvents): void;
  /** Sends a text message. Returns a promise when the writer should wait. */
  send(text: string): void | Promise<void>;
  close(code: number, reason: string): void;
  /** Ends the connection without the closing handshake. */
  terminate(): void;
}

/** Events of a WebSocket. */
export interface SocketEvents {
  opened(): void;
  text(text: string): void;
  binary(): void;
  closed(reason?: Error): void;
}

/** Options of a transport over a WebSocket. */
export interface WebSocketOptions {
  readonly limits?: Partial<Limits>;
  /** Milliseconds for the closing handshake. Default 2 s. */
  readonly closeTimeout?: number;
}

/** Properties of a connection on a server. */
export interface WebSocketDetails {
  /** Origin of the messages, for handlers. */
  readonly origin?: unknown;
  readonly network?: NetworkDetails;
  /** Milliseconds for the peer's first message; then the connection is closed. Default: no limit. */
  readonly handshakeTimeout?: number;
}

/** Transport with one message in each text frame. Messages wait until the connection is open. */
export class WebSocketTransport implements Transport {
  readonly network: NetworkDetails | undefined;
  /** Code to close the connection with, unless `close` is given another. */
  closeCode: number = closeCodes.normal;
  readonly #socket: MessageSocket;
  readonly #limits: Limits;
  readonly #origin: unknown;
  readonly #closeTimeout: number;
  readonly #handshakeTimeout: number;
  #first: FirstMessage | undefined;
  #receiver: Receiver | undefined;
  /** Messages waiting for the connection; absent when it is open. */
  #early: string[] | undefined = [];
  #state: "open" | "closing" | "closed" = "open";
  #closing: Promise<void> | undefined;
  #whenClosed: () => void = () => {};

  constructor(socket: MessageSocket, options: WebSocketOptions & WebSocketDetails = {}) {
    this.network = options.network;
    this.#socket = socket;
    this.#limits = toLimits(options.limits);
    this.#origin = options.origin;
    this.#closeTimeout = options.closeTimeout ?? 2_000;
    this.#handshakeTimeout = options.handshakeTimeout ?? Infinity;
  }

  get buffered(): number {
    return this.#socket.bufferedAmount;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#state === "closed") return receiver.disconnected();
    this.#first = new FirstMessage(this.#handshakeTimeout, ({ message }) => this.#reject(closeCodes.policy, message));
    this.#socket.listen({
      opened: () => this.#open(),
      text: (text) => this.#take(text, receiver),
      binary: () => this.#reject(closeCodes.binary, "A message must be a text frame"),
      closed: (reason) => this.#finish(reason),
    });
  }

  send(message: Outgoing): void | Promise<void> {
    const text = encode(message);
    requireSize(text, this.#limits);
    if (this.#state !== "open") return;
    if (this.#early) return void this.#early.push(text);
    if (this.#socket.bufferedAmount > this.#limits.maxBufferedBytes) {
      this.#finish(new Error(`The peer does not read; more than ${this.#limits.maxBufferedBytes} bytes are queued`));
      return this.#socket.terminate();
    }
    return this.#socket.send(text);
  }

  close(code: number = this.closeCode): Promise<void> {
    this.#closing ??= this.#close(code);
    return this.#closing;
  }

  #open(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const text of early) void this.#socket.send(text);
  }

  #take(text: string, receiver: Receiver): void {
    if (this.#state !== "open") return;
    // A message has at least as many bytes as UTF-16 units. Implementations that count bytes have already applied the limit.
    if (text.length > this.#limits.maxMessageBytes) return this.#reject(closeCodes.tooBig, "The message is too long");
    decode(text, this.#limits, {
      message: (value) => {
        this.#first?.settle();
        receiver.message(value, this.#origin);
      },
      problem: (problem) => receiver.problem(problem),
    });
  }

  /** Closes the connection: the peer violates the transport, so there is no request to respond to. */
  #reject(code: number, reason: string): void {
    this.#socket.close(code, reason);
    this.#finish(new Error(`The connection was closed with code ${code}: ${reason}`));
  }

  async #close(code: number): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = "closing";
    const closed = new Promise<void>((resolve) => (this.#whenClosed = resolve));
    const cancel = startTimer(this.#closeTimeout, () => this.#whenClosed());
    if (!this.#receiver) this.#socket.listen({ opened() {}, text() {}, binary() {}, closed: () => this.#finish() });
    this.#socket.close(code, "");
    await closed;
    cancel();
    this.#socket.terminate();
    this.#finish();
  }

  #finish(reason?: Error): void {
    if (this.#state === "closed") return;
    const isWanted = this.#state === "closing";
    this.#state = "closed";
    this.#first?.settle();
    this.#whenClosed();
    this.#receiver?.disconnected(isWanted ? undefined : reason);
  }
}

/** @throws {RpcError} when a message is longer than the peer is known to accept: it would close the connection with all its requests */
function requireSize(text: string, limits: Limits): void {
  const most = Math.max(limits.maxMessageBytes, defaultLimits.maxMessageBytes);
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= most || new TextEncoder().encode(text).length <= most) return;
  throw new RpcError(errorCodes.internalError, `The message is longer than ${most} bytes; send smaller messages`);
}

/** Returns the error for the end of a connection; nothing after an orderly end. */
export function toCloseReason(code: number, reason: string): Error | undefined {
  if (code === closeCodes.normal || code === closeCodes.goingAway) return undefined;
  return new Error(`The connection was closed with code ${code}${reason === "" ? "" : `: ${reason}`}`);
}

/** Returns the network connection of a client to the server at a URL. */
export function toClientNetwork(url: string | URL): NetworkDetails {
  return { transport: "tcp", protocol: "websocket", ...toServerAddress(new URL(url)) };
}
