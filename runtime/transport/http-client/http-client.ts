import type { Revision } from "../../../generated/support.ts";
import { isObject } from "../../../generated/support.ts";
import { decode, encode, type Sink } from "../../framing/json.ts";
import type { NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import { ClosedError } from "../../jsonrpc/errors.ts";
import { toLimits, type Limits } from "../../jsonrpc/limits.ts";
import { isRequestId, type Outgoing, type RequestId } from "../../jsonrpc/message.ts";
import { discard } from "./body.ts";
import { toReconnection, type ReconnectDelayOptions } from "./reconnect-delay.ts";
import type { EndpointOptions } from "./endpoint.ts";
import { isHttpError, isLostError, isSessionExpiredError, type HttpError } from "./errors.ts";
import { PostExchange, readResponseId, readResponses, readRequestIds, type ResponseOptions } from "./post-exchange.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import { HttpConnection, type PostResponse, type PostRequest } from "./http-connection.ts";
import { GetStream } from "./get-stream.ts";
import { ParamHeaders } from "./param-headers.ts";
import { InFlight, within } from "./in-flight.ts";
import { retryRejected, type RejectionRetryOptions } from "./retry-rejected.ts";
import type { HttpClientSession } from "./session.ts";
import { SessionRenewal, type RenewalPostOptions } from "./session-renewal.ts";
import { toStreamOrigin } from "./stream-origin.ts";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import { toServerAddress } from "../server-address.ts";
import type { Transport } from "../transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Options of a client over Streamable HTTP. */
export interface HttpClientOptions extends EndpointOptions {
  readonly limits?: Partial<Limits>;
  readonly reconnect?: ReconnectDelayOptions;
  /** Open a stream for messages sent by the server on its own initiative, if it offers one. Default `true`. */
  readonly listen?: boolean;
  /**
   * Reaction to a session forgotten by the server. `renew`: the client repeats the handshake transparently and resends the messages rejected for the
   * session; running calls fail. `close`: the connection closes. Default `renew`.
   */
  readonly sessionLoss?: "renew" | "close";
  /** Called after the renewal of a session: subscriptions, the log level and other state on the server have to be set again. */
  readonly onNewSession?: () => void;
  /**
   * Called when the server cannot send messages by itself: the stream for them is lost, not offered, or switched off with `listen`. Calls still work.
   * The client opens a lost stream again after the next successful call.
   */
  readonly onNotificationsLost?: (reason: Error) => void;
  /** Called when the stream for the server's own messages is open: at first, and each time it is open again after a loss. */
  readonly onNotificationsOpened?: () => void;
  /** Milliseconds for the server to accept a message without a response, and for the handshake of a renewal. Default 30 s. */
  readonly acceptTimeout?: number;
  /** Milliseconds to send the last messages when the transport closes, and again to end the session. Default 2 s. */
  readonly closeTimeout?: number;
}

/**
 * Creates a client transport over Streamable HTTP. Every message is an HTTP request. Responses arrive as JSON or as streams, which resume after their
 * connections break.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 * @throws {Error} when the URL is not valid or contains a user name or password
 */
export function createHttpClientTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  return new HttpClient(new URL(url), options);
}

/** Cases in which a message is sent again. */
interface PostOptions extends RenewalPostOptions, Pick<RejectionRetryOptions, "isResponse"> {}

class HttpClient implements Transport {
  readonly carriesOneByOne = true;
  readonly #url: URL;
  readonly #options: HttpClientOptions;
  readonly #reading: Omit<ResponseOptions, "resume">;
  readonly #link: HttpConnection;
  readonly #keeper: SessionRenewal;
  readonly #listener: GetStream;
  readonly #queue = new KeyedQueue<RequestId | undefined>();
  readonly #waiting = new Map<RequestId, PostExchange>();
  /** Sessions of the requests of the server, until their response or cancellation. */
  readonly #incoming = new Map<RequestId, HttpClientSession>();
  readonly #operations = new InFlight();
  readonly #paramHeaders = new ParamHeaders();
  readonly #limiter: ConcurrencyLimiter;
  #receiver: Receiver | undefined;
  #closing: Promise<void> | undefined;

  constructor(url: URL, options: HttpClientOptions) {
    checkNumbers(options, options.reconnect);
    this.#url = url;
    this.#options = options;
    this.#link = new HttpConnection(url, options);
    this.#reading = {
      limits: toLimits(options.limits),
      reconnection: toReconnection(options.reconnect),
      sink: {
        message: (value) => this.#deliver(value),
        problem: (problem) => this.#receiver?.problem(problem),
      },
    };
    this.#limiter = new ConcurrencyLimiter({
      maxBytes: this.#reading.limits.maxBufferedBytes,
      onFull: (reason) => this.#disconnect(reason),
    });
    this.#keeper = new SessionRenewal(this.#link, {
      ...this.#reading,
      sessionLoss: options.sessionLoss ?? "renew",
      timeout: options.acceptTimeout ?? defaultAcceptTimeout,
      onExpired: () => this.#listener.stop(),
      onRenewed: () => this.#handleRenewal(),
      onFailed: (reason) => this.#handleFailedRenewal(reason),
      onGone: (reason) => this.#disconnect(reason),
    });
    this.#listener = new GetStream({
      ...this.#reading,
      open: (lastEventId, signal) => this.#link.get(lastEventId, signal),
      onOpened: () => this.#options.onNotificationsOpened?.(),
      onLost: (reason) => this.#handleStreamLoss(reason),
      onRejected: (reason) => this.#options.onNotificationsLost?.(reason),
    });
  }

  get network(): NetworkDetails {
    const { id: sessionId } = this.#link.session;
    return { transport: "tcp", protocol: "http", ...toServerAddress(this.#url), sessionId };
  }

  get buffered(): number {
    return this.#limiter.buffered;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#operations.isEnded) receiver.disconnected();
  }

  agree(revision: Revision): void {
    this.#link.revision = revision;
  }

  /** For a request the promise settles with its response, because until then the request may be lost. */
  send(message: Outgoing, related?: RequestId): Promise<void> {
    const body = encode(message);
    const sent = readRequestIds(message).length > 0 ? this.#ask(message, body) : this.#notify(message, body, related);
    sent.catch(() => {});
    return sent;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #ask(message: Outgoing, body: string): Promise<void> {
    const ids = readRequestIds(message);
    const exchange = new PostExchange(ids);
    const isOpening = isMethod(message, "initialize");
    if (isOpening && ids[0] !== undefined) this.#keeper.opening = { id: ids[0], body };
    for (const id of ids) this.#waiting.set(id, exchange);
    const posting = {
      ...{ body, isOpening, headers: this.#toParamHeaders(message) },
      ...{ signal: exchange.signal, hold: () => this.#hold(ids), progress: exchange },
    };
    try {
      await this.#operations.run(exchange, () => this.#converse(posting, exchange));
    } catch (error) {
      if (isLostError(error) && !isOpening && !this.#operations.isEnded) this.#withdraw(exchange.open);
      throw error;
    } finally {
      for (const id of ids) this.#waiting.delete(id);
    }
  }

  async #converse(posting: PostRequest, exchange: PostExchange): Promise<void> {
    const { signal } = exchange;
    const isResponse = (rejection: HttpError): boolean => this.#readRejection(rejection, exchange).length > 0;
    // A handshake has no effects.
    const options = posting.isOpening ? { repeats: false } : { repeats: true, isResponse };
    try {
      const { response, session } = await this.#post(posting, options);
      const resume = this.#isStateless ? undefined : (id: string | undefined) => this.#link.get(id, signal, session);
      const sink: Sink = { ...this.#reading.sink, message: (value) => this.#deliver(value, { exchange, session }) };
      await readResponses(response, exchange, { ...this.#reading, sink, resume });
    } catch (error) {
      if (isHttpError(error)) this.#deliverRejection(error, exchange);
      if (!exchange.isDone) throw error;
    }
  }

  async #notify(message: Outgoing, body: string, related: RequestId | undefined): Promise<void> {
    const cancelled = readCancelled(message);
    if (cancelled !== undefined) return this.#cancel(cancelled, body);
    const headers = this.#toParamHeaders(message);
    const isConfirmation = isMethod(message, "notifications/initialized");
    const responded = readRespondedId(message);
    const lane = related ?? responded;
    const repeats = "method" in message && lane === undefined && !isConfirmation;
    const session = (lane !== undefined && this.#incoming.get(lane)) || this.#link.session;
    if (responded !== undefined) this.#incoming.delete(responded);
    await this.#queue.run(lane, () => this.#accept({ body, headers }, { repeats, session }));
    if (isConfirmation) this.#listen();
  }

  /**
   * Cancels a request. A stateless request is cancelled by closing its connection. Within a session the server would take a closed connection for a
   * lost one: the notification is sent first, then the connection closes. A request which the server does not have yet, for example during a sign-in,
   * is only dropped.
   */
  async #cancel(id: RequestId, body: string): Promise<void> {
    const exchange = this.#waiting.get(id);
    const reason = new DOMException("The call was cancelled", "AbortError");
    if (exchange?.cancel(reason) === false) return;
    try {
      if (!this.#isStateless) await this.#accept({ body }, { repeats: false, session: this.#link.session });
    } finally {
      exchange?.abort(reason);
    }
  }

  /** Cancels requests with lost responses: the server may stop working on them. */
  #withdraw(ids: readonly RequestId[]): void {
    if (this.#isStateless) return;
    for (const requestId of ids) {
      const params = { requestId, reason: "The connection was lost" };
      void this.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
  }

  async #accept(posting: Omit<PostRequest, "signal">, options: PostOptions): Promise<void> {
    const { acceptTimeout = defaultAcceptTimeout } = this.#options;
    await this.#limiter.pass(posting.body, () =>
      this.#operations.runWithin(acceptTimeout, async (signal) =>
        discard((await this.#post({ ...posting, signal }, options)).response),
      ),
    );
  }

  async #post(posting: PostRequest, { isResponse, ...options }: PostOptions): Promise<PostResponse> {
    const { reconnection } = this.#reading;
    const { signal, hold } = posting;
    const retry = { reconnection, signal, hold, isResponse };
    const posted = await retryRejected(() => this.#keeper.post(posting, options), retry);
    this.#listener.revive();
    return posted;
  }

  #hold(ids: readonly RequestId[]): () => void {
    const releases = ids.map((id) => this.#receiver?.hold?.(id));
    return () => releases.forEach((release) => release?.());
  }

  get #isStateless(): boolean {
    return this.#link.revision?.lifecycle === "per-request";
  }

  #toParamHeaders(message: Outgoing): Readonly<Record<string, string>> {
    return this.#isStateless ? this.#paramHeaders.toHeaders(message, this.#link.revision) : {};
  }

  /** Removes tools with header annotations the client cannot follow, and reports them as problems. */
  #filterTools(value: unknown): unknown {
    if (!this.#isStateless) return value;
    return this.#paramHeaders.learn(value, (name, reason) => {
      const message = `The server's tool ${JSON.stringify(name)} is left out: ${reason}`;
      this.#receiver?.problem({ kind: "syntax", message });
    });
  }

  /** Delivers a message. A request of the server on the stream of an exchange belongs to its requests, and to its session. */
  #deliver(
    value: unknown,
    { exchange, session = this.#link.session }: { exchange?: PostExchange; session?: HttpClientSession } = {},
  ): void {
    if (isServerRequest(value) && session !== this.#link.session) return;
    const origin = exchange && isObject(value) && "method" in value ? toStreamOrigin(exchange.open) : undefined;
    const values: readonly unknown[] = this.#link.revision?.batching && Array.isArray(value) ? value : [value];
    for (const one of values) this.#settle(one, session);
    this.#receiver?.message(this.#filterTools(value), origin);
  }

  #settle(value: unknown, session: HttpClientSession): void {
    if (isServerRequest(value)) this.#incoming.set(value.id, session);
    const cancelled = readCancelled(value);
    if (cancelled !== undefined) this.#incoming.delete(cancelled);
    const id = readResponseId(value);
    if (!isRequestId(id) || !isObject(value)) return;
    this.#waiting.get(id)?.settle(id);
    const { opening } = this.#keeper;
    if (opening?.id === id) this.#keeper.opening = { ...opening, result: value.result };
  }

  /** Delivers the body of an error response if the exchange waits for it. */
  #deliverRejection(rejection: HttpError, exchange: PostExchange): void {
    for (const value of this.#readRejection(rejection, exchange)) this.#deliver(value);
  }

  /** Returns the response for the exchange, if the body of an error response is one. */
  #readRejection({ body }: HttpError, exchange: PostExchange): readonly unknown[] {
    const found: unknown[] = [];
    decode(body, this.#reading.limits, {
      message: (value) => {
        if (exchange.open.some((id) => id === readResponseId(value))) found.push(value);
      },
      problem() {},
    });
    return found;
  }

  #listen(): void {
    if (this.#operations.isEnded) return;
    if (this.#options.listen !== false) this.#listener.start();
    else this.#options.onNotificationsLost?.(new Error("The client does not listen for messages of the server"));
  }

  /** Cancels the requests of the server in an ended session: in the next one, others may have the same ids. */
  #cancelIncoming(): void {
    const ids = [...this.#incoming.keys()];
    this.#incoming.clear();
    for (const requestId of ids)
      this.#receiver?.message({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }

  /** Reports the new session first, and only then whether its notifications arrive. */
  #handleRenewal(): void {
    this.#cancelIncoming();
    try {
      this.#options.onNewSession?.();
    } finally {
      this.#listen();
    }
  }

  /** The stream of the lost session has ended, so the server may have changed unnoticed. */
  #handleFailedRenewal(reason: Error): void {
    if (this.#operations.isEnded) return;
    if (this.#options.listen !== false) this.#listener.suspend();
    this.#options.onNotificationsLost?.(reason);
  }

  /** Renews an expired session, which the stream notices first; reports other losses. */
  #handleStreamLoss(reason: Error): void {
    if (isSessionExpiredError(reason)) this.#keeper.renew(reason).catch(() => {});
    else this.#options.onNotificationsLost?.(reason);
  }

  async #close(): Promise<void> {
    const { closeTimeout = 2_000 } = this.#options;
    await within(closeTimeout, () => this.#queue.idle());
    const wasEnded = this.#operations.isEnded;
    this.#stop(new ClosedError("The transport was closed"));
    if (!wasEnded) await within(closeTimeout, (signal) => this.#link.end(signal));
    this.#receiver?.disconnected();
  }

  #disconnect(reason: Error): void {
    this.#stop(reason);
    this.#receiver?.disconnected(reason);
  }

  #stop(reason: Error): void {
    this.#operations.end(reason);
    this.#listener.stop();
    this.#keeper.stop(reason);
  }
}

const defaultAcceptTimeout = 30_000;

function isServerRequest(value: unknown): value is { readonly id: RequestId } {
  return isObject(value) && value.method !== undefined && isRequestId(value.id);
}

function isMethod(message: Outgoing, method: string): boolean {
  return "method" in message && message.method === method;
}

/** Returns the id of the cancelled request, if the message is a cancellation. */
function readCancelled(message: unknown): RequestId | undefined {
  if (!isObject(message) || message.method !== "notifications/cancelled" || !isObject(message.params)) return undefined;
  const { requestId } = message.params;
  return isRequestId(requestId) ? requestId : undefined;
}

/** Returns the id of the peer's request to which a message responds. */
function readRespondedId(message: Outgoing): RequestId | undefined {
  return "id" in message && !("method" in message) ? message.id : undefined;
}
