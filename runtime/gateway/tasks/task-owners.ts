import { isObject } from "../../../generated/support.ts";
import { readStartedTask } from "../../client/tasks/extension-tasks.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { readAuth } from "../../server/context.ts";

/**
 * Owners of the tasks that the server started for clients of the gateway, which the server cannot distinguish. A task without a principal belongs
 * to every client without a principal that knows its id. The principals of the latest 100,000 tasks are remembered as long as the gateway runs.
 */
export class TaskOwners {
  /** Principals by task id, the oldest first. */
  readonly #owners = new Map<string, string>();

  /** Remembers the principal of a task, if the result of a call names one. */
  note({ origin }: CallContext, result: unknown): void {
    const principal = readAuth(origin)?.principal;
    const started = readStartedTask(result);
    if (principal === undefined || !started) return;
    this.#owners.set(started.taskId, principal);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > mostOwners && oldest !== undefined) this.#owners.delete(oldest);
  }

  /** True if a client may access a task. */
  isOwn({ origin }: CallContext, taskId: string): boolean {
    return this.#owners.get(taskId) === readAuth(origin)?.principal;
  }

  /**
   * Rejects a request about a task of another client, as if the task did not exist.
   *
   * @throws {RpcError} when the task belongs to another client
   */
  check(call: CallContext, params: unknown): void {
    const taskId = isObject(params) ? params.taskId : undefined;
    if (typeof taskId !== "string" || this.isOwn(call, taskId)) return;
    const message = `Task not found: ${taskId}`;
    throw new RpcError(errorCodes.invalidParams, message, { data: { taskId } });
  }
}

const mostOwners = 100_000;
