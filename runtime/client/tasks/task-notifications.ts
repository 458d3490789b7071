import { isObject, type RequestRow } from "../../../generated/support.ts";
import { findRow } from "../../protocol/method-rows.ts";
import { readMetaKeys } from "../../protocol/request-metadata.ts";
import type { Clock } from "../../internal/timers.ts";
import type { ClientConnection } from "../connect.ts";
import { hasExtensionTasks } from "./extension-tasks.ts";
import { ListenStream } from "../subscriptions/listen-stream.ts";

/** What hearing of tasks needs of its session. */
export interface TaskListeningHost {
  readonly clock: Clock | undefined;
  /** Milliseconds for an acknowledgement. */
  readonly timeout: number;
  /** A task may have changed, or nobody will tell any more when it does. */
  wake(taskId: string): void;
}

/**
 * Hears of tasks, where the server tells of them: whoever waits for one need not ask for it all the time. There is one stream, apart from that
 * for lists and resources, which another one replaces when there are more tasks. A server that refuses is not asked again.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export class TaskListening {
  readonly #host: TaskListeningHost;
  readonly #wanted = new Set<string>();
  /** Those that the server does not tell of. */
  readonly #refused = new Set<string>();
  /** Those that may be told something now. */
  readonly #streams = new Set<ListenStream>();
  #line: Line | undefined;
  #current: { readonly stream: ListenStream; readonly honoured: ReadonlySet<string> } | undefined;
  #syncing: Promise<void> | undefined;

  constructor(host: TaskListeningHost) {
    this.#host = host;
  }

  /** There is another connection: what was heard on the last one is over. */
  adopt(connection: ClientConnection): void {
    this.#streams.clear();
    this.#refused.clear();
    this.#current = undefined;
    this.#syncing = undefined;
    this.#line = toLine(connection);
    if (this.#wanted.size > 0) this.#sync();
  }

  /** Somebody waits for a task. A stream that has ended is replaced when they wait again. */
  watch(taskId: string): void {
    if (!this.#line) return;
    this.#wanted.add(taskId);
    if (this.#missing.length > 0) this.#sync();
  }

  /** Nobody waits for it any more. The stream may go on telling of it while there are others. */
  forget(taskId: string): void {
    this.#refused.delete(taskId);
    if (!this.#wanted.delete(taskId) || this.#wanted.size > 0) return;
    this.#current?.stream.end();
    this.#current = undefined;
  }

  /** Whether the server has said that it tells of a task. */
  isHeard(taskId: string): boolean {
    return this.#current?.honoured.has(taskId) ?? false;
  }

  /** The server agrees to a request. */
  accept(params: unknown): void {
    const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
    const tag = this.#line && meta[this.#line.tag];
    [...this.#streams].find((stream) => stream.is(tag))?.accept(params);
  }

  /** The server takes a request back, which some do instead of answering it. */
  cancelled(params: unknown): void {
    const id = isObject(params) ? params.requestId : undefined;
    const stream = [...this.#streams].find((one) => one.is(id));
    stream?.end(new Error("The server ended the subscription"));
  }

  /** Brings the stream in line with what is wanted. Those who ask in the same moment, or while a stream is opened, share the next one. */
  #sync(): void {
    const line = this.#line;
    if (!line || this.#syncing) return;
    const syncing = Promise.resolve()
      .then(() => this.#follow(line))
      // Then the tasks are asked for, as they would be without it.
      .catch(() => {
        if (line === this.#line) this.#line = undefined;
      })
      .finally(() => {
        if (this.#syncing === syncing) this.#syncing = undefined;
      });
    this.#syncing = syncing;
  }

  /** Once for each task: a stream that ends at once is not opened again and again. */
  async #follow(line: Line): Promise<void> {
    const tried = new Set<string>();
    while (line === this.#line && this.#missing.some((id) => !tried.has(id))) {
      const taskIds = [...this.#wanted].filter((id) => !this.#refused.has(id));
      for (const id of taskIds) tried.add(id);
      await this.#open(line, taskIds);
    }
  }

  get #missing(): readonly string[] {
    return [...this.#wanted].filter((id) => !this.isHeard(id) && !this.#refused.has(id));
  }

  async #open({ connection, row }: Line, taskIds: readonly string[]): Promise<void> {
    const { clock, timeout } = this.#host;
    const stream = new ListenStream(connection, { row, filter: { taskIds }, clock, timeout });
    this.#streams.add(stream);
    void stream.ended.then(() => this.#lose(stream));
    const { taskIds: accepted = [] } = await stream.acknowledged;
    if (!this.#streams.has(stream)) return;
    const before = this.#current?.stream;
    const honoured = new Set(accepted);
    for (const id of taskIds) if (!honoured.has(id)) this.#refused.add(id);
    this.#current = honoured.size > 0 && this.#wanted.size > 0 ? { stream, honoured } : undefined;
    before?.end();
    if (!this.#current) return stream.end();
    // What changed before the acknowledgement was not told.
    for (const id of accepted) this.#host.wake(id);
  }

  #lose(stream: ListenStream): void {
    this.#streams.delete(stream);
    if (this.#current?.stream !== stream) return;
    const { honoured } = this.#current;
    this.#current = undefined;
    for (const id of honoured) this.#host.wake(id);
  }
}

/** A connection on which tasks can be heard of. */
interface Line {
  readonly connection: ClientConnection;
  readonly row: RequestRow;
  /** Where notifications say to which request they belong. */
  readonly tag: string;
}

function toLine(connection: ClientConnection): Line | undefined {
  const { revision } = connection;
  const row = findRow(revision.clientRequests, "subscriptionsListen");
  const tag = row && readMetaKeys(revision).subscription;
  return row && tag !== undefined && hasExtensionTasks(revision) ? { connection, row, tag } : undefined;
}
