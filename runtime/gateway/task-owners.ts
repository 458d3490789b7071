import { isObject } from "../../generated/support.ts";
import { readStartedTask } from "../client/tasks/extension-tasks.ts";
import type { CallContext } from "../protocol/incoming-call.ts";
import { RpcError, errorCodes } from "../jsonrpc/errors.ts";
import { readAuth } from "../server/context.ts";

/**
 * Whose the tasks are that the server began for clients of the gateway: it cannot tell them from each other. Those of nobody in particular are
 * whose who knows their id; those of a principal are known for as long as the gateway runs.
 */
export class TaskOwners {
  /** The oldest first. */
  readonly #owners = new Map<string, string>();

  /** Remembers whose a task is, if a call was answered with one. */
  note({ origin }: CallContext, result: unknown): void {
    const principal = readAuth(origin)?.principal;
    const started = readStartedTask(result);
    if (principal === undefined || !started) return;
    this.#owners.set(started.taskId, principal);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > mostOwners && oldest !== undefined) this.#owners.delete(oldest);
  }

  /** Whether a client may know of a task. */
  isOwn({ origin }: CallContext, taskId: string): boolean {
    return this.#owners.get(taskId) === readAuth(origin)?.principal;
  }

  /** Refuses a request about a task of somebody else, as if it did not exist. */
  check(call: CallContext, params: unknown): void {
    const taskId = isObject(params) ? params.taskId : undefined;
    if (typeof taskId !== "string" || this.isOwn(call, taskId)) return;
    const message = `There is no such task (any more): ${taskId}`;
    throw new RpcError(errorCodes.invalidParams, message, { data: { taskId } });
  }
}

const mostOwners = 100_000;
