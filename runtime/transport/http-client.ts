import type { Revision } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import { decode, encode, type Sink } from "../codec/json.ts";
import type { Receiver } from "../rpc/channel.ts";
import { ClosedError, toError } from "../rpc/errors.ts";
import { toLimits, type Limits } from "../rpc/limits.ts";
import type { Message, Outgoing, RequestId } from "../rpc/message.ts";
import { discard } from "./http-client-body.ts";
import { sleep, toReconnection, type ReconnectOptions } from "./http-client-delay.ts";
import type { EndpointOptions } from "./http-client-endpoint.ts";
import { SessionExpiredError, isHttpError, isLostError, isSessionExpiredError } from "./http-client-errors.ts";
import { Exchange, readAnsweredId, readAnswers, readRequestIds } from "./http-client-exchange.ts";
import { Lanes } from "./http-client-lanes.ts";
import { Link } from "./http-client-link.ts";
import { Listener } from "./http-client-listener.ts";
import { Renewal } from "./http-client-renewal.ts";
import type { Transport } from "./transport.ts";

/** Options of a client over Streamable HTTP. */
export interface HttpClientOptions extends EndpointOptions {
  readonly limits?: Partial<Limits>;
  readonly reconnect?: ReconnectOptions;
  /** Open a stream on which the server may speak unasked, if it offers one. Default `true`. */
  readonly listen?: boolean;
  /**
   * What happens when the server has forgotten the session. `renew`: the handshake is repeated unseen, what was refused for it is sent again,
   * and calls that were running fail. `close`: the connection closes. Default `renew`.
   */
  readonly sessionLoss?: "renew" | "close";
  /** A session was renewed: subscriptions, the log level and whatever else the server kept have to be set again. */
  readonly onNewSession?: () => void;
  /** The server can no longer speak unasked; calls go on. It is tried again after the next call that succeeds. */
  readonly onDeaf?: (reason: Error) => void;
  /** Milliseconds for the server to accept what has no answer. Default 30 s. */
  readonly acceptTimeout?: number;
  /** Milliseconds for the last messages to leave when the transport closes, and again for the end of the session. Default 2 s. */
  readonly closeTimeout?: number;
}

/**
 * A client's end of Streamable HTTP: every message is a request of its own, answers come as JSON or as streams that survive their connections.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createHttpClientTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  return new HttpClient(new URL(url), options);
}

class HttpClient implements Transport {
  readonly #options: HttpClientOptions;
  readonly #limits: Limits;
  readonly #link: Link;
  readonly #listener: Listener;
  readonly #lanes = new Lanes<RequestId | undefined>();
  readonly #waiting = new Map<RequestId, Exchange>();
  readonly #running = new Set<Abortable>();
  readonly #sink: Sink = {
    message: (value) => this.#deliver(value),
    problem: (problem) => this.#receiver?.problem(problem),
  };
  #receiver: Receiver | undefined;
  #opening: Opening | undefined;
  #renewal: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  constructor(url: URL, options: HttpClientOptions) {
    this.#options = options;
    this.#limits = toLimits(options.limits);
    this.#link = new Link(url, options);
    this.#listener = new Listener({
      ...this.#answerOptions(),
      open: (lastEventId, signal) => this.#link.get(lastEventId, signal),
      onLost: (reason) => this.#noteDeafness(reason),
    });
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#isClosed) receiver.disconnected();
  }

  agree(revision: Revision): void {
    this.#link.revision = revision;
  }

  /** For a request the promise settles with its answer, since until then it may be lost. */
  send(message: Outgoing, related?: RequestId): Promise<void> {
    const body = encode(message);
    const ids = readRequestIds(message);
    const sent = ids.length > 0 ? this.#ask(message, { body, ids }) : this.#tell(message, { body, related });
    sent.catch(() => {});
    return sent;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #ask(message: Outgoing, { body, ids }: { readonly body: string; readonly ids: readonly RequestId[] }): Promise<void> {
    this.#requireOpen();
    const [id] = ids;
    const isOpening = isMethod(message, "initialize");
    if (isOpening && id !== undefined) this.#opening = { id, body };
    const exchange = new Exchange(ids);
    for (const one of ids) this.#waiting.set(one, exchange);
    try {
      await this.#run(exchange, () => this.#converse({ body, isOpening, signal: exchange.signal }, exchange));
    } catch (error) {
      if (isLostError(error) && !isOpening && !this.#isClosed) this.#withdraw(exchange.open);
      throw error;
    } finally {
      for (const one of ids) this.#waiting.delete(one);
    }
  }

  async #converse(posting: Posting, exchange: Exchange): Promise<void> {
    try {
      const response = await this.#post(posting, { repeats: !posting.isOpening });
      const resume = (lastEventId: string | undefined): Promise<Response> => this.#link.get(lastEventId, posting.signal);
      await readAnswers(response, exchange, { ...this.#answerOptions(), resume });
    } catch (error) {
      if (isHttpError(error)) this.#deliverRefusal(error, exchange);
      if (!exchange.isDone) throw error;
    }
  }

  async #tell(
    message: Outgoing,
    { body, related }: { readonly body: string; readonly related: RequestId | undefined },
  ): Promise<void> {
    this.#requireOpen();
    const cancelled = readCancelledId(message);
    if (cancelled !== undefined) return this.#cancel(cancelled, body);
    const isConfirmation = isMethod(message, "notifications/initialized");
    const lane = related ?? readAnsweredRequest(message);
    await this.#lanes.run(lane, () => this.#accept(body, { repeats: lane === undefined && !isConfirmation }));
    if (isConfirmation && this.#options.listen !== false) this.#listener.start();
  }

  /** A closed connection would not tell the server anything, so it comes last. */
  async #cancel(id: RequestId, body: string): Promise<void> {
    try {
      await this.#accept(body, { repeats: false });
    } finally {
      this.#waiting.get(id)?.abort(new DOMException("The call was cancelled", "AbortError"));
    }
  }

  /** Whether the server works on what was lost nobody knows: it may stop. */
  #withdraw(ids: readonly RequestId[]): void {
    for (const requestId of ids) {
      const params = { requestId, reason: "The connection was lost" };
      void this.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
  }

  async #accept(body: string, options: { readonly repeats: boolean }): Promise<void> {
    const { acceptTimeout = 30_000 } = this.#options;
    const controller = new AbortController();
    const expire = (): void => controller.abort(new LostError(`The server accepted nothing for ${acceptTimeout} ms`));
    const timer = setTimeout(expire, acceptTimeout);
    try {
      await this.#run(controller, async () => discard(await this.#post({ body, signal: controller.signal }, options)));
    } finally {
      clearTimeout(timer);
    }
  }

  /** What was refused for its session was not worked on, and may be sent again in the next one. */
  async #post(posting: Posting, { repeats }: { readonly repeats: boolean }): Promise<Response> {
    if (this.#renewal) await this.#renewal;
    const { session } = this.#link;
    try {
      const response = await this.#link.post(posting);
      this.#listener.revive();
      return response;
    } catch (error) {
      if (!isSessionExpiredError(error) || !repeats) throw error;
      if (this.#link.session === session) this.#renewal ??= this.#renew(error);
      await this.#renewal;
      return this.#link.post(posting);
    }
  }

  async #renew(reason: SessionExpiredError): Promise<void> {
    const exchange = new Exchange(this.#opening ? [this.#opening.id] : []);
    this.#listener.stop();
    try {
      if (this.#options.sessionLoss === "close" || !this.#opening) throw reason;
      const { acceptTimeout = 30_000 } = this.#options;
      await renewSession(this.#link, this.#opening, { ...this.#answerOptions(), exchange });
    } catch (error) {
      if (isSessionExpiredError(error)) this.#disconnect(error);
      throw error;
    } finally {
      this.#renewal = undefined;
    }
    if (this.#options.listen !== false) this.#listener.start();
    this.#options.onNewSession?.();
  }
