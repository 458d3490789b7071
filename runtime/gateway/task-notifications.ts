import { isObject } from "../../generated/support.ts";
import { ListenStream } from "../client/subscriptions/listen-stream.ts";
import { findRow } from "../protocol/method-rows.ts";
import { readMetaKeys } from "../protocol/request-metadata.ts";
import type { Listener, Upstream } from "./upstream.ts";

/** What news of tasks need of their gateway. */
export interface TaskNotificationsHost {
  /** Opens a connection on which the server knows that tasks are known. */
  open(listener: Listener): Promise<Upstream>;
  /** Tells those who listen for a topic of a task. */
  notify(topic: string, task: object): void;
}

/** Whose news are passed on, and to whom. */
interface Stream {
  readonly stream: ListenStream;
  readonly topic: string;
}

/** News of tasks that are the server's own: for each client that listens, the gateway listens as well. */
export class TaskNotifications implements Listener {
  readonly #host: TaskNotificationsHost;
  readonly #streams = new Set<Stream>();
  #upstream: Promise<Upstream> | undefined;
  /** Where notifications say to which request they belong. */
  #tag: string | undefined;

  constructor(host: TaskNotificationsHost) {
    this.#host = host;
  }

  /** Listens until the signal is aborted. Gives the tasks that the server tells of, and the topic under which they are told. */
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
      // Then there are no news: clients ask.
      return [[], topic];
    }
  }

  ask(method: string): Promise<never> {
    return Promise.reject(new Error(`Nobody can be asked ${method} now.`));
  }

  notify(handler: string, params: object): void {
    const { _meta, ...task }: Record<string, unknown> = { ...params };
    const found = this.#find(isObject(_meta) ? _meta : {});
    if (handler === "subscriptionsAcknowledged") found?.stream.accept(params);
    // What comes with the agreement of the server waits until the client has been told of that.
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

  /** A connection that is lost is opened anew for the next who listens. */
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

/** Milliseconds for an acknowledgement. */
const longestWait = 30_000;
