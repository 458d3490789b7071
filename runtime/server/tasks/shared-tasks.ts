import { TaskManager } from "../../tasks/task-manager.ts";
import { readAuth } from "../context.ts";
import type { ServerTasks } from "../definition.ts";
import type { ServerParts } from "../handlers.ts";

/** Task managers by server: the core protocol and the extension share one. */
const managers = new WeakMap<ServerParts, TaskManager>();

/** Returns the task manager of a server. */
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
