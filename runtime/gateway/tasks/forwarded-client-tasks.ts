import type { Revision } from "../../../generated/support.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { missingCapability } from "../../protocol/peer/stateless-request.ts";
import { findTaskGate } from "../../server/tasks/extension-tasks.ts";
import { noClientTasks, type ClientTasks } from "./client-tasks.ts";
import type { OwnerNotifications } from "./owner-notifications.ts";
import type { TaskOwners } from "./task-owners.ts";

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
