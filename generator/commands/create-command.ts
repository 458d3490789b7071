import type { Argv } from "yargs";
import { deployTargets } from "../scaffold/create/deploy-target.ts";
import { extras } from "../scaffold/create/project-choices.ts";
import { features, scales } from "../scaffold/layer/choices.ts";
import { mounts } from "../scaffold/mount/frameworks.ts";
import { providerNames } from "../scaffold/providers/provider.ts";
import { examplesText } from "./usage.ts";

/** Adds the default command, which writes a new project. */
export function addCreateCommand(cli: Argv): Argv {
  return cli.command(
    "$0 [dir]",
    "Create a project with an MCP server",
    (command) =>
      command
        .positional("dir", { type: "string", describe: "Folder of the project; `.` for the current folder" })
        .options(createOptions)
        .requiresArg(Object.entries(createOptions).flatMap(([name, { type }]) => (type === "string" ? [name] : [])))
        .epilogue(
          `${examplesText(
            ["demo", "prompts for the choices, creates and builds the project, and makes a first call"],
            ["demo --yes --protocol latest --transport both", "no prompts: defaults for all other choices"],
            ["shop --mount express", "an application of Express, Fastify, Hono or Next.js with a server in it"],
            ["pets --from openapi.yaml", "a typed tool for each operation of an HTTP API"],
            ["shop --from openapi.yaml --only 'orders,get*'", "only the operations with this tag or name"],
            ["check -- npx some-server", "another command; each command has its own --help"],
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
        target: choices.target,
        auth: choices.auth,
        provider: choices.provider,
        scale: choices.scale,
        mount: choices.mount,
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

const exitCodes = "Exit codes: 0 success, 1 check or build failed, 2 usage or I/O error, 130 interrupted.";

const createOptions = {
  protocol: {
    type: "string",
    describe: "Protocol revisions to support: one, a comma-separated list, latest or all",
    defaultDescription: "all released revisions",
    coerce: joinRepeated,
  },
  spec: {
    type: "string",
    describe: "Spec folder, as created by `pin`",
    defaultDescription: "the spec folder of the package",
    coerce: joinRepeated,
  },
  name: {
    type: "string",
    describe: "Package name",
    defaultDescription: "one like the name of the folder",
    coerce: joinRepeated,
  },
  features: {
    type: "string",
    describe: `Comma-separated features of the server, or all: ${features.join(", ")}`,
    defaultDescription: "tools,resources,prompts",
    coerce: joinRepeated,
  },
  transport: {
    type: "string",
    describe: "Transport: stdio, http or both (stdio,http); optionally also websocket and tcp, comma-separated",
    defaultDescription: "stdio; http with --auth, --provider, --scale or --mount",
    coerce: joinRepeated,
  },
  target: {
    type: "string",
    describe: `Platform that runs the server: ${deployTargets.join(", ")}`,
    defaultDescription: "node",
    coerce: joinRepeated,
  },
  auth: {
    type: "string",
    describe: "Authentication over HTTP: oauth (access tokens), api-key or none",
    defaultDescription: "none; oauth with --provider",
    coerce: joinRepeated,
  },
  provider: {
    type: "string",
    describe: `Authorization server of --auth oauth: ${providerNames.join(", ")}`,
    defaultDescription: "any",
    coerce: joinRepeated,
  },
  scale: {
    type: "string",
    describe: `Engine for several nodes behind a load balancer: ${scales.slice(1).join(", ")} or none`,
    defaultDescription: "none",
    coerce: joinRepeated,
  },
  mount: {
    type: "string",
    describe: `Framework of an application that the server is part of: ${mounts.slice(1).join(", ")} or none`,
    defaultDescription: "none",
    coerce: joinRepeated,
  },
  schema: {
    type: "string",
    describe: "Schema library of the tools: zod, valibot, arktype or json (plain JSON Schema)",
    defaultDescription: "zod",
    coerce: joinRepeated,
  },
  client: { type: "boolean", describe: "Include a client" },
  from: {
    type: "string",
    describe: "Create the tools from an OpenAPI document, a list of tools, or a lock file of `client`",
    coerce: joinRepeated,
  },
  only: {
    type: "string",
    describe: "With --from: comma-separated tags, names and paths to include; * matches any text",
    defaultDescription: "all operations",
    coerce: joinRepeated,
  },
  output: {
    type: "string",
    describe:
      "With --from and OpenAPI: no output schemas (none), a warning when a response deviates (loose), or an error (strict)",
    defaultDescription: "loose",
    coerce: joinRepeated,
  },
  extras: {
    type: "string",
    describe: `Comma-separated extra files, all or none: ${extras.join(", ")}`,
    defaultDescription: "agents",
    coerce: joinRepeated,
  },
  runtime: {
    type: "string",
    describe: "mcp-server-runtime as a dependency, or vendored (a copy inside the project)",
    defaultDescription: "dependency",
    coerce: joinRepeated,
  },
  "package-manager": {
    alias: "pm",
    type: "string",
    describe: "Package manager: npm, pnpm, yarn or bun",
    defaultDescription: "the one that runs the command",
    coerce: joinRepeated,
  },
  yes: { alias: "y", type: "boolean", default: false, describe: "Use defaults instead of prompts" },
  install: { type: "boolean", default: true, describe: "Install dependencies, build, and make a first call" },
  git: { type: "boolean", default: true, describe: "Create a git repository with a first commit" },
  "dry-run": { type: "boolean", default: false, describe: "List the files; write nothing" },
} as const;

/** Joins the values of an option. An option given twice arrives as a list. */
function joinRepeated(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
