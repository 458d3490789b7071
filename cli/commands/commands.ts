import { createCommand } from "./create-command.ts";
import type { Command } from "./define-command.ts";
import { docsCommand, projectCommands } from "./project-commands.ts";
import { serverCommands } from "./server-commands.ts";
import { specCommands } from "./spec-commands.ts";

/** Commands of the program, in the order of its help. */
export const commands: readonly Command[] = [
  createCommand,
  ...projectCommands,
  ...serverCommands,
  ...specCommands,
  docsCommand,
];

/** Names of the commands. Without one of them, the program creates a project. */
export const commandNames: readonly string[] = commands.map(({ name }) => name).filter((name) => name !== "$0");
