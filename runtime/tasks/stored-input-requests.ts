import { isObject, under, type Issue, type RequestRow } from "../../generated/support.ts";
import { invalidParams } from "../jsonrpc/errors.ts";
import type { TaskRecord } from "../stores/task-store.ts";
import type { OutletOptions, RequestorChannel } from "./requestor-channel.ts";

/** Finds what is wrong with the answer to a question, if anything is. */
export type CheckKept = (row: RequestRow, params: unknown, answer: unknown) => Issue | undefined;

/** What kept questions need of whoever serves them. */
export interface StoredInputRequestsHost {
  readonly check: CheckKept;
  /** Told of every change of the task. */
  announce(record: TaskRecord): void;
}

/**
 * Where only the client sends requests: questions are kept in the record of the task, where the client finds them, and what it answers comes with
 * requests of its own. Nothing else that the work tells has a way to it.
 */
export class StoredInputRequests implements RequestorChannel {
  readonly #host: StoredInputRequestsHost;
  readonly #open = new Map<string, KeptQuestion>();
  /** A key is good for one question, for as long as the task lives. */
  readonly #used = new Set<string>();

  constructor(host: StoredInputRequestsHost) {
    this.#host = host;
  }

  get inputRequests(): object {
    return Object.fromEntries([...this.#open].map(([key, { request }]) => [key, request]));
  }

  ask(row: RequestRow, params: unknown, { signal, key }: OutletOptions): () => Promise<unknown> {
    const name = this.#toKey(row, key);
    const hasParams = !row.paramsOptional || (isObject(params) && Object.keys(params).length > 0);
    const request = { method: row.method, ...(hasParams && { params: JSON.parse(JSON.stringify(params)) }) };
    const answered = new Promise((resolve, reject) => {
      this.#open.set(name, { row, params, request, resolve });
      const stop = (): void => {
        this.#open.delete(name);
        reject(signal.reason);
      };
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    // It may be over before anybody waits for it.
    answered.catch(() => {});
    return () => answered;
  }

  /** Those that nobody waits for are ignored; with a wrong one nothing is taken. */
  answer(responses: Readonly<Record<string, unknown>>): void {
    const given = [...this.#open].filter(([key]) => Object.hasOwn(responses, key));
    for (const [key, { row, params }] of given) {
      const issue = this.#host.check(row, params, responses[key]);
      if (issue) throw invalidParams(under("inputResponses", under(key, issue)));
    }
    for (const [key, { resolve }] of given) {
      this.#open.delete(key);
      resolve(responses[key]);
    }
  }

  /** Nobody can be told. */
  async notify(): Promise<void> {}

  announce(record: TaskRecord): void {
    this.#host.announce(record);
  }

  #toKey({ handler }: RequestRow, wanted: string | undefined): string {
    for (let number = 1; ; number += 1) {
      const key = wanted !== undefined && number === 1 ? wanted : `${wanted ?? handler}-${number}`;
      if (this.#used.has(key)) continue;
      this.#used.add(key);
      return key;
    }
  }
}

interface KeptQuestion {
  readonly row: RequestRow;
  readonly params: unknown;
  /** As the client sees it. */
  readonly request: object;
  resolve(answer: unknown): void;
}

/** Finds what is wrong with the answer to a question as the record of a task shows it. */
export type CheckStored = (request: unknown, answer: unknown) => Issue | undefined;

/** Of the answers to a task those that its record waits for, all of which must be right. */
export function selectAnswers(
  requests: object | undefined,
  responses: Readonly<Record<string, unknown>>,
  check: CheckStored,
): Readonly<Record<string, unknown>> {
  const open = Object.entries(requests ?? {}).filter(([key]) => Object.hasOwn(responses, key));
  for (const [key, request] of open) {
    const issue = check(request, responses[key]);
    if (issue) throw invalidParams(under("inputResponses", under(key, issue)));
  }
  return Object.fromEntries(open.map(([key]) => [key, responses[key]]));
}
