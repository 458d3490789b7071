import { TaskManager } from "../../tasks/task-manager.ts";
import { readAuth } from "../context.ts";
import type { ServerTasks } from "../definition.ts";
import type { ServerParts } from "../handlers.ts";

/** One server keeps its tasks in one place, whichever way they are asked for. */
const managers = new WeakMap<ServerParts, TaskManager>();

/** What keeps the tasks of a server. */
export function sharedTasks(parts: ServerParts, { tasks }: ServerTasks): TaskManager {
  const known = managers.get(parts);
  if (known) return known;
  const { onError } = parts.settings;
  const manager = new TaskManager({
    ...tasks,
    onError,
    principalOf: ({ origin }) => readAuth(origin)?.principal,
  });
  managers.set(parts, manager);
  return manager;
}
