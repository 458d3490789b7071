import type { Caller, NotificationRow, RequestRow, Revision } from "../../generated/support.ts";
import { findRow } from "../protocol/method-rows.ts";
import type { CallContext, RequestOptions } from "../protocol/incoming-call.ts";
import { isClosedError, isUnreachableError } from "../jsonrpc/errors.ts";
import type { TaskRecord } from "../stores/task-store.ts";
import { toTaskState, withRelatedTask } from "./task.ts";

/** How a running task reaches whoever asked for it. */
export interface RequestorChannel {
  /** Prepares a question; what is returned puts it, and waits for the answer. */
  ask(row: RequestRow, params: unknown, options: OutletOptions): () => Promise<unknown>;
  /** Sends a notification that belongs to the task, or lets it be when nobody can get it. */
  notify(row: NotificationRow, params: unknown): Promise<void>;
  /** Tells what has become of the task. */
  announce(record: TaskRecord): void;
  /** What the record of the task says about open questions, where it says anything. */
  readonly inputRequests?: object;
  /** A further way to the requestor, where it can have some; returns how it ends. */
  open?(way: Caller): () => void;
  /** Takes answers to open questions. */
  answer?(responses: Readonly<Record<string, unknown>>): void;
}

/** A question that ends with its task. */
export interface OutletOptions extends RequestOptions {
  readonly signal: AbortSignal;
}

/** Where both sides send requests: everything goes over the session, or over a call that waits for the result of the task. */
export class SessionChannel implements RequestorChannel {
  readonly #id: string;
  readonly #call: CallContext;
  readonly #isTold: boolean;
  /** Calls of `tasks/result` that wait: ways to the requestor, the latest last. */
  readonly #ways = new Set<Caller>();
  readonly #waiters = new Set<() => void>();

  /** @param isTold - whether the requestor is told of changes */
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

  announce(record: TaskRecord): void {
    const row = findRow(this.#table, "taskStatus");
    if (row && this.#isTold) void this.#notify(row, toTaskState(record));
  }

  /** Tries every way there is, and then waits for another: the requestor opens one when it learns that input is needed. */
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

  /** Whoever does not get it asks for it. */
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
