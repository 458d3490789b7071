#!/usr/bin/env node
import { hideBin } from "yargs/helpers";
import yargs from "yargs";
import {
  addCheckCommand,
  addClientCommand,
  addDiffCommand,
  addUpdateCommand,
  addUpgradeAssistCommand,
  readWords,
} from "./commands/server-commands.ts";
import { packageVersion } from "./package-info.ts";

// `... | head` reads no further: that is no failure of ours, and there is nobody left to tell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

// Every command is loaded when it runs: --help must not load ts-morph, prettier or handlebars.
const serverOption = {
  type: "string",
  array: true,
  describe: "An address, a module such as src/server.ts, or after -- a command",
} as const;

const cli = yargs(hideBin(process.argv))
  .scriptName("create-mcp-server")
  // What comes after -- belongs to the program that it names.
  .parserConfiguration({ "populate--": true })
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
          defaultDescription: "all that are released",
          coerce: joinRepeated,
        })
        .option("name", {
          type: "string",
          describe: "Package name",
          defaultDescription: "the folder's name",
          coerce: joinRepeated,
        })
        .option("serve", {
          type: "string",
          describe: "What it offers: tools, resources, prompts, questions, tasks, skills, ui, with commas, or all",
          defaultDescription: "tools,resources,prompts",
          coerce: joinRepeated,
        })
        .option("transport", {
          type: "string",
          describe: "stdio, http, both or worker",
          defaultDescription: "stdio",
          coerce: joinRepeated,
        })
        .option("auth", {
          type: "string",
          describe: "Who may call it over HTTP: oauth (access tokens), api-key or none (everybody)",
          defaultDescription: "none",
          coerce: joinRepeated,
        })
        .option("schema", {
          type: "string",
          describe: "zod, valibot, arktype or json",
          defaultDescription: "zod",
          coerce: joinRepeated,
        })
        .option("client", { type: "boolean", describe: "A client, too" })
        .option("from", {
          type: "string",
          describe: "Make its tools from an OpenAPI document, a list of tools or a contract",
          coerce: joinRepeated,
        })
        .option("extras", {
          type: "string",
          describe:
            "docker, ci, vscode, claude-code, cursor, claude-desktop, registry, mcpb, agents, with commas, all or none",
          defaultDescription: "agents",
          coerce: joinRepeated,
        })
        .option("runtime", {
          type: "string",
          describe: "emitted: the protocol layer is part of the project; package: it is a dependency",
          defaultDescription: "emitted",
          coerce: joinRepeated,
        })
        .option("package-manager", {
          alias: "pm",
          type: "string",
          describe: "npm, pnpm, yarn or bun",
          defaultDescription: "the one that runs this",
          coerce: joinRepeated,
        })
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Ask nothing" })
        .option("install", { type: "boolean", default: true, describe: "Install, build and make a first call" })
        .option("git", { type: "boolean", default: true, describe: "Make it a git repository with a first commit" })
        .option("dry-run", { type: "boolean", default: false, describe: "List the files, write nothing" }),
    async ({ dir, protocol, name, from, yes, install, git, dryRun, ...choices }) => {
      const { runCreate } = await import("./commands/create.ts");
      process.exitCode = await runCreate({
        directory: dir ?? "",
        yes,
        install,
        git,
        dryRun,
        serve: choices.serve,
        transport: choices.transport,
        auth: choices.auth,
        schema: choices.schema,
        client: choices.client,
        extras: choices.extras,
        runtime: choices.runtime,
        ...(protocol !== undefined && { protocol }),
        ...(name !== undefined && { name }),
        ...(from !== undefined && { from }),
        ...(choices.packageManager !== undefined && { packageManager: choices.packageManager }),
      });
    },
  )
  .command(
    "add <kind> <name>",
    "Add a tool, a resource or a prompt to the project in this folder",
    (command) =>
      command
        .positional("kind", { choices: ["tool", "resource", "prompt"] as const, demandOption: true, describe: "What" })
        .positional("name", { type: "string", demandOption: true, describe: "Its name, for example word-count" })
        .example("$0 add tool word-count", "src/tools/word-count.ts, its test, and its registration"),
    async ({ kind, name }) => {
      const { runAdd } = await import("./commands/add.ts");
      process.exitCode = await runAdd({ kind, name, folder: process.cwd() });
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
    "explain [server..]",
    "List what clients of a revision do not learn of a server",
    (command) =>
      command
        .positional("server", serverOption)
        .option("protocol", { type: "string", demandOption: true, describe: "Revision of the clients" })
        .option("json", { type: "boolean", default: false, describe: "Print JSON" }),
    async ({ server = [], "--": command, protocol, json }) => {
      const { runExplain } = await import("./commands/explain.ts");
      process.exitCode = await runExplain({ server: [...server, ...readWords(command)], protocol, json });
    },
  )
  .command(
    "gateway [server..]",
    "Serve any server at every revision",
    (command) =>
      command
        .positional("server", serverOption)
        .option("listen", { type: "string", describe: "Serve over HTTP at HOST:PORT, or PORT of this machine" })
        .option("stdio", { type: "boolean", default: false, describe: "Serve on stdin and stdout" })
        .option("allowed-hosts", {
          type: "string",
          describe: "Names, with commas, by which other machines may reach this one",
          defaultDescription: "this machine only",
          coerce: joinRepeated,
        })
        .option("timeout", {
          type: "string",
          describe: "Seconds without an answer or progress after which a request to the server fails",
          defaultDescription: "no limit but the client's",
        }),
    async ({ server = [], "--": command, listen, stdio, allowedHosts, timeout }) => {
      const { runGateway } = await import("./commands/gateway.ts");
      process.exitCode = await runGateway({
        server: [...server, ...readWords(command)],
        stdio,
        ...(listen !== undefined && { listen }),
        ...(allowedHosts !== undefined && { allowedHosts: allowedHosts.split(",").map((name) => name.trim()) }),
        ...(timeout !== undefined && { timeout }),
      });
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

await addUpgradeAssistCommand(addUpdateCommand(addDiffCommand(addCheckCommand(addClientCommand(cli))))).parseAsync();

/** An option that is given twice arrives as a list. */
function joinRepeated(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
