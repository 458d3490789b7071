import { isObject } from "../../generated/support.ts";
import { isPeerError, toErrorObject } from "../jsonrpc/errors.ts";
import { findMethod } from "../protocol/methods/method-rows.ts";
import type { CallContext } from "../protocol/peer/incoming-call.ts";
import { readOpenRequests, type TaskRecord } from "../stores/task-store.ts";
import type { RelayedResponse } from "./requestor-channel.ts";
import { withRelatedTask } from "./task.ts";

/** Call that waits for the result of a task of another node. The input requests of the task are sent through it. */
export class InputRelay {
  readonly #call: CallContext;
  readonly #respond: (key: string, response: RelayedResponse) => Promise<void>;
  readonly #sent = new Set<string>();

  /** @param respond - stores the response to an input request */
  constructor(call: CallContext, respond: (key: string, response: RelayedResponse) => Promise<void>) {
    this.#call = call;
    this.#respond = respond;
  }

  /** Sends the input requests in a record that were not sent before. */
  send(record: TaskRecord): void {
    for (const [key, request] of Object.entries(readOpenRequests(record))) {
      if (this.#sent.has(key) || !isObject(request)) continue;
      this.#sent.add(key);
      // A request that cannot be sent is tried again with the next read of the record.
      this.#send(record.id, key, request).catch(() => this.#sent.delete(key));
    }
  }

  async #send(id: string, key: string, { method, params }: Record<string, unknown>): Promise<void> {
    const { revision, signal } = this.#call;
    const row = findMethod(revision.serverRequests, String(method));
    if (!row || row.kind !== "request") return;
    const asked = this.#call.request(row, withRelatedTask(params, revision, id), { signal });
    await this.#respond(key, await asked.then(toResult, toError));
  }
}

function toResult(result: unknown): RelayedResponse {
  return { result };
}

function toError(error: unknown): RelayedResponse {
  if (isPeerError(error)) return { error: toErrorObject(error) };
  throw error;
}
