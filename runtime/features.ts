/*
 * Parts of which servers are built. A program that names only the features that it has contains no other code after bundling.
 */

export { createDualAcceptor } from "./lifecycle/dual-era.ts";
export { createSessionAcceptor } from "./lifecycle/initialize-server.ts";
export { createStatelessAcceptor } from "./lifecycle/stateless-server.ts";

export type { Unavailable } from "./protocol/revision/missing.ts";

export { buildServer } from "./server/build-server.ts";
export type { BuildOptions } from "./server/server.ts";

export type { CoreServer } from "./server/server.ts";

export type {
  ServerHead,
  ServerPrompts,
  ServerRequestState,
  ServerResources,
  ServerSkills,
  ServerTasks,
  StructuredOutput,
  TaskSupport,
  ToolFields,
  ToolFunction,
} from "./server/definition.ts";

export type { Feature } from "./server/feature.ts";

export type { ListHost } from "./server/list/changing-lists.ts";

export type { ToolLists } from "./server/tools/registry.ts";

export { apps } from "./server/apps/feature.ts";
export type { UiSupport } from "./server/apps/tool-ui.ts";

export { completions } from "./server/completions/feature.ts";

export { methods } from "./server/methods/feature.ts";

export { sessionInput } from "./server/input/feature.ts";
export { input } from "./server/input/feature.ts";
export { statelessInput } from "./server/input/feature.ts";

export type {
  FixedUri,
  OtherNames,
  PromptNames,
  ResourceNames,
  ToolNames,
  WithOtherNames,
} from "./server/compile-errors.ts";

export { prompts } from "./server/prompts/feature.ts";
export { createPromptLists } from "./server/prompts/registry.ts";
export type { PromptLists } from "./server/prompts/registry.ts";

export { createResourceLists } from "./server/resources/catalogue.ts";
export type { ResourceLists } from "./server/resources/catalogue.ts";
export { resources } from "./server/resources/feature.ts";

export { skills } from "./server/skills/feature.ts";

export { subscriptions } from "./server/subscriptions/feature.ts";

export { tasksExtension } from "./server/tasks/feature.ts";
export { tasks } from "./server/tasks/feature.ts";
