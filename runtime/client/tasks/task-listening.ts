import { isObject, type RequestRow } from "../../../generated/support.ts";
import { readMetaKeys } from "../../protocol/session/request-metadata.ts";
import { systemClock, type Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import { findRequestRow } from "../session/requests.ts";
import { ListenStream } from "../subscriptions/listen-stream.ts";
import { taskProtocolOf } from "./task-protocol.ts";

/** Parts of a session used by task notifications. */
interface TaskListeningHost {
  readonly clock: Clock | undefined;
  /** Milliseconds to wait for an acknowledgement. */
  readonly timeout: number;
  /** Called when a task may have changed, or when no more notifications of its changes follow. */
  wake(taskId: string): void;
}

/**
 * Subscription to tasks, where the server notifies of their changes: waiting for a task then needs no polling. There is one stream, apart from the
 * one for lists and resources. Another stream replaces it when tasks are added, or when it has ended. After a rejection, no further subscription is
 * tried on the same connection. When a stream has ended soon, its tasks are polled, as another one would end as soon.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export class TaskListening {
  readonly #host: TaskListeningHost;
  readonly #wanted = new Set<string>();
  /** Ids of tasks without notifications by the server. */
  readonly #rejected = new Set<string>();
  /** Streams on which notifications may still arrive. */
  readonly #streams = new Set<ListenStream>();
  #line: ReconnectingConnection | undefined;
  #current: OpenStream | undefined;
  /** Connection on which streams are being opened. */
  #syncing: ReconnectingConnection | undefined;

  constructor(host: TaskListeningHost) {
    this.#host = host;
  }

  /** Adopts another connection; subscriptions on the last one are over. */
  adopt(connection: ClientConnection): void {
    this.#streams.clear();
    this.#rejected.clear();
    this.#current = undefined;
    this.#line = toLine(connection);
    this.#sync();
  }

  /** Called when a caller waits for a task. If the stream has ended, it is replaced when a caller waits again. */
  watch(taskId: string): void {
    if (!this.#line) return;
    this.#wanted.add(taskId);
    this.#sync();
  }

  /** Called when no caller waits for a task. The stream may continue to report it while other tasks are wanted. */
  forget(taskId: string): void {
    this.#rejected.delete(taskId);
    if (!this.#wanted.delete(taskId) || this.#wanted.size > 0) return;
    this.#current?.stream.end();
    this.#current = undefined;
  }

  /** True if the server has agreed to notify of a task. */
  isHeard(taskId: string): boolean {
    return this.#current?.honoured.has(taskId) ?? false;
  }

  /** Handles the server's acknowledgement of a subscription request. */
  accept(params: unknown): void {
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const tag = this.#line && meta[this.#line.tag];
    [...this.#streams].find((stream) => stream.is(tag))?.accept(params);
  }

  /** Handles the server's cancellation of a subscription request, which some servers send instead of a response. */
  cancelled(params: unknown): void {
    const id = isObject(params) ? params.requestId : undefined;
    const stream = [...this.#streams].find((one) => one.is(id));
    stream?.end(new Error("The server ended the subscription"));
  }

  /** Brings the stream in line with the wanted tasks. Calls in the same moment, or while a stream is being opened, share the next one. */
  #sync(): void {
    const line = this.#line;
    if (!line || this.#syncing === line) return;
    this.#syncing = line;
    void this.#follow(line);
  }

  /** Opens streams until the server notifies of every wanted task, or has rejected it. */
  async #follow(line: ReconnectingConnection): Promise<void> {
    await Promise.resolve();
    try {
      while (line === this.#line && this.#missing.length > 0) await this.#open(line);
    } catch {
      // Without a stream, the tasks are polled.
      if (line === this.#line) this.#line = undefined;
    }
    if (this.#syncing === line) this.#syncing = undefined;
  }

  get #missing(): readonly string[] {
    return [...this.#wanted].filter((id) => !this.isHeard(id) && !this.#rejected.has(id));
  }

  async #open({ connection, row }: ReconnectingConnection): Promise<void> {
    const { clock, timeout } = this.#host;
    const taskIds = [...this.#wanted].filter((id) => !this.#rejected.has(id));
    const stream = new ListenStream(connection, { row, filter: { taskIds }, clock, timeout });
    this.#streams.add(stream);
    void stream.ended.then(() => this.#lose(stream));
    const { taskIds: accepted = [] } = await stream.acknowledged;
    // Changes before the acknowledgement were not reported. A server does not notify of a task that has ended.
    for (const id of taskIds) this.#host.wake(id);
    if (!this.#streams.has(stream)) return;
    const before = this.#current?.stream;
    const honoured = new Set(accepted);
    for (const id of taskIds) if (!honoured.has(id)) this.#rejected.add(id);
    const isUseful = honoured.size > 0 && this.#wanted.size > 0;
    this.#current = isUseful ? { stream, honoured, since: this.#now() } : undefined;
    before?.end();
    if (!this.#current) stream.end();
  }

  #lose(stream: ListenStream): void {
    this.#streams.delete(stream);
    if (this.#current?.stream !== stream) return;
    const { honoured, since } = this.#current;
    this.#current = undefined;
    const isShort = this.#now() - since < shortestStream;
    for (const id of honoured) {
      if (isShort && this.#wanted.has(id)) this.#rejected.add(id);
      this.#host.wake(id);
    }
  }

  #now(): number {
    return (this.#host.clock ?? systemClock).now();
  }
}

/** Milliseconds a stream has to last before another one replaces it. Without a bound, the client would send requests without a pause. */
const shortestStream = 5_000;

/** Acknowledged stream. */
interface OpenStream {
  readonly stream: ListenStream;
  /** Ids of the tasks the server sends notifications for. */
  readonly honoured: ReadonlySet<string>;
  /** Time of the clock at which the server acknowledged it. */
  readonly since: number;
}

/** Connection on which the server offers notifications of tasks. */
interface ReconnectingConnection {
  readonly connection: ClientConnection;
  readonly row: RequestRow;
  /** Key in `_meta` by which notifications name their subscription request. */
  readonly tag: string;
}

function toLine(connection: ClientConnection): ReconnectingConnection | undefined {
  const { revision } = connection;
  const row = findRequestRow(revision, "subscriptionsListen");
  const tag = row && readMetaKeys(revision).subscription;
  return row && tag !== undefined && taskProtocolOf(revision).hasSubscriptions ? { connection, row, tag } : undefined;
}
