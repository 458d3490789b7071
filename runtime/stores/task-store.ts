import type { Awaitable } from "../../generated/support.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";

/** Names a task, and whose it is: to anybody else it does not exist. */
export interface TaskKey {
  /** Unguessable. */
  readonly id: string;
  /** A principal, or a session where nobody is authenticated. */
  readonly owner: string;
}

/** Where a task is; `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** What the request would have been answered with, had it not become a task. */
export type TaskOutcome =
  { readonly kind: "result"; readonly result: object } | { readonly kind: "error"; readonly error: ErrorObject };

/** What is known of a task: enough for another process to answer for it. */
export interface TaskRecord extends TaskKey {
  /** Authenticated principal; absent without authentication. The capacity of a store is shared among principals. */
  readonly principal?: string;
  readonly status: TaskStatus;
  /** Text for people about the status. */
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Milliseconds from its creation after which it is forgotten; `null`: it is kept until it is removed. */
  readonly ttl: number | null;
  /** Milliseconds that should pass between two questions for its status. */
  readonly pollInterval: number;
  /** Questions that wait for answers, by key, where the requestor finds them in the task. */
  readonly inputRequests?: object;
  /** Answers to them, by key, that came to another process than the one which runs the task. That looks for them while it waits. */
  readonly inputResponses?: object;
  /** There when the task has completed or failed. */
  readonly outcome?: TaskOutcome;
}

/** What changes about a task; what is left out stays, and so do earlier `inputResponses` beside new ones. */
export type TaskChange = Pick<TaskRecord, "updatedAt"> &
  Partial<Pick<TaskRecord, "status" | "statusMessage" | "inputRequests" | "inputResponses" | "outcome">>;

/** Some of the tasks of an owner, the oldest first. */
export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  /** Where the next page begins; absent on the last. */
  readonly next?: string;
}

/** Which tasks to list. */
export interface TaskRange {
  /** The `next` of the page before; absent for the first. */
  readonly from?: string;
  readonly limit: number;
}

/**
 * Remembers tasks. It decides how many there may be, and forgets each when its time is up, whatever its status. Every operation may be
 * repeated without harm: a task is identified by its id, and one that has ended never changes again.
 */
export interface TaskStore {
  /** Remembers a new task; `false` when no more are accepted, or when the id is taken by somebody else. */
  add(record: TaskRecord): Awaitable<boolean>;
  /** The task of this owner, if it is kept. */
  find(key: TaskKey): Awaitable<TaskRecord | undefined>;
  /**
   * Changes a task of this owner, unless it has ended, and gives it as it is then. A store that has no room for an outcome ends the task as
   * failed instead, with an error that says so.
   */
  change(key: TaskKey, change: TaskChange): Awaitable<TaskRecord | undefined>;
  /** Some tasks of an owner; `undefined` when the range begins nowhere in the list. */
  list(owner: string, range: TaskRange): Awaitable<TaskPage | undefined>;
  /** Forgets a task of this owner. */
  remove(key: TaskKey): Awaitable<void>;
  /** Forgets every task of an owner. */
  removeAll(owner: string): Awaitable<void>;
}

/** Whether a status is final. */
export function isFinal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
