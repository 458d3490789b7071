import type { Caller, NotificationRow, RequestRow, Revision } from "../../generated/support.ts";
import { findRow } from "../common/rows.ts";
import type { CallContext, RequestOptions } from "../rpc/call.ts";
import { checkResult } from "../rpc/dispatch.ts";
import { CapabilityError, isClosedError, isUnreachableError } from "../rpc/errors.ts";
import { isOpen } from "../rpc/session.ts";
import { isFinal, type TaskChange, type TaskKey, type TaskRecord, type TaskStore } from "../store/task-store.ts";
import { toTaskState, withRelatedTask } from "./task.ts";

/** What a running task needs of whoever keeps it. */
export interface RunningTaskHost {
  readonly store: TaskStore;
  /** Whether the requestor is told of changes. */
  readonly notify: boolean;
}

/** A task whose work is done in this process: what it sends, and what becomes of its record. */
export class RunningTask {
  readonly key: TaskKey;
  /** Resolves when nothing more will happen. */
  readonly ended: Promise<void>;
  readonly #host: RunningTaskHost;
  readonly #call: CallContext;
  readonly #controller = new AbortController();
  /** Calls of `tasks/result` that wait: ways to the requestor, the latest last. */
  readonly #ways = new Set<Caller>();
  readonly #waiters = new Set<() => void>();
  #questions = 0;
  #isOver = false;
  #last: Promise<TaskRecord | undefined> = Promise.resolve(undefined);
  #resolveEnded: () => void = () => {};

  constructor(key: TaskKey, call: CallContext, host: RunningTaskHost) {
    this.key = key;
    this.#call = call;
    this.#host = host;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nothing of it may be sent any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Says something about how far it is. */
  async explain(statusMessage: string): Promise<void> {
    if (!this.#isOver) await this.#change({ statusMessage });
  }

  /** Ends it: with what the work came to, or without it. Only the first end counts. */
  async end(change: Omit<TaskChange, "updatedAt"> & Pick<TaskRecord, "status">): Promise<TaskRecord | undefined> {
    if (this.#isOver) return this.#last;
    this.#isOver = true;
    try {
      return await this.#change(change);
    } finally {
      this.#controller.abort(new DOMException(`The task is ${change.status}`, "AbortError"));
      this.#resolveEnded();
    }
  }

  /** Gives it up: nobody can ask for it any more. */
  abandon(reason: string): void {
    this.#isOver = true;
    this.#controller.abort(new DOMException(reason, "AbortError"));
    this.#resolveEnded();
  }

  /** Waits for its end, and is meanwhile a way to the requestor. */
  async join(call: CallContext): Promise<void> {
    this.#ways.add(call);
    for (const wake of this.#waiters) wake();
    try {
      await Promise.race([this.ended, whenAborted(call.signal)]);
    } finally {
      this.#ways.delete(call);
    }
  }

  /** Sends a notification that belongs to the task, or lets it be when nobody can get it. */
  async notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    if (this.#isOver) return;
    const related = withRelatedTask(params, this.#revision, this.key.id);
    await this.#tell(row, related);
  }

  /**
   * Asks the requestor something; until the answer is there, the task waits for input.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status
   */
  async ask<Params, Result>(
    row: RequestRow<Params, Result>,
    params: Params,
    options: RequestOptions = {},
  ): Promise<Result> {
    if (row.gate && !isOpen(row.gate, this.#call.session)) throw new CapabilityError(row.method, row.gate);
    this.signal.throwIfAborted();
    const signal = options.signal ? AbortSignal.any([options.signal, this.signal]) : this.signal;
    const related = withRelatedTask(params, this.#revision, this.key.id);
    await this.#count(1);
    try {
      return checkResult(row, await this.#askSomewhere(row, related, { ...options, signal }));
    } finally {
      await this.#count(-1);
    }
  }

  get #revision(): Revision {
    return this.#call.revision;
  }

  /** Tries every way there is, and then waits for another: the requestor opens one when it learns that input is needed. */
  async #askSomewhere(row: RequestRow, params: object, options: RequestOptions): Promise<unknown> {
    const tried = new Set<Caller>();
    for (;;) {
      const way = [...this.#ways, this.#call.connection].findLast((candidate) => !tried.has(candidate));
      if (!way) {
        await this.#nextWay();
        continue;
      }
      tried.add(way);
      try {
        return await way.request(row, params, options);
      } catch (error) {
        if (this.signal.aborted || !(isUnreachableError(error) || isClosedError(error))) throw error;
      }
    }
  }

  async #nextWay(): Promise<void> {
    let wake: () => void = () => {};
    const opened = new Promise<void>((resolve) => this.#waiters.add((wake = resolve)));
    try {
      await Promise.race([opened, whenAborted(this.signal)]);
    } finally {
      this.#waiters.delete(wake);
    }
  }

  async #count(step: 1 | -1): Promise<void> {
    const before = this.#questions;
    this.#questions += step;
    if (this.#isOver || (before > 0 && this.#questions > 0)) return;
    await this.#change({ status: this.#questions > 0 ? "input_required" : "working" });
  }

  /** One change after the other; a failed one holds none of the following up. */
  #change(change: Omit<TaskChange, "updatedAt">): Promise<TaskRecord | undefined> {
    const changed = this.#last
      .catch(() => undefined)
      .then(() => this.#host.store.change(this.key, { ...change, updatedAt: new Date().toISOString() }));
    this.#last = changed;
    return changed.then((record) => {
      if (record && (!this.#isOver || isFinal(record.status))) this.#announce(record);
      return record;
    });
  }

  #announce(record: TaskRecord): void {
    const row = findRow(this.#table, "taskStatus");
    if (row && this.#host.notify) void this.#tell(row, toTaskState(record));
  }

  get #table(): Revision["serverNotifications"] {
    const { session, revision } = this.#call;
    return session.role === "server" ? revision.serverNotifications : revision.clientNotifications;
  }

  /** Whoever does not get it asks for it. */
  async #tell(row: NotificationRow, params: object): Promise<void> {
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
