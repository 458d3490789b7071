import type { Revision } from "../../generated/support.ts";
import type { ServerRequestState, ServerSkills, ServerTasks } from "./definition.ts";
import { buildServer } from "./build-server.ts";
import type { ToolLists } from "./tools/registry.ts";
import type { AnyServerDefinition } from "./any-definition.ts";
import { createAcceptor } from "../lifecycle/acceptor.ts";
import { apps } from "./apps/feature.ts";
import type { BuildOptions, CoreServer } from "./server.ts";
import { completions } from "./completions/feature.ts";
import { input } from "./input/feature.ts";
import { methods } from "./methods/feature.ts";
import { createPromptLists, type PromptLists } from "./prompts/registry.ts";
import { prompts } from "./prompts/feature.ts";
import { createResourceLists, type ResourceLists } from "./resources/catalogue.ts";
import { resources } from "./resources/feature.ts";
import { skills } from "./skills/feature.ts";
import { subscriptions } from "./subscriptions/feature.ts";
import { tasks, tasksExtension } from "./tasks/feature.ts";

/** Server for any transport, to any number of clients, at each of its revisions. */
export interface Server extends CoreServer, ToolLists, ResourceLists, PromptLists {
  readonly tools: ToolLists["tools"];
}

/** Every feature a server can have, at every revision. */
export const allFeatures: BuildOptions<ResourceLists & PromptLists> = {
  features: [resources, prompts, completions, tasks, tasksExtension, subscriptions, input, skills, apps, methods],
  createAcceptor,
  createLists: (definition, host) => ({
    ...createResourceLists(definition, host),
    ...createPromptLists(definition, host),
  }),
};

/**
 * Creates a server from its definition.
 *
 * @throws {SetupError} when the definition cannot be served: an invalid name, a duplicate name, a schema that cannot be shown to clients
 * @throws {Error} when there is no revision, or when an extension is invalid
 * @example
 * ```ts
 * import { createServer } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const tools = [{ name: "greet", execute: () => "Hello" }];
 * const server = createServer({ name: "demo", version: "1.0.0", tools }, revisions);
 * ```
 */
export function createServer(
  source: AnyServerDefinition & ServerSkills & ServerTasks & ServerRequestState,
  revisions: readonly Revision[],
): Server {
  return buildServer(source, revisions, allFeatures);
}
