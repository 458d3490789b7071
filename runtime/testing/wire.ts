import { encode } from "../framing/json.ts";
import { LineDecoder } from "../framing/ndjson.ts";
import type { Channel, Receiver } from "../jsonrpc/channel.ts";
import { toLimits, type Limits } from "../jsonrpc/limits.ts";
import type { Outgoing, RequestId } from "../jsonrpc/message.ts";

/**
 * Remote end of a connection as raw text. Connect a client or a server to it to test this side.
 *
 * @example
 * ```ts
 * import { serve } from "mcp-server-runtime";
 * import { settle, Wire } from "mcp-server-runtime/testing";
 *
 * const wire = new Wire();
 * serve(server, wire);
 * wire.write("no JSON\n");
 * await settle();
 * console.log(wire.sent); // an error response
 * ```
 */
export class Wire implements Channel {
  /** Unread messages of the side under test. */
  readonly sent: unknown[] = [];
  /** Related request of the remote end for each of the sent messages, if any. */
  readonly related: (RequestId | undefined)[] = [];
  /** Requests of the remote end without a response: they will get none. */
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

  /** Writes raw text from the remote end. */
  write(text: string | Uint8Array): void {
    this.#decoder?.push(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }

  /** Sends messages from the remote end, one per line. */
  post(...messages: readonly unknown[]): void {
    this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** Closes the remote end: gracefully, unless a reason is given. */
  end(reason?: Error): void {
    this.receiver?.disconnected(reason);
  }
}
