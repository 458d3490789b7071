import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { TaskConnection } from "./task-subscription.ts";
import { TaskNotifications, type TaskNotificationsHost, type WatchedTasks } from "./task-notifications.ts";

/** Parts of a gateway used by notifications of tasks. */
export interface OwnerNotificationsHost extends Pick<TaskNotificationsHost, "notify"> {
  /** Returns the connection on which the server notifies of the tasks of a client. */
  connectionOf(call: CallContext): TaskConnection;
}

interface Entry {
  readonly notifications: TaskNotifications;
  readonly isKept: boolean;
  subscribers: number;
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
