import type { Revision } from "../../../generated/support.ts";
import { keepAliveComment } from "../../framing/sse-events.ts";
import { encode } from "../../framing/json.ts";
import type { Channel, NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import type { ConnectionMetrics } from "../../jsonrpc/counted-channel.ts";
import { UnreachableError } from "../../jsonrpc/errors.ts";
import type { ErrorObject, Incoming, Message, Outgoing, RequestId } from "../../jsonrpc/message.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import type { StoredEvent, StreamPosition } from "../../stores/event-store.ts";
import type { SessionKey } from "../../stores/session-store.ts";
import type { EventWriter, Exchange } from "./exchange/exchange.ts";
import { toErrorStatus } from "./profiled-rejection.ts";
import { streamFields, type ResponseMode, type SessionResponseHost, type ResponseSink } from "./session-response.ts";
import { isSentByEveryNode, type LiveSession, type Maintained, type StoreChange } from "./cluster.ts";
import type { HttpSettings } from "./settings.ts";
import { HttpTransportSession } from "../transport-session.ts";
import {
  EventStreamResponse,
  findListener,
  isListenerKey,
  keptListeners,
  listenerMark,
  type LostStream,
  type SessionStream,
  type StreamHost,
} from "./event-stream.ts";

/**
 * Session over Streamable HTTP: the transport of one connection. Messages that belong to a request are sent on the stream of its POST, all others on
 * one of the streams that the client has opened by GET.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#multiple-connections
 */
export class HttpSession implements Channel, SessionResponseHost, StreamHost, LiveSession {
  readonly network: NetworkDetails = overHttp;
  readonly key: SessionKey;
  turn: Set<Maintained> | undefined;
  /** Absent for a session that lasts as long as a POST. */
  readonly session: HttpTransportSession | undefined;
  readonly #settings: HttpSettings;
  /** Requests that wait for their response. */
  readonly #replies = new Map<RequestId, ResponseSink>();
  /** Streams that have not ended. Created with the first one, because most sessions never have any. */
  #streams: Map<string, SessionStream> | undefined;
  /** Streams that were opened by GET, the latest last. */
  #listeners: readonly SessionStream[] = none;
  #receiver: Receiver | undefined;
  #connection: Connection | undefined;
  #revision: Revision | undefined;
  #hasEventIds = false;
  #streamCount = 0;
  #isClosed = false;
  #isEnded = false;
  #onIdle: (() => void) | undefined;
  /** Functions that store what requests change, by the id of the request; of the sessions of a cluster only. */
  #changes: Map<RequestId, StoreChange> | undefined;
  /** Time of the last use, in the milliseconds of the clock. */
  usedAt = 0;

  constructor(key: SessionKey, settings: HttpSettings) {
    this.key = key;
    this.#settings = settings;
    const values = settings.cluster?.createValues?.(key);
    this.session = key.id === "" ? undefined : new HttpTransportSession(key.id, values);
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
    const { cluster } = this.#settings;
    return cluster && `${cluster.name}.`;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  agree(revision: Revision): void {
    this.#revision = revision;
    this.#hasEventIds = this.key.id !== "" && revision.headers.some(({ source }) => source === "session");
  }

  send(outgoing: Outgoing, related?: RequestId): void | Promise<void> {
    const text = encode(outgoing);
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
    this.#emitIdle();
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
    this.#listeners = none;
    this.#receiver?.disconnected();
    if (this.#settings.cluster) await Promise.all(streams.map(async (stream) => stream.flushed?.()));
  }

  // Methods for the HTTP handler.

  /** Sets the connection that uses this transport. */
  serve(connection: Connection): void {
    this.#connection = connection;
  }

  /** Marks the session as ended in every process, whereas `close` only ends its use in this one. */
  markEnded(): void {
    this.#isEnded = true;
    this.session?.end();
  }

  /** Sets a callback for each time that the last running request has its response, and calls it at once when none is running. */
  whenIdle(run: () => void): void {
    this.#onIdle = run;
    this.#emitIdle();
  }

  isRunning(id: RequestId): boolean {
    return this.#replies.has(id);
  }

  /** Registers the reply for the response to a request that is about to be received. */
  expect(id: RequestId, reply: ResponseSink): void {
    this.#replies.set(id, reply);
  }

  receive(incoming: Incoming, origin: unknown): void {
    const { cluster } = this.#settings;
    const change = cluster && incoming.kind === "request" ? cluster.prepareChange(this, incoming) : undefined;
    if (change && incoming.kind === "request") (this.#changes ??= new Map()).set(incoming.id, change);
    this.#receiver?.classified(incoming, origin);
  }

  /** Opens a stream for messages that belong to no request of the client; ends the oldest one when there are too many. */
  listen(exchange: Exchange): void {
    const stream = this.openListener();
    stream.connect(exchange.stream(streamFields));
    if (this.polls) stream.prime();
    this.#settings.cluster?.listen(this.key, stream.key);
  }

  /** Resumes a stream after the given event. Returns `false` when the event is not known. */
  async resume(exchange: Exchange, position: StreamPosition): Promise<boolean> {
    const { events, cluster } = this.#settings;
    if (!this.isResumable) return false;
    const open = (): EventWriter => exchange.stream(streamFields);
    const local = this.#streams?.get(position.stream);
    if (cluster) return this.#adopt(await cluster.resume(this.key, position, { host: this, local, open }));
    if (!events) return false;
    const stream = local instanceof EventStreamResponse ? local : this.#reopen(position.stream);
    const isResumed = await stream.resume(open, position, () => events.after(this.key, position));
    if (stream === local || !isListenerKey(stream.key)) return isResumed;
    if (isResumed && !this.#isClosed) this.#addListener(stream);
    else this.endStream(stream);
    return isResumed;
  }

  // Members of `LiveSession`.

  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  isListening(stream: string): boolean {
    return this.#listeners.some(({ key, isConnected }) => isConnected && key === stream);
  }

  openListener(name: string = this.#nameStream(listenerMark)): SessionStream {
    const stream = this.openStream([], name);
    for (const replaced of this.#addListener(stream)) void replaced.endStored?.().catch(this.#settings.fail);
    return stream;
  }

  sendToListener(text: string): boolean {
    const listener = findListener(this.#listeners);
    void listener?.send(text);
    return listener !== undefined;
  }

  releaseStream(name: string): void {
    this.#streams?.get(name)?.release();
  }

  releaseStreams(): void {
    for (const stream of this.#openStreams) if (stream.isListener || this.polls) stream.release();
  }

  keepAlive(): void {
    for (const reply of new Set(this.#replies.values())) reply.keepAlive();
    for (const stream of this.#openStreams) stream.touch(keepAliveComment);
  }

  // Members of `PostHost`.

  get style(): ResponseMode {
    return this.#settings.responseMode;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get polls(): boolean {
    return this.#revision?.polling === true && this.isResumable && this.#settings.polling;
  }

  openStream(requests: readonly RequestId[], name: string = this.#nameStream()): SessionStream {
    const { cluster } = this.#settings;
    const isShared = cluster && this.isResumable;
    const stream = isShared
      ? cluster.createStream(this.key, { name, host: this, requests })
      : new EventStreamResponse(name, this);
    (this.#streams ??= new Map()).set(name, stream);
    return stream;
  }

  endStream(stream: SessionStream): void {
    stream.end();
    // A resumption waits for the events that are still being stored.
    if (stream.storing) void stream.storing.then(() => this.#forget(stream));
    else this.#forget(stream);
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
    const { events, cluster } = this.#settings;
    return this.#hasEventIds && (events !== undefined || cluster !== undefined);
  }

  remember(event: StoredEvent): Promise<void> | undefined {
    const { events, fail } = this.#settings;
    try {
      const kept = events?.append(this.key, event);
      return kept instanceof Promise ? kept.catch(fail) : undefined;
    } catch (thrown) {
      return fail(thrown);
    }
  }

  fenced(stream: SessionStream, { requests, unsent }: LostStream): void {
    this.#forget(stream);
    if (stream.isListener) for (const text of unsent) this.#sendElsewhere(text);
    for (const requestId of requests) {
      this.receive({ kind: "notification", method: "notifications/cancelled", params: { requestId } }, undefined);
    }
  }

  get #openStreams(): readonly SessionStream[] {
    return this.#streams ? [...this.#streams.values()] : none;
  }

  #nameStream(mark: string = ""): string {
    const { cluster, nonce } = this.#settings;
    this.#streamCount += 1;
    return `${cluster?.name ?? `${mark}${nonce}`}${this.#streamCount.toString(36)}`;
  }

  #respond(id: RequestId | undefined, text: string, error: ErrorObject | undefined): void {
    if (id === undefined) return;
    const change = error ? undefined : this.#changes?.get(id);
    this.#changes?.delete(id);
    if (change) return void this.#respondAfter(change, id, text);
    this.#takeReply(id)?.respond(text, id, error && toErrorStatus(error, this.#settings.profile));
    this.#emitIdle();
  }

  /** Responds when the change of a request is stored, or with an error when it cannot be. */
  async #respondAfter(store: StoreChange, id: RequestId, text: string): Promise<void> {
    const error = await store();
    this.#respond(id, error ? encode({ jsonrpc: "2.0", id, error }) : text, error);
  }

  #emitIdle(): void {
    if (this.#replies.size === 0) this.#onIdle?.();
  }

  #takeReply(id: RequestId): ResponseSink | undefined {
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    if (reply) this.#settings.cluster?.release(this.key, [id]);
    return reply;
  }

  /** Sends to exactly one stream opened by GET. Without one on this node, a message for the session as a whole may reach that of another node. */
  #listen(text: string, message?: Message): void | Promise<void> {
    const listener = findListener(this.#listeners);
    if (listener) return listener.send(text);
    const { cluster } = this.#settings;
    const method = message && "method" in message ? message.method : undefined;
    if (cluster && method !== undefined && !isSentByEveryNode(method)) return cluster.sendToListener(this.key, text);
    if (message && "id" in message)
      return Promise.reject(new UnreachableError("The client has no open stream for server requests"));
  }

  /** Adds a stream opened by GET. Those without a connection end, and the oldest one when there are too many. Returns these. */
  #addListener(stream: SessionStream): readonly SessionStream[] {
    const kept = [...keptListeners(this.#listeners.filter((listener) => listener !== stream)), stream];
    const replaced = this.#listeners.filter((listener) => !kept.includes(listener));
    for (const listener of replaced) this.endStream(listener);
    this.#listeners = kept;
    return replaced;
  }

  /** Keeps a resumed stream until it ends. The connection of another request that has resumed it ends: nothing more may be written there. */
  #adopt(stream: SessionStream | undefined): boolean {
    if (!stream) return false;
    for (const open of this.#openStreams) if (open.key === stream.key && open !== stream) open.release();
    (this.#streams ??= new Map()).set(stream.key, stream);
    if (stream.isListener) this.#addListener(stream);
    void stream.finished?.then(() => this.#forget(stream));
    return true;
  }

  /** Forgets a stream, but not another of the same name: two requests may resume a stream at once. */
  #forget(stream: SessionStream): void {
    if (this.#streams?.get(stream.key) === stream) this.#streams.delete(stream.key);
    if (stream.isListener) this.#listeners = this.#listeners.filter((listener) => listener !== stream);
  }

  #sendElsewhere(text: string): void {
    const { cluster, fail } = this.#settings;
    if (text !== "") cluster?.sendToListener(this.key, text).catch(fail);
  }

  /** Opens a stream that has ended here, or is of another process. Only one that was opened by GET has further messages. */
  #reopen(key: string): EventStreamResponse {
    const stream = new EventStreamResponse(key, this);
    if (isListenerKey(key)) (this.#streams ??= new Map()).set(key, stream);
    else stream.end();
    return stream;
  }
}

const overHttp: NetworkDetails = { transport: "tcp", protocol: "http" };

const none: readonly SessionStream[] = [];
