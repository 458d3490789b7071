import { isObject } from "../../generated/support.ts";
import { isBatch, type Outgoing } from "../jsonrpc/message.ts";

/**
 * Lines waiting to be written, grouped into pieces. A response moves to the next piece if the current one contains a progress report of its request:
 * some clients process all messages of a piece before the first of them reaches a callback, and drop reports of completed requests.
 */
export class ChunkedLines {
  #current = "";
  #next = "";
  /** Tokens of the progress reports in the current piece; most clients use the id of the request. */
  readonly #reported = new Set<unknown>();

  /** Number of waiting characters. */
  get length(): number {
    return this.#current.length + this.#next.length;
  }

  /** Adds a message as a line. Progress reports never wait for the next piece: they have to come before the response to their request. */
  add(message: Outgoing, line: string): void {
    const token = readToken(message);
    if (token !== undefined) this.#reported.add(token);
    if (token === undefined && (this.#next !== "" || this.#isReported(message))) this.#next += `${line}\n`;
    else this.#current += `${line}\n`;
  }

  /** Returns the current piece; the next one takes its place. */
  take(): string {
    const piece = this.#current;
    this.#current = this.#next;
    this.#next = "";
    if (this.#reported.size > 0) this.#reported.clear();
    return piece;
  }

  /** Returns all waiting lines as one piece. */
  takeAll(): string {
    return this.take() + this.take();
  }

  #isReported(message: Outgoing): boolean {
    return this.#reported.size > 0 && !isBatch(message) && !("method" in message) && this.#reported.has(message.id);
  }
}

/** Returns the token of a progress report. */
function readToken(message: Outgoing): unknown {
  if (isBatch(message) || !("method" in message) || message.method !== "notifications/progress") return undefined;
  const { params } = message;
  return isObject(params) ? params.progressToken : undefined;
}
