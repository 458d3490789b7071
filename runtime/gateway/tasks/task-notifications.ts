import { isObject } from "../../../generated/support.ts";
import { ListenStream } from "../../client/subscriptions/listen-stream.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import type { Listener, Upstream } from "../upstream/upstream.ts";

/** Parts of a gateway that task notifications use. */
export interface TaskNotificationsHost {
  /** Opens a connection that declares tasks to the server. */
  open(listener: Listener): Promise<Upstream>;
  /** Notifies the subscribers of a topic of a task. */
  notify(topic: string, task: object): void;
}

/** Subscription on the server, and the topic under which its notifications are passed on. */
interface Stream {
  readonly stream: ListenStream;
  readonly topic: string;
}

/** Notifications of the server's own tasks: for each client that subscribes, the gateway subscribes as well. */
export class TaskNotifications implements Listener {
  readonly #host: TaskNotificationsHost;
  readonly #streams = new Set<Stream>();
  #upstream: Promise<Upstream> | undefined;
  /** Key in `_meta` by which notifications name their subscription request. */
  #tag: string | undefined;

  constructor(host: TaskNotificationsHost) {
    this.#host = host;
  }

  /** Subscribes until the signal is aborted. Returns the tasks that the server notifies of, and the topic of these notifications. */
  async watch(
    taskIds: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly [honoured: readonly string[], string]> {
    const topic = crypto.randomUUID();
    if (taskIds.length === 0) return [[], topic];
    try {
      const upstream = await this.#connect();
      const row = findRow(upstream.revision.clientRequests, "subscriptionsListen");
      if (!row || signal.aborted) return [[], topic];
      const filter = { taskIds };
      const stream = new ListenStream(upstream.connection, { row, filter, clock: undefined, timeout: longestWait });
      this.#keep({ stream, topic }, signal);
      const { taskIds: honoured = [] } = await stream.acknowledged;
      return [honoured.filter((id) => taskIds.includes(id)), topic];
    } catch {
      // Without notifications, clients poll the tasks.
      return [[], topic];
    }
  }

  ask(method: string): Promise<never> {
    return Promise.reject(new Error(`The gateway has no client for the request ${method}`));
  }

  notify(handler: string, params: object): void {
    const { _meta, ...task }: Record<string, unknown> = { ...params };
    const found = this.#find(isObject(_meta) ? _meta : {});
    if (handler === "subscriptionsAcknowledged") found?.stream.accept(params);
    // Notifications that arrive with the server's acknowledgement wait until the client has received its own.
    if (handler === "taskStatus" && found) setTimeout(() => this.#host.notify(found.topic, task));
  }

  async close(): Promise<void> {
    for (const { stream } of this.#streams) stream.end();
    await this.#upstream?.then((upstream) => upstream.close()).catch(() => {});
  }

  #keep(kept: Stream, signal: AbortSignal): void {
    this.#streams.add(kept);
    signal.addEventListener("abort", () => kept.stream.end(), { once: true });
    void kept.stream.ended.then(() => this.#streams.delete(kept));
  }

  #find(meta: Readonly<Record<string, unknown>>): Stream | undefined {
    const tag = this.#tag === undefined ? undefined : meta[this.#tag];
    return [...this.#streams].find(({ stream }) => stream.is(tag));
  }

  /** Returns the connection. After a loss, the next subscriber opens it again. */
  #connect(): Promise<Upstream> {
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

/** Milliseconds to wait for an acknowledgement. */
const longestWait = 30_000;
