import { knowsTasks, taskGate } from "../../tasks/task.ts";
import { askForTask } from "./ask-for-task.ts";
import type { ServerTasks } from "../definition.ts";
import type { Feature } from "../feature.ts";
import { sharedTasks } from "./shared-tasks.ts";
import type { AnyServerDefinition } from "../any-definition.ts";
import { findToolRow, implementPlainCalls, implementTaskCalls, readTaskSupport } from "./tool-tasks.ts";

/** Tool calls that run as tasks, and requests to clients that do. */
export const tasks: Feature = {
  name: "tasks",
  askForTask,
  describeTool: ({ task }, revision) =>
    task && knowsTasks(revision) ? { execution: { taskSupport: readTaskSupport(task) } } : {},
  create(parts, source: AnyServerDefinition & ServerTasks) {
    const manager = sharedTasks(parts, source);
    const isChangeable = source.tasks !== undefined && parts.settings.listChanged.has("tools");
    const isOffered = (): boolean => isChangeable || [...parts.tools].some((tool) => tool.task);
    return {
      gates: (revision) => (knowsTasks(revision) && isOffered() ? [taskGate(findToolRow(revision), "server")] : []),
      implement({ revision, tools: registry, inputRunner, toContext }) {
        const around = { revision, inputRunner, toContext };
        if (!isOffered()) return { handlers: {} };
        return {
          handlers: knowsTasks(revision)
            ? implementTaskCalls(registry, manager, around)
            : implementPlainCalls(registry, around),
        };
      },
      close: () => manager.close(),
    };
  },
};
