import type { Message } from "./message.ts";

/** Rules for batches, as the revision and the limits of a connection set them. */
export interface BatchRules {
  /** True if the revision has batches. */
  readonly batching: boolean;
  readonly maxBatch: number;
}

/**
 * Returns the reason why a batch is invalid, if it is.
 *
 * @see https://www.jsonrpc.org/specification#batch
 */
export function findBatchProblem(values: readonly unknown[], { batching, maxBatch }: BatchRules): string | undefined {
  if (!batching) return noBatches;
  if (values.length === 0) return "A batch must not be empty";
  if (values.length > maxBatch) return `A batch must not have more than ${maxBatch} messages`;
  return undefined;
}

/** Reason for the rejection of a batch where the revision has none. */
export const noBatches = "A message must be a JSON object; batches are not supported";

/** Returns the reason for the rejection of a request that its revision excludes from batches. */
export function notInBatch(method: string): string {
  return `${method} must not be part of a batch`;
}

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

  /** Counts one member without a response. */
  skip(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#replies.length > 0) this.#send(this.#replies);
  }
}
