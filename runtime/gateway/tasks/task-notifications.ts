import { isObject } from "../../../generated/support.ts";
import { inLaterTurn } from "../../internal/timers.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import type { Listener, Upstream } from "../upstream/upstream.ts";
import { ListenStream } from "../../client/subscriptions/listen-stream.ts";
import { mayPass } from "../../client/subscriptions/listen.ts";
import { inParts } from "../../internal/in-parts.ts";
import { toError } from "../../jsonrpc/errors.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { isFinal } from "../../stores/task-store.ts";
import { isTaskState } from "../../tasks/task.ts";
import { LazyUpstream } from "../upstream/lazy-upstream.ts";
import { LostNotifications } from "../upstream/lost-notifications.ts";
import { ownRequest, ownTimeout } from "../upstream/own-request.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";

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

/** Parts of a gateway used by notifications of tasks. */
export interface OwnerNotificationsHost extends Pick<TaskNotificationsHost, "notify"> {
  /** Returns the connection on which the server notifies of the tasks of a client. */
  connectionOf(call: CallContext): TaskConnection;
}

/** Notifications of the server's own tasks, by the connection on which the server knows them. Without subscribers, only a kept connection stays. */
export class OwnerNotifications {
  readonly #host: OwnerNotificationsHost;
  readonly #entries = new Map<string, Entry>();

  constructor(host: OwnerNotificationsHost) {
    this.#host = host;
  }

  /** Subscribes until the call or the subscription ends. */
  async watch(call: CallContext, taskIds: readonly string[]): Promise<WatchedTasks> {
    const { signal } = call;
    if (signal.aborted) return { honoured: [], topic: "", ended: signal, leave() {} };
    const connection = this.#host.connectionOf(call);
    const { key } = connection;
    const entry = this.#entries.get(key) ?? this.#add(connection);
    entry.subscribers += 1;
    const watched = await entry.notifications.watch(taskIds, signal);
    const leave = (): void => this.#leave(key, entry);
    if (watched.ended.aborted) leave();
    else watched.ended.addEventListener("abort", leave, { once: true });
    return watched;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ notifications }) => notifications.close()));
  }

  #add({ key, isKept, open }: TaskConnection): Entry {
    const notifications = new TaskNotifications({ open, notify: (topic, task) => this.#host.notify(topic, task) });
    const entry: Entry = { notifications, isKept, subscribers: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  #leave(key: string, entry: Entry): void {
    entry.subscribers -= 1;
    if (entry.subscribers > 0 || entry.isKept) return;
    this.#entries.delete(key);
    void entry.notifications.close();
  }
}

interface Entry {
  readonly notifications: TaskNotifications;
  readonly isKept: boolean;
  subscribers: number;
}

/** Parts of a gateway used by task notifications. */
interface TaskNotificationsHost {
  /** Opens a connection to the server with a declaration of tasks. */
  readonly open: TaskConnection["open"];
  /** Notifies the subscribers of a topic of a task. */
  notify(topic: string, task: object): void;
}

/** Notifications of the server's own tasks: the gateway has a subscription for each subscribed client. */
export class TaskNotifications implements Listener {
  readonly #host: TaskNotificationsHost;
  /** Open subscriptions, with the topics under which their notifications are passed on. */
  readonly #subscriptions = new Map<TaskSubscription, string>();
  readonly #upstream = new LazyUpstream<TaskUpstream>();
  /** Key in `_meta` by which notifications name their subscription request. */
  #tag: string | undefined;

  constructor(host: TaskNotificationsHost) {
    this.#host = host;
  }

  /** Subscribes until the signal is aborted. The caller has checked that it is not. */
  async watch(taskIds: readonly string[], signal: AbortSignal): Promise<WatchedTasks> {
    const topic = crypto.randomUUID();
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
    await this.#upstream.close();
  }

  /** Returns the connection. After a loss, the next subscriber opens it again. */
  #connect(): Promise<TaskUpstream> {
    return this.#upstream.get(async () => {
      const upstream = await this.#host.open(this);
      this.#tag = readMetaKeys(upstream.revision).subscription;
      return upstream;
    });
  }
}

/** Parts of a gateway used by a subscription to tasks. */
interface TaskSubscriptionHost {
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
