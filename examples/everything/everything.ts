import { inputRequestTools } from "./input-requests.ts";
import { inputRequiredPrompts, inputRequiredTools } from "./input-required.ts";
import { defineTool, type Server, type ServerDefinition, type Skill } from "./mcp/index.ts";
import { prompts } from "./prompts.ts";
import { resources, resourceTemplates, watchedUri } from "./resources.ts";
import { stateless } from "./stateless.ts";
import { tasks } from "./tasks.ts";
import { tools } from "./tools.ts";
import { clock, views } from "./views.ts";

/** Options of the program that runs the server. */
export interface Surroundings {
  /** Creates a server, for all revisions or some. */
  readonly defineServer: (definition: ServerDefinition) => Server;
  /** Skills of the server, read from the folder `skills`. */
  readonly skills: readonly Skill[];
}

/** Every feature of the protocol in one server. */
export function createEverything({ defineServer, skills }: Surroundings): Server {
  const server: Server = defineServer({
    name: "everything",
    version: "1.0.0",
    instructions: "Every feature of the protocol, for tests: nothing here is of use otherwise.",
    tools: [
      ...tools,
      ...inputRequestTools,
      ...stateless,
      ...inputRequiredTools,
      ...views,
      ...tasks,
      defineTool({
        name: "touch_watched_resource",
        description: `Notifies subscribers of ${watchedUri} of a change.`,
        execute() {
          server.resources.notifyUpdated(watchedUri);
          return "Notified.";
        },
      }),
      defineTool({
        name: "announce_changes",
        description: "Notifies every client of changes in the lists of tools, resources and prompts.",
        execute() {
          for (const list of [server.tools, server.resources, server.prompts]) list.notifyListChanged();
          return "Notified.";
        },
      }),
      defineTool({
        name: "test_trigger_tool_change",
        description: "Notifies every client of a change in the list of tools.",
        execute() {
          server.tools.notifyListChanged();
          return "Notified.";
        },
      }),
      defineTool({
        name: "test_trigger_prompt_change",
        description: "Notifies every client of a change in the list of prompts.",
        execute() {
          server.prompts.notifyListChanged();
          return "Notified.";
        },
      }),
    ],
    resources: [...resources, clock],
    resourceTemplates,
    skills,
    directoryRead: true,
    prompts: [...prompts, ...inputRequiredPrompts],
    subscribe: true,
    listChanged: true,
  });
  return server;
}
