import type { Argv } from "yargs";
import { examplesText } from "./usage.ts";

/** Adds the command `init` to the command line. */
export function addInitCommand(cli: Argv): Argv {
  return cli.command(
    "init [dir]",
    "Add a server to an existing application",
    (command) =>
      command
        .positional("dir", {
          type: "string",
          default: ".",
          describe: "Folder of the application, with its package.json",
        })
        .options(initOptions)
        .requiresArg(Object.entries(initOptions).flatMap(([name, { type }]) => (type === "string" ? [name] : [])))
        .epilogue(
          examplesText(
            ["init", "adds a server to the application in this folder"],
            ["init packages/api --dry-run", "lists the changes of a package of a workspace"],
          ),
        ),
    async ({ dir, protocol, features, schema, framework, packageManager, install, dryRun }) => {
      const { runInit } = await import("./init.ts");
      const choices = { protocol, features, schema, framework, packageManager };
      process.exitCode = await runInit({ directory: dir, install, dryRun, ...choices });
    },
  );
}

const initOptions = {
  framework: {
    type: "string",
    describe: "Framework of the application: express, fastify, hono, next or node (none)",
    defaultDescription: "the one in package.json",
  },
  protocol: {
    type: "string",
    describe: "Protocol revisions to support: one, a comma-separated list, latest or all",
    defaultDescription: "all released revisions",
  },
  features: {
    type: "string",
    describe: "Comma-separated features of the server, as for a new project",
    defaultDescription: "tools,resources,prompts",
  },
  schema: {
    type: "string",
    describe: "Schema library of the tools: zod, valibot, arktype or json (plain JSON Schema)",
    defaultDescription: "zod",
  },
  "package-manager": {
    alias: "pm",
    type: "string",
    describe: "Package manager: npm, pnpm, yarn or bun",
    defaultDescription: "the one of the application",
  },
  install: { type: "boolean", default: true, describe: "Install dependencies" },
  "dry-run": { type: "boolean", default: false, describe: "List the changes; write nothing" },
} as const;
