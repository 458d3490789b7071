import { TaskManager } from "../../tasks/task-manager.ts";
import { checkTaskTimes } from "../../tasks/task-options.ts";
import { readAuth } from "../context.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import type { ClusterAccess } from "../../stores/shared-parts.ts";
import type { ServerTasks, ToolTaskOptions } from "../definition.ts";
import type { ServerParts } from "../revision-server.ts";
import type { RequestRow, Revision } from "../../../generated/support.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import type { AnyTool } from "../any-definition.ts";

/** Task managers by the access of a server to its cluster: the core protocol and the extension share one, and so do the versions of a server. */
const managers = new WeakMap<ClusterAccess, TaskManager>();

/** Shares the tasks of a server, with the nodes of a cluster or with other processes with the same store. */
export function shareTasks(manager: TaskManager, { revisions, tools }: ServerParts, node?: TaskNode): void {
  const [written] = revisions;
  if (written) manager.share({ node, written, isOffered: () => [...tools].some((tool) => tool.task) });
}

/**
 * Returns the task manager of a server.
 *
 * @throws {SetupError} when a time of a tool's tasks is not above 0.
 */
export function sharedTasks(parts: ServerParts, { tasks }: ServerTasks): TaskManager {
  for (const tool of parts.tools) checkTaskTimes(`Tool "${tool.name}"`, readTaskOptions(tool) ?? {});
  const known = managers.get(parts.cluster);
  if (known) return known;
  const { onError } = parts.settings;
  const manager = new TaskManager({
    ...tasks,
    onError,
    principalOf: ({ origin }) => readAuth(origin)?.principal,
    ...(tasks?.store && { onUse: () => shareTasks(manager, parts) }),
  });
  managers.set(parts.cluster, manager);
  if (tasks?.store) parts.sessions.attach({ joined: () => shareTasks(manager, parts) });
  return manager;
}

/** Returns the task options of a tool, or undefined if it does not run as a task. */
export function readTaskOptions({ task }: AnyTool): ToolTaskOptions | undefined {
  return task === true ? {} : task;
}

/**
 * Returns the method row of tool calls.
 *
 * @throws {Error} when the revision has no tools.
 */
export function findToolRow(revision: Revision): RequestRow {
  const row = findRow(revision.clientRequests, "callTool");
  if (!row) throw new Error(`Revision ${revision.id} has tasks but no tools`);
  return row;
}
