import type { Revision } from "../../../../generated/support.ts";
import { keepAliveComment } from "../../../framing/sse-events.ts";
import { encode } from "../../../framing/json.ts";
import type { Channel, NetworkDetails, Receiver } from "../../../jsonrpc/channel.ts";
import type { ConnectionMetrics } from "../../../jsonrpc/counted-channel.ts";
import { UnreachableError } from "../../../jsonrpc/errors.ts";
import type { ErrorObject, Incoming, Message, Outgoing, RequestId } from "../../../jsonrpc/message.ts";
import type { Connection } from "../../../protocol/peer/peer.ts";
import type { Profile } from "../../../protocol/profile.ts";
import type { StoredEvent, StreamPosition } from "../../../stores/event-store.ts";
import type { SessionKey } from "../../../stores/session-store.ts";
import type { EventWriter, Exchange } from "../exchange/exchange.ts";
import { toErrorStatus } from "../profiled-rejection.ts";
import { streamFields, type ResponseMode, type SessionResponseHost, type ResponseSink } from "./session-response.ts";
import { SessionStreams, type SessionParts, type StoreChange } from "./session-streams.ts";
import { HttpTransportSession } from "../../transport-session.ts";
import type { LostStream, SessionStream, StreamHost } from "./event-stream.ts";

/** Form of responses, and behaviour of event streams. */
export interface StreamOptions {
  /** Form of responses. Default `"auto"`. */
  readonly responseMode?: ResponseMode;
  /**
   * Begin streams with an event that only carries an id, where clients of the revision may reconnect to a stream whose connection the server has
   * closed. `false`: no such event, and the server does not release connections. Default `true`.
   */
  readonly polling?: boolean;
  /** Milliseconds that clients should wait before they reconnect. Default 1 s. */
  readonly retry?: number;
  /** Milliseconds between comments on idle streams. A call that takes longer gets a stream as its response. Default 15 s. */
  readonly keepAlive?: number;
  /** Bytes that may wait for the reader of a stream. While more wait, a further message destroys its connection. Default 8 MiB. */
  readonly maxStreamBytes?: number;
}

/** Settings of an HTTP server that its sessions use. */
export interface SessionSettings extends Required<StreamOptions> {
  readonly profile: Profile | undefined;
  readonly metrics: ConnectionMetrics | undefined;
  /** Encodes the messages of all sessions. */
  readonly encode: (outgoing: Outgoing) => string;
  /** Reports errors of background work. */
  readonly fail: (thrown: unknown) => undefined;
}

/**
 * Session over Streamable HTTP: the transport of one connection. Messages related to a request are sent on the stream of its POST, all others on one
 * of the streams the client has opened by GET.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#multiple-connections
 */
export class HttpSession implements Channel, SessionResponseHost, StreamHost {
  readonly network: NetworkDetails = overHttp;
  readonly key: SessionKey;
  /** Absent for the session of a single POST. */
  readonly session: HttpTransportSession | undefined;
  readonly #settings: SessionSettings;
  readonly #parts: SessionParts;
  /** Replies to the requests without a response so far. */
  readonly #replies = new Map<RequestId, ResponseSink>();
  /** Created with the first stream, because most sessions never have any. */
  #streams: SessionStreams | undefined;
  #receiver: Receiver | undefined;
  #connection: Connection | undefined;
  #revision: Revision | undefined;
  #hasEventIds = false;
  #streamCount = 0;
  #isClosed = false;
  #isEnded = false;
  /** Called when the last running request has its response, once each. */
  #whenIdle: (() => void)[] | undefined;
  /** Functions to store the changes of requests, by id. Only sessions with several processes have some. */
  #changes: Map<RequestId, StoreChange> | undefined;
  /** Time of the last use, in the milliseconds of the clock. */
  usedAt = 0;

  constructor(key: SessionKey, settings: SessionSettings, parts: SessionParts) {
    this.key = key;
    this.#settings = settings;
    this.#parts = parts;
    this.session = key.id === "" ? undefined : new HttpTransportSession(key.id, parts.createValues?.(key));
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

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True if a request or a connected stream keeps the session alive. */
  get isBusy(): boolean {
    return this.#replies.size > 0 || this.#openStreams.some((stream) => stream.isConnected);
  }

  // Members of `Channel`.

  get buffered(): number {
    return this.#openStreams.reduce((total, { waiting }) => total + waiting, 0);
  }

  get maxBuffered(): number {
    return this.#settings.maxStreamBytes;
  }

  get requestIdPrefix(): string | undefined {
    return this.#parts.requests?.idPrefix;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  agree(revision: Revision): void {
    this.#revision = revision;
    this.#hasEventIds = this.key.id !== "" && revision.headers.some(({ source }) => source === "session");
  }

  send(outgoing: Outgoing, related?: RequestId): void | Promise<void> {
    const text = this.#settings.encode(outgoing);
    if (!("jsonrpc" in outgoing)) return this.#listen(text);
    if (!("method" in outgoing))
      return this.#respond(outgoing.id, text, "error" in outgoing ? outgoing.error : undefined);
    const kind = "id" in outgoing ? "request" : "notification";
    const reply = related === undefined ? undefined : this.#replies.get(related);
    if (reply) return reply.push(text, kind);
    if (related === undefined) return this.#listen(text, outgoing);
    // The call has ended, and so has its stream.
    if (kind === "request") return Promise.reject(new UnreachableError("The related request has already ended"));
  }

  abandon(id: RequestId): void {
    this.#changes?.delete(id);
    this.#takeReply(id)?.skip(id);
    this.#reportIdle();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const streams = this.#openStreams;
    if (this.#isEnded) for (const stream of streams) stream.discard?.();
    for (const reply of new Set(this.#replies.values())) reply.end();
    for (const stream of streams) stream.end();
    this.#replies.clear();
    this.#streams = undefined;
    this.#receiver?.disconnected();
    await Promise.all(streams.map(async (stream) => stream.flushed?.()));
  }

  // Methods for the HTTP handler.

  /** Sets the connection over this transport. */
  serve(connection: Connection): void {
    this.#connection = connection;
  }

  /** Marks the session as ended in every process, whereas `close` only ends its use in this one. */
  markEnded(): void {
    this.#isEnded = true;
    this.session?.end();
  }

  /** Resolves when the last running request has its response, and at once when none is running. */
  whenIdle(): Promise<void> {
    if (this.#replies.size === 0) return Promise.resolve();
    return new Promise((resolve) => void (this.#whenIdle ??= []).push(resolve));
  }

  isRunning(id: RequestId): boolean {
    return this.#replies.has(id);
  }

  /** Registers the reply for the response to a request, before the request is received. */
  expect(id: RequestId, reply: ResponseSink): void {
    this.#replies.set(id, reply);
  }

  receive(incoming: Incoming, origin: unknown): void {
    const { requests } = this.#parts;
    if (requests && incoming.kind === "request") {
      const change = requests.prepareChange(this.key, incoming);
      if (change) (this.#changes ??= new Map()).set(incoming.id, change);
    }
    this.#receiver?.classified(incoming, origin);
  }

  /** Opens a stream for messages unrelated to a request of the client; ends the oldest one when there are too many. */
  listen(exchange: Exchange): void {
    const stream = this.openListener();
    stream.connect(exchange.stream(streamFields));
    if (this.polls) stream.prime();
    this.#parts.streams.listen?.(this.key, stream.key);
  }

  /** Resumes a stream after the given event. Returns `false` when the event is not known. */
  async resume(exchange: Exchange, position: StreamPosition): Promise<boolean> {
    if (!this.isResumable) return false;
    const open = (): EventWriter => exchange.stream(streamFields);
    return this.#parts.streams.resume(this.key, position, { host: this, streams: this.#opened, open });
  }

  // Methods for the streams that the client has opened by GET.

  get hasListeners(): boolean {
    return this.#streams?.hasListeners === true;
  }

  isListening(stream: string): boolean {
    return this.#streams?.isListening(stream) === true;
  }

  openListener(name: string = this.#nameStream("listener")): SessionStream {
    const stream = this.openStream([], name);
    for (const replaced of this.#opened.addListener(stream)) void replaced.endStored?.().catch(this.#settings.fail);
    return stream;
  }

  sendToListener(text: string): boolean {
    const listener = this.#streams?.listener;
    void listener?.send(text);
    return listener !== undefined;
  }

  releaseStream(name: string): void {
    this.#streams?.find(name)?.release();
  }

  releaseStreams(): void {
    for (const stream of this.#openStreams) if (stream.isListener || this.polls) stream.release();
  }

  keepAlive(): void {
    for (const reply of new Set(this.#replies.values())) reply.keepAlive();
    for (const stream of this.#openStreams) stream.touch(keepAliveComment);
  }

  // Members of `SessionResponseHost`.

  get style(): ResponseMode {
    return this.#settings.responseMode;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get polls(): boolean {
    return this.#revision?.polling === true && this.isResumable && this.#settings.polling;
  }

  openStream(requests: readonly RequestId[], name: string = this.#nameStream("response")): SessionStream {
    const stream = this.#parts.streams.createStream(this.key, { name, host: this, requests });
    this.#opened.add(stream);
    return stream;
  }

  endStream(stream: SessionStream): void {
    this.#opened.end(stream);
  }

  // Members of `StreamHost`.

  get maxWaiting(): number {
    return this.#settings.maxStreamBytes;
  }

  get metrics(): ConnectionMetrics | undefined {
    return this.#settings.metrics;
  }

  get retry(): number {
    return this.#settings.retry;
  }

  /** True if clients can resume streams. Event ids exist only with sessions: in revisions with a header for the session. */
  get isResumable(): boolean {
    return this.#hasEventIds && this.#parts.streams.isResumable;
  }

  remember(event: StoredEvent): Promise<void> | undefined {
    return this.#parts.streams.remember?.(this.key, event);
  }

  fenced(stream: SessionStream, { requests, unsent }: LostStream): void {
    this.#streams?.forget(stream);
    if (stream.isListener) for (const text of unsent) this.#sendElsewhere(text);
    for (const requestId of requests) {
      this.receive({ kind: "notification", method: "notifications/cancelled", params: { requestId } }, undefined);
    }
  }

  get #openStreams(): readonly SessionStream[] {
    return this.#streams?.all ?? none;
  }

  get #opened(): SessionStreams {
    return (this.#streams ??= new SessionStreams());
  }

  #nameStream(kind: "response" | "listener"): string {
    this.#streamCount += 1;
    return this.#parts.streams.nameStream(this.#streamCount, kind);
  }

  #respond(id: RequestId | undefined, text: string, error: ErrorObject | undefined): void {
    if (id === undefined) return;
    const change = error ? undefined : this.#changes?.get(id);
    this.#changes?.delete(id);
    if (change) return void this.#respondAfter(change, id, text);
    this.#takeReply(id)?.respond(text, id, error && toErrorStatus(error, this.#settings.profile));
    this.#reportIdle();
  }

  /** Responds when the change of a request is stored, or with an error when it cannot be. */
  async #respondAfter(store: StoreChange, id: RequestId, text: string): Promise<void> {
    const error = await store();
    this.#respond(id, error ? encode({ jsonrpc: "2.0", id, error }) : text, error);
  }

  #reportIdle(): void {
    if (this.#replies.size > 0) return;
    const waiting = this.#whenIdle;
    this.#whenIdle = undefined;
    for (const resolve of waiting ?? []) resolve();
  }

  #takeReply(id: RequestId): ResponseSink | undefined {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    if (reply) this.#parts.requests?.ended(this.key, id);
    return reply;
  }

  /** Sends to exactly one stream opened by GET. Without one here, a message for the whole session may reach a stream of another process. */
  #listen(text: string, message?: Message): void | Promise<void> {
    const listener = this.#streams?.listener;
    if (listener) return listener.send(text);
    const method = message && "method" in message ? message.method : undefined;
    const sent = method === undefined ? undefined : this.#parts.streams.sendElsewhere?.(this.key, text, method);
    if (sent) return sent;
    if (message && "id" in message)
      return Promise.reject(new UnreachableError("The client has no open stream for server requests"));
  }

  #sendElsewhere(text: string): void {
    if (text !== "") void this.#parts.streams.sendElsewhere?.(this.key, text)?.catch(this.#settings.fail);
  }
}

const overHttp: NetworkDetails = { transport: "tcp", protocol: "http" };

const none: readonly SessionStream[] = [];
