import { isObject } from "../../../generated/support.ts";
import { decode, type Sink } from "../../framing/json.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import type { Outgoing, RequestId } from "../../jsonrpc/message.ts";
import { discard, readMediaType, readText } from "./body.ts";
import type { Reconnection } from "./reconnect-delay.ts";
import { AnswerError, LostError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";

/** Requests that were posted together and wait for their answers. */
export class Exchange {
  readonly #open: Set<RequestId>;
  readonly #controller = new AbortController();
  #onDone = (): void => {};

  constructor(ids: readonly RequestId[]) {
    this.#open = new Set(ids);
  }

  /** The requests that have no answer yet. */
  get open(): readonly RequestId[] {
    return [...this.#open];
  }

  get isDone(): boolean {
    return this.#open.size === 0;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Calls back when the last answer has come. */
  whenDone(run: () => void): void {
    this.#onDone = run;
    if (this.isDone) run();
  }

  /** An answer has come, on whatever stream. */
  settle(id: RequestId): void {
    if (this.#open.delete(id) && this.isDone) this.#onDone();
  }

  /** Nobody waits for the answers any more. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }
}

/** What is needed to read the answers to an exchange. */
export interface AnswerOptions {
  readonly limits: Limits;
  readonly reconnection: Reconnection;
  readonly sink: Sink;
  /** Continues the stream after an event; absent where streams that break are lost. */
  readonly resume: ((lastEventId: string | undefined) => Promise<Response>) | undefined;
}

/**
 * Reads what the server answers to posted requests, as JSON or as a stream of events. Rejects when an answer is missing at the end.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
export async function readAnswers(response: Response, exchange: Exchange, options: AnswerOptions): Promise<void> {
  const type = readMediaType(response);
  switch (type) {
    case "text/event-stream":
      return followStream(response, exchange, options);
    case "application/json":
      await readJson(response, exchange, options);
      break;
    default:
      await discard(response);
  }
  if (exchange.isDone) return;
  const what = type === "application/json" ? "without an answer in it" : `with ${type === "" ? "nothing" : type}`;
  throw new AnswerError(`The server answered a request with HTTP ${response.status}, ${what}`);
}

/** The ids of the requests in what is sent. */
export function readRequestIds(message: Outgoing): readonly RequestId[] {
  const messages = "length" in message ? message : [message];
  return messages.flatMap((one) => ("method" in one && "id" in one ? [one.id] : []));
}

/** The id of the request that a received value answers. */
export function readAnsweredId(value: unknown): unknown {
  return isObject(value) && value.method === undefined ? value.id : undefined;
}

/** How long a server may leave a stream open after the last answer. */
const grace = 1_000;

async function followStream(response: Response, exchange: Exchange, options: AnswerOptions): Promise<void> {
  const { signal } = exchange;
  const stream = new EventStream({
    ...options,
    signal,
    isDone: () => exchange.isDone,
    restarts: false,
    open: options.resume,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  exchange.whenDone(() => (timer = setTimeout(() => exchange.abort(new LostError("The stream stayed open")), grace)));
  try {
    await stream.follow(response);
  } finally {
    clearTimeout(timer);
  }
}

async function readJson(response: Response, exchange: Exchange, { limits, sink }: AnswerOptions): Promise<void> {
  try {
    decode(await readText(response, limits.maxMessageBytes), limits, sink);
  } catch (cause) {
    exchange.signal.throwIfAborted();
    if (cause instanceof AnswerError) throw cause;
    throw new LostError("The connection broke before the answer was complete", { cause });
  }
}
