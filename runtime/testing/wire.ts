import { encode } from "../framing/json.ts";
import { LineDecoder } from "../framing/ndjson.ts";
import type { Channel, Receiver } from "../jsonrpc/channel.ts";
import { toLimits, type Limits } from "../jsonrpc/limits.ts";
import type { Outgoing, RequestId } from "../jsonrpc/message.ts";

/** The foreign end of a connection, as raw text: connect a client to it, or serve it, and be the other side. */
export class Wire implements Channel {
  /** What our side sent and nobody has looked at yet. */
  readonly sent: unknown[] = [];
  /** To which request of the foreign end each of them belonged. */
  readonly related: (RequestId | undefined)[] = [];
  /** Requests of the foreign end that will get no answer. */
  readonly abandoned: RequestId[] = [];
  isClosed = false;
  receiver: Receiver | undefined;
  #decoder: LineDecoder | undefined;
  readonly #limits: Partial<Limits>;

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = limits;
  }

  start(receiver: Receiver): void {
    this.receiver = receiver;
    this.#decoder = new LineDecoder(toLimits(this.#limits), receiver);
  }

  send(message: Outgoing, related?: RequestId): void {
    this.sent.push(JSON.parse(encode(message)));
    this.related.push(related);
  }

  abandon(id: RequestId): void {
    this.abandoned.push(id);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /** What the foreign end writes, as it stands. */
  write(text: string | Uint8Array): void {
    this.#decoder?.push(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }

  /** What the foreign end sends, one message a line. */
  post(...messages: readonly unknown[]): void {
    this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** The foreign end is gone; without a reason, in order. */
  end(reason?: Error): void {
    this.receiver?.disconnected(reason);
  }
}
