import type { Awaitable } from "../../generated/support.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import type { PeerInfo } from "../protocol/session/session.ts";

/** Identifies a task and its owner. For other owners the task does not exist. */
export interface TaskKey {
  /** Unguessable id of the task. */
  readonly id: string;
  /** Authenticated principal, or the session without authentication. */
  readonly owner: string;
}

/** State of a task; `completed`, `failed` and `cancelled` are final. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Result or error of the request, as it would have been returned without a task. */
export type TaskOutcome =
  { readonly kind: "result"; readonly result: object } | { readonly kind: "error"; readonly error: ErrorObject };

/** Stored state of a task: enough for another process to serve requests about it. */
export interface TaskRecord extends TaskKey {
  /** Authenticated principal; absent without authentication. The capacity of a store is shared among principals. */
  readonly principal?: string;
  readonly status: TaskStatus;
  /** Human-readable text about the status. */
  readonly statusMessage?: string;
  /** Time of creation in ISO 8601. */
  readonly createdAt: string;
  /** Time of the last change in ISO 8601. */
  readonly updatedAt: string;
  /** Milliseconds from its creation until the task is removed; `null`: it is kept until it is removed explicitly. */
  readonly ttl: number | null;
  /** Milliseconds a client should wait between two requests for the status. */
  readonly pollInterval: number;
  /** Input requests without a response, by key. The requestor finds them in the task. */
  readonly inputRequests?: object;
  /** Responses to input requests, by key, received by another process than the task's. The process of the task polls for them while it waits. */
  readonly inputResponses?: object;
  /** Present once the task has completed or failed. */
  readonly outcome?: TaskOutcome;
  /** Node of the task: the name of a process. Absent where tasks are not taken over. */
  readonly node?: string;
  /** Number of nodes for the task so far, including the present one. Absent: 1. */
  readonly attempt?: number;
  /** Milliseconds from the last renewal after which another node may take the task over. Absent: never. */
  readonly lease?: number;
  /** Data for another node to run the task. Absent: the task fails when its node is lost. */
  readonly retry?: TaskRetry;
  /** Input requests with a response, by key, of a retryable task. */
  readonly settledRequests?: object;
  /** Number of attempts whose node closed in order. */
  readonly releases?: number;
}

/** Request of a retryable task. It contains no token. */
export interface TaskRetry {
  /** Name of the protocol revision. */
  readonly revision: string;
  readonly params: object;
  /** Arguments of the handler, if they were prepared before the task began. */
  readonly prepared?: unknown;
  readonly client: PeerInfo;
  /** Authenticated principal, and its scopes. */
  readonly identity?: { readonly principal: string; readonly scopes?: readonly string[] };
}

/**
 * Changed members of a task. Absent members stay unchanged, and `inputResponses` are added to earlier ones. An input request with a response keeps
 * it, unless the node of the task changes it: two nodes may receive a response at the same moment.
 */
export type TaskChange = Pick<TaskRecord, "updatedAt"> &
  Partial<
    Pick<
      TaskRecord,
      "status" | "statusMessage" | "inputRequests" | "inputResponses" | "settledRequests" | "outcome" | "releases"
    >
  >;

/** Page of the tasks of an owner, the oldest first. */
export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  /** Cursor of the next page; absent on the last. */
  readonly next?: string;
}

/** Selects a page of tasks. */
export interface TaskRange {
  /** The `next` of the previous page; absent for the first. */
  readonly from?: string;
  readonly limit: number;
}

/**
 * Stores tasks. The store limits their number and removes each when its time is up, regardless of its status. Every operation is idempotent: a task
 * is identified by its id, and an ended task never changes again.
 */
export interface TaskStore {
  /** Stores a new task. Returns `false` when no more tasks are accepted, or when another owner has a task with this id. */
  add(record: TaskRecord): Awaitable<boolean>;
  /** Returns the task of this owner, if it is stored. */
  find(key: TaskKey): Awaitable<TaskRecord | undefined>;
  /**
   * Changes a task of this owner, unless it has ended, and returns its new state. A store without room for an outcome ends the task as failed
   * instead, with an error about it.
   *
   * @param attempt - attempt of the node with the change. A change has no effect if a later attempt runs the task.
   */
  change(key: TaskKey, change: TaskChange, attempt?: number): Awaitable<TaskRecord | undefined>;
  /** Returns a page of the tasks of an owner; `undefined` when `range.from` is not valid. */
  list(owner: string, range: TaskRange): Awaitable<TaskPage | undefined>;
  /** Removes a task of this owner. */
  remove(key: TaskKey): Awaitable<void>;
  /** Removes all tasks of an owner. */
  removeAll(owner: string): Awaitable<void>;
  /**
   * Renews the leases of a node's tasks, by the clock of the store. A lease of 0 permits other nodes to take the tasks over at once. Returns the
   * tasks the node must not run any more: they have ended, were removed, or belong to another node. For stores of several nodes.
   */
  renew?(keys: readonly TaskKey[], node: string, lease: number): Awaitable<readonly TaskKey[]>;
  /**
   * Gives a node the tasks whose lease is over, with the next attempt and a new lease. Those of the node itself are among them: it has not received an
   * earlier reply. For stores of several nodes.
   */
  takeOver?(node: string, limit: number): Awaitable<readonly TaskRecord[]>;
}

/** Returns the responses of a task after a change: with an attempt, the change is from the node of the task. */
export function mergeResponses(
  { inputResponses: earlier }: TaskRecord,
  { inputResponses: added }: TaskChange,
  attempt: number,
): Pick<TaskRecord, "inputResponses"> {
  if (added === undefined) return {};
  return { inputResponses: attempt === Infinity ? { ...added, ...earlier } : { ...earlier, ...added } };
}

/** Returns the input requests of a task without a response, by key. A response may be stored before the node of the task has read it. */
export function readOpenRequests({
  inputRequests,
  inputResponses = {},
}: TaskRecord): Readonly<Record<string, unknown>> {
  const requests = Object.entries(inputRequests ?? {});
  return Object.fromEntries(requests.filter(([key]) => !Object.hasOwn(inputResponses, key)));
}

/** True if a status is final. */
export function isFinal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
