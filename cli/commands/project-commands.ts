import { features as knownFeatures, scales } from "../../generator/scaffold/layer/choices.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { defineCommand, flag, type Command } from "./define-command.ts";
import { specOption } from "./shared-options.ts";

/* Commands that change an existing project, or add a server to an application, and the guides. */

const text = { type: "string", requiresArg: true } as const;

const initCommand = defineCommand({
  call: "init [dir]",
  summary: "Add a server to an existing application",
  options: {
    dir: { type: "string", default: ".", describe: "Folder of the application, with its package.json" },
    framework: {
      ...text,
      describe: "Framework of the application: express, fastify, hono, next or node (none)",
      defaultDescription: "the one in package.json",
    },
    protocol: {
      ...text,
      describe: "Protocol revisions to support: one, a comma-separated list, latest or all",
      defaultDescription: "all released revisions",
    },
    features: {
      ...text,
      describe: "Comma-separated features of the server, as for a new project",
      defaultDescription: "tools,resources,prompts",
    },
    schema: {
      ...text,
      describe: "Schema library of the tools: zod, valibot, arktype or json (plain JSON Schema)",
      defaultDescription: "zod",
    },
    "package-manager": {
      ...text,
      alias: "pm",
      describe: "Package manager: npm, pnpm, yarn or bun",
      defaultDescription: "the one of the application",
    },
    install: { type: "boolean", default: true, describe: "Install dependencies" },
    "dry-run": { ...flag, describe: "List the changes; write nothing" },
  },
  examples: [
    ["init", "adds a server to the application in this folder"],
    ["init packages/api --dry-run", "lists the changes of a package of a workspace"],
  ],
  run: async ({ dir, ...options }) => (await import("./init.ts")).runInit({ ...options, directory: dir }),
});

/** Options of `add openapi`. They have no default, so that `add tool` can reject them. */
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
    choices: ["none", "loose", "strict"],
    describe: "With openapi: treatment of responses that deviate from the document",
    defaultDescription: "that of the last run, or loose",
  },
  check: { type: "boolean", describe: "With openapi: write nothing; list differences and exit with 1" },
  "dry-run": { type: "boolean", describe: "With openapi: write nothing; list the changes" },
  force: { type: "boolean", describe: "With openapi: replace edited files" },
} as const;

const addCommand = defineCommand({
  call: "add <kind> <name>",
  summary: "Add a tool, a resource, a prompt, or the tools of an OpenAPI document to the project in this folder",
  options: {
    kind: {
      choices: ["tool", "resource", "prompt", "openapi"],
      demandOption: true,
      describe: "Kind of definition",
    },
    name: {
      type: "string",
      demandOption: true,
      describe: "Name of the definition, for example word-count, or path of the document",
    },
    template: {
      ...text,
      describe: "With resource: URI template, for example notes://{id}, for resources with variables",
    },
    ...openapiOptions,
  },
  examples: [
    ["add tool word-count", "src/tools/word-count.ts, its test, and its registration in the definition"],
    ["add prompt review", "src/prompts/review.ts, its test and its registration"],
    ["add resource note --template 'notes://{id}'", "a resource template, with completion of its variable"],
    ["add openapi shop.yaml --only 'orders,get*'", "src/shop/: a tool for each operation with this tag or name"],
    ["add openapi shop.yaml", "again, after a change of the document: keeps your edits"],
    ["add openapi shop.yaml --check", "in CI: exit with 1 if the tools differ from the document"],
  ],
  check: ({ kind, ...options }) => {
    if (kind !== "resource" && options.template !== undefined)
      throw new UserError("--template is for `add resource <name>` only; remove it.");
    const found = Object.keys(openapiOptions).find((name) => options[name] !== undefined);
    if (kind === "openapi" || found === undefined) return true;
    throw new UserError(`--${found} is for \`add openapi <document>\` only; remove it.`);
  },
  run: async ({ kind, name, template, as, check = false, dryRun = false, force = false, ...options }) => {
    const folder = process.cwd();
    if (kind !== "openapi") {
      const { runAdd } = await import("./add.ts");
      return runAdd({ kind, name, folder, ...(template !== undefined && { uriTemplate: template }) });
    }
    const { runAddOpenapi } = await import("./add-openapi.ts");
    const named = as === undefined ? {} : { name: as };
    return runAddOpenapi({ ...options, ...named, document: name, folder, check, dryRun, force });
  },
});

const removeCommand = defineCommand({
  call: "remove <kind> <name>",
  summary: "Remove a tool, a resource or a prompt from the project in this folder, with its test",
  options: {
    kind: { choices: ["tool", "resource", "prompt"], demandOption: true, describe: "Kind of definition" },
    name: { type: "string", demandOption: true, describe: "Name of the definition" },
  },
  examples: [
    ["remove tool word-count", "what `add tool word-count` added"],
    ["remove tool measure_text", "the sample of a new project"],
  ],
  run: async (options) => (await import("./remove.ts")).runRemove({ ...options, folder: process.cwd() }),
});

const updateCommand = defineCommand({
  call: "update [dir]",
  summary: "Regenerate the protocol layer of a project, for the same or other revisions",
  options: {
    dir: { type: "string", default: ".", describe: "Folder of the project" },
    protocol: {
      type: "string",
      describe: "Protocol revisions to support: one, a comma-separated list, latest or all",
      defaultDescription: "the revisions of the project",
    },
    spec: { ...specOption, defaultDescription: "the spec folder of the last update" },
    features: {
      type: "string",
      describe: `Comma-separated features of the server: ${knownFeatures.join(", ")}`,
      defaultDescription: "unchanged",
    },
    transport: {
      type: "string",
      describe: "Transport: stdio, http or both; optionally also websocket and tcp, comma-separated",
      defaultDescription: "unchanged",
    },
    client: {
      type: "boolean",
      describe: "Include a client; --no-client removes it",
      defaultDescription: "unchanged",
    },
    scale: {
      type: "string",
      describe: `Engine that several nodes share: ${scales.join(", ")}`,
      defaultDescription: "unchanged",
    },
    check: { ...flag, describe: "Write nothing; list differences and exit with 1" },
    "dry-run": { ...flag, describe: "Write nothing; list the changes" },
    codemod: { ...flag, describe: "With --protocol: first apply the mechanical changes to your own code" },
    force: { ...flag, describe: "Replace edited files" },
    undo: { ...flag, describe: "Restore the files that the last update replaced" },
  },
  examples: [
    ["update", "regenerate with this version of the generator"],
    ["update --protocol all --dry-run", "effects of other revisions on your code"],
    ["update --protocol latest --codemod", "also rename types and move imports in your code"],
    ["update --features tools,list-changed", "support tools that change while clients are connected"],
    ["update --transport both --client", "add HTTP and a client"],
    ["update --scale nats", "share state through NATS; lists the changes outside of src/mcp"],
    ["update --check", "in CI: exit with 1 if src/mcp is out of date"],
    ["update --undo", "restore the previous files"],
  ],
  run: async ({ dir, ...options }) => (await import("./update.ts")).runUpdate({ ...options, directory: dir }),
});

/** Command that shows the guides. */
export const docsCommand: Command = defineCommand({
  call: "docs [topic..]",
  summary: "List the guides, print one, or search them",
  options: {
    topic: { type: "string", array: true, default: [], describe: "Name of a guide, or words to search for" },
  },
  examples: [
    ["docs", "list of all guides"],
    ["docs first-server", "the guide as Markdown"],
    ["docs input required", "sections that contain both words"],
  ],
  run: async (options) => (await import("./docs.ts")).runDocs(options),
});

const settingsCommand = defineCommand({
  call: "settings [dir]",
  summary: "List the settings of a server in .env.example, the README, the Dockerfile and the configuration of hosts",
  options: {
    dir: { type: "string", default: ".", describe: "Folder of the project" },
    check: { ...flag, describe: "Write nothing; exit with 1 if a file is out of date" },
  },
  examples: [
    ["settings", "after a change of `defineSettings`"],
    ["settings --check", "in CI"],
  ],
  run: async ({ dir, check }) => (await import("./settings.ts")).runSettings({ folder: dir, check }),
});

/** Commands that change a project or an application, in the order of the help. */
export const projectCommands: readonly Command[] = [
  initCommand,
  addCommand,
  removeCommand,
  updateCommand,
  settingsCommand,
];
