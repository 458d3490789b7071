import { isObject } from "../../../generated/support.ts";
import { ListenStream } from "../../client/subscriptions/listen-stream.ts";
import { mayPass } from "../../client/subscriptions/listen.ts";
import { inParts } from "../../internal/in-parts.ts";
import { toError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { isFinal } from "../../stores/task-store.ts";
import { isTaskState } from "../../tasks/task.ts";
import { LostNotifications } from "../upstream/lost-notifications.ts";
import { ownRequest, ownTimeout } from "../upstream/own-request.ts";
import type { Listener, Upstream } from "../upstream/upstream.ts";

/** Parts of a gateway used by a subscription to tasks. */
export interface TaskSubscriptionHost {
  /** Aborted when the client has ended its subscription. */
  readonly signal: AbortSignal;
  /** Returns the connection to the server, opened again after a loss. */
  connect(): Promise<TaskUpstream>;
  /** Passes the state of a task on to the client. */
  notify(task: object): void;
}

/** Subscription of one client to tasks of the server. If the server ends it, it is opened again. */
export class TaskSubscription {
  readonly #host: TaskSubscriptionHost;
  readonly #ended = new AbortController();
  readonly #lost: LostNotifications;
  #taskIds: readonly string[];
  #stream: ListenStream | undefined;

  constructor(taskIds: readonly string[], host: TaskSubscriptionHost) {
    this.#taskIds = taskIds;
    this.#host = host;
    const { signal } = host;
    signal.addEventListener("abort", () => this.end(), { once: true });
    this.#lost = new LostNotifications({
      ended: this.ended,
      open: () => this.#openAgain(),
      onRestored: () => void this.#reportTasks(),
    });
  }

  /** Aborted when no more notifications follow. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Subscribes for the first time. Resolves to the tasks the server sends notifications for; the others are no longer wanted. */
  async start(): Promise<readonly string[]> {
    try {
      this.#taskIds = await this.#open();
    } catch {
      // Without notifications, clients poll the tasks.
      this.#taskIds = [];
    }
    if (this.#taskIds.length === 0) this.end();
    return this.#taskIds;
  }

  /** True if a notification belongs to this subscription. */
  is(tag: unknown): boolean {
    return this.#stream?.is(tag) === true;
  }

  accept(params: unknown): void {
    this.#stream?.accept(params);
  }

  end(): void {
    this.#ended.abort();
    this.#stream?.end();
  }

  async #open(): Promise<readonly string[]> {
    const { connection, revision } = await this.#host.connect();
    const row = findRow(revision.clientRequests, "subscriptionsListen");
    if (!row || this.ended.aborted) return [];
    const filter = { taskIds: this.#taskIds };
    const stream = new ListenStream(connection, { row, filter, clock: undefined, timeout: ownTimeout });
    this.#stream = stream;
    const { taskIds: honoured = [] } = await stream.acknowledged;
    void stream.ended.then(() => {
      if (!this.ended.aborted) this.#lost.restore();
    });
    const all = new Set(honoured);
    return this.#taskIds.filter((id) => all.has(id));
  }

  /** Opens the stream again. Ends the subscription if the server rejects it, or no longer notifies of each of the tasks. */
  async #openAgain(): Promise<Error | undefined> {
    try {
      const honoured = await this.#open();
      if (honoured.length < this.#taskIds.length) this.end();
      return undefined;
    } catch (thrown) {
      const reason = toError(thrown);
      if (!mayPass(reason)) this.end();
      return reason;
    }
  }

  /** Passes on the current states: changes while there was no stream are not known. Nothing follows the states of ended tasks. */
  async #reportTasks(): Promise<void> {
    const open = new Set(this.#taskIds);
    await inParts(this.#taskIds, requestsAtOnce, async (taskId) => {
      if (await this.#report(taskId)) open.delete(taskId);
    });
    if (open.size === 0) this.end();
  }

  /** Passes on the state of a task. Returns `true` if it is final. */
  async #report(taskId: string): Promise<boolean> {
    if (this.ended.aborted) return false;
    try {
      const upstream = await this.#host.connect();
      const result = await upstream.request("tasks/get", { taskId }, { ...ownRequest, signal: this.ended });
      const { _meta, resultType, ...task } = isObject(result) ? result : {};
      this.#host.notify(task);
      return isTaskState(task) && isFinal(task.status);
    } catch {
      // The client can read the state itself.
      return false;
    }
  }
}

/** Number of tasks whose states are read at the same time. */
const requestsAtOnce = 32;

/** Connection on which the server notifies of the tasks of some clients. */
export interface TaskConnection {
  /** Key of all clients with the same connection. */
  readonly key: string;
  /** True if the connection stays open without subscribers: the next one need not wait for another. */
  readonly isKept: boolean;
  open(listener: Listener): Promise<TaskUpstream>;
}

/** Open connection on which the server notifies of tasks. */
export type TaskUpstream = Pick<Upstream, "revision" | "connection" | "request" | "close">;
