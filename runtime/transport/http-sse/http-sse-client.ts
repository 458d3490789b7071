import { EventDecoder, type ServerEvent } from "../../framing/sse-events.ts";
import { decode, encode } from "../../framing/json.ts";
import { startTimer } from "../../internal/timers.ts";
import type { NetworkDetails, Receiver } from "../../jsonrpc/channel.ts";
import { ClosedError, toError } from "../../jsonrpc/errors.ts";
import { toLimits, type Limits } from "../../jsonrpc/limits.ts";
import type { Outgoing, RequestId } from "../../jsonrpc/message.ts";
import { discard, readChunks, readMediaType } from "../http-client/body.ts";
import {
  createEndpoint,
  describeUrl,
  readHttpErrorResponse,
  type Endpoint,
  type EndpointOptions,
} from "../http-client/endpoint.ts";
import { ResponseError, LostError } from "../http-client/errors.ts";
import { KeyedQueue } from "../http-client/keyed-queue.ts";
import { InFlight, within } from "../http-client/in-flight.ts";
import { ConcurrencyLimiter } from "../http-client/concurrency-limiter.ts";
import { toServerAddress } from "../server-address.ts";
import type { Transport } from "../transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";
import { parseUrl } from "../../internal/parse-url.ts";

/** Options of a client over HTTP with SSE, the transport of the first revision. */
export interface SseClientOptions extends EndpointOptions {
  readonly limits?: Partial<Limits>;
  /** Milliseconds for the server to send the URL for messages. Default 10 s. */
  readonly endpointTimeout?: number;
  /** Milliseconds for the server to accept a message. Default 30 s. */
  readonly acceptTimeout?: number;
}

/**
 * Creates a client transport over HTTP with SSE, which Streamable HTTP has replaced. One stream carries all messages of the server; messages to it
 * are posted to the URL it sends first. The session lasts as long as the stream.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 * @throws {TypeError} when the URL is not valid
 */
export function createSseClientTransport(url: string | URL, options: SseClientOptions = {}): Transport {
  return new SseClient(new URL(url), options);
}

class SseClient implements Transport {
  readonly #url: URL;
  readonly #options: SseClientOptions;
  readonly #limits: Limits;
  readonly #queue = new KeyedQueue<unknown>();
  readonly #operations = new InFlight();
  readonly #limiter: ConcurrencyLimiter;
  readonly #stream = new AbortController();
  readonly #target: Promise<Endpoint>;
  #receiver: Receiver | undefined;
  #resolveTarget: (endpoint: Endpoint) => void = () => {};
  #rejectTarget: (reason: Error) => void = () => {};
  #hasTarget = false;
  #reason: Error | undefined;

  constructor(url: URL, options: SseClientOptions) {
    checkNumbers(options);
    this.#url = url;
    this.#options = options;
    this.#limits = toLimits(options.limits);
    this.#limiter = new ConcurrencyLimiter({
      maxBytes: this.#limits.maxBufferedBytes,
      onFull: (reason) => this.#disconnect(reason),
    });
    this.#target = new Promise((resolve, reject) => {
      this.#resolveTarget = resolve;
      this.#rejectTarget = reject;
    });
    this.#target.catch(() => {});
  }

  get network(): NetworkDetails {
    return { transport: "tcp", protocol: "http", ...toServerAddress(this.#url) };
  }

  get buffered(): number {
    return this.#limiter.buffered;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#operations.isEnded) receiver.disconnected(this.#reason);
    else void this.#listen();
  }

  /** Messages related to the same request of the server keep their order; requests of the client are independent. */
  send(message: Outgoing, related?: RequestId): Promise<void> {
    const body = encode(message);
    const isRequest = "method" in message && "id" in message;
    const responded = "id" in message ? message.id : undefined;
    const sent = this.#queue.run(isRequest ? message : (related ?? responded), () =>
      this.#limiter.pass(body, () => this.#post(body)),
    );
    sent.catch(() => {});
    return sent;
  }

  async close(): Promise<void> {
    if (!this.#operations.isEnded) await within(flushTimeout, () => this.#queue.idle());
    this.#disconnect();
  }

  async #post(body: string): Promise<void> {
    const { acceptTimeout = 30_000 } = this.#options;
    const endpoint = await this.#target;
    const headers = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
    await this.#operations.runWithin(acceptTimeout, async (signal) => {
      const response = await endpoint.request({ method: "POST", headers, body, signal });
      if (!response.ok) throw await readHttpErrorResponse(response, endpoint.url);
      await discard(response);
    });
  }

  async #listen(): Promise<void> {
    const { endpointTimeout = 10_000 } = this.#options;
    const expire = (): void =>
      this.#disconnect(new ResponseError(`The server sent no endpoint event within ${endpointTimeout} ms`));
    const cancel = startTimer(endpointTimeout, expire);
    this.#target.catch(() => {}).finally(cancel);
    try {
      await this.#read(await this.#open());
      this.#disconnect(new LostError("The server ended the stream"));
    } catch (error) {
      this.#disconnect(toError(error));
    }
  }

  async #open(): Promise<Response> {
    const endpoint = createEndpoint(this.#url, this.#options);
    const headers = { Accept: "text/event-stream" };
    const response = await endpoint.request({ method: "GET", headers, signal: this.#stream.signal });
    if (!response.ok) throw await readHttpErrorResponse(response, this.#url);
    if (readMediaType(response) === "text/event-stream") return response;
    await discard(response);
    throw new ResponseError(`${describeUrl(this.#url)} did not return an event stream`);
  }

  async #read(response: Response): Promise<void> {
    let problem: Error | undefined;
    const decoder = new EventDecoder(this.#limits, {
      event: (event) => this.#take(event),
      problem: (found) => {
        this.#receiver?.problem(found);
        problem = new ResponseError(found.message);
      },
    });
    await readChunks(response, (chunk) => {
      decoder.push(chunk);
      if (problem) throw problem;
    });
  }

  #take({ type, data }: ServerEvent): void {
    const receiver = this.#receiver;
    if (this.#operations.isEnded || !receiver) return;
    if (type === "endpoint") return this.#setTarget(data);
    if (type === "message" && data !== "") decode(data, this.#limits, receiver);
  }

  /** Accepts the URL for messages only within the origin of the stream: messages and headers may carry secrets. */
  #setTarget(data: string): void {
    if (this.#hasTarget) return;
    const url = parseUrl(data, this.#url);
    if (url?.origin !== this.#url.origin) {
      const where = url === undefined ? "(invalid URL)" : url.origin;
      return this.#disconnect(
        new ResponseError(`The endpoint of the server is on another origin, ${where}, which is not allowed`),
      );
    }
    this.#hasTarget = true;
    this.#resolveTarget(createEndpoint(url, this.#options));
  }

  #disconnect(reason?: Error): void {
    if (this.#operations.isEnded) return;
    this.#reason = reason;
    const error = reason ?? new ClosedError("The transport was closed");
    const isEarly = !this.#hasTarget;
    this.#rejectTarget(error);
    this.#operations.end(error);
    this.#stream.abort(error);
    // Messages that wait for the URL reject with the reason first: it is more specific than the end of the connection.
    void (isEarly ? this.#queue.idle() : Promise.resolve()).then(() => this.#receiver?.disconnected(reason));
  }
}

/** Milliseconds to send the last messages. */
const flushTimeout = 2_000;
