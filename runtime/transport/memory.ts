import { copyJson, type JsonCopy } from "../framing/json-copy.ts";
import { tooDeep, tooManyValues, type DecodingLimits } from "../framing/json.ts";
import type { Receiver } from "../jsonrpc/channel.ts";
import { toLimits } from "../jsonrpc/limits.ts";
import { isBatch, type Outgoing } from "../jsonrpc/message.ts";
import type { Transport } from "./transport.ts";

/**
 * Creates two connected transports in one process. Messages arrive asynchronously and in order, as copies of their JSON: the ends share no object.
 * Closing either end closes both.
 *
 * @example
 * ```ts
 * import { connectClient, createInMemoryTransports, serve } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const [clientEnd, serverEnd] = createInMemoryTransports();
 * serve(server, serverEnd);
 * const client = await connectClient<Declarations>(clientEnd, { info: { name: "test", version: "1" }, revisions });
 * ```
 */
export function createInMemoryTransports(given: Partial<DecodingLimits> = {}): readonly [Transport, Transport] {
  const limits = toLimits(given);
  const first = new MemoryEnd(limits);
  const second = new MemoryEnd(limits);
  first.connect(second);
  second.connect(first);
  return [first, second];
}

class MemoryEnd implements Transport {
  readonly #limits: DecodingLimits;
  #other: MemoryEnd | undefined;
  #receiver: Receiver | undefined;
  #queue: JsonCopy[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(limits: DecodingLimits) {
    this.#limits = limits;
  }

  connect(other: MemoryEnd): void {
    this.#other = other;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    if (this.#queue.length > 0) this.#schedule();
    if (this.#isClosed) receiver.disconnected();
  }

  send(message: Outgoing): void {
    const copy = copyMessage(message);
    if (!this.#isClosed) this.#other?.accept(copy);
  }

  close(): Promise<void> {
    this.#other?.end();
    this.#finish();
    return Promise.resolve();
  }

  accept(copy: JsonCopy): void {
    this.#queue.push(copy);
    if (this.#receiver) this.#schedule();
  }

  /** Delivers the messages sent so far, then ends. */
  end(): void {
    queueMicrotask(() => {
      this.#deliver();
      this.#finish();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const queue = this.#queue;
    this.#queue = [];
    const { maxDepth, maxValues } = this.#limits;
    for (const { value, depth, values } of queue) {
      if (this.#isClosed) return;
      if (depth > maxDepth) this.#receiver?.problem(tooDeep(maxDepth, value));
      else if (values > maxValues) this.#receiver?.problem(tooManyValues(maxValues, value));
      else this.#receiver?.message(value);
    }
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#receiver?.disconnected();
  }
}

/** Copies a message. The envelopes of nearly all messages are known: only their content is traversed, and the members of the envelope are counted. */
function copyMessage(message: Outgoing): JsonCopy {
  if (isBatch(message) || "error" in message) return copyJson(message);
  const { jsonrpc } = message;
  if ("result" in message) {
    const { value: result, depth, values } = copyJson(message.result, "result");
    return { value: { jsonrpc, id: message.id, result }, depth: depth + 1, values: values + 3 };
  }
  const { method } = message;
  if (message.params === undefined) return copyJson(message);
  const { value: params, depth, values } = copyJson(message.params, "params");
  const value = "id" in message ? { jsonrpc, id: message.id, method, params } : { jsonrpc, method, params };
  return { value, depth: depth + 1, values: values + ("id" in message ? 4 : 3) };
}
