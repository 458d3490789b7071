import { Semaphore } from "../../jsonrpc/semaphore.ts";

/** Limit on the waiting messages. */
export interface ConcurrencyLimiterOptions {
  /** Maximum number of waiting bytes. */
  readonly maxBytes: number;
  /** Called when more would wait: the server accepts nothing, or sends more requests than it accepts responses to. */
  readonly onFull: (reason: Error) => void;
}

/**
 * Limits how many messages are sent at the same time; the others wait in order. The server determines their number, because most of them are
 * responses: without a limit each would open a connection.
 */
export class ConcurrencyLimiter {
  readonly #options: ConcurrencyLimiterOptions;
  readonly #permits = new Semaphore(most);
  #bytes = 0;

  constructor(options: ConcurrencyLimiterOptions) {
    this.#options = options;
  }

  /** Characters of the waiting messages, and the overhead of each. */
  get buffered(): number {
    return this.#bytes;
  }

  /** Sends a message as soon as the limit permits. */
  async pass<Result>(body: string, send: () => Promise<Result>): Promise<Result> {
    if (!this.#permits.take()) await this.#wait(body.length + overhead);
    try {
      return await send();
    } finally {
      this.#permits.leave();
    }
  }

  async #wait(bytes: number): Promise<void> {
    const { maxBytes, onFull } = this.#options;
    if (this.#bytes + bytes > maxBytes) {
      const reason = new Error(`The server does not read; more than ${maxBytes} bytes are queued`);
      onFull(reason);
      throw reason;
    }
    this.#bytes += bytes;
    await this.#permits.enter();
    this.#bytes -= bytes;
  }
}

/** Maximum number of messages in flight: more than a server needs, and less than would exhaust the connections of a process. */
const most = 64;

/** Bytes of a waiting message in addition to its text. */
const overhead = 4_096;
