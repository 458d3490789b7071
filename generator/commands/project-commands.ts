import type { Argv } from "yargs";
import { features as knownFeatures } from "../scaffold/layer/choices.ts";
import { examplesText } from "./usage.ts";

/* Definitions for yargs of the commands that change an existing project. The code of a command is loaded when it runs. */

/** Adds the command `add` to the command line. */
export function addAddCommand(cli: Argv): Argv {
  return cli.command(
    "add <kind> <name>",
    "Add a tool, a resource or a prompt to the project in this folder",
    (command) =>
      command
        .positional("kind", { choices: ["tool", "resource", "prompt"] as const, demandOption: true, describe: "What" })
        .positional("name", { type: "string", demandOption: true, describe: "Its name, for example word-count" })
        .epilogue(
          examplesText(
            ["add tool word-count", "src/tools/word-count.ts, its test, and the two lines that serve it"],
            ["add prompt review", "src/prompts/review.ts likewise"],
          ),
        ),
    async ({ kind, name }) => {
      const { runAdd } = await import("./add.ts");
      process.exitCode = await runAdd({ kind, name, folder: process.cwd() });
    },
  );
}

/** Adds the command `update` to the command line. */
export function addUpdateCommand(cli: Argv): Argv {
  return cli.command(
    "update [dir]",
    "Write the protocol layer of a project anew, for these or other revisions",
    (command) =>
      command
        .positional("dir", { type: "string", default: ".", describe: "Folder of the project" })
        .option("protocol", {
          type: "string",
          describe: "Revisions that it shall speak: one, several with commas, latest or all",
          defaultDescription: "those of the project",
        })
        .option("spec", specOption)
        .option("features", {
          type: "string",
          describe: `Features of the server: ${knownFeatures.join(", ")}, with commas`,
          defaultDescription: "unchanged",
        })
        .option("transport", {
          type: "string",
          describe: "How it shall be reached: stdio, http or both",
          defaultDescription: "as it is",
        })
        .option("client", {
          type: "boolean",
          describe: "Make it a client, too; --no-client: no more",
          defaultDescription: "as it is",
        })
        .option("check", { type: "boolean", default: false, describe: "Write nothing; list what differs and exit 1" })
        .option("dry-run", { type: "boolean", default: false, describe: "Write nothing; tell what would change" })
        .option("codemod", {
          type: "boolean",
          default: false,
          describe: "With --protocol: rewrite what is mechanical in your own code first",
        })
        .option("force", { type: "boolean", default: false, describe: "Replace files that were edited by hand" })
        .option("undo", { type: "boolean", default: false, describe: "Bring back what the last update replaced" })
        .epilogue(
          examplesText(
            ["update", "to what this version of the generator writes"],
            ["update --protocol all --dry-run", "what other revisions would mean for your code"],
            ["update --protocol latest --codemod", "renamed types and moved imports in your code, too"],
            ["update --features tools,list-changed", "for tools that come and go"],
            ["update --transport both --client", "reached over HTTP, too, and able to call other servers"],
            ["update --check", "in CI: exits with 1 when src/mcp is not as it is written"],
            ["update --undo", "back to what it was"],
          ),
        ),
    async ({ dir, protocol, spec, features, transport, client, check, dryRun, codemod, force, undo }) => {
      const { runUpdate } = await import("./update.ts");
      process.exitCode = await runUpdate({
        directory: dir,
        check,
        dryRun,
        codemod,
        force,
        undo,
        ...(protocol !== undefined && { protocol }),
        ...(spec !== undefined && { spec }),
        ...(features !== undefined && { features }),
        ...(transport !== undefined && { transport }),
        ...(client !== undefined && { client }),
      });
    },
  );
}

const specOption = {
  type: "string",
  describe: "Folder with these revisions, as `pin` makes one; --no-spec: the package's own",
  defaultDescription: "what the layer was made from",
  coerce: readSpec,
} as const;

/** Reads the option `spec`. The value of `--no-spec` is `false`. */
function readSpec(value: unknown): string | false {
  return value === false ? value : String(value);
}
