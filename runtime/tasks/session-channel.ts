import {
  isObject,
  type Caller,
  type NotificationRow,
  type RequestRow,
  type Revision,
} from "../../generated/support.ts";
import { findRow, findMethod } from "../protocol/methods/method-rows.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { followSignals } from "../internal/abort-signals.ts";
import { PeerError, isClosedError, isPeerError, isUnreachableError, toErrorObject } from "../jsonrpc/errors.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import { readOpenRequests, type TaskRecord } from "../stores/task-store.ts";
import {
  InputHistory,
  toStoredRequest,
  type RequestorChannel,
  type TaskBoundRequestOptions,
} from "./requestor-channel.ts";
import { toTaskState, withRelatedTask } from "./task.ts";

/** Task whose requestor may be reached through other nodes. */
export interface PublishedTask {
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
  readonly #publishedTask: PublishedTask | undefined;
  readonly #history: InputHistory;
  /** Input requests for other nodes to send, by key, and responses to them. */
  readonly #published = new Map<string, { readonly request: object; readonly response?: unknown }>();
  /** Accepts responses received by another node. */
  readonly respond?: (responses: Readonly<Record<string, unknown>>) => void;

  /** @param isNotified - True if the requestor is notified of changes */
  constructor(id: string, call: CallContext, isNotified: boolean, publishedTask?: PublishedTask) {
    this.#id = id;
    this.#call = call;
    this.#isNotified = isNotified;
    this.#publishedTask = publishedTask;
    this.#history = new InputHistory(publishedTask?.record);
    if (publishedTask) this.respond = (responses) => this.#respond(responses);
  }

  get inputRequests(): object | undefined {
    if (!this.#publishedTask) return undefined;
    const open = [...this.#published].filter(([, published]) => !("response" in published));
    return { ...this.#history.openRequests, ...Object.fromEntries(open.map(([key, { request }]) => [key, request])) };
  }

  get settledRequests(): object | undefined {
    return this.#publishedTask?.record.retry && this.#history.settledRequests;
  }

  get inputResponses(): object | undefined {
    return this.#publishedTask?.record.retry && this.#history.responses;
  }

  open(way: Caller): () => void {
    this.#ways.add(way);
    for (const wake of this.#waiters) wake();
    return () => void this.#ways.delete(way);
  }

  ask(row: RequestRow, params: unknown, options: TaskBoundRequestOptions): () => Promise<unknown> {
    const related = withRelatedTask(params, this.#call.revision, this.#id);
    if (!this.#publishedTask) return () => this.#askSomewhere(row, related, options);
    const request = toStoredRequest(row, params);
    const { key, settled } = this.#history.begin(row, options.key, request);
    if (settled) return async () => readRelayed(settled.response);
    return async () => {
      const response = await this.#askAnywhere(row, related, { options, key, request })
        .catch(toRelayedError)
        .finally(() => this.#published.delete(key));
      if (this.#publishedTask?.record.retry) this.#history.settle(key, request, response);
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
  async #askAnywhere(
    row: RequestRow,
    params: object,
    {
      options,
      key,
      request,
    }: { readonly options: TaskBoundRequestOptions; readonly key: string; readonly request: object },
  ): Promise<unknown> {
    const stop = new AbortController();
    const leave = followSignals(stop, [options.signal]);
    const relayed = this.#nextResponse(key, stop.signal);
    const publish = (): void => {
      if (this.#published.has(key)) return;
      this.#published.set(key, { request });
      this.#publishedTask?.publish();
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

/** Returns the result in a response, or throws its error. */
function readRelayed(response: unknown): unknown {
  if (!isObject(response)) return undefined;
  const { result, error } = response;
  if (!isObject(error)) return result;
  throw new PeerError({ code: Number(error.code), message: String(error.message), data: error.data });
}

/** Returns an error of the requestor as a response. Throws any other error. */
function toRelayedError(error: unknown): RelayedResponse {
  if (isPeerError(error)) return { error: toErrorObject(error) };
  throw error;
}

/** Call waiting for the result of a task of another node. The input requests of the task are sent through it. */
export class InputRelay {
  readonly #call: CallContext;
  readonly #respond: (key: string, response: RelayedResponse) => Promise<void>;
  /** Sent input requests, by key, and their ends. */
  readonly #sent = new Map<string, AbortController>();

  /** @param respond - stores the response to an input request */
  constructor(call: CallContext, respond: (key: string, response: RelayedResponse) => Promise<void>) {
    this.#call = call;
    this.#respond = respond;
  }

  /** Sends the new input requests in a record, and cancels the ones no longer open. */
  send(record: TaskRecord): void {
    const open = readOpenRequests(record);
    for (const [key, end] of this.#sent) if (!Object.hasOwn(open, key)) end.abort(noLongerOpen());
    for (const [key, request] of Object.entries(open)) {
      if (this.#sent.has(key) || !isObject(request)) continue;
      // A request that cannot be sent is tried again with the next read of the record.
      this.#send(record.id, key, request).catch(() => this.#sent.delete(key));
    }
  }

  /** Cancels the input requests without a response, as the task needs none. */
  end(): void {
    for (const end of this.#sent.values()) end.abort(noLongerOpen());
  }

  async #send(id: string, key: string, request: Readonly<Record<string, unknown>>): Promise<void> {
    const end = new AbortController();
    this.#sent.set(key, end);
    const { method, params } = request;
    const { revision, signal } = this.#call;
    const row = findMethod(revision.serverRequests, String(method));
    if (!row || row.kind !== "request") return;
    const leave = followSignals(end, [signal]);
    try {
      const sent = this.#call.request(row, withRelatedTask(params, revision, id), { signal: end.signal });
      await this.#respond(key, await sent.then((result) => ({ result }), toRelayedError));
    } finally {
      leave();
    }
  }
}

function noLongerOpen(): DOMException {
  return new DOMException("The task no longer waits for the response", "AbortError");
}
