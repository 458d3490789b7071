import { isObject } from "../../../generated/support.ts";
import { inLaterTurn } from "../../internal/timers.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import type { Listener } from "../upstream/upstream.ts";
import { TaskSubscription, type TaskConnection, type TaskUpstream } from "./task-subscription.ts";

/** Parts of a gateway used by task notifications. */
export interface TaskNotificationsHost {
  /** Opens a connection to the server with a declaration of tasks. */
  readonly open: TaskConnection["open"];
  /** Notifies the subscribers of a topic of a task. */
  notify(topic: string, task: object): void;
}

/** Tasks watched by a client. */
export interface WatchedTasks {
  /** Tasks the server sends notifications for. */
  readonly honoured: readonly string[];
  /** Topic of these notifications. */
  readonly topic: string;
  /** Aborted when no more notifications follow. */
  readonly ended: AbortSignal;
  /** Ends the notifications. */
  leave(): void;
}

/** Notifications of the server's own tasks: the gateway has a subscription for each subscribed client. */
export class TaskNotifications implements Listener {
  readonly #host: TaskNotificationsHost;
  /** Open subscriptions, with the topics under which their notifications are passed on. */
  readonly #subscriptions = new Map<TaskSubscription, string>();
  #upstream: Promise<TaskUpstream> | undefined;
  /** Key in `_meta` by which notifications name their subscription request. */
  #tag: string | undefined;

  constructor(host: TaskNotificationsHost) {
    this.#host = host;
  }

  /** Subscribes until the signal is aborted. */
  async watch(taskIds: readonly string[], signal: AbortSignal): Promise<WatchedTasks> {
    const topic = crypto.randomUUID();
    if (signal.aborted) return { honoured: [], topic, ended: signal, leave() {} };
    const subscription = new TaskSubscription(taskIds, {
      signal,
      connect: () => this.#connect(),
      notify: (task) => this.#host.notify(topic, task),
    });
    this.#subscriptions.set(subscription, topic);
    const { ended } = subscription;
    ended.addEventListener("abort", () => this.#subscriptions.delete(subscription), { once: true });
    return { honoured: await subscription.start(), topic, ended, leave: () => subscription.end() };
  }

  ask(method: string): Promise<never> {
    return Promise.reject(new Error(`The gateway has no client for the request ${method}`));
  }

  notify(handler: string, params: object): void {
    const { _meta, ...task }: Record<string, unknown> = { ...params };
    const tag = this.#tag === undefined || !isObject(_meta) ? undefined : _meta[this.#tag];
    const [subscription, topic] = [...this.#subscriptions].find(([one]) => one.is(tag)) ?? [];
    if (handler === "subscriptionsAcknowledged") subscription?.accept(params);
    // Notifications that arrive with the server's acknowledgement wait until the client has received its own.
    if (handler === "taskStatus" && topic !== undefined) inLaterTurn(() => this.#host.notify(topic, task));
  }

  async close(): Promise<void> {
    for (const subscription of this.#subscriptions.keys()) subscription.end();
    await this.#upstream?.then((upstream) => upstream.close()).catch(() => {});
  }

  /** Returns the connection. After a loss, the next subscriber opens it again. */
  #connect(): Promise<TaskUpstream> {
    const opening = (this.#upstream ??= this.#host.open(this));
    const forget = (): void => {
      if (this.#upstream === opening) this.#upstream = undefined;
    };
    opening.then(({ connection, revision }) => {
      this.#tag = readMetaKeys(revision).subscription;
      void connection.closed.then(forget);
    }, forget);
    return opening;
  }
}
