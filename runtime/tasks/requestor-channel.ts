import {
  isObject,
  type Caller,
  type NotificationRow,
  type RequestRow,
  type Revision,
} from "../../generated/support.ts";
import { findRow } from "../protocol/methods/method-rows.ts";
import type { CallContext, RequestOptions } from "../protocol/peer/incoming-call.ts";
import { followSignals } from "../internal/abort-signals.ts";
import { PeerError, isClosedError, isPeerError, isUnreachableError, toErrorObject } from "../jsonrpc/errors.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import type { TaskRecord } from "../stores/task-store.ts";
import { InputHistory, toStoredRequest } from "./input-history.ts";
import { toTaskState, withRelatedTask } from "./task.ts";

/** Channel from a running task to its requestor. */
export interface RequestorChannel {
  /** Prepares a request to the requestor. The returned function sends it and waits for the response. */
  ask(row: RequestRow, params: unknown, options: TaskBoundRequestOptions): () => Promise<unknown>;
  /** Sends a notification of the task, or drops it if it cannot be delivered. */
  notify(row: NotificationRow, params: unknown): Promise<void>;
  /** Announces a changed record of the task. */
  notifyStatus(record: TaskRecord): void;
  /** Open input requests for the record of the task, if they are kept there. */
  readonly inputRequests?: object | undefined;
  /** Input requests with a response, for the record of a retryable task. */
  readonly settledRequests?: object | undefined;
  /** Responses to this channel, received outside of the record. */
  readonly inputResponses?: object | undefined;
  /** Adds another way to the requestor, if supported. Returns a function to remove it. */
  open?(way: Caller): () => void;
  /** Accepts responses to open input requests. */
  respond?(responses: Readonly<Record<string, unknown>>): void;
}

/** Options of a request tied to its task: they end together. */
export interface TaskBoundRequestOptions extends RequestOptions {
  readonly signal: AbortSignal;
}

/** Task whose requestor may be reached through other nodes. */
export interface SharedTask {
  /** Record of the task at the beginning of the attempt. */
  readonly record: TaskRecord;
  /** Writes the open input requests to the record: another node may reach the requestor. */
  publish(): void;
}

/** Response to an input request of another node. */
export type RelayedResponse = { readonly result: unknown } | { readonly error: ErrorObject };

/** Channel for revisions where both sides send requests. Messages use the session, or a call waiting for the result of the task. */
export class SessionChannel implements RequestorChannel {
  readonly #id: string;
  readonly #call: CallContext;
  readonly #isNotified: boolean;
  /** Waiting calls of `tasks/result`, which are ways to the requestor; the latest is last. */
  readonly #ways = new Set<Caller>();
  readonly #waiters = new Set<() => void>();
  readonly #shared: SharedTask | undefined;
  readonly #history: InputHistory;
  /** Input requests for other nodes to send, by key, and responses to them. */
  readonly #published = new Map<string, { readonly request: object; readonly response?: unknown }>();
  /** Accepts responses received by another node. */
  readonly respond?: (responses: Readonly<Record<string, unknown>>) => void;

  /** @param isNotified - True if the requestor is notified of changes */
  constructor(id: string, call: CallContext, isNotified: boolean, shared?: SharedTask) {
    this.#id = id;
    this.#call = call;
    this.#isNotified = isNotified;
    this.#shared = shared;
    this.#history = new InputHistory(shared?.record);
    if (shared) this.respond = (responses) => this.#respond(responses);
  }

  get inputRequests(): object | undefined {
    if (!this.#shared) return undefined;
    const open = [...this.#published].filter(([, published]) => !("response" in published));
    return { ...this.#history.openRequests, ...Object.fromEntries(open.map(([key, { request }]) => [key, request])) };
  }

  get settledRequests(): object | undefined {
    return this.#shared?.record.retry && this.#history.settledRequests;
  }

  get inputResponses(): object | undefined {
    return this.#shared?.record.retry && this.#history.responses;
  }

  open(way: Caller): () => void {
    this.#ways.add(way);
    for (const wake of this.#waiters) wake();
    return () => void this.#ways.delete(way);
  }

  ask(row: RequestRow, params: unknown, options: TaskBoundRequestOptions): () => Promise<unknown> {
    const related = withRelatedTask(params, this.#call.revision, this.#id);
    if (!this.#shared) return () => this.#askSomewhere(row, related, options);
    const request = toStoredRequest(row, params);
    const { key, settled } = this.#history.begin(row, options.key, request);
    if (settled) return async () => readRelayed(settled.response);
    return async () => {
      const response = await this.#askAnywhere(row, related, { options, key, request })
        .catch(toRelayedError)
        .finally(() => this.#published.delete(key));
      if (this.#shared?.record.retry) this.#history.settle(key, request, response);
      return readRelayed(response);
    };
  }

  notify(row: NotificationRow, params: unknown): Promise<void> {
    return this.#notify(row, withRelatedTask(params, this.#call.revision, this.#id));
  }

  notifyStatus(record: TaskRecord): void {
    const row = findRow(this.#table, "taskStatus");
    if (row && this.#isNotified) void this.#notify(row, toTaskState(record));
  }

  /** Tries all known ways, and then waits for a new one: the requestor opens one when it is notified of the need for input. */
  async #askSomewhere(
    row: RequestRow,
    params: object,
    options: TaskBoundRequestOptions,
    publish?: () => void,
  ): Promise<unknown> {
    const tried = new Set<Caller>();
    for (;;) {
      const way = [...this.#ways, this.#call.connection].findLast((candidate) => !tried.has(candidate));
      if (!way) {
        publish?.();
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

  /** Sends a request through this node, or through another node with a call waiting for the result of the task. */
  async #askAnywhere(row: RequestRow, params: object, { options, key, request }: SharedRequest): Promise<unknown> {
    const stop = new AbortController();
    const leave = followSignals(stop, [options.signal]);
    const relayed = this.#nextResponse(key, stop.signal);
    const publish = (): void => {
      if (this.#published.has(key)) return;
      this.#published.set(key, { request });
      this.#shared?.publish();
    };
    const asked = this.#askSomewhere(row, params, { ...options, signal: stop.signal }, publish);
    // The loser of the race rejects when it is stopped.
    for (const promise of [relayed, asked]) promise.catch(() => {});
    try {
      return await Promise.race([relayed, asked.then((result) => ({ result }))]);
    } finally {
      stop.abort();
      leave();
    }
  }

  async #nextResponse(key: string, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      const published = this.#published.get(key);
      if (published && "response" in published) return published.response;
      await this.#nextWay(signal);
    }
  }

  #respond(responses: Readonly<Record<string, unknown>>): void {
    this.#history.settleOpen(responses);
    for (const [key, { request }] of this.#published) {
      if (Object.hasOwn(responses, key)) this.#published.set(key, { request, response: responses[key] });
    }
    for (const wake of this.#waiters) wake();
  }

  async #nextWay(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(wake);
        signal.removeEventListener("abort", stop);
      };
      const wake = (): void => (leave(), resolve());
      const stop = (): void => (leave(), reject(signal.reason));
      this.#waiters.add(wake);
      signal.addEventListener("abort", stop);
    });
  }

  get #table(): Revision["serverNotifications"] {
    const { session, revision } = this.#call;
    return session.role === "server" ? revision.serverNotifications : revision.clientNotifications;
  }

  /** Sends a notification. A failed send is ignored, because the requestor can still request the status. */
  async #notify(row: NotificationRow, params: object): Promise<void> {
    const way = [...this.#ways].at(-1) ?? this.#call.connection;
    await way.notify(row, params).catch(() => {});
  }
}

interface SharedRequest {
  readonly options: TaskBoundRequestOptions;
  readonly key: string;
  readonly request: object;
}

/** Returns the result in a response, or throws its error. */
function readRelayed(response: unknown): unknown {
  if (!isObject(response)) return undefined;
  const { result, error } = response;
  if (!isObject(error)) return result;
  throw new PeerError({ code: Number(error.code), message: String(error.message), data: error.data });
}

/** Returns an error of the requestor as a response. */
function toRelayedError(error: unknown): RelayedResponse {
  if (isPeerError(error)) return { error: toErrorObject(error) };
  throw error;
}
