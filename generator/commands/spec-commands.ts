import type { Argv } from "yargs";
import { examplesText } from "./usage.ts";

/* Definitions for yargs of the commands for schemas of the protocol. The code of a command is loaded when it runs. */

/** Adds the command `generate` to the command line. */
export function addGenerateCommand(cli: Argv): Argv {
  return cli.command(
    "generate",
    "Write the generated layer from the pinned schemas",
    (command) =>
      command
        .option("spec", specOption)
        .option("out", { type: "string", default: "generated", describe: "Folder to write" })
        .option("protocol", { type: "string", array: true, describe: "Only these revisions" })
        .option("check", { type: "boolean", default: false, describe: "Write nothing; list what differs and exit 1" })
        .epilogue(
          examplesText(
            ["generate --protocol <revision> --out src/protocol", "types, checks and tables of one revision"],
            ["generate --spec spec --check", "in CI"],
          ),
        ),
    async ({ spec, out, protocol, check }) => {
      const { runGenerate } = await import("./generate.ts");
      process.exitCode = await runGenerate({
        out,
        check,
        ...(spec !== undefined && { spec }),
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
        .epilogue(examplesText(["model <revision> > model.json", "for other tools and languages"])),
    async ({ spec, revision }) => {
      const { runModel } = await import("./model.ts");
      process.exitCode = await runModel({ revision, ...(spec !== undefined && { spec }) });
    },
  );
}

/** Adds the command `pin` to the command line. */
export function addPinCommand(cli: Argv): Argv {
  return cli.command(
    "pin <revision>",
    "Bring in the schema of a revision, with a proposal for its overlay",
    (command) =>
      command
        .positional("revision", { type: "string", demandOption: true, describe: "Revision identifier, a date" })
        .option("from", { type: "string", demandOption: true, describe: "Path or https address of its schema.ts" })
        .option("spec", { type: "string", default: "spec", describe: "Spec folder to put it into" })
        .option("force", {
          type: "boolean",
          default: false,
          describe: "Take the file although its date or its hash is another one than expected",
        })
        .epilogue(examplesText(["pin <revision> --from ./schema.ts", "then it says what a person must decide"])),
    async ({ revision, from, spec, force }) => {
      const { runPin } = await import("./pin.ts");
      process.exitCode = await runPin({ revision, from, spec, force });
    },
  );
}

const specOption = {
  type: "string",
  describe: "Folder with pins.json and one folder a revision",
  defaultDescription: "the package's own",
} as const;
