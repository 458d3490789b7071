import type { Connection } from "./connection.ts";
import type { History } from "./history.ts";
import type { Mutant } from "./mutants.ts";
import type { Caller, Network } from "./network.ts";
import type { Adoption, Appended, ModelStore, Owner, StreamEvent } from "./store.ts";

/** What the nodes of a run share. */
export interface World {
  readonly network: Network;
  readonly store: ModelStore;
  readonly history: History;
  readonly mutant: Mutant | undefined;
}

/** Owner's half of a stream: numbers the events, appends them, and writes to its connections what the store has kept. */
export class Writer {
  readonly owner: Owner;
  readonly #world: World;
  readonly #node: Caller;
  readonly #stream: string;
  #next: number;
  #isStopped = false;
  readonly #kept = new Map<number, StreamEvent>();
  readonly #connections = new Set<Connection>();

  constructor(world: World, node: Caller, stream: string, { owner, next }: Adoption) {
    this.#world = world;
    this.#node = node;
    this.#stream = stream;
    this.owner = owner;
    this.#next = next;
  }

  /** Sends an event; several may be under way. Resolves when the store has kept it, or another owns the stream. */
  async send(data: string, response?: string): Promise<void> {
    const { fence } = this.owner;
    const event: StreamEvent = { stream: this.#stream, sequence: this.#next, data, fence, response };
    this.#next += 1;
    if (this.#world.mutant === "event written before it is appended") this.#write(event);
    const appended = await this.#append(event);
    if (appended === "fenced") return this.#stop();
    if (appended === "gap") return;
    this.#world.history.acknowledge(event);
    this.#write(event);
  }

  /** Continues on a connection that has been written all before its cursor. */
  attach(connection: Connection): void {
    this.#connections.add(connection);
    this.#flush(connection);
    if (this.#isStopped) connection.close();
  }

  async #append(event: StreamEvent): Promise<Appended> {
    const { network, store, mutant } = this.#world;
    for (;;) {
      const label = `append ${event.stream}-${event.sequence} by ${this.owner.fence}`;
      const appended = await network.call(this.#node, label, () => store.append(event, this.#node.name));
      if (appended === "kept" || appended === "fenced") return appended;
      if (appended === "gap" || mutant !== "writer that uses the sequence of an unknown append again") continue;
      this.#next = event.sequence;
      return "gap";
    }
  }

  #write(event: StreamEvent): void {
    this.#kept.set(event.sequence, event);
    for (const connection of this.#connections) {
      if (this.#world.mutant === "connection without a cursor") connection.write(event);
      this.#flush(connection);
    }
  }

  /** Writes in order: the reply to a later append may come first. */
  #flush(connection: Connection): void {
    for (let event = this.#kept.get(connection.next); event; event = this.#kept.get(connection.next)) {
      connection.write(event);
      if (!connection.isOpen) return;
      if (event.response !== undefined) return connection.close();
    }
  }

  #stop(): void {
    this.#isStopped = true;
    for (const connection of this.#connections) connection.close();
  }
}
