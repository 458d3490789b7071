import { encodeEvent, keepAliveComment } from "../../framing/sse-events.ts";
import { encode } from "../../framing/json.ts";
import type { Channel, NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import type { Outgoing } from "../../jsonrpc/message.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import { FirstMessage } from "../first-message.ts";
import type { EventWriter } from "../http-server/exchange/exchange.ts";
import { toRenewalInterval, type HttpSettings } from "../http-server/settings.ts";

/** Options for the start of a session. */
export interface SseSessionStart {
  /** URL for the messages of the client. */
  readonly endpoint: string;
  /** Milliseconds for the first message of the client. */
  readonly handshakeTimeout: number;
}

/** Settings of the handler used by sessions. */
export type SseSessionSettings = Pick<HttpSettings, "maxStreamBytes" | "metrics" | "sessions" | "clock" | "fail">;

/**
 * Session of HTTP with SSE. It lives as long as its stream, which carries all messages to the client, including responses.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseSession implements Channel {
  readonly network: NetworkDetails = { transport: "tcp", protocol: "http" };
  readonly carriesSessionOnly = true;
  readonly key: SessionKey;
  readonly #writer: EventWriter;
  readonly #settings: SseSessionSettings;
  #receiver: Receiver | undefined;
  #connection: Connection | undefined;
  #first: FirstMessage | undefined;
  #isClosed = false;
  /** Time of the latest renewal, in the milliseconds of the clock. */
  #renewedAt: number;

  constructor(key: SessionKey, writer: EventWriter, settings: SseSessionSettings) {
    this.key = key;
    this.#writer = writer;
    this.#settings = settings;
    this.#renewedAt = settings.clock.now();
    writer.onClose(() => this.#disconnect());
  }

  /**
   * Connection of the server over this session.
   *
   * @throws {Error} before `serve`
   */
  get connection(): Connection {
    if (!this.#connection) throw new Error("The session is not connected yet");
    return this.#connection;
  }

  /** Sends the URL for messages to the client, and starts the timeout for its first message. */
  serve(connection: Connection, { endpoint, handshakeTimeout }: SseSessionStart): void {
    this.#connection = connection;
    const giveUp = (reason: Error): void => {
      this.#writer.end();
      this.#disconnect(reason);
    };
    this.#first = new FirstMessage(handshakeTimeout, giveUp, this.#settings.clock);
    this.#writer.write(encodeEvent({ type: "endpoint", data: endpoint }));
  }

  get buffered(): number {
    return this.#writer.waiting;
  }

  get maxBuffered(): number {
    return this.#settings.maxStreamBytes;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  receive(value: unknown, origin: unknown): void {
    this.#first?.settle();
    this.#receiver?.message(value, origin);
  }

  send(message: Outgoing): void | Promise<void> {
    const writer = this.#writer;
    const { waiting } = writer;
    writer.write(encodeEvent({ type: "message", data: encode(message) }));
    if (writer.waiting <= comfortable) return;
    const { maxStreamBytes, metrics } = this.#settings;
    if (waiting <= maxStreamBytes) return writer.drained();
    metrics?.drop("stream");
    writer.destroy();
    this.#disconnect(new Error(`The client does not read; more than ${maxStreamBytes} bytes are queued`));
  }

  keepAlive(): void {
    this.#writer.write(keepAliveComment);
  }

  /** Extends the lifetime of the session in the store from time to time, also while its client only listens. */
  renew(): void {
    const { sessions, clock, fail } = this.#settings;
    const now = clock.now();
    if (!sessions || now < this.#renewedAt + toRenewalInterval(sessions)) return;
    this.#renewedAt = now;
    Promise.resolve()
      .then(() => sessions.store.find(this.key))
      .catch(fail);
  }

  close(): Promise<void> {
    this.#writer.end();
    this.#disconnect();
    return Promise.resolve();
  }

  #disconnect(reason?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#first?.settle();
    this.#receiver?.disconnected(reason);
  }
}

const comfortable = 64 * 1024;
