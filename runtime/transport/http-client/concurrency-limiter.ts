import { Semaphore } from "../../jsonrpc/semaphore.ts";

/** What a server may make us hold. */
export interface ConcurrencyLimiterOptions {
  /** Bytes that wait for their turn. */
  readonly maxBytes: number;
  /** More wait than that: the server takes nothing, or asks for more than it takes. */
  readonly onFull: (reason: Error) => void;
}

/**
 * Lets so many messages leave at a time, and the others wait, in order. How many there are is the server's choice, because most of them are
 * answers: without a bound each would be a connection of its own.
 */
export class ConcurrencyLimiter {
  readonly #options: ConcurrencyLimiterOptions;
  readonly #places = new Semaphore(most);
  #bytes = 0;

  constructor(options: ConcurrencyLimiterOptions) {
    this.#options = options;
  }

  /** Characters of what waits, and what waiting itself takes. */
  get buffered(): number {
    return this.#bytes;
  }

  /** Sends a message when it is its turn. */
  async pass<Result>(body: string, send: () => Promise<Result>): Promise<Result> {
    if (!this.#places.take()) await this.#wait(body.length + overhead);
    try {
      return await send();
    } finally {
      this.#places.leave();
    }
  }

  async #wait(bytes: number): Promise<void> {
    const { maxBytes, onFull } = this.#options;
    if (this.#bytes + bytes > maxBytes) {
      const reason = new Error(`The server does not read: more than ${maxBytes} bytes wait for it`);
      onFull(reason);
      throw reason;
    }
    this.#bytes += bytes;
    await this.#places.enter();
    this.#bytes -= bytes;
  }
}

/** Messages under way at a time: more than a server needs, and less than would exhaust the connections of a process. */
const most = 64;

/** What a message takes that waits, besides its text. */
const overhead = 4_096;
