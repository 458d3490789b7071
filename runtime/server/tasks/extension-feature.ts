import { extensionSupport } from "../extensions.ts";
import type { Feature } from "../feature.ts";
import { extension } from "../../../generated/extensions/tasks/methods.ts";
import type { ServerTasks } from "../definition.ts";
import { implementExtensionTasks } from "./extension-tasks.ts";
import { shareTasks, sharedTasks } from "./shared-tasks.ts";
import type { AnyServerDefinition } from "../any-definition.ts";

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
    const manager = sharedTasks(parts, source);
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
