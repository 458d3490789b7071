import type { Templates } from "../../internal/templates.ts";
import { jsonText } from "../../internal/json-text.ts";
import type { Tree } from "../../internal/tree.ts";
import { accessVariables } from "../create/access-files.ts";
import { bundleOf } from "../create/deploy-target.ts";
import { greet, measureText } from "../create/example-tools.ts";
import { commandsOf, type PackageManager } from "../create/package-manager.ts";
import type { Mount } from "../mount/frameworks.ts";
import { withRequired, type Extra, type Selection, type Service } from "../create/project-choices.ts";
import { isEliciting, type ProjectOptions } from "../create/project-options.ts";
import { hasSkillFolder } from "../create/project-packages.ts";
import { describeRevisions } from "../layer/catalogue.ts";
import type { Feature } from "../layer/choices.ts";
import { cardFileText } from "./card-file.ts";
import {
  addressText,
  commandText,
  desktopConfig,
  hostFiles,
  nodeOptions,
  serverCommand,
  type Host,
  type ServerCommand,
} from "./host-files.ts";
import { emitPlugin } from "./plugin-files.ts";
import { variablesOf, type ServerVariable } from "./server-variables.ts";

/** Templates of the extra files. */
export const extraTemplates: readonly string[] = [
  "extras/Dockerfile",
  "extras/_dockerignore",
  "extras/ci.yml",
  "extras/_oxlintrc.json",
  "extras/server.json",
  "extras/publish.yml",
  "extras/manifest.json",
  "extras/_mcpbignore",
  "extras/AGENTS.md",
  "extras/telemetry.ts",
];

/** Emits the files for other programs, by path. */
export function emitExtras(options: ProjectOptions, templates: Templates): Tree {
  const { name, selection, manager, runtime, launcher, source } = options;
  const { transport, auth, features, extras } = selection;
  const server = serverCommand(options);
  const own = source?.contract.tools.map((tool) => ({ name: tool.name, description: tool.description ?? tool.name }));
  const view = {
    name,
    hostName: server.name,
    registryName: registryName(server),
    revisionText: describeRevisions(options.revisions),
    stdio: isOnStdio(transport),
    http: transport === "http",
    both: transport === "both",
    worker: transport === "worker",
    packaged: isPackaged(selection),
    definition: definitionPath(selection),
    bundle: bundleOf(selection.target),
    handler: isOnHttp(transport),
    app: mountTexts[selection.mount],
    next: selection.mount === "next",
    reloads: transport !== "worker" && selection.mount === "none",
    keyed: auth === "api-key",
    ...definersView(withRequired(features)),
    skillFolder: hasSkillFolder(selection),
    url: urlOf(selection),
    variables: accessVariables(selection).join(" and "),
    ...variableView(variablesOf(source)),
    tools: indented([...(own ?? [measureText]), ...(isEliciting(options) ? [greet] : [])], "  "),
    hasVendor: runtime.version.startsWith("file:"),
    hasLauncher: launcher !== undefined,
    ...managerView(manager, extras),
    // Both are placeholders for the program that reads the file, not for the template.
    nodeVariable: "${{ matrix.node }}",
    bundleArgs: `[${[...nodeOptions, "${__dirname}/dist/server.js"].map((word) => JSON.stringify(word)).join(", ")}]`,
  };
  const render = (file: string): string => templates.render(`extras/${file}`, view);
  return new Map(extras.flatMap((extra) => Object.entries(filesOf(extra, options, render))));
}

/** Description of the application around a mounted server. */
const mountTexts: { readonly [Name in Mount]: string } = {
  none: "",
  express: "`src/app.ts` is the application of Express, `src/server.ts` starts it",
  fastify: "`src/app.ts` is the application of Fastify, `src/server.ts` starts it",
  hono: "`src/app.ts` is the application of Hono, `src/server.ts` starts it",
  next: "`src/app/` has the routes of Next.js",
};

/** Returns the functions that create definitions, and the callbacks they check. */
function definersView(features: readonly Feature[]): object {
  const rows = [
    ["defineTool", "execute"],
    ...(features.includes("resources") ? [["defineResource", "read"]] : []),
    ...(features.includes("prompts") ? [["definePrompt", "get"]] : []),
  ] as const;
  const list = (column: 0 | 1, last: string): string =>
    rows
      .map((row) => `\`${row[column]}\``)
      .join(", ")
      .replace(/, (?=[^,]*$)/, ` ${last} `);
  const checks = list(1, "and");
  return {
    definers: list(0, "or"),
    checks:
      rows.length === 1 ? `it checks what ${checks} takes and returns` : `they check what ${checks} take and return`,
  };
}

/** Setup steps of the package manager in CI, before Node is installed. */
const setups: { readonly [Name in PackageManager]: string } = {
  npm: "",
  pnpm: "- uses: pnpm/action-setup@v4\n        with:\n          version: 12",
  yarn: "",
  bun: "- uses: oven-sh/setup-bun@v2",
};

/** Returns the commands of the package manager for the Dockerfile and the CI workflow. */
function managerView(manager: PackageManager, extras: readonly Extra[]): object {
  const { install, frozen, setup, lockFiles, run } = commandsOf(manager);
  const checks = [run("typecheck"), ...(extras.includes("lint") ? [run("lint")] : []), run("test")];
  return {
    setup: setups[manager],
    commands: [...(manager === "yarn" ? [setup] : []), frozen, ...checks],
    finalChecks: checks
      .map((command) => `\`${command}\``)
      .join(", ")
      .replace(/, (?=[^,]*$)/, " and "),
    imageSetup: setup,
    install,
    frozen,
    lockFiles,
    build: run("build"),
  };
}

function filesOf(
  extra: Extra,
  options: ProjectOptions,
  render: (name: string) => string,
): { readonly [path: string]: string } {
  switch (extra) {
    case "docker":
      return { Dockerfile: render("Dockerfile"), ".dockerignore": render("_dockerignore") };
    case "ci":
      return { ".github/workflows/ci.yml": render("ci.yml") };
    case "lint":
      return { ".oxlintrc.json": render("_oxlintrc.json") };
    case "vscode":
    case "claude-code":
    case "cursor":
      return { [hostFiles[extra]]: hostText(extra, options) };
    case "claude-desktop":
      return { "claude_desktop_config.json": `${desktopConfig(serverCommand(options))}\n` };
    case "registry":
      return {
        "server.json": render("server.json"),
        ".github/workflows/publish.yml": render("publish.yml"),
        ...(options.selection.transport !== "stdio" && { "server-card.json": cardText(options) }),
      };
    case "mcpb":
      return { "manifest.json": render("manifest.json"), ".mcpbignore": render("_mcpbignore") };
    case "plugin":
      return pluginFiles(options);
    case "agents":
      return { "AGENTS.md": render("AGENTS.md") };
    case "otel":
      return { "src/telemetry.ts": render("telemetry.ts") };
    default:
      return extra satisfies never;
  }
}

function pluginFiles(options: ProjectOptions): { readonly [path: string]: string } {
  const { transport, auth } = options.selection;
  return emitPlugin({
    packageName: options.name,
    hostName: serverCommand(options).name,
    isStarted: isOnStdio(transport),
    isKeyed: auth === "api-key",
    variables: variablesOf(options.source),
  });
}

function cardText(options: ProjectOptions): string {
  const server = serverCommand(options);
  const isKeyed = options.selection.auth === "api-key";
  const { revisions } = options;
  return cardFileText({ registryName: registryName(server), hostName: server.name, isKeyed, revisions });
}

/** Returns the configuration of a host: the address of a running HTTP server, or a command to start a server on stdio. */
function hostText(host: Host, options: ProjectOptions): string {
  const { transport, auth } = options.selection;
  const server = serverCommand(options);
  const text = isOnStdio(transport)
    ? commandText(host, server, variablesOf(options.source))
    : addressText(host, { name: server.name, url: urlOf(options.selection), isKeyed: auth === "api-key" });
  return `${text}\n`;
}

/** True if hosts start the server. */
export function isOnStdio(service: Service): boolean {
  return service === "stdio" || service === "both";
}

/** True if the program listens on a port for HTTP. */
export function isOnHttp(service: Service): boolean {
  return service === "http" || service === "both";
}

/** Name of the server in the MCP registry. Its `package.json` has to repeat it. */
export function registryName({ name }: ServerCommand): string {
  return `io.github.your-name/${name}`;
}

/** Path of the module with the server. Over HTTP it is separate from the program: applications can import it. */
export function definitionPath({ transport }: Pick<Selection, "transport">): string {
  return isOnHttp(transport) ? "src/definition.ts" : "src/server.ts";
}

/** True if npm distributes the program of a project. Functions and applications of Next.js have an address only. */
export function isPackaged({ transport, mount }: Pick<Selection, "transport" | "mount">): boolean {
  return transport !== "worker" && mount !== "next";
}

/** URL at which the server is served during development. */
export function urlOf({ target }: Pick<Selection, "target">): string {
  return target === "worker" ? "http://127.0.0.1:8787/mcp" : "http://127.0.0.1:3000/mcp";
}

/** Returns the settings that hosts and the registry request from a user, in their formats; empty when no variables are needed. */
function variableView(needed: readonly ServerVariable[]): object {
  if (needed.length === 0) return {};
  const asked = needed.map(({ name, description, isSecret: sensitive, isRequired: required }) => {
    return [name, { type: "string", title: name, description, sensitive, required, ...(!required && { default: "" }) }];
  });
  const listed = needed.map(({ isSecret, isRequired, ...words }) => ({ ...words, isRequired, isSecret }));
  return {
    userConfig: indented(Object.fromEntries(asked), "  "),
    bundleEnv: indented(Object.fromEntries(needed.map(({ name }) => [name, `\${user_config.${name}}`])), "      "),
    environmentVariables: indented(listed, "      "),
  };
}

function indented(value: object, by: string): string {
  return jsonText(value).replaceAll("\n", `\n${by}`);
}
