#!/usr/bin/env node
import { hideBin } from "yargs/helpers";
import yargs from "yargs";
import { packageVersion } from "./package-info.ts";

// `... | head` reads no further: that is no failure of ours, and there is nobody left to tell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

// Every command is loaded when it runs: --help must not load ts-morph, prettier or handlebars.
const cli = yargs(hideBin(process.argv))
  .scriptName("create-mcp-server")
  .version(packageVersion())
  .usage("$0 <dir>\n\nScaffold, pin and upgrade Model Context Protocol servers and clients in TypeScript.")
  .command(
    "$0 [dir]",
    "Write a new MCP server project",
    (command) =>
      command
        .positional("dir", { type: "string", describe: "Folder of the project; `.` for this one" })
        .option("protocol", {
          type: "string",
          describe: "Revisions that it speaks: one, several with commas, latest or all",
          defaultDescription: "latest",
          coerce: joinRepeated,
        })
        .option("name", {
          type: "string",
          describe: "Package name",
          defaultDescription: "the folder's name",
          coerce: joinRepeated,
        })
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Ask nothing" })
        .option("install", { type: "boolean", default: true, describe: "Install, build and make a first call" })
        .option("git", { type: "boolean", default: true, describe: "Make it a git repository with a first commit" })
        .option("dry-run", { type: "boolean", default: false, describe: "List the files, write nothing" }),
    async ({ dir, protocol, name, yes, install, git, dryRun }) => {
      const { runCreate } = await import("./commands/create.ts");
      process.exitCode = await runCreate({
        directory: dir ?? "",
        yes,
        install,
        git,
        dryRun,
        ...(protocol !== undefined && { protocol }),
        ...(name !== undefined && { name }),
      });
    },
  )
  .command(
    "generate",
    "Write the generated layer from the pinned schemas",
    (command) =>
      command
        .option("spec", {
          type: "string",
          describe: "Folder with pins.json and one folder a revision",
          defaultDescription: "the package's own",
        })
        .option("out", { type: "string", default: "generated", describe: "Folder to write" })
        .option("revision", { type: "string", array: true, describe: "Only these revisions" })
        .option("check", { type: "boolean", default: false, describe: "Write nothing; list what differs and exit 1" }),
    async ({ spec, out, revision, check }) => {
      const { runGenerate } = await import("./commands/generate.ts");
      process.exitCode = await runGenerate({
        out,
        check,
        ...(spec !== undefined && { spec }),
        ...(revision && { revisions: revision }),
      });
    },
  )
  .command(
    "model <revision>",
    "Print the model of a revision as JSON",
    (command) =>
      command
        .positional("revision", { type: "string", demandOption: true, describe: "Revision identifier" })
        .option("spec", {
          type: "string",
          describe: "Folder with pins.json and one folder a revision",
          defaultDescription: "the package's own",
        }),
    async ({ spec, revision }) => {
      const { runModel } = await import("./commands/model.ts");
      process.exitCode = await runModel({ revision, ...(spec !== undefined && { spec }) });
    },
  )
  .command(
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
        }),
    async ({ revision, from, spec, force }) => {
      const { runPin } = await import("./commands/pin.ts");
      process.exitCode = await runPin({ revision, from, spec, force });
    },
  )
  .strict()
  .help();

await cli.parseAsync();

/** An option that is given twice arrives as a list. */
function joinRepeated(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
