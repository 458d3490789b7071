import { isObject } from "../../../generated/support.ts";
import { decode, type Sink } from "../../framing/json.ts";
import { startTimer, type Cancel } from "../../internal/timers.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import type { Outgoing, RequestId } from "../../jsonrpc/message.ts";
import { discard, readMediaType, readText } from "./body.ts";
import { quoteText, type RequestProgress } from "./endpoint.ts";
import type { Reconnection } from "./reconnect-delay.ts";
import { ResponseError, LostError } from "./errors.ts";
import { EventStreamReader } from "./event-stream.ts";

/** Requests posted together, waiting for their responses. */
export class PostExchange implements RequestProgress {
  readonly #open: Set<RequestId>;
  readonly #controller = new AbortController();
  #whenDone: (() => void)[] | undefined;
  #isSent = false;
  #cancellation: Error | undefined;

  constructor(ids: readonly RequestId[]) {
    this.#open = new Set(ids);
  }

  /** Ids of the requests without a response. */
  get open(): readonly RequestId[] {
    return [...this.#open];
  }

  get isDone(): boolean {
    return this.#open.size === 0;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isSent(): boolean {
    return this.#isSent;
  }

  set isSent(isSent: boolean) {
    this.#isSent = isSent;
    if (this.#cancellation && !isSent) this.abort(this.#cancellation);
  }

  /** Calls `run` when the last response has arrived. */
  whenDone(run: () => void): void {
    if (this.isDone) run();
    else (this.#whenDone ??= []).push(run);
  }

  /** Marks a request as complete: its response has arrived, on any stream. */
  settle(id: RequestId): void {
    if (!this.#open.delete(id) || !this.isDone) return;
    for (const run of this.#whenDone ?? []) run();
  }

  /** Ensures that the requests are not sent any more. Returns true if the server may be processing them and has to be notified. */
  cancel(reason: Error): boolean {
    this.#cancellation = reason;
    if (!this.#isSent) this.abort(reason);
    return this.#isSent;
  }

  /** Aborts the exchange: the responses are no longer awaited. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}

/** Options to read the responses to an exchange. */
export interface ResponseOptions {
  readonly limits: Limits;
  readonly reconnection: Reconnection;
  readonly sink: Sink;
  /** Continues the stream after an event; absent where broken streams cannot be resumed. */
  readonly resume: ((lastEventId: string | undefined) => Promise<Response>) | undefined;
}

/**
 * Reads the responses to posted requests, as JSON or as a stream of events.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 * @throws {ResponseError} when a response is missing at the end of the HTTP response
 * @throws {LostError} when the connection breaks and cannot be resumed
 */
export async function readResponses(
  response: Response,
  exchange: PostExchange,
  options: ResponseOptions,
): Promise<void> {
  const type = readMediaType(response);
  let reason = "";
  switch (type) {
    case "text/event-stream":
      return followStream(response, exchange, options);
    case "application/json":
      reason = await readJson(response, exchange, options);
      break;
    default:
      await discard(response);
  }
  if (exchange.isDone) return;
  const what = type === "application/json" ? "without a response" : `with ${type === "" ? "no content" : type}`;
  throw new ResponseError(`The server returned HTTP ${response.status} ${what} for a request${quoteText(reason)}`);
}

/** Returns the ids of the requests in an outgoing message or batch. */
export function readRequestIds(message: Outgoing): readonly RequestId[] {
  const messages = "length" in message ? message : [message];
  return messages.flatMap((one) => ("method" in one && "id" in one ? [one.id] : []));
}

/** Returns the id of the request to which a received value responds. */
export function readResponseId(value: unknown): unknown {
  return isObject(value) && value.method === undefined ? value.id : undefined;
}

/** Milliseconds for which a server may leave a stream open after the last response. */
const grace = 1_000;

async function followStream(response: Response, exchange: PostExchange, options: ResponseOptions): Promise<void> {
  const { signal } = exchange;
  const stream = new EventStreamReader({
    ...options,
    signal,
    isDone: () => exchange.isDone,
    restarts: false,
    open: options.resume,
  });
  let cancel: Cancel | undefined;
  exchange.whenDone(
    () =>
      (cancel = startTimer(grace, () => exchange.abort(new LostError("The stream was not closed after the response")))),
  );
  try {
    await stream.follow(response);
  } finally {
    cancel?.();
  }
}

/** Reads a JSON body. Returns the message of an error without an id, which explains a missing response. */
async function readJson(response: Response, exchange: PostExchange, options: ResponseOptions): Promise<string> {
  const { limits, sink } = options;
  let reason = "";
  try {
    decode(await readText(response, limits.maxMessageBytes), limits, {
      message(value) {
        reason = readUnidentifiedError(value);
        sink.message(value);
      },
      problem: (problem) => sink.problem(problem),
    });
    return reason;
  } catch (cause) {
    exchange.signal.throwIfAborted();
    if (cause instanceof ResponseError) throw cause;
    throw new LostError("The connection was lost before the response was complete", { cause });
  }
}

function readUnidentifiedError(value: unknown): string {
  if (!isObject(value) || !isObject(value.error) || (value.id ?? null) !== null) return "";
  return typeof value.error.message === "string" ? value.error.message : "";
}
