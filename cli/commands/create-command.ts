import { deployTargets } from "../../generator/scaffold/create/deploy-target.ts";
import { extras } from "../../generator/scaffold/create/project-choices.ts";
import { features, scales } from "../../generator/scaffold/layer/choices.ts";
import { mounts } from "../../generator/scaffold/mount/frameworks.ts";
import { providerNames } from "../../generator/scaffold/providers/provider.ts";
import { defineCommand, flag, type Command } from "./define-command.ts";

/** Joins the values of an option. An option given twice arrives as a list. */
function joinRepeated(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

const text = { type: "string", requiresArg: true, coerce: joinRepeated } as const;

const createOptions = {
  protocol: {
    ...text,
    describe: "Protocol revisions to support: one, a comma-separated list, latest or all",
    defaultDescription: "all released revisions",
  },
  spec: {
    ...text,
    describe: "Spec folder, as created by `pin`",
    defaultDescription: "the spec folder of the package",
  },
  name: {
    ...text,
    describe: "Package name",
    defaultDescription: "one like the name of the folder",
  },
  features: {
    ...text,
    describe: `Comma-separated features of the server, or all: ${features.join(", ")}`,
    defaultDescription: "tools,resources,prompts",
  },
  transport: {
    ...text,
    describe: "Transport: stdio, http or both (stdio,http); optionally also websocket and tcp, comma-separated",
    defaultDescription: "stdio; http with --auth, --provider, --scale or --mount",
  },
  target: {
    ...text,
    describe: `Platform that runs the server: ${deployTargets.join(", ")}`,
    defaultDescription: "node",
  },
  auth: {
    ...text,
    describe: "Authentication over HTTP: oauth (access tokens), api-key or none",
    defaultDescription: "none; oauth with --provider",
  },
  provider: {
    ...text,
    describe: `Authorization server of --auth oauth: ${providerNames.join(", ")}`,
    defaultDescription: "any",
  },
  scale: {
    ...text,
    describe: `Engine for several nodes behind a load balancer: ${scales.slice(1).join(", ")} or none`,
    defaultDescription: "none",
  },
  mount: {
    ...text,
    describe: `Framework of an application that the server is part of: ${mounts.slice(1).join(", ")} or none`,
    defaultDescription: "none",
  },
  schema: {
    ...text,
    describe: "Schema library of the tools: zod, valibot, arktype or json (plain JSON Schema)",
    defaultDescription: "zod",
  },
  client: { type: "boolean", describe: "Include a client" },
  from: {
    ...text,
    describe: "Create the tools from an OpenAPI document, a list of tools, or a lock file of `client`",
  },
  only: {
    ...text,
    describe: "With --from: comma-separated tags, names and paths to include; * matches any text",
    defaultDescription: "all operations",
  },
  output: {
    ...text,
    describe:
      "With --from and OpenAPI: no output schemas (none), a warning when a response deviates (loose), or an error (strict)",
    defaultDescription: "loose",
  },
  extras: {
    ...text,
    describe: `Comma-separated extra files, all or none: ${extras.join(", ")}`,
    defaultDescription: "agents",
  },
  runtime: {
    ...text,
    describe: "mcp-server-runtime as a dependency, or vendored (a copy inside the project)",
    defaultDescription: "dependency",
  },
  "package-manager": {
    alias: "pm",
    ...text,
    describe: "Package manager: npm, pnpm, yarn or bun",
    defaultDescription: "the one that runs the command",
  },
  yes: { alias: "y", ...flag, describe: "Use defaults instead of prompts" },
  install: { type: "boolean", default: true, describe: "Install dependencies, build, and make a first call" },
  git: { type: "boolean", default: true, describe: "Create a git repository with a first commit" },
  "dry-run": { ...flag, describe: "List the files; write nothing" },
} as const;

/** Command without a name, which writes a new project. */
export const createCommand: Command = defineCommand({
  call: "$0 [dir]",
  summary: "Create a project with an MCP server",
  options: {
    dir: { type: "string", describe: "Folder of the project; `.` for the current folder" },
    ...createOptions,
  },
  examples: [
    ["demo", "prompts for the choices, creates and builds the project, and makes a first call"],
    ["demo --yes --protocol latest --transport both", "no prompts: defaults for all other choices"],
    ["shop --mount express", "an application of Express, Fastify, Hono or Next.js with a server in it"],
    ["pets --from openapi.yaml", "a typed tool for each operation of an HTTP API"],
    ["shop --from openapi.yaml --only 'orders,get*'", "only the operations with this tag or name"],
    ["check -- npx some-server", "another command; each command has its own --help"],
  ],
  notes: [
    "From the registry: npm create mcp-server@latest demo -- --protocol latest. npm consumes options placed before `--`.",
    "Exit codes: 0 success, 1 check or build failed, 2 usage or I/O error, 130 interrupted.",
  ],
  run: async ({ dir = "", ...options }) => {
    const { runCreate } = await import("./create.ts");
    return runCreate({ ...options, directory: dir, flags: Object.keys(createOptions) });
  },
});
