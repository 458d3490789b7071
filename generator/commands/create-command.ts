import type { Argv } from "yargs";
import { features, scales } from "../scaffold/layer/choices.ts";
import { examplesText } from "./usage.ts";

/** Adds the default command, which writes a new project. */
export function addCreateCommand(cli: Argv): Argv {
  return cli.command(
    "$0 [dir]",
    "Write a new MCP server project",
    (command) =>
      command
        .positional("dir", { type: "string", describe: "Folder of the project; `.` for this one" })
        .options(createOptions)
        .requiresArg(Object.entries(createOptions).flatMap(([name, { type }]) => (type === "string" ? [name] : [])))
        .epilogue(
          `${examplesText(
            ["demo", "asks what it needs to know, writes, installs, builds, and makes a first call"],
            ["demo --yes --protocol latest --transport both", "asks nothing"],
            ["pets --from openapi.yaml", "a typed tool for each operation of an HTTP interface"],
            ["shop --from openapi.yaml --only 'orders,get*'", "only what has such a tag or name"],
            ["check -- npx some-server", "another command; each has its own --help"],
          )}\n\n${registryNote}\n\n${exitCodes}`,
        ),
    async ({
      dir,
      protocol,
      spec,
      name,
      from,
      only,
      output,
      yes,
      install,
      git,
      dryRun,
      packageManager,
      ...choices
    }) => {
      const { runCreate } = await import("./create.ts");
      process.exitCode = await runCreate({
        flags: Object.keys(createOptions),
        directory: dir ?? "",
        yes,
        install,
        git,
        dryRun,
        features: choices.features,
        transport: choices.transport,
        auth: choices.auth,
        scale: choices.scale,
        schema: choices.schema,
        client: choices.client,
        extras: choices.extras,
        runtime: choices.runtime,
        ...(protocol !== undefined && { protocol }),
        ...(spec !== undefined && { spec }),
        ...(name !== undefined && { name }),
        ...(from !== undefined && { from }),
        ...(only !== undefined && { only }),
        ...(output !== undefined && { output }),
        ...(packageManager !== undefined && { packageManager }),
      });
    },
  );
}

const registryNote =
  "From the registry: npm create mcp-server@latest demo -- --protocol latest. npm consumes options placed before `--`.";

const exitCodes = "Exit codes: 0 success, 1 check failed, 2 usage or I/O error, 130 interrupted.";

const createOptions = {
  protocol: {
    type: "string",
    describe: "Revisions that it supports: one, several with commas, latest or all",
    defaultDescription: "all that are released",
    coerce: joinRepeated,
  },
  spec: {
    type: "string",
    describe: "Folder with these revisions, as `pin` makes one",
    defaultDescription: "the package's own",
    coerce: joinRepeated,
  },
  name: { type: "string", describe: "Package name", defaultDescription: "the folder's name", coerce: joinRepeated },
  features: {
    type: "string",
    describe: `Features of the server: ${features.join(", ")}, with commas, or all`,
    defaultDescription: "tools,resources,prompts",
    coerce: joinRepeated,
  },
  transport: {
    type: "string",
    describe: "stdio, http, both (stdio,http) or worker; besides these websocket and tcp, with commas",
    defaultDescription: "stdio; http with --auth or --scale",
    coerce: joinRepeated,
  },
  auth: {
    type: "string",
    describe: "Who may call it over HTTP: oauth (access tokens), api-key or none (everybody)",
    defaultDescription: "none",
    coerce: joinRepeated,
  },
  scale: {
    type: "string",
    describe: `Engine that several nodes behind a load balancer share: ${scales.join(" or ")}`,
    defaultDescription: "none",
    coerce: joinRepeated,
  },
  schema: {
    type: "string",
    describe: "What tools are described with: zod, valibot, arktype or json (plain JSON Schema)",
    defaultDescription: "zod",
    coerce: joinRepeated,
  },
  client: { type: "boolean", describe: "A client, too" },
  from: {
    type: "string",
    describe: "Make its tools from an OpenAPI document, a list of tools or a contract",
    coerce: joinRepeated,
  },
  only: {
    type: "string",
    describe: "Of --from: tags, names and paths of what is wanted, with commas; * stands for anything",
    defaultDescription: "everything",
    coerce: joinRepeated,
  },
  output: {
    type: "string",
    describe:
      "Of --from with OpenAPI: answers have no output schema (none), may deviate from it with a warning (loose), or fail then (strict)",
    defaultDescription: "loose",
    coerce: joinRepeated,
  },
  extras: {
    type: "string",
    describe:
      "docker, ci, vscode, claude-code, cursor, claude-desktop, registry, mcpb, agents, with commas, all or none",
    defaultDescription: "agents",
    coerce: joinRepeated,
  },
  runtime: {
    type: "string",
    describe: "mcp-server-runtime as a dependency, or vendored: its files inside the project",
    defaultDescription: "dependency",
    coerce: joinRepeated,
  },
  "package-manager": {
    alias: "pm",
    type: "string",
    describe: "npm, pnpm, yarn or bun",
    defaultDescription: "the one that runs this",
    coerce: joinRepeated,
  },
  yes: { alias: "y", type: "boolean", default: false, describe: "Ask nothing" },
  install: { type: "boolean", default: true, describe: "Install, build and make a first call; --no-install does not" },
  git: { type: "boolean", default: true, describe: "Make it a git repository with a first commit; --no-git does not" },
  "dry-run": { type: "boolean", default: false, describe: "List the files, write nothing" },
} as const;

/** Joins the values of an option. An option that is given twice arrives as a list. */
function joinRepeated(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
