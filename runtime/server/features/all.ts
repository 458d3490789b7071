import { createAcceptor } from "../../lifecycle/handshake.ts";
import type { ServerKit } from "../assembly.ts";
import { createChangingLists, type ToolLists } from "../changing-lists.ts";
import { createSignedCursors } from "../cursors.ts";
import { createExtending } from "../extensions.ts";
import { checkMirrors } from "../mirrors.ts";
import { createPromptLists, type PromptLists } from "../prompts.ts";
import { createResourceLists, type ResourceLists } from "../resource-catalogue.ts";
import type { ServerSource } from "../source.ts";
import { completions } from "./completions.ts";
import { listening } from "./listening.ts";
import { prompts } from "./prompts.ts";
import { resources } from "./resources.ts";
import { rounds } from "./rounds.ts";
import { skills } from "./skills.ts";
import { taskExtension } from "./task-extension.ts";
import { tasks } from "./tasks.ts";
import { ui } from "./ui.ts";

/** Everything that a server can offer, at every revision. */
export const completeKit: ServerKit<ToolLists & ResourceLists & PromptLists, ServerSource> = {
  features: [resources, prompts, completions, tasks, taskExtension, listening, rounds, skills, ui],
  createAcceptor,
  createLists: createChangingLists((source, host) => ({
    ...createResourceLists(source, host),
    ...createPromptLists(source, host),
  })),
  createCursors: createSignedCursors,
  checkInput: checkMirrors,
  extending: createExtending([taskExtension, skills, ui]),
};
