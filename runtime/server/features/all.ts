import { createAcceptor } from "../../lifecycle/handshake.ts";
import type { ServerKit } from "../assembly.ts";
import { createSignedCursors } from "../cursors.ts";
import { createExtending } from "../extensions.ts";
import { checkMirrors } from "../mirrors.ts";
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
export const completeKit: ServerKit = {
  features: [resources, prompts, completions, tasks, taskExtension, listening, rounds, skills, ui],
  createAcceptor,
  createCursors: createSignedCursors,
  checkInput: checkMirrors,
  extending: createExtending([taskExtension, skills, ui]),
};
