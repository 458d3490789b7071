import {
  escapeKey,
  isObject,
  under,
  type Caller,
  type Issue,
  type NotificationRow,
  type RequestRow,
} from "../../generated/support.ts";
import { invalidParams } from "../jsonrpc/errors.ts";
import type { RequestOptions } from "../protocol/peer/incoming-call.ts";
import type { TaskRecord } from "../stores/task-store.ts";

/** Channel from a running task to its requestor. */
export interface RequestorChannel {
  /** Prepares a request to the requestor. The returned function sends it and waits for the response. */
  ask(row: RequestRow, params: unknown, options: TaskBoundRequestOptions): () => Promise<unknown>;
  /** Sends a notification of the task, or drops it if it cannot be delivered. */
  notify(row: NotificationRow, params: unknown): Promise<void>;
  /** Announces a changed record of the task. */
  notifyStatus(record: TaskRecord): void;
  /** Open input requests for the record of the task, if they are kept there. */
  readonly inputRequests: object | undefined;
  /** Input requests with a response, for the record of a retryable task. */
  readonly settledRequests: object | undefined;
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

/** Dependencies of stored input requests. */
interface StoredInputRequestsHost {
  /** Returns the problem with a response to an input request, if any. */
  check(row: RequestRow, params: unknown, response: unknown): Issue | undefined;
  /** Record of a retryable task: its input requests are kept with their responses. */
  readonly record?: TaskRecord | undefined;
  /** Announces a change of the task. */
  notifyStatus(record: TaskRecord): void;
}

/**
 * Channel for revisions where only the client sends requests. Input requests are kept in the record of the task, where the client finds them. The
 * client sends its responses with requests of its own. Notifications of the work cannot be delivered.
 */
export class StoredInputRequests implements RequestorChannel {
  readonly #host: StoredInputRequestsHost;
  readonly #open = new Map<string, KeptInputRequest>();
  readonly #history: InputHistory;

  constructor(host: StoredInputRequestsHost) {
    this.#host = host;
    this.#history = new InputHistory(host.record);
  }

  get inputRequests(): object {
    const open = Object.fromEntries([...this.#open].map(([key, { request }]) => [key, request]));
    return { ...this.#history.openRequests, ...open };
  }

  get settledRequests(): object | undefined {
    return this.#host.record && this.#history.settledRequests;
  }

  ask(row: RequestRow, params: unknown, { signal, key }: TaskBoundRequestOptions): () => Promise<unknown> {
    const request = toStoredRequest(row, params);
    const { key: name, settled } = this.#history.begin(row, key, request);
    if (settled) return async () => settled.response;
    const responded = new Promise((resolve, reject) => {
      this.#open.set(name, { row, params, request, resolve });
      const stop = (): void => {
        this.#open.delete(name);
        reject(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    // Prevents an unhandled rejection if the task ends before the work waits for the response.
    responded.catch(() => {});
    return () => responded;
  }

  /**
   * Accepts responses. Responses without an open input request are ignored.
   *
   * @throws {RpcError} when a response is invalid: then none is accepted
   */
  respond(responses: Readonly<Record<string, unknown>>): void {
    const given = [...this.#open].filter(([key]) => Object.hasOwn(responses, key));
    for (const [key, { row, params }] of given) {
      const issue = this.#host.check(row, params, responses[key]);
      if (issue) throw invalidParams(under("inputResponses", under(escapeKey(key), issue)));
    }
    this.#history.settleOpen(responses);
    for (const [key, { request, resolve }] of given) {
      this.#open.delete(key);
      if (this.#host.record) this.#history.settle(key, request, responses[key]);
      resolve(responses[key]);
    }
  }

  /** Drops notifications, as they cannot be delivered. */
  async notify(): Promise<void> {}

  notifyStatus(record: TaskRecord): void {
    this.#host.notifyStatus(record);
  }
}

interface KeptInputRequest {
  readonly row: RequestRow;
  readonly params: unknown;
  /** The input request in the form sent to the client. */
  readonly request: object;
  resolve(response: unknown): void;
}

/** Returns the problem with a response to an input request in the record of a task, if any. */
export type CheckStoredResponse = (request: unknown, response: unknown) => Issue | undefined;

/**
 * Selects the responses to open input requests.
 *
 * @throws {RpcError} when one of them is invalid.
 */
export function selectResponses(
  requests: Readonly<Record<string, unknown>>,
  responses: Readonly<Record<string, unknown>>,
  check: CheckStoredResponse,
): Readonly<Record<string, unknown>> {
  const open = Object.entries(requests).filter(([key]) => Object.hasOwn(responses, key));
  for (const [key, request] of open) {
    const issue = check(request, responses[key]);
    if (issue) throw invalidParams(under("inputResponses", under(escapeKey(key), issue)));
  }
  return Object.fromEntries(open.map(([key]) => [key, responses[key]]));
}

/**
 * Keys of the input requests of a task. Each is used for one input request only. When an attempt repeats an input request, the request has the key
 * and the response from the earlier attempt.
 */
export class InputHistory {
  /** Input requests of earlier attempts without a response. */
  readonly #open = new Map<string, unknown>();
  readonly #settled = new Map<string, { readonly request: unknown; readonly response: unknown }>();
  readonly #used = new Set<string>();

  /** @param record - record of a task left by an earlier attempt */
  constructor({ inputRequests, inputResponses, settledRequests }: Partial<TaskRecord> = {}) {
    const responses = new Map(Object.entries(inputResponses ?? {}));
    for (const [key, request] of Object.entries({ ...inputRequests, ...settledRequests })) {
      if (responses.has(key)) this.#settled.set(key, { request, response: responses.get(key) });
      else this.#open.set(key, request);
    }
  }

  /** Input requests of earlier attempts without a response so far, by key. */
  get openRequests(): object {
    return Object.fromEntries(this.#open);
  }

  /** Input requests with a response, by key. */
  get settledRequests(): object {
    return Object.fromEntries([...this.#settled].map(([key, { request }]) => [key, request]));
  }

  /** Responses by key. */
  get responses(): object {
    return Object.fromEntries([...this.#settled].map(([key, { response }]) => [key, response]));
  }

  /** Finds the key of an input request. */
  begin(
    { handler }: RequestRow,
    wanted: string | undefined,
    request: object,
  ): { readonly key: string; readonly settled?: { readonly response: unknown } } {
    for (let number = 1; ; number += 1) {
      const key = wanted !== undefined && number === 1 ? wanted : `${wanted ?? handler}-${number}`;
      if (this.#used.has(key) || !this.#isSame(key, request)) continue;
      this.#used.add(key);
      this.#open.delete(key);
      const settled = this.#settled.get(key);
      return settled ? { key, settled } : { key };
    }
  }

  /** Keeps the response to an input request. */
  settle(key: string, request: object, response: unknown): void {
    this.#settled.set(key, { request, response });
  }

  /** Keeps responses to input requests of earlier attempts. */
  settleOpen(responses: Readonly<Record<string, unknown>>): void {
    for (const [key, request] of this.#open) {
      if (!Object.hasOwn(responses, key)) continue;
      this.#open.delete(key);
      this.#settled.set(key, { request, response: responses[key] });
    }
  }

  #isSame(key: string, request: object): boolean {
    const earlier = this.#settled.get(key)?.request ?? this.#open.get(key);
    return earlier === undefined || JSON.stringify(earlier) === JSON.stringify(request);
  }
}

/** Returns an input request in the form in which it is stored. */
export function toStoredRequest(
  row: RequestRow,
  params: unknown,
): { readonly method: string; readonly params?: object } {
  const hasParams = !row.paramsOptional || (isObject(params) && Object.keys(params).length > 0);
  return { method: row.method, ...(hasParams && { params: JSON.parse(JSON.stringify(params)) }) };
}
