import { TaskManager } from "../../tasks/task-manager.ts";
import { readAuth } from "../context.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import type { ServerTasks } from "../definition.ts";
import type { ServerParts } from "../handlers.ts";

/** Task managers by server: the core protocol and the extension share one. */
const managers = new WeakMap<ServerParts, TaskManager>();

/** Shares the tasks of a server, with the nodes of a cluster or with other processes that have the same store. */
export function shareTasks(manager: TaskManager, { revisions, tools, implement }: ServerParts, node?: TaskNode): void {
  const [written] = revisions;
  if (written) manager.share({ node, written, implement, isOffered: () => [...tools].some((tool) => tool.task) });
}

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
  if (tasks?.store) parts.sessions.attach({ joined: () => shareTasks(manager, parts) });
  return manager;
}
