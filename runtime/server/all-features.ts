import { createAcceptor } from "../lifecycle/acceptor.ts";
import { apps } from "./apps/feature.ts";
import type { BuildOptions } from "./build-server.ts";
import { completions } from "./completions/feature.ts";
import { input } from "./input/feature.ts";
import { methods } from "./methods/feature.ts";
import { createPromptLists, type PromptLists } from "./prompts/registry.ts";
import { prompts } from "./prompts/feature.ts";
import { createResourceLists, type ResourceLists } from "./resources/catalogue.ts";
import { resources } from "./resources/feature.ts";
import { skills } from "./skills/feature.ts";
import { subscriptions } from "./subscriptions/feature.ts";
import { tasksExtension } from "./tasks/extension-feature.ts";
import { tasks } from "./tasks/feature.ts";

/** Every feature that a server can have, at every revision. */
export const allFeatures: BuildOptions<ResourceLists & PromptLists> = {
  features: [resources, prompts, completions, tasks, tasksExtension, subscriptions, input, skills, apps, methods],
  createAcceptor,
  createLists: (definition, host) => ({
    ...createResourceLists(definition, host),
    ...createPromptLists(definition, host),
  }),
};
