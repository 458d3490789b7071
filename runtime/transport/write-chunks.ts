import { isObject } from "../../generated/support.ts";
import { isBatch, type Outgoing } from "../jsonrpc/message.ts";

/**
 * Lines that wait to be written, in pieces. A response whose request was reported on in the piece that is being filled begins the next one: some
 * clients handle all messages of a piece that they read before the first of them reaches a callback, and no report of an answered request does.
 */
export class Pieces {
  #current = "";
  #next = "";
  /** Tokens of the reports in the current piece; most clients use the id of the request. */
  readonly #reported = new Set<unknown>();

  /** Characters that wait. */
  get length(): number {
    return this.#current.length + this.#next.length;
  }

  /** Adds a message as a line. Reports never wait for the next piece: they have to come before the response to their request. */
  add(message: Outgoing, line: string): void {
    const token = readToken(message);
    if (token !== undefined) this.#reported.add(token);
    if (token === undefined && (this.#next !== "" || this.#isReported(message))) this.#next += `${line}\n`;
    else this.#current += `${line}\n`;
  }

  /** The current piece; the next one takes its place. */
  take(): string {
    const piece = this.#current;
    this.#current = this.#next;
    this.#next = "";
    if (this.#reported.size > 0) this.#reported.clear();
    return piece;
  }

  /** Everything that waits, as one piece. */
  takeAll(): string {
    return this.take() + this.take();
  }

  #isReported(message: Outgoing): boolean {
    return this.#reported.size > 0 && !isBatch(message) && !("method" in message) && this.#reported.has(message.id);
  }
}

/** The token of a progress report. */
function readToken(message: Outgoing): unknown {
  if (isBatch(message) || !("method" in message) || message.method !== "notifications/progress") return undefined;
  const { params } = message;
  return isObject(params) ? params.progressToken : undefined;
}
