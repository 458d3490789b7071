import { Connection } from "./connection.ts";
import type { History, Reader } from "./history.ts";
import type { Mutant } from "./mutants.ts";
import type { Network } from "./network.ts";
import type { HandlerPlan, ModelNode } from "./node.ts";
import type { StreamEvent } from "./store.ts";

export interface ClientOptions {
  readonly name: string;
  /** Request that the client sends; `undefined` for a client that listens. */
  readonly request: string | undefined;
  readonly plan: HandlerPlan;
  readonly network: Network;
  readonly history: History;
  readonly mutant: Mutant | undefined;
  /** Returns the node that a balancer chooses next. */
  readonly chooseNode: () => ModelNode;
}

/** Client that reads a stream, and resumes it at any node when its connection breaks. */
export class ModelClient implements Reader {
  readonly name: string;
  readonly request: string | undefined;
  readonly received = new Map<number, StreamEvent>();
  readonly responses = new Set<string>();
  stream: string | undefined;
  readonly #options: ClientOptions;
  #next = 0;
  #attempts = 0;
  #connection: Connection | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.request = options.request;
  }

  /** Sends the request, or opens the stream; with an event id, resumes it. */
  async connect(): Promise<void> {
    const { chooseNode, mutant, plan } = this.#options;
    this.#attempts += 1;
    const connection = new Connection({
      next: this.stream === undefined ? 0 : this.#next,
      mutant,
      receive: (event, expected) => this.#receive(event, expected),
      onClose: () => void this.#reconnect(connection),
    });
    this.#connection = connection;
    const node = chooseNode();
    if (this.stream !== undefined) await node.resume(this.stream, connection);
    else if (this.request !== undefined) await node.post(this.request, plan, connection);
    else await node.open(connection);
  }

  /** Breaks the connection. */
  cut(): void {
    this.#connection?.close();
  }

  /** Opens another connection, while the node of the first has not noticed its end. */
  repeat(): void {
    if (this.responses.size === 0 && (this.stream ?? this.request) !== undefined) void this.connect();
  }

  /** Tries again after a long time without the response. */
  retry(): void {
    if (this.responses.size > 0) return;
    this.#attempts = 0;
    if (this.#connection?.isOpen) this.cut();
    else void this.connect();
  }

  async #reconnect(connection: Connection): Promise<void> {
    if (this.#connection !== connection || this.responses.size > 0 || this.#attempts > maxAttempts) return;
    await this.#options.network.step(`${this.name} reconnects`);
    if (this.#connection === connection) await this.connect();
  }

  #receive(event: StreamEvent, expected: number): void {
    this.#options.history.receive(this, event, expected);
    this.stream = event.stream;
    this.#next = Math.max(this.#next, event.sequence + 1);
    this.received.set(event.sequence, event);
    if (event.response !== undefined && event.response === this.request) this.responses.add(event.data);
  }
}

const maxAttempts = 6;
