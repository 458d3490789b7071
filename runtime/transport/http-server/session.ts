import type { Revision } from "../../../generated/support.ts";
import { keepAliveComment } from "../../framing/sse-events.ts";
import { encode } from "../../framing/json.ts";
import type { Channel, Receiver, TransportSession } from "../../jsonrpc/channel.ts";
import type { Counting } from "../../jsonrpc/counted-channel.ts";
import { UnreachableError } from "../../jsonrpc/errors.ts";
import type { ErrorObject, Incoming, Outgoing, RequestId } from "../../jsonrpc/message.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { StoredEvent, StreamPosition } from "../../stores/event-store.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import type { EventWriter, Exchange } from "./exchange/exchange.ts";
import { toErrorStatus } from "./profiled-rejection.ts";
import { streamFields, type ResponseMode, type SessionResponseHost, type ResponseSink } from "./session-response.ts";
import type { HttpSettings } from "./settings.ts";
import { EventStreamResponse, type StreamHost } from "./event-stream.ts";

/**
 * Session over Streamable HTTP: the transport of one connection. Messages that belong to a request are sent on the stream of its POST, all others on
 * one of the streams that the client has opened by GET.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#multiple-connections
 */
export class HttpSession implements Channel, SessionResponseHost, StreamHost {
  readonly key: SessionKey;
  /** Absent for a session that lasts as long as a POST. */
  readonly session: TransportSession | undefined;
  readonly #settings: HttpSettings;
  /** Requests that wait for their response. */
  readonly #replies = new Map<RequestId, ResponseSink>();
  /** Streams that have not ended. */
  readonly #streams = new Map<string, EventStreamResponse>();
  /** Streams that were opened by GET, the latest last. */
  #listeners: readonly EventStreamResponse[] = [];
  #receiver: Receiver | undefined;
  #connection: Connection | undefined;
  #revision: Revision | undefined;
  #streamCount = 0;
  #isClosed = false;
  #onIdle: (() => void) | undefined;
  #resolveEnded: () => void = () => {};
  /** Time of the last use, in the milliseconds of the clock. */
  usedAt = 0;

  constructor(key: SessionKey, settings: HttpSettings) {
    this.key = key;
    this.#settings = settings;
    const ended = new Promise<void>((resolve) => (this.#resolveEnded = resolve));
    this.session = key.id === "" ? undefined : { id: key.id, ended };
  }

  // State for other modules.

  /**
   * Connection of the server over this session.
   *
   * @throws {Error} before `serve`
   */
  get connection(): Connection {
    if (!this.#connection) throw new Error("The session is not connected yet");
    return this.#connection;
  }

  get revision(): Revision | undefined {
    return this.#revision;
  }

  /** True if a request or a connected stream keeps the session alive. */
  get isBusy(): boolean {
    return this.#replies.size > 0 || [...this.#streams.values()].some((stream) => stream.isConnected);
  }

  // Members of `Channel`.

  get buffered(): number {
    return [...this.#streams.values()].reduce((total, { waiting }) => total + waiting, 0);
  }

  get maxBuffered(): number {
    return this.#settings.maxStreamBytes;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  agree(revision: Revision): void {
    this.#revision = revision;
  }

  send(outgoing: Outgoing, related?: RequestId): void | Promise<void> {
    const text = encode(outgoing);
    if (!("jsonrpc" in outgoing)) return this.#listen(text, "notification");
    if (!("method" in outgoing))
      return this.#respond(outgoing.id, text, "error" in outgoing ? outgoing.error : undefined);
    const kind = "id" in outgoing ? "request" : "notification";
    const reply = related === undefined ? undefined : this.#replies.get(related);
    if (reply) return reply.push(text, kind);
    if (related === undefined) return this.#listen(text, kind);
    // The call has ended, and so has its stream.
    if (kind === "request") return Promise.reject(new UnreachableError("The related request has already ended"));
  }

  abandon(id: RequestId): void {
    this.#takeReply(id)?.skip();
    this.#emitIdle();
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    for (const reply of new Set(this.#replies.values())) reply.end();
    for (const stream of this.#streams.values()) stream.end();
    this.#replies.clear();
    this.#streams.clear();
    this.#listeners = [];
    this.#receiver?.disconnected();
    return Promise.resolve();
  }

  // Methods for the HTTP handler.

  /** Sets the connection that uses this transport. */
  serve(connection: Connection): void {
    this.#connection = connection;
  }

  /** Marks the session as ended in every process, whereas `close` only ends its use in this one. */
  markEnded(): void {
    this.#resolveEnded();
  }

  /** Sets a callback for each time that the last running request has its response. */
  whenIdle(run: () => void): void {
    this.#onIdle = run;
  }

  isRunning(id: RequestId): boolean {
    return this.#replies.has(id);
  }

  /** Registers the reply for the response to a request that is about to be received. */
  expect(id: RequestId, reply: ResponseSink): void {
    this.#replies.set(id, reply);
  }

  receive(incoming: Incoming, origin: unknown): void {
    this.#receiver?.classified(incoming, origin);
  }

  /** Opens a stream for messages that belong to no request of the client; ends the oldest one when there are too many. */
  listen(exchange: Exchange): void {
    const stream = this.openStream();
    const connected = this.#listeners.filter((listener) => listener.isConnected);
    for (const listener of this.#listeners) if (!connected.includes(listener)) this.endStream(listener);
    if (connected.length >= maxListeners) this.#dropListener(connected);
    this.#listeners = [...connected.slice(-(maxListeners - 1)), stream];
    stream.connect(exchange.stream(streamFields));
    if (this.polls) stream.prime();
  }

  /** Resumes a stream after the given event. Returns `false` when the event is not known. */
  async resume(exchange: Exchange, position: StreamPosition): Promise<boolean> {
    const { events } = this.#settings;
    if (!events || !this.remember) return false;
    const stream = this.#streams.get(position.stream) ?? this.#toEnded(position.stream);
    const open = (): EventWriter => exchange.stream(streamFields);
    return stream.resume(open, () => events.after(this.key, position));
  }

  keepAlive(): void {
    for (const reply of new Set(this.#replies.values())) reply.keepAlive();
    for (const stream of this.#streams.values()) stream.touch(keepAliveComment);
  }

  // Members of `PostHost`.

  get style(): ResponseMode {
    return this.#settings.responseMode;
  }

  get polls(): boolean {
    return this.#revision?.polling === true && this.remember !== undefined && this.#settings.polling;
  }

  openStream(): EventStreamResponse {
    this.#streamCount += 1;
    const stream = new EventStreamResponse(`${this.#settings.nonce}${this.#streamCount.toString(36)}`, this);
    this.#streams.set(stream.key, stream);
    return stream;
  }

  endStream(stream: EventStreamResponse): void {
    this.#streams.delete(stream.key);
    stream.end();
  }

  // Members of `StreamHost`.

  get maxWaiting(): number {
    return this.#settings.maxStreamBytes;
  }

  get metrics(): Counting | undefined {
    return this.#settings.metrics;
  }

  get retry(): number {
    return this.#settings.retry;
  }

  /** Event ids exist only with sessions: in revisions with a header for the session. */
  get remember(): ((event: StoredEvent) => Promise<void> | undefined) | undefined {
    const hasIds = this.#revision?.headers.some((header) => header.source === "session") && this.key.id !== "";
    return hasIds && this.#settings.events ? this.#remember : undefined;
  }

  readonly #remember = (event: StoredEvent): Promise<void> | undefined => {
    const { events, fail } = this.#settings;
    try {
      const kept = events?.append(this.key, event);
      return kept instanceof Promise ? kept.catch(fail) : undefined;
    } catch (thrown) {
      return fail(thrown);
    }
  };

  #respond(id: RequestId | undefined, text: string, error: ErrorObject | undefined): void {
    if (id === undefined) return;
    this.#takeReply(id)?.respond(text, error && toErrorStatus(error, this.#settings.profile));
    this.#emitIdle();
  }

  #emitIdle(): void {
    if (this.#replies.size === 0) this.#onIdle?.();
  }

  #takeReply(id: RequestId): ResponseSink | undefined {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    return reply;
  }

  /** Sends to exactly one stream: the latest that is connected, or else the latest that its client can resume. */
  #listen(text: string, kind: "request" | "notification"): void | Promise<void> {
    const listener =
      this.#listeners.findLast((stream) => stream.isConnected) ??
      this.#listeners.findLast((stream) => stream.isResumable);
    if (listener) return listener.send(text);
    if (kind === "request")
      return Promise.reject(new UnreachableError("The client has no open stream for server requests"));
  }

  #dropListener(connected: readonly EventStreamResponse[]): void {
    const [oldest] = connected;
    if (oldest) this.endStream(oldest);
  }

  #toEnded(key: string): EventStreamResponse {
    const stream = new EventStreamResponse(key, this);
    stream.end();
    return stream;
  }
}

/** Maximum number of streams that a client may hold open by GET. */
const maxListeners = 2;
