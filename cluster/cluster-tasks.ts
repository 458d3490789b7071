import type { Engine } from "./stores/engine.ts";
import type { TaskMessage, TaskNode } from "../runtime/stores/task-node.ts";
import type { NodeLease } from "./node-lease.ts";

/** Dependencies of the tasks of a node. */
export interface ClusterTasksOptions {
  readonly engine: Engine;
  readonly lease: number;
  readonly self: Pick<NodeLease, "name" | "isStable">;
  fail(thrown: unknown): void;
}

/** Tasks of a node of a cluster. */
export class ClusterTasks implements TaskNode {
  readonly store: Engine["tasks"];
  readonly ledger: Engine["ledger"];
  readonly lease: number;
  readonly #options: ClusterTasksOptions;
  readonly #receivers = new Set<(message: TaskMessage) => void>();

  constructor(options: ClusterTasksOptions) {
    this.#options = options;
    this.store = options.engine.tasks;
    this.ledger = options.engine.ledger;
    this.lease = options.lease;
  }

  get name(): string {
    return this.#options.self.name;
  }

  get canTakeOver(): boolean {
    return this.#options.self.isStable;
  }

  send(node: string, message: TaskMessage): void {
    const { engine, fail } = this.#options;
    Promise.resolve()
      .then(() => engine.nodes.send(node, { kind: "task", ...message }))
      .catch(fail);
  }

  receive(receiver: (message: TaskMessage) => void): void {
    this.#receivers.add(receiver);
  }

  /** Passes on a message received by this node. */
  deliver(message: TaskMessage): void {
    for (const receive of this.#receivers) receive(message);
  }
}
