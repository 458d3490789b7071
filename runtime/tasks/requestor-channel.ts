import type { Caller, NotificationRow, RequestRow, Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../protocol/peer/incoming-call.ts";
import { isClosedError, isUnreachableError } from "../jsonrpc/errors.ts";
import type { TaskRecord } from "../stores/task-store.ts";
import { toTaskState, withRelatedTask } from "./task.ts";

/** Channel from a running task to its requestor. */
export interface RequestorChannel {
  /** Prepares a request to the requestor. The returned function sends it and waits for the response. */
  ask(row: RequestRow, params: unknown, options: OutletOptions): () => Promise<unknown>;
  /** Sends a notification that belongs to the task, or drops it if it cannot be delivered. */
  notify(row: NotificationRow, params: unknown): Promise<void>;
  /** Announces a changed record of the task. */
  notifyStatus(record: TaskRecord): void;
  /** Open input requests for the record of the task, if they are kept there. */
  readonly inputRequests?: object;
  /** Adds another way to the requestor, if supported. Returns a function that removes it. */
  open?(way: Caller): () => void;
  /** Accepts responses to open input requests. */
  respond?(responses: Readonly<Record<string, unknown>>): void;
}

/** Options of a request that ends with its task. */
export interface OutletOptions extends RequestOptions {
  readonly signal: AbortSignal;
}

/** Channel for revisions where both sides send requests. Messages use the session, or a call that waits for the result of the task. */
export class SessionChannel implements RequestorChannel {
  readonly #id: string;
  readonly #call: CallContext;
  readonly #isTold: boolean;
  /** Waiting calls of `tasks/result`, which are ways to the requestor; the latest is last. */
  readonly #ways = new Set<Caller>();
  readonly #waiters = new Set<() => void>();

  /** @param isTold - True if the requestor is notified of changes */
  constructor(id: string, call: CallContext, isTold: boolean) {
    this.#id = id;
    this.#call = call;
    this.#isTold = isTold;
  }

  open(way: Caller): () => void {
    this.#ways.add(way);
    for (const wake of this.#waiters) wake();
    return () => void this.#ways.delete(way);
  }

  ask(row: RequestRow, params: unknown, options: OutletOptions): () => Promise<unknown> {
    return () => this.#askSomewhere(row, withRelatedTask(params, this.#call.revision, this.#id), options);
  }

  notify(row: NotificationRow, params: unknown): Promise<void> {
    return this.#notify(row, withRelatedTask(params, this.#call.revision, this.#id));
  }

  notifyStatus(record: TaskRecord): void {
    const row = findRow(this.#table, "taskStatus");
    if (row && this.#isTold) void this.#notify(row, toTaskState(record));
  }

  /** Tries all known ways, and then waits for a new one: the requestor opens one when it is notified that input is needed. */
  async #askSomewhere(row: RequestRow, params: object, options: OutletOptions): Promise<unknown> {
    const tried = new Set<Caller>();
    for (;;) {
      const way = [...this.#ways, this.#call.connection].findLast((candidate) => !tried.has(candidate));
      if (!way) {
        await this.#nextWay(options.signal);
        continue;
      }
      tried.add(way);
      try {
        return await way.request(row, params, options);
      } catch (error) {
        if (options.signal.aborted || !(isUnreachableError(error) || isClosedError(error))) throw error;
      }
    }
  }

  async #nextWay(signal: AbortSignal): Promise<void> {
    let wake: () => void = () => {};
    const opened = new Promise<void>((resolve) => this.#waiters.add((wake = resolve)));
    try {
      await Promise.race([opened, whenAborted(signal)]);
    } finally {
      this.#waiters.delete(wake);
    }
  }

  get #table(): Revision["serverNotifications"] {
    const { session, revision } = this.#call;
    return session.role === "server" ? revision.serverNotifications : revision.clientNotifications;
  }

  /** Sends a notification. A failed send is ignored, because the requestor can still request the status. */
  async #notify(row: NotificationRow, params: object): Promise<void> {
    const way = [...this.#ways].at(-1) ?? this.#call.connection;
    await way.notify(row, params).catch(() => {});
  }
}

/** Rejects when the signal is aborted. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
