import { defineCommand, flag, type Command } from "./define-command.ts";
import { specOption } from "./shared-options.ts";

/* Commands for schemas of the protocol. */

/** Adds the command `generate` to the command line. */
export const addGenerateCommand: Command = defineCommand({
  call: "generate",
  summary: "Generate the protocol layer from the pinned schemas",
  options: {
    spec: specOption,
    out: { type: "string", default: "generated", describe: "Output folder" },
    protocol: { type: "string", array: true, describe: "Protocol revisions to generate; default: all pinned" },
    check: { ...flag, describe: "Write nothing; list differences and exit with 1" },
  },
  examples: [
    ["generate --protocol <revision> --out src/protocol", "types, checks and tables of one revision"],
    ["generate --spec spec --check", "in CI: exit with 1 if files are out of date"],
  ],
  run: async ({ protocol, ...options }) => {
    const { runGenerate } = await import("./generate.ts");
    return runGenerate({ ...options, ...(protocol && { revisions: protocol }) });
  },
});

/** Adds the command `model` to the command line. */
export const addModelCommand: Command = defineCommand({
  call: "model <revision>",
  summary: "Print the model of a revision as JSON",
  options: {
    revision: { type: "string", demandOption: true, describe: "Revision identifier" },
    spec: specOption,
  },
  examples: [["model <revision> > model.json", "model for tools in other languages"]],
  run: async (options) => (await import("./model.ts")).runModel(options),
});

/** Adds the command `pin` to the command line. */
export const addPinCommand: Command = defineCommand({
  call: "pin <revision>",
  summary: "Add the schema of a revision to a spec folder, with a proposed overlay",
  options: {
    revision: { type: "string", demandOption: true, describe: "Revision identifier (YYYY-MM-DD)" },
    from: { type: "string", demandOption: true, describe: "Path or https URL of its schema.ts" },
    spec: { type: "string", default: "spec", describe: "Spec folder to add it to" },
    status: {
      choices: ["draft", "released"],
      describe: "Status of the revision",
      defaultDescription: "that of an earlier pin, or what the file shows",
    },
    force: { ...flag, describe: "Accept a file with an unexpected date or hash" },
  },
  examples: [["pin <revision> --from ./schema.ts", "pin a local schema and list the required decisions"]],
  run: async (options) => (await import("./pin.ts")).runPin(options),
});
