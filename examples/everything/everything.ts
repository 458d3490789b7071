import { inputRequestTools } from "./input-requests.ts";
import { inputRequiredPrompts, inputRequiredTools } from "./input-required.ts";
import { defineTool, type Server, type ServerDefinition, type Skill } from "./mcp/index.ts";
import { prompts } from "./prompts.ts";
import { resources, resourceTemplates, watchedUri } from "./resources.ts";
import { stateless } from "./stateless.ts";
import { tasks } from "./tasks.ts";
import { tools } from "./tools.ts";
import { clock, views } from "./views.ts";

/** Choices of the program that runs the server. */
export interface Surroundings {
  /** Creates a server, for all revisions or some. */
  readonly defineServer: (definition: ServerDefinition) => Server;
  /** Skills for the model of a host, read from the folder `skills`. */
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
        description: `Tells those who subscribed to ${watchedUri} that it has changed.`,
        execute() {
          server.resources.notifyUpdated(watchedUri);
          return "Told.";
        },
      }),
      defineTool({
        name: "announce_changes",
        description: "Tells every client that the lists of tools, resources and prompts have changed.",
        execute() {
          for (const list of [server.tools, server.resources, server.prompts]) list.notifyListChanged();
          return "Told.";
        },
      }),
      defineTool({
        name: "test_trigger_tool_change",
        description: "Tells every client that the list of tools has changed.",
        execute() {
          server.tools.notifyListChanged();
          return "Told.";
        },
      }),
      defineTool({
        name: "test_trigger_prompt_change",
        description: "Tells every client that the list of prompts has changed.",
        execute() {
          server.prompts.notifyListChanged();
          return "Told.";
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
