import type { Argv } from "yargs";
import { features as knownFeatures, scales } from "../scaffold/layer/choices.ts";
import { UserError } from "../internal/user-error.ts";
import { specOption } from "./spec-option.ts";
import { examplesText } from "./usage.ts";

/* Definitions for yargs of the commands that change an existing project. The code of a command is loaded when it runs. */

/** Adds the command `add` to the command line. */
export function addAddCommand(cli: Argv): Argv {
  return cli.command(
    "add <kind> <name>",
    "Add a tool, a resource, a prompt, or the tools of an OpenAPI document to the project in this folder",
    (command) =>
      command
        .positional("kind", {
          choices: ["tool", "resource", "prompt", "openapi"] as const,
          demandOption: true,
          describe: "Kind of definition",
        })
        .positional("name", {
          type: "string",
          demandOption: true,
          describe: "Name of the definition, for example word-count, or path of the document",
        })
        .option("template", {
          type: "string",
          requiresArg: true,
          describe: "With resource: URI template, for example notes://{id}, for resources with variables",
        })
        .options(openapiOptions)
        .epilogue(
          examplesText(
            ["add tool word-count", "src/tools/word-count.ts, its test, and its registration in the definition"],
            ["add prompt review", "src/prompts/review.ts, its test and its registration"],
            ["add resource note --template 'notes://{id}'", "a resource template, with completion of its variable"],
            [
              "add openapi shop.yaml --only 'orders,get*'",
              "src/shop/: a tool for each operation with this tag or name",
            ],
            ["add openapi shop.yaml", "again, after a change of the document: keeps your edits"],
            ["add openapi shop.yaml --check", "in CI: exit with 1 if the tools differ from the document"],
          ),
        )
        .check(rejectMisplacedOptions),
    async ({ kind, name, template, as, only, prefix, output, check, dryRun, force }) => {
      if (kind !== "openapi") {
        const { runAdd } = await import("./add.ts");
        process.exitCode = await runAdd({
          kind,
          name,
          folder: process.cwd(),
          ...(template !== undefined && { uriTemplate: template }),
        });
        return;
      }
      const { runAddOpenapi } = await import("./add-openapi.ts");
      process.exitCode = await runAddOpenapi({
        document: name,
        folder: process.cwd(),
        check: check === true,
        dryRun: dryRun === true,
        force: force === true,
        ...(as !== undefined && { name: as }),
        ...(only !== undefined && { only }),
        ...(prefix !== undefined && { prefix }),
        ...(output !== undefined && { output }),
      });
    },
  );
}

/** Adds the command `remove` to the command line. */
export function addRemoveCommand(cli: Argv): Argv {
  return cli.command(
    "remove <kind> <name>",
    "Remove a tool, a resource or a prompt from the project in this folder, with its test",
    (command) =>
      command
        .positional("kind", {
          choices: ["tool", "resource", "prompt"] as const,
          demandOption: true,
          describe: "Kind of definition",
        })
        .positional("name", { type: "string", demandOption: true, describe: "Name of the definition" })
        .epilogue(
          examplesText(
            ["remove tool word-count", "what `add tool word-count` added"],
            ["remove tool measure_text", "the sample of a new project"],
          ),
        ),
    async ({ kind, name }) => {
      const { runRemove } = await import("./remove.ts");
      process.exitCode = await runRemove({ kind, name, folder: process.cwd() });
    },
  );
}

/** Options of `add openapi`. */
const openapiOptions = {
  as: {
    type: "string",
    describe: "With openapi: name of the API in the project",
    defaultDescription: "that of the document",
  },
  only: {
    type: "string",
    describe: "With openapi: comma-separated tags, names and paths of the operations; * matches any text",
    defaultDescription: "those of the last run, or all",
  },
  prefix: { type: "string", describe: "With openapi: text before the names of the tools, for example shop_" },
  output: {
    choices: ["none", "loose", "strict"] as const,
    describe: "With openapi: treatment of responses that deviate from the document",
    defaultDescription: "that of the last run, or loose",
  },
  check: { type: "boolean", describe: "With openapi: write nothing; list differences and exit with 1" },
  "dry-run": { type: "boolean", describe: "With openapi: write nothing; list the changes" },
  force: { type: "boolean", describe: "With openapi: replace edited files" },
} as const;

function rejectMisplacedOptions({ kind, ...options }: Readonly<Record<string, unknown>>): true {
  if (kind !== "resource" && options.template !== undefined)
    throw new UserError("--template is for `add resource <name>` only; remove it.");
  const found = Object.keys(openapiOptions).find((name) => options[name] !== undefined);
  if (kind === "openapi" || found === undefined) return true;
  throw new UserError(`--${found} is for \`add openapi <document>\` only; remove it.`);
}

/** Adds the command `update` to the command line. */
export function addUpdateCommand(cli: Argv): Argv {
  return cli.command(
    "update [dir]",
    "Regenerate the protocol layer of a project, for the same or other revisions",
    (command) =>
      command
        .positional("dir", { type: "string", default: ".", describe: "Folder of the project" })
        .option("protocol", {
          type: "string",
          describe: "Protocol revisions to support: one, a comma-separated list, latest or all",
          defaultDescription: "the revisions of the project",
        })
        .option("spec", { ...specOption, defaultDescription: "the spec folder of the last update" })
        .option("features", {
          type: "string",
          describe: `Comma-separated features of the server: ${knownFeatures.join(", ")}`,
          defaultDescription: "unchanged",
        })
        .option("transport", {
          type: "string",
          describe: "Transport: stdio, http or both; optionally also websocket and tcp, comma-separated",
          defaultDescription: "unchanged",
        })
        .option("client", {
          type: "boolean",
          describe: "Include a client; --no-client removes it",
          defaultDescription: "unchanged",
        })
        .option("scale", {
          type: "string",
          describe: `Engine that several nodes share: ${scales.join(", ")}`,
          defaultDescription: "unchanged",
        })
        .option("check", {
          type: "boolean",
          default: false,
          describe: "Write nothing; list differences and exit with 1",
        })
        .option("dry-run", { type: "boolean", default: false, describe: "Write nothing; list the changes" })
        .option("codemod", {
          type: "boolean",
          default: false,
          describe: "With --protocol: first apply the mechanical changes to your own code",
        })
        .option("force", { type: "boolean", default: false, describe: "Replace edited files" })
        .option("undo", {
          type: "boolean",
          default: false,
          describe: "Restore the files that the last update replaced",
        })
        .epilogue(
          examplesText(
            ["update", "regenerate with this version of the generator"],
            ["update --protocol all --dry-run", "effects of other revisions on your code"],
            ["update --protocol latest --codemod", "also rename types and move imports in your code"],
            ["update --features tools,list-changed", "support tools that change while clients are connected"],
            ["update --transport both --client", "add HTTP and a client"],
            ["update --scale nats", "share state through NATS; lists the changes outside of src/mcp"],
            ["update --check", "in CI: exit with 1 if src/mcp is out of date"],
            ["update --undo", "restore the previous files"],
          ),
        ),
    async ({ dir, protocol, spec, features, transport, client, scale, check, dryRun, codemod, force, undo }) => {
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
        ...(scale !== undefined && { scale }),
      });
    },
  );
}

/** Adds the command `docs` to the command line. */
export function addDocsCommand(cli: Argv): Argv {
  return cli.command(
    "docs [topic..]",
    "List the guides, print one, or search them",
    (command) =>
      command
        .positional("topic", {
          type: "string",
          array: true,
          default: [],
          describe: "Name of a guide, or words to search for",
        })
        .epilogue(
          examplesText(
            ["docs", "list of all guides"],
            ["docs first-server", "the guide as Markdown"],
            ["docs input required", "sections that contain both words"],
          ),
        ),
    async ({ topic }) => {
      const { runDocs } = await import("./docs.ts");
      process.exitCode = await runDocs({ topic });
    },
  );
}

/** Adds the command `settings` to the command line. */
export function addSettingsCommand(cli: Argv): Argv {
  return cli.command(
    "settings [dir]",
    "List the settings of a server in .env.example, the README, the Dockerfile and the configuration of hosts",
    (command) =>
      command
        .positional("dir", { type: "string", default: ".", describe: "Folder of the project" })
        .option("check", {
          type: "boolean",
          default: false,
          describe: "Write nothing; exit with 1 if a file is out of date",
        })
        .epilogue(examplesText(["settings", "after a change of `defineSettings`"], ["settings --check", "in CI"])),
    async ({ dir, check }) => {
      const { runSettings } = await import("./settings.ts");
      process.exitCode = await runSettings({ folder: dir, check });
    },
  );
}
