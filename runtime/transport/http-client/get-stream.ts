import type { Sink } from "../../framing/json.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { Limits } from "../../jsonrpc/limits.ts";
import type { Reconnection } from "./reconnect-delay.ts";
import { isHttpError } from "./errors.ts";
import { EventStreamReader, isPassing } from "./event-stream.ts";

/** Options of a `Listener`. */
export interface GetStreamOptions {
  readonly limits: Limits;
  readonly reconnection: Reconnection;
  readonly sink: Sink;
  readonly open: (lastEventId: string | undefined, signal: AbortSignal) => Promise<Response>;
  /** Called when the stream is open: at first, and after each loss. */
  readonly onOpened: () => void;
  /** Called when the stream was open, or failed temporarily, and cannot be opened again for now. */
  readonly onLost: (reason: Error) => void;
  /** Called when the server does not offer the stream. */
  readonly onRejected: (reason: Error) => void;
}

/**
 * Stream of the server's messages apart from responses to a POST. Servers may not offer it, so a rejection is final.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export class GetStream {
  readonly #options: GetStreamOptions;
  #controller: AbortController | undefined;
  #isLost = false;

  constructor(options: GetStreamOptions) {
    this.#options = options;
  }

  /** Starts listening, unless it already does. */
  start(): void {
    if (this.#controller) return;
    this.#isLost = false;
    this.#controller = new AbortController();
    void this.#listen(this.#controller.signal);
  }

  /** Listens again if the stream was lost. A successful request has just shown the server to be reachable. */
  revive(): void {
    if (this.#isLost) this.start();
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = undefined;
    this.#isLost = false;
  }

  /** Stops until the next successful request. */
  suspend(): void {
    this.stop();
    this.#isLost = true;
  }

  async #listen(signal: AbortSignal): Promise<void> {
    let wasOpen = false;
    const open = async (lastEventId: string | undefined): Promise<Response> => {
      const response = await this.#open(lastEventId, signal);
      if (!wasOpen) this.#options.onOpened();
      wasOpen = true;
      return response;
    };
    const stream = new EventStreamReader({ ...this.#options, signal, isDone: () => false, restarts: true, open });
    try {
      await stream.follow(await open(undefined).catch(ignorePassing));
    } catch (error) {
      if (signal.aborted) return;
      this.#controller = undefined;
      this.#isLost = wasOpen || isPassing(error);
      const { onLost, onRejected } = this.#options;
      if (this.#isLost) onLost(toError(error));
      else onRejected(toError(error));
    }
  }

  /** Opens the stream. Starts without an event id when the server rejects the last one with 400. */
  async #open(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#options.open(lastEventId, signal);
    } catch (error) {
      if (lastEventId === undefined || !isHttpError(error) || error.status !== 400) throw error;
      return this.#options.open(undefined, signal);
    }
  }
}

function ignorePassing(error: unknown): undefined {
  if (!isPassing(error)) throw error;
}
