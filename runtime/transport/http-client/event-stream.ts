import { EventDecoder, type ServerEvent } from "../../framing/sse-events.ts";
import { decode, type Sink } from "../../framing/json.ts";
import { systemClock } from "../../internal/timers.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import { readChunks } from "./body.ts";
import { sleep, toDelay, type Reconnection } from "./reconnect-delay.ts";
import {
  ResponseError,
  LostError,
  isHttpError,
  isLostError,
  isConnectionRefused,
  isTemporaryStatus,
} from "./errors.ts";

/** Options of a resumable event stream. */
export interface EventStreamOptions {
  readonly limits: Pick<Limits, "maxMessageBytes" | "maxDepth" | "maxValues">;
  readonly reconnection: Reconnection;
  readonly sink: Sink;
  readonly signal: AbortSignal;
  /** True if nothing more is expected on the stream. */
  readonly isDone: () => boolean;
  /** True if the stream may restart where no event id allows it to resume. */
  readonly restarts: boolean;
  /** Opens the next connection, after the given event. Rejects when there is none; absent where streams are never resumed. */
  readonly open: ((lastEventId: string | undefined) => Promise<Response>) | undefined;
}

/**
 * One stream of events over any number of connections. When the network fails or the server closes the connection, the stream resumes after the last
 * event.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
export class EventStreamReader {
  readonly #options: EventStreamOptions;
  #lastEventId: string | undefined;
  #retry: number | undefined;
  /** Consecutive failed attempts, and connections which ended early without an event. They lengthen the delay. */
  #fruitless = 0;
  /** Consecutive failed attempts. */
  #failedAttempts = 0;
  /** Consecutive attempts among them that ended with a refused connection. */
  #rejected = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Reads until nothing more is expected. Rejects when the stream can neither resume nor restart. */
  async follow(first: Response | undefined): Promise<void> {
    const { signal, isDone, restarts, open } = this.#options;
    let connection = first;
    let cause: Error | undefined;
    for (;;) {
      if (connection) cause = await this.#read(connection);
      if (isDone()) return;
      signal.throwIfAborted();
      if (cause instanceof ResponseError) throw cause;
      if (!open || (this.#lastEventId === undefined && !restarts)) {
        throw new LostError("The stream ended before the response and cannot be resumed", { cause });
      }
      const { reconnection } = this.#options;
      const attempt = this.#rejected > 0 && !restarts ? 0 : this.#fruitless;
      await sleep(toDelay(attempt, { retry: this.#retry, reconnection }), signal);
      connection = await this.#reopen(open);
    }
  }

  /** Returns the reason if the connection ended early. */
  async #read(connection: Response): Promise<Error | undefined> {
    const { limits, sink } = this.#options;
    let problem: Error | undefined;
    const openedAt = systemClock.now();
    const decoder = new EventDecoder(limits, {
      event: (event) => this.#take(event),
      problem(found) {
        sink.problem(found);
        problem = new ResponseError(found.message);
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
    } finally {
      // Load balancers end quiet connections.
      if (systemClock.now() - openedAt >= stableAfter) this.#fruitless = 0;
    }
  }

  #take(event: ServerEvent): void {
    this.#fruitless = 0;
    // An empty id resets the position: there is nothing to resume from.
    if (event.id !== undefined) this.#lastEventId = event.id === "" ? undefined : event.id;
    if (event.retry !== undefined) this.#retry = event.retry;
    if (event.type === "message" && event.data !== "") decode(event.data, this.#options.limits, this.#options.sink);
  }

  /** Returns the next connection, or nothing when another attempt may succeed. */
  async #reopen(open: NonNullable<EventStreamOptions["open"]>): Promise<Response | undefined> {
    this.#fruitless += 1;
    try {
      const connection = await open(this.#lastEventId);
      this.#failedAttempts = 0;
      this.#rejected = 0;
      return connection;
    } catch (error) {
      if (!isPassing(error)) throw error;
      this.#failedAttempts += 1;
      const { reconnection, restarts } = this.#options;
      const { attempts } = reconnection;
      this.#rejected = isConnectionRefused(error) ? this.#rejected + 1 : 0;
      // A server that has stopped does not continue unfinished requests after a restart.
      if (this.#rejected >= mostRejected && !restarts)
        throw new LostError("The server is unreachable", { cause: error });
      if (this.#failedAttempts < attempts) return undefined;
      throw new LostError(`The stream could not be resumed in ${attempts} attempts`, { cause: error });
    }
  }
}

/** Milliseconds after which a connection counts as successful, also without an event. */
const stableAfter = 10_000;

/** Consecutive refused connections after which a request fails. */
const mostRejected = 2;

/** True if the next attempt may succeed. A 409 comes from an earlier connection of this client, whose end the server has not noticed. */
export function isPassing(error: unknown): boolean {
  if (isLostError(error)) return true;
  return isHttpError(error) && (isTemporaryStatus(error.status) || error.status === 409);
}
