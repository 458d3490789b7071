import type { RequestRow } from "../../generated/support.ts";
import { isObject } from "../../generated/support.ts";
import type { TaskRecord } from "../stores/task-store.ts";

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
