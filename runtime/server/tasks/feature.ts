import { createAskForTask } from "./ask-for-task.ts";
import type { AnyServerDefinition } from "../any-definition.ts";
import type { ServerTasks } from "../definition.ts";
import type { Feature, Implemented } from "../feature.ts";
import { shareTasks, sharedTasks } from "./shared-tasks.ts";
import { createCallTool, findCoreTasks, describeTaskSupport } from "./core-tasks.ts";

/** Tool calls run as tasks, and requests to clients run as tasks. */
export const tasks: Feature = {
  name: "tasks",
  createAskForTask,
  describeTool: ({ task }, revision) => (task ? describeTaskSupport(task, revision) : {}),
  create(parts, source: AnyServerDefinition & ServerTasks) {
    const manager = sharedTasks(parts, source);
    const isChangeable = source.tasks !== undefined && parts.lists.changeable.has("tools");
    const isOffered = (): boolean => isChangeable || [...parts.tools].some((tool) => tool.task);
    parts.sessions.attach({
      joined(connection) {
        if (connection.transportSession && isOffered()) manager.watch(connection);
      },
    });
    return {
      implement(server, { tools }): Implemented {
        if (!isOffered()) return { handlers: {} };
        const protocol = findCoreTasks(manager, server.revision);
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
