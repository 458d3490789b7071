import { extension } from "../../../generated/extensions/tasks/methods.ts";
import type { ClusterAccess } from "../../stores/shared-parts.ts";
import type { TaskNode } from "../../stores/task-node.ts";
import { TaskManager } from "../../tasks/task-manager.ts";
import { checkTaskTimes } from "../../tasks/task-options.ts";
import { taskKindOf } from "../../tasks/task.ts";
import type { AnyServerDefinition } from "../any-definition.ts";
import { readAuth } from "../context.ts";
import type { ServerTasks } from "../definition.ts";
import { extensionSupport } from "../extensions/extension-support.ts";
import type { Feature, Implemented } from "../feature.ts";
import type { ServerParts } from "../revision-server.ts";
import { createAskForTask, createCallTool, createCoreTasks, describeTaskSupport } from "./core-tasks.ts";
import { implementExtensionTasks } from "./extension-tasks.ts";
import { readTaskOptions } from "./tool-tasks.ts";

/** Tool calls run as tasks, and requests to clients run as tasks. */
export const tasks: Feature = {
  name: "tasks",
  createAskForTask,
  describeTool: ({ task }, revision) => (task ? describeTaskSupport(task, revision) : {}),
  create(parts, source: AnyServerDefinition & ServerTasks) {
    const manager = findTaskManager(parts, source);
    const isChangeable = source.tasks !== undefined && parts.lists.changeable.has("tools");
    const isOffered = (): boolean => isChangeable || [...parts.tools].some((tool) => tool.task);
    parts.sessions.attach({
      joined(connection) {
        if (connection.transportSession && isOffered()) manager.watch(connection);
      },
      close: noRequests,
    });
    return {
      implement(server, { tools }): Implemented {
        if (!isOffered()) return { handlers: {} };
        const { revision } = server;
        const protocol = taskKindOf(revision) === "core" ? createCoreTasks(manager, revision) : undefined;
        return {
          handlers: { ...protocol?.handlers, callTool: createCallTool(server, { protocol, tools, tasks: manager }) },
          gates: protocol ? [protocol.gate] : [],
        };
      },
      startTasks: (node) => shareTasks(manager, parts, node),
      close: (options) => manager.close(options),
    };
  },
};

/** Tasks are closed with the feature: no request waits for changes of sessions. */
async function noRequests(): Promise<void> {}

/** Tool calls run as tasks at revisions without tasks in the core protocol: the same tools, by the tasks extension. */
export const tasksExtension: Feature = {
  name: "taskExtension",
  // Its calls of tools replace those without tasks.
  follows: ["tasks"],
  extensionSupport,
  extension({ tools = [], tasks, listChanged = [] }) {
    const isChangeable = tasks !== undefined && (listChanged === true || listChanged.includes("tools"));
    return isChangeable || tools.some(({ task }) => task) ? extension : undefined;
  },
  create(parts, source: AnyServerDefinition & ServerTasks) {
    const manager = findTaskManager(parts, source);
    return {
      implement(server, { tools }) {
        const { extensions } = server.revision;
        const isOffered = extensions !== undefined && extension.id in extensions;
        return isOffered ? implementExtensionTasks(manager, server, tools) : { handlers: {} };
      },
      startTasks: (node) => shareTasks(manager, parts, node),
      close: (options) => manager.close(options),
    };
  },
};

/** Task managers by the access of a server to its cluster: the core protocol and the extension share one, and so do the versions of a server. */
const managers = new WeakMap<ClusterAccess, TaskManager>();

/** Shares the tasks of a server, with the nodes of a cluster or with other processes with the same store. */
function shareTasks(manager: TaskManager, { revisions, tools }: ServerParts, node?: TaskNode): void {
  const [written] = revisions;
  if (written) manager.share({ node, written, isOffered: () => [...tools].some((tool) => tool.task) });
}

/**
 * Returns the task manager of a server.
 *
 * @throws {SetupError} when a time of a tool's tasks is not above 0.
 */
function findTaskManager(parts: ServerParts, { tasks }: ServerTasks): TaskManager {
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
  if (tasks?.store) parts.sessions.attach({ joined: () => shareTasks(manager, parts), close: noRequests });
  return manager;
}
