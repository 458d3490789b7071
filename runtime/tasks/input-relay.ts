import { isObject } from "../../generated/support.ts";
import { followSignals } from "../internal/abort-signals.ts";
import { isPeerError, toErrorObject } from "../jsonrpc/errors.ts";
import { findMethod } from "../protocol/methods/method-rows.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { readOpenRequests, type TaskRecord } from "../stores/task-store.ts";
import type { RelayedResponse } from "./requestor-channel.ts";
import { withRelatedTask } from "./task.ts";

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
      const end = new AbortController();
      this.#sent.set(key, end);
      // A request that cannot be sent is tried again with the next read of the record.
      this.#send(record.id, { key, request, end }).catch(() => this.#sent.delete(key));
    }
  }

  /** Cancels the input requests without a response, as the task needs none. */
  end(): void {
    for (const end of this.#sent.values()) end.abort(noLongerOpen());
  }

  async #send(id: string, { key, request, end }: RelayedRequest): Promise<void> {
    const { method, params } = request;
    const { revision, signal } = this.#call;
    const row = findMethod(revision.serverRequests, String(method));
    if (!row || row.kind !== "request") return;
    const leave = followSignals(end, [signal]);
    try {
      const asked = this.#call.request(row, withRelatedTask(params, revision, id), { signal: end.signal });
      await this.#respond(key, await asked.then(toResult, toError));
    } finally {
      leave();
    }
  }
}

/** Input request in the record of a task, as it is sent. */
interface RelayedRequest {
  readonly key: string;
  readonly request: Record<string, unknown>;
  /** Aborted when the task no longer waits for the response. */
  readonly end: AbortController;
}

function noLongerOpen(): DOMException {
  return new DOMException("The task no longer waits for the response", "AbortError");
}

function toResult(result: unknown): RelayedResponse {
  return { result };
}

function toError(error: unknown): RelayedResponse {
  if (isPeerError(error)) return { error: toErrorObject(error) };
  throw error;
}
