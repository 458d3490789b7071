import type { Templates } from "../../internal/templates.ts";
import { jsonText } from "../../internal/json-text.ts";
import {
  desktopConfig,
  nodeOptions,
  type ServerCommand,
  addressTexts,
  commandText,
  hostFiles,
  type Host,
} from "./host-files.ts";
import type { Feature } from "../layer/choices.ts";
import { commandsOf, type PackageManager } from "../create/package-manager.ts";
import type { Extra, Service } from "../create/project-choices.ts";
import type { ServerVariable } from "./server-variables.ts";

/** Facts of a project that the files for other programs contain. */
export interface ExtraOptions {
  /** Package name of the project, with its scope. */
  readonly name: string;
  readonly server: ServerCommand;
  readonly service: Service;
  /** Features of its protocol layer. */
  readonly features: readonly Feature[];
  /** True if the server accepts only clients with an API key. */
  readonly isKeyed: boolean;
  /** Environment variables that configure authentication, in words; empty without authentication. */
  readonly variables: string;
  /** Environment variables of the API that its tools call; optional ones have `isRequired: false`. */
  readonly needed: readonly ServerVariable[];
  readonly manager: PackageManager;
  /** True if the project contains the runtime, in the folder `vendor`. */
  readonly hasVendor: boolean;
  /** True if the project runs the command line of a clone. */
  readonly hasLauncher: boolean;
  readonly extras: readonly Extra[];
  /** True if the server reads skills from a folder beside it. */
  readonly skillFolder: boolean;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** The revisions, in words, for descriptions. */
  readonly revisionText: string;
}

/** Templates of the extra files. */
export const extraTemplates: readonly string[] = [
  "extras/Dockerfile",
  "extras/_dockerignore",
  "extras/ci.yml",
  "extras/server.json",
  "extras/manifest.json",
  "extras/_mcpbignore",
  "extras/AGENTS.md",
];

/** Emits the files for other programs, by path. */
export function emitExtras(options: ExtraOptions, templates: Templates): Map<string, string> {
  const view = {
    name: options.name,
    hostName: options.server.name,
    registryName: registryName(options.server),
    revisionText: options.revisionText,
    stdio: isOnStdio(options.service),
    http: options.service === "http",
    both: options.service === "both",
    worker: options.service === "worker",
    keyed: options.isKeyed,
    ...definersView(options.features),
    skillFolder: options.skillFolder,
    url: urlOf(options.service),
    variables: options.variables,
    ...variableView(options.needed),
    tools: indented([...options.tools], "  "),
    hasVendor: options.hasVendor,
    hasLauncher: options.hasLauncher,
    ...managerView(options.manager),
    // Both are placeholders for the program that reads the file, not for the template.
    nodeVariable: "${{ matrix.node }}",
    bundleArgs: `[${[...nodeOptions, "${__dirname}/dist/server.js"].map((word) => JSON.stringify(word)).join(", ")}]`,
  };
  const render = (name: string): string => templates.render(`extras/${name}`, view);
  return new Map(options.extras.flatMap((extra) => Object.entries(filesOf(extra, options, render))));
}

/** Returns the functions that create definitions, and the callbacks that they check. */
function definersView(features: readonly Feature[]): object {
  const rows = [
    ["defineTool", "run"],
    ...(features.includes("resources") ? [["defineResource", "read"]] : []),
    ...(features.includes("prompts") ? [["definePrompt", "get"]] : []),
  ];
  const list = (words: readonly string[], last: string): string =>
    words
      .map((word) => `\`${word}\``)
      .join(", ")
      .replace(/, (?=[^,]*$)/, ` ${last} `);
  const checks = list(
    rows.flatMap(([, word = ""]) => word),
    "and",
  );
  return {
    definers: list(
      rows.flatMap(([word = ""]) => word),
      "or",
    ),
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
function managerView(manager: PackageManager): object {
  const { install, frozen, setup, lockFiles, run } = commandsOf(manager);
  return {
    setup: setups[manager],
    commands: [...(manager === "yarn" ? [setup] : []), frozen, run("typecheck"), run("test")],
    imageSetup: setup,
    install,
    frozen,
    lockFiles,
    build: run("build"),
  };
}

function filesOf(
  extra: Extra,
  options: ExtraOptions,
  render: (name: string) => string,
): { readonly [path: string]: string } {
  switch (extra) {
    case "docker":
      return { Dockerfile: render("Dockerfile"), ".dockerignore": render("_dockerignore") };
    case "ci":
      return { ".github/workflows/ci.yml": render("ci.yml") };
    case "vscode":
    case "claude-code":
    case "cursor":
      return { [hostFiles[extra]]: hostText(extra, options) };
    case "claude-desktop":
      return { "claude_desktop_config.json": `${desktopConfig(options.server)}\n` };
    case "registry":
      return { "server.json": render("server.json") };
    case "mcpb":
      return { "manifest.json": render("manifest.json"), ".mcpbignore": render("_mcpbignore") };
    case "agents":
      return { "AGENTS.md": render("AGENTS.md") };
    default:
      return extra satisfies never;
  }
}

/** Returns the configuration of a host: an address of a running HTTP server, or a command that starts a server on stdio. */
function hostText(host: Host, { server, service, isKeyed, needed }: ExtraOptions): string {
  const text = isOnStdio(service)
    ? commandText(host, server, needed)
    : addressTexts[host]({ name: server.name, url: urlOf(service), isKeyed });
  return `${text}\n`;
}

/** True if hosts start the server. */
export function isOnStdio(service: Service): boolean {
  return service === "stdio" || service === "both";
}

/** Name of the server in the MCP registry. Its `package.json` has to repeat it. */
export function registryName({ name }: ServerCommand): string {
  return `io.github.your-name/${name}`;
}

/** URL at which the server is served during development. */
export function urlOf(service: Service): string {
  return service === "worker" ? "http://127.0.0.1:8787/mcp" : "http://127.0.0.1:3000/mcp";
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
