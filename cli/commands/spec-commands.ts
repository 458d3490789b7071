import { UserError } from "../../generator/internal/user-error.ts";
import { defineCommand, flag, type Command } from "./define-command.ts";
import { specOption } from "./shared-options.ts";

/* Commands for schemas of the protocol. */

const generateCommand = defineCommand({
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

const modelCommand = defineCommand({
  call: "model <revision>",
  summary: "Print the model of a revision as JSON",
  options: {
    revision: { type: "string", demandOption: true, describe: "Revision identifier" },
    spec: specOption,
  },
  examples: [["model <revision> > model.json", "model for tools in other languages"]],
  run: async (options) => (await import("./model.ts")).runModel(options),
});

const pinCommand = defineCommand({
  call: "pin [revision]",
  summary: "Add the schema of a revision or of an extension to a spec folder, with a proposed overlay",
  options: {
    revision: { type: "string", describe: "Revision identifier (YYYY-MM-DD)" },
    from: { type: "string", describe: "Path or https URL of the schema.ts of the revision" },
    extension: { type: "string", describe: "Path or https URL of the schema.ts of an extension" },
    id: {
      type: "string",
      describe: "Identifier of the extension, such as com.example/echo",
      defaultDescription: "that of an earlier pin, or the only one among the constants of the file",
    },
    protocol: {
      type: "string",
      describe: "Revision whose types the extension imports",
      defaultDescription: "that of an earlier pin, or the newest of the spec folder",
    },
    spec: { type: "string", default: "spec", describe: "Spec folder to add it to" },
    status: {
      choices: ["draft", "released"],
      describe: "Status of the revision or extension",
      defaultDescription: "that of an earlier pin, or what the file shows",
    },
    force: { ...flag, describe: "Accept a file with an unexpected date or hash" },
  },
  examples: [
    ["pin <revision> --from ./schema.ts", "pin a local schema and list the required decisions"],
    ["pin --extension ./echo/schema.ts --id com.example/echo", "compile an extension of your own"],
    ["pin --extension ./echo/schema.ts --force", "replace it with its next version, and list the differences"],
  ],
  check: ({ revision, from, extension, id, protocol }) => {
    if (extension === undefined && (revision === undefined || from === undefined))
      throw new UserError("pin needs a revision and --from, or --extension; see create-mcp-server pin --help");
    if (extension === undefined && (id !== undefined || protocol !== undefined))
      throw new UserError("--id and --protocol are for an extension; pass its schema with --extension, or remove them");
    if (extension !== undefined && (revision !== undefined || from !== undefined))
      throw new UserError("--extension pins an extension, not a revision; remove the revision and --from");
    return true;
  },
  run: async ({ revision = "", from = "", extension, id, protocol, ...common }) => {
    const { runPin, runPinExtension } = await import("./pin.ts");
    if (extension === undefined) return runPin({ revision, from, ...common });
    return runPinExtension({
      extension,
      ...(id !== undefined && { id }),
      ...(protocol !== undefined && { protocol }),
      ...common,
    });
  },
});

/** Commands for schemas of the protocol, in the order of the help. */
export const specCommands: readonly Command[] = [generateCommand, modelCommand, pinCommand];
