import { escapeKey, under, type Issue, type RequestRow } from "../../generated/support.ts";
import { invalidParams } from "../jsonrpc/errors.ts";
import type { TaskRecord } from "../stores/task-store.ts";
import { InputHistory, toStoredRequest } from "./input-history.ts";
import type { TaskBoundRequestOptions, RequestorChannel } from "./requestor-channel.ts";

/** Returns the problem with a response to an input request, if any. */
export type CheckRelayedResponse = (row: RequestRow, params: unknown, respond: unknown) => Issue | undefined;

/** Dependencies of stored input requests. */
export interface StoredInputRequestsHost {
  readonly check: CheckRelayedResponse;
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
  resolve(respond: unknown): void;
}

/** Returns the problem with a response to an input request in the record of a task, if any. */
export type CheckStoredResponse = (request: unknown, respond: unknown) => Issue | undefined;

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
