import type { Argv } from "yargs";
import { specOption, toSpec } from "./spec-option.ts";
import { examplesText } from "./usage.ts";

/* Definitions for yargs of the commands for schemas of the protocol. The code of a command is loaded when it runs. */

/** Adds the command `generate` to the command line. */
export function addGenerateCommand(cli: Argv): Argv {
  return cli.command(
    "generate",
    "Generate the protocol layer from the pinned schemas",
    (command) =>
      command
        .option("spec", specOption)
        .option("out", { type: "string", default: "generated", describe: "Output folder" })
        .option("protocol", {
          type: "string",
          array: true,
          describe: "Protocol revisions to generate; default: all pinned",
        })
        .option("check", {
          type: "boolean",
          default: false,
          describe: "Write nothing; list differences and exit with 1",
        })
        .epilogue(
          examplesText(
            ["generate --protocol <revision> --out src/protocol", "types, checks and tables of one revision"],
            ["generate --spec spec --check", "in CI: exit with 1 if files are out of date"],
          ),
        ),
    async ({ spec, out, protocol, check }) => {
      const { runGenerate } = await import("./generate.ts");
      process.exitCode = await runGenerate({
        out,
        check,
        ...toSpec(spec),
        ...(protocol && { revisions: protocol }),
      });
    },
  );
}

/** Adds the command `model` to the command line. */
export function addModelCommand(cli: Argv): Argv {
  return cli.command(
    "model <revision>",
    "Print the model of a revision as JSON",
    (command) =>
      command
        .positional("revision", { type: "string", demandOption: true, describe: "Revision identifier" })
        .option("spec", specOption)
        .epilogue(examplesText(["model <revision> > model.json", "model for tools in other languages"])),
    async ({ spec, revision }) => {
      const { runModel } = await import("./model.ts");
      process.exitCode = await runModel({ revision, ...toSpec(spec) });
    },
  );
}

/** Adds the command `pin` to the command line. */
export function addPinCommand(cli: Argv): Argv {
  return cli.command(
    "pin <revision>",
    "Add the schema of a revision to a spec folder, with a proposed overlay",
    (command) =>
      command
        .positional("revision", { type: "string", demandOption: true, describe: "Revision identifier (YYYY-MM-DD)" })
        .option("from", { type: "string", demandOption: true, describe: "Path or https URL of its schema.ts" })
        .option("spec", { type: "string", default: "spec", describe: "Spec folder to add it to" })
        .option("status", {
          choices: ["draft", "released"] as const,
          describe: "Status of the revision",
          defaultDescription: "that of an earlier pin, or what the file shows",
        })
        .option("force", {
          type: "boolean",
          default: false,
          describe: "Accept a file with an unexpected date or hash",
        })
        .epilogue(
          examplesText(["pin <revision> --from ./schema.ts", "pin a local schema and list the required decisions"]),
        ),
    async ({ revision, from, spec, status, force }) => {
      const { runPin } = await import("./pin.ts");
      process.exitCode = await runPin({ revision, from, spec, force, ...(status && { status }) });
    },
  );
}
