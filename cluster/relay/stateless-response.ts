import { encode } from "../../runtime/framing/json.ts";
import type { Channel, Receiver } from "../../runtime/jsonrpc/channel.ts";
import type { Incoming, Outgoing } from "../../runtime/jsonrpc/message.ts";
import type { SessionStream, StreamHost } from "../../runtime/transport/http-server/session/event-stream.ts";
import type { HttpOrigin, Identity } from "../../runtime/transport/http-server/identity.ts";
import type { StreamSettings } from "../../runtime/transport/http-server/session/session-directory.ts";

/** Stateless request received by another node. */
export interface RelayedStatelessOptions {
  readonly identity: Identity | undefined;
  readonly message: Incoming & { readonly kind: "request" };
  readonly settings: Pick<StreamSettings, "maxStreamBytes" | "metrics" | "retry">;
  /** Creates the stream for the other node to follow. */
  createStream(host: StreamHost): SessionStream;
}

/** Response to a stateless request received by another node, and the whole transport of its connection. The other node follows the stream. */
export class RelayedStatelessResponse implements Channel, HttpOrigin {
  readonly identity: Identity | undefined;
  readonly #options: RelayedStatelessOptions;
  readonly #stream: SessionStream;
  #receiver: Receiver | undefined;
  #isDone = false;

  constructor(options: RelayedStatelessOptions) {
    this.#options = options;
    this.identity = options.identity;
    const { maxStreamBytes: maxWaiting, metrics, retry } = options.settings;
    this.#stream = options.createStream({
      maxWaiting,
      metrics,
      retry,
      isResumable: false,
      remember: () => undefined,
      fenced: () => this.leave(),
    });
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  get buffered(): number {
    return this.#stream.waiting;
  }

  get maxBuffered(): number {
    return this.#options.settings.maxStreamBytes;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  /** Delivers the request. The other node follows the stream from its first event, which may come long before the first message. */
  receive(): void {
    this.#stream.prime();
    this.#receiver?.classified(this.#options.message, this);
  }

  send(outgoing: Outgoing): void | Promise<void> {
    if (this.#isDone) return;
    const text = encode(outgoing);
    if ("method" in outgoing) return this.#stream.send(text);
    void this.#stream.send(text, { respondsTo: this.#options.message.id });
    this.#finish();
  }

  abandon(): void {
    this.#finish();
  }

  close(): Promise<void> {
    this.#finish();
    return Promise.resolve();
  }

  releaseConnection(): boolean {
    return false;
  }

  /** Cancels the request: the client has closed the connection. */
  leave(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#stream.end();
    this.#receiver?.disconnected(new Error("The client closed the connection before the response"));
  }

  #finish(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#stream.settle(this.#options.message.id);
    this.#stream.end();
    queueMicrotask(() => this.#receiver?.disconnected());
  }
}
