import type { Message } from "./message.ts";

/** Collects the responses to the members of one batch and sends them in one piece, or nothing when there are none. */
export class Batch {
  readonly #send: (replies: readonly Message[]) => void;
  readonly #replies: Message[] = [];
  #open: number;

  /** @param size - number of members; each must call `add` or `skip` once */
  constructor(size: number, send: (replies: readonly Message[]) => void) {
    this.#open = size;
    this.#send = send;
  }

  /** Adds the response to one member. */
  add(reply: Message): void {
    this.#replies.push(reply);
    this.skip();
  }

  /** Counts one member that gets no response. */
  skip(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#replies.length > 0) this.#send(this.#replies);
  }
}
