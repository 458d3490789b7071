import { isObject } from "../../../generated/support.ts";
import { encode, type Sink } from "../../framing/json.ts";
import { startTimer } from "../../internal/timers.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { discard } from "./body.ts";
import { SessionExpiredError, isSessionExpiredError } from "./errors.ts";
import { PostExchange, readResponseId, readResponses, type ResponseOptions } from "./post-exchange.ts";
import type { HttpConnection, PostResponse, PostRequest } from "./http-connection.ts";
import { checkSameServer, type HttpClientSession } from "./session.ts";

/** Handshake as it took place: the request and the result of the server. */
export interface InitializeExchange {
  readonly id: RequestId;
  readonly body: string;
  readonly result?: unknown;
}

/** Sessions in which a message may be sent. */
export interface RenewalPostOptions {
  /** True if the message means the same in a new session. */
  readonly repeats: boolean;
  /** Session of a message that means nothing in another one. Default: the current one. */
  readonly session?: HttpClientSession;
}

/** Options for the renewal of a session. */
export interface RenewalOptions extends Omit<ResponseOptions, "resume"> {
  /** Reaction to a lost session: `close` never renews. */
  readonly sessionLoss: "renew" | "close";
  /** Time limit of the handshake in milliseconds. */
  readonly timeout: number;
  readonly onExpired: () => void;
  readonly onRenewed: () => void;
  /** Called when a session could not be renewed for now; the next message tries again. */
  readonly onFailed: (reason: Error) => void;
  /** Called when the connection cannot continue with this server. */
  readonly onGone: (reason: Error) => void;
}

/**
 * Posts within a session, and begins a new one when the server has forgotten it. A message rejected for its session was not processed, so it may be
 * sent again in the next one.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 */
export class SessionRenewal {
  /** Handshake to repeat; set when `initialize` is sent. */
  opening: InitializeExchange | undefined;
  readonly #link: HttpConnection;
  readonly #options: RenewalOptions;
  #renewal: Promise<void> | undefined;
  #exchange: PostExchange | undefined;

  constructor(link: HttpConnection, options: RenewalOptions) {
    this.#link = link;
    this.#options = options;
  }

  /** @throws {SessionExpiredError} when the session of the message has ended, and it means nothing in another one */
  async post(posting: PostRequest, { repeats, session: own }: RenewalPostOptions): Promise<PostResponse> {
    if (this.#renewal) await this.#renewal;
    const { session } = this.#link;
    if (!repeats && own && own !== session) throw new SessionExpiredError("The session of the message has ended");
    try {
      return await this.#link.post(posting);
    } catch (error) {
      if (!repeats || !isSessionExpiredError(error)) throw error;
      // Another call may have begun the next session, which accepts requests only after the handshake.
      await (this.#link.session === session ? this.renew(error) : this.#renewal);
      return this.#link.post(posting);
    }
  }

  /** Begins a new session. Concurrent calls share one renewal. */
  renew(reason: SessionExpiredError): Promise<void> {
    this.#renewal ??= this.#renew(reason).finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  stop(reason: Error): void {
    this.#exchange?.abort(reason);
  }

  async #renew(reason: SessionExpiredError): Promise<void> {
    const { sessionLoss, onExpired, onRenewed, onFailed, onGone } = this.#options;
    const expired = this.#link.session;
    onExpired();
    try {
      if (sessionLoss === "close" || !this.opening) throw reason;
      await this.#repeatHandshake(this.opening);
    } catch (error) {
      this.#link.session = expired;
      if (isSessionExpiredError(error)) onGone(error);
      else onFailed(toError(error));
      throw error;
    }
    onRenewed();
  }

  /** Repeats the handshake. Fails when the version or the capabilities of the server have changed: what the client knows would be wrong. */
  async #repeatHandshake(opening: InitializeExchange): Promise<void> {
    const { timeout } = this.#options;
    const exchange = new PostExchange([opening.id]);
    const expire = (): void =>
      exchange.abort(new SessionExpiredError(`The session could not be renewed within ${timeout} ms`));
    const cancel = startTimer(timeout, expire);
    this.#exchange = exchange;
    try {
      checkSameServer(opening.result, await this.#open(opening, exchange));
      const confirmation = encode({ jsonrpc: "2.0", method: "notifications/initialized" });
      const { response } = await this.#link.post({ body: confirmation, signal: exchange.signal });
      await discard(response);
    } finally {
      cancel();
    }
  }

  async #open(opening: InitializeExchange, exchange: PostExchange): Promise<unknown> {
    const { signal } = exchange;
    let result: unknown;
    const sink: Sink = {
      message: (value) => {
        if (readResponseId(value) !== opening.id || !isObject(value)) return this.#options.sink.message(value);
        result = value.result;
        exchange.settle(opening.id);
      },
      problem: (problem) => this.#options.sink.problem(problem),
    };
    const { response, session } = await this.#link.post({ body: opening.body, isOpening: true, signal });
    const resume = (id: string | undefined): Promise<Response> => this.#link.get(id, signal, session);
    await readResponses(response, exchange, { ...this.#options, sink, resume });
    return result;
  }
}
