import { knowsTasks } from "../../tasks/task.ts";
import { askForTask } from "../ask-for-task.ts";
import type { ServerTasks } from "../definitions.ts";
import type { Feature } from "../feature.ts";
import { sharedTasks } from "../shared-tasks.ts";
import type { ServerSource } from "../source.ts";
import { implementPlainCalls, implementTaskCalls } from "../tool-tasks.ts";

/** Calls of tools that run as tasks, and questions to clients that do. */
export const tasks: Feature = {
  name: "tasks",
  askForTask,
  create(parts, source: ServerSource & ServerTasks) {
    const manager = sharedTasks(parts, source);
    const isDynamic = source.tasks !== undefined && parts.settings.dynamic.has("tools");
    return {
      implement({ revision, tools: registry, rounds, toContext }) {
        const isOffered = isDynamic || [...parts.tools].some((tool) => tool.task);
        const around = { revision, rounds, toContext };
        if (!isOffered) return { handlers: {} };
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
