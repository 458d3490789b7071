import { createAcceptor } from "../lifecycle/acceptor.ts";
import type { ServerKit } from "./build-server.ts";
import { createChangingLists, type ToolLists } from "./list/changing-lists.ts";
import { createSignedCursors } from "./list/cursors.ts";
import { createExtending } from "./extensions.ts";
import { checkParamHeaders } from "./tools/param-headers.ts";
import { createPromptLists, type PromptLists } from "./prompts/registry.ts";
import { createResourceLists, type ResourceLists } from "./resources/catalogue.ts";
import type { AnyServerDefinition } from "./any-definition.ts";
import { completions } from "./completions/feature.ts";
import { listening } from "./subscriptions/feature.ts";
import { prompts } from "./prompts/feature.ts";
import { resources } from "./resources/feature.ts";
import { inputRequests } from "./input/input-required-feature.ts";
import { skills } from "./skills/feature.ts";
import { taskExtension } from "./tasks/extension-feature.ts";
import { tasks } from "./tasks/feature.ts";
import { ui } from "./apps/feature.ts";

/** Kit with every feature that a server can offer, at every revision. */
export const completeKit: ServerKit<ToolLists & ResourceLists & PromptLists, AnyServerDefinition> = {
  features: [resources, prompts, completions, tasks, taskExtension, listening, inputRequests, skills, ui],
  createAcceptor,
  createLists: createChangingLists((source, host) => ({
    ...createResourceLists(source, host),
    ...createPromptLists(source, host),
  })),
  createCursors: createSignedCursors,
  checkInput: checkParamHeaders,
  extending: createExtending([taskExtension, skills, ui]),
};
