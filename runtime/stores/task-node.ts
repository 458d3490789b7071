import type { Ledger } from "./ledger.ts";
import type { TaskKey, TaskStore } from "./task-store.ts";

/** Message about a task, whose record has changed. */
export interface TaskMessage extends TaskKey {
  /** Node waiting for the end of the task: it gets a message at every change. */
  readonly from?: string;
}

/** Node of a cluster, as the tasks of a server use it. */
export interface TaskNode {
  readonly name: string;
  /** True if an expired lease shows that a node has stopped: after an outage of the store all leases have expired. */
  readonly canTakeOver: boolean;
  readonly store: TaskStore;
  readonly ledger: Ledger;
  /** Milliseconds after which another node may take over a task whose lease is not renewed. */
  readonly lease: number;
  /** Sends a message to a node, in the background. Polling makes up for a lost message. */
  send(node: string, message: TaskMessage): void;
  /** Adds a receiver of messages to this node. */
  receive(receiver: (message: TaskMessage) => void): void;
}
