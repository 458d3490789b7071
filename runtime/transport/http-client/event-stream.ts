import { EventDecoder, type ServerEvent } from "../../framing/sse-events.ts";
import { decode, type Sink } from "../../framing/json.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import { readChunks } from "./body.ts";
import { sleep, toDelay, type Reconnection } from "./reconnect-delay.ts";
import { AnswerError, LostError, isHttpError, isLostError, isRefusedConnection } from "./errors.ts";

/** What a stream of events needs in order to go on when its connection ends. */
export interface StreamOptions {
  readonly limits: Pick<Limits, "maxMessageBytes" | "maxDepth" | "maxValues">;
  readonly reconnection: Reconnection;
  readonly sink: Sink;
  readonly signal: AbortSignal;
  /** Nothing more is expected of it. */
  readonly isDone: () => boolean;
  /** Whether it may begin anew where no event id says how to continue. */
  readonly restarts: boolean;
  /** Opens the next connection, after the given event. Rejects when there is none; absent where there never is. */
  readonly open: ((lastEventId: string | undefined) => Promise<Response>) | undefined;
}

/**
 * One stream of events over as many connections as it takes: whether the network fails or the server closes the connection, it is continued
 * after the last event.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class EventStream {
  readonly #options: StreamOptions;
  #lastEventId: string | undefined;
  #retry: number | undefined;
  /** Attempts in a row that brought nothing. */
  #fruitless = 0;
  /** Those of them in a row at whose end nothing listened. */
  #refused = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Reads until nothing more is expected. Rejects when the stream can neither go on nor begin anew. */
  async follow(first: Response | undefined): Promise<void> {
    const { signal, isDone, restarts, open } = this.#options;
    let connection = first;
    let cause: Error | undefined;
    for (;;) {
      if (connection) cause = await this.#read(connection);
      if (isDone()) return;
      signal.throwIfAborted();
      if (cause instanceof AnswerError) throw cause;
      if (!open || (this.#lastEventId === undefined && !restarts)) {
        throw new LostError("The stream ended before the answer came, and cannot be resumed", { cause });
      }
      const { reconnection } = this.#options;
      const attempt = this.#refused > 0 && !restarts ? 0 : this.#fruitless;
      await sleep(toDelay(attempt, { retry: this.#retry, reconnection }), signal);
      connection = await this.#reopen(open);
    }
  }

  /** Returns why the connection ended early, if it did. */
  async #read(connection: Response): Promise<Error | undefined> {
    const { limits, sink } = this.#options;
    let problem: Error | undefined;
    const decoder = new EventDecoder(limits, {
      event: (event) => this.#take(event),
      problem(found) {
        sink.problem(found);
        problem = new AnswerError(found.message);
      },
    });
    try {
      await readChunks(connection, (chunk) => {
        decoder.push(chunk);
        if (problem) throw problem;
      });
      return undefined;
    } catch (error) {
      return toError(error);
    }
  }

  #take(event: ServerEvent): void {
    this.#fruitless = 0;
    // An empty id says that there is nothing to go back to.
    if (event.id !== undefined) this.#lastEventId = event.id === "" ? undefined : event.id;
    if (event.retry !== undefined) this.#retry = event.retry;
    if (event.type === "message" && event.data !== "") decode(event.data, this.#options.limits, this.#options.sink);
  }

  /** The next connection, or nothing when it is worth trying again. */
  async #reopen(open: NonNullable<StreamOptions["open"]>): Promise<Response | undefined> {
    this.#fruitless += 1;
    try {
      const connection = await open(this.#lastEventId);
      this.#refused = 0;
      return connection;
    } catch (error) {
      if (!isPassing(error)) throw error;
      const { reconnection, restarts } = this.#options;
      const { attempts } = reconnection;
      this.#refused = isRefusedConnection(error) ? this.#refused + 1 : 0;
      // What a server that is gone has not answered it will not go on with when it comes back.
      if (this.#refused >= mostRefused && !restarts) throw new LostError("The server is gone", { cause: error });
      if (this.#fruitless < attempts) return undefined;
      throw new LostError(`The stream could not be resumed in ${attempts} attempts`, { cause: error });
    }
  }
}

/** Attempts in a row at whose end nothing listens, after which the answer to a request is given up. */
const mostRefused = 2;

/** Whether a failure may be gone at the next attempt. A conflict is our own earlier connection, which the server has not seen the end of. */
export function isPassing(error: unknown): boolean {
  if (isLostError(error)) return true;
  return isHttpError(error) && (error.status >= 500 || [408, 409, 425, 429].includes(error.status));
}
