import { isObject, type Revision } from "../../../generated/support.ts";
import { readStartedTask } from "../../client/tasks/task-protocol.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { setLimited } from "../../internal/set-limited.ts";
import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import { readAuth } from "../../server/context.ts";
import type { SharedValueStore } from "../../stores/shared-value-store.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { missingCapability } from "../../protocol/peer/stateless-request.ts";
import { findTaskGate } from "../../server/tasks/extension-tasks.ts";
import { noClientTasks, type ClientTasks } from "./client-tasks.ts";
import type { OwnerNotifications } from "./task-notifications.ts";

/** Returns tasks of the server for clients which use the tasks extension as well. Each client has access to its own tasks. */
export function createForwardedTasks(
  revision: Revision,
  { owners, notifications }: { readonly owners: TaskOwners; readonly notifications: OwnerNotifications },
): ClientTasks {
  const gate = findTaskGate(revision);
  return {
    ...noClientTasks,
    async listen({ taskIds }, call) {
      if (!Array.isArray(taskIds)) return { filter: {}, topics: [] };
      if (!isOpen(gate, call.session)) throw missingCapability(revision, gate);
      const ids = [...new Set(taskIds.filter((id) => typeof id === "string"))];
      const areOwn = await Promise.all(ids.map((id) => owners.isOwn(call, id)));
      const own = ids.filter((_, index) => areOwn[index]);
      if (own.length === 0) return { filter: {}, topics: [] };
      const { honoured, topic, ended, leave } = await notifications.watch(call, own);
      return honoured.length > 0
        ? { filter: { taskIds: honoured }, topics: [topic], ended, leave }
        : { filter: {}, topics: [] };
    },
    async check({ handler }, params, call) {
      if (aboutTasks.has(handler)) await owners.check(call, params);
    },
    note: (result, call) => owners.note(call, result),
  };
}

const aboutTasks: ReadonlySet<string> = new Set(["getTask", "updateTask", "cancelTask"]);

/**
 * Owners of the tasks the server started for clients of the gateway. The server cannot distinguish these clients. A task without a principal belongs
 * to every client without a principal which knows its id. The principals of the latest 100,000 tasks are remembered as long as the gateway runs. The
 * nodes of a cluster share them, for a week at most.
 */
export class TaskOwners {
  /** Principals by task id, the oldest first. */
  readonly #owners = new Map<string, string>();
  #shared: SharedValueStore | undefined;

  /** Shares the owners with other nodes from now on. */
  share(values: SharedValueStore | undefined): void {
    this.#shared = values;
  }

  /** Remembers the principal of a task, if the result of a call names one. */
  async note({ origin }: CallContext, result: unknown): Promise<void> {
    const principal = readAuth(origin)?.principal;
    const started = readStartedTask(result);
    if (principal === undefined || !started) return;
    const { taskId, ttl } = started;
    this.#remember(taskId, principal);
    await this.#shared?.set(nameOf(taskId), principal, Math.min(ttl ?? longestTtl, longestTtl));
  }

  /** True if a client may access a task. */
  async isOwn({ origin }: CallContext, taskId: string): Promise<boolean> {
    return (await this.#find(taskId)) === readAuth(origin)?.principal;
  }

  /**
   * Rejects a request about a task of another client, as if the task did not exist.
   *
   * @throws {RpcError} when the task belongs to another client
   */
  async check(call: CallContext, params: unknown): Promise<void> {
    const taskId = isObject(params) ? params.taskId : undefined;
    if (typeof taskId !== "string" || (await this.isOwn(call, taskId))) return;
    const message = `Task not found: ${taskId}`;
    throw new RpcError(errorCodes.invalidParams, message, { data: { taskId } });
  }

  /** Returns the principal of a task, even if the task was started through another node. */
  async #find(taskId: string): Promise<string | undefined> {
    const known = this.#owners.get(taskId);
    if (known !== undefined || !this.#shared) return known;
    const found = await this.#shared.get(nameOf(taskId));
    if (found !== undefined) this.#remember(taskId, found);
    return found;
  }

  #remember(taskId: string, principal: string): void {
    setLimited(this.#owners, [taskId, principal], mostOwners);
  }
}

function nameOf(taskId: string): string {
  return `gateway task ${taskId}`;
}

const mostOwners = 100_000;

/** Milliseconds for which the owner of a task is stored. */
const longestTtl = 7 * 24 * 3_600_000;
