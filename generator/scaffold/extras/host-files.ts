import { join } from "node:path";
import { quoteForShell } from "../../internal/text.ts";
import { jsonText } from "../../internal/json-text.ts";
import type { Extra } from "../create/project-choices.ts";
import type { ProjectOptions } from "../create/project-options.ts";
import { variablesOf, type ServerVariable } from "./server-variables.ts";

/** A built server as hosts start it. */
export interface ServerCommand {
  /** Name of the server in the configuration of a host. */
  readonly name: string;
  /** Absolute path of the program to run with Node. */
  readonly program: string;
  /** Environment variables of the server; hosts pass on hardly any of their own. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Returns the server of a project, as hosts on this machine start it. */
export function serverCommand({ name, folder, source }: ProjectOptions): ServerCommand {
  const required = variablesOf(source).filter(({ isRequired }) => isRequired);
  return {
    name: name.slice(name.indexOf("/") + 1),
    program: join(folder, "dist", "server.js"),
    env: required.length > 0 ? Object.fromEntries(required.map((variable) => [variable.name, "..."])) : undefined,
  };
}

/** Returns the name of a server in the configuration of hosts. Claude Code permits no dots, which names of packages may have. */
export function toEntryName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "-");
}

/** Options of Node for stack traces with the lines of sources instead of lines of the bundle. */
export const nodeOptions: readonly string[] = ["--enable-source-maps"];

/** Text of `claude_desktop_config.json` for Claude Desktop; the host starts the server. */
export function desktopConfig({ name, program, env }: ServerCommand): string {
  const args = [...nodeOptions, program];
  return jsonText({ mcpServers: { [toEntryName(name)]: { command: "node", args, ...(env && { env }) } } });
}

/** Text of `.vscode/mcp.json` for VS Code; the host starts the server. */
function vscodeConfig({ name, program, env }: ServerCommand): string {
  const args = [...nodeOptions, program];
  return jsonText({ servers: { [toEntryName(name)]: { type: "stdio", command: "node", args, ...(env && { env }) } } });
}

/** Command for adding the server to Claude Code, for a shell in the folder of the project. */
function claudeCodeCommand({ name, env = {} }: Omit<ServerCommand, "program">): string {
  const variables = Object.entries(env).map(([key, value]) => `--env ${key}=${quoteForShell(value)} `);
  return `claude mcp add ${toEntryName(name)} ${variables.join("")}-- node ${nodeOptions.join(" ")} "$PWD/dist/server.js"`;
}

/** A running server as hosts reach it. */
export interface ServerAddress {
  readonly name: string;
  readonly url: string;
  /** True if the server accepts only clients with an API key. */
  readonly isKeyed: boolean;
}

/** Configurations for each host, as the README of a project shows them. */
export interface HostConfigs {
  /** Absent for servers with an address: Claude Desktop starts servers, but does not reach a running server on this machine. */
  readonly claudeDesktop?: string;
  readonly claudeCode: string;
  readonly vscode: string;
  readonly cursor: string;
}

/** Returns the configurations of hosts for a server on stdio. None contains a path of this machine: the README is shared. */
export function configsOfCommand({ name, env }: Omit<ServerCommand, "program">): HostConfigs {
  const opened = { name, env, program: "${workspaceFolder}/dist/server.js" };
  return {
    claudeDesktop: desktopConfig({ name, env, program: `/path/to/${name}/dist/server.js` }),
    claudeCode: claudeCodeCommand({ name, env }),
    vscode: vscodeConfig(opened),
    cursor: desktopConfig(opened),
  };
}

/** Returns the configurations for a server with an address. */
export function configsOfAddress(server: ServerAddress): HostConfigs {
  const { name, url, isKeyed } = server;
  return {
    claudeCode: `claude mcp add --transport http ${toEntryName(name)} ${url}${isKeyed ? ` --header "${keyHeader}: $KEY"` : ""}`,
    vscode: addressText("vscode", server),
    cursor: addressText("cursor", server),
  };
}

/** Header for the API key. The key itself does not belong in a file: each host asks for it or reads it from its environment. */
const keyHeader = "X-API-Key";

/** Configuration files in the folder of a project, by the host that reads them. */
export const hostFiles = {
  vscode: ".vscode/mcp.json",
  "claude-code": ".mcp.json",
  cursor: ".cursor/mcp.json",
} as const;

/** Host with a configuration file in the folder of a project. */
export type Host = keyof typeof hostFiles;

/** True if an extra file is the configuration of such a host. */
export function isHost(extra: Extra): extra is Host {
  return extra in hostFiles;
}

/** Text of the configuration file for a running server. */
export function addressText(host: Host, { name, url, isKeyed }: ServerAddress): string {
  const { member, valueOf } = formats[host];
  const isVscode = host === "vscode";
  const inputs = [toInput({ name: "key", description: `Key for ${name}`, isSecret: true })];
  const headers = { [keyHeader]: valueOf(isVscode ? "key" : "KEY") };
  const type = host === "cursor" ? {} : { type: "http" };
  const entry = { ...type, url, ...(isKeyed && { headers }) };
  return jsonText({ ...(isKeyed && isVscode && { inputs }), [member]: { [toEntryName(name)]: entry } });
}

/**
 * Text of the configuration file for a server started by the host. Of the `needed` variables it lists the required ones. The file is shared with the
 * project, so the values come from elsewhere.
 */
export function commandText(host: Host, { name }: ServerCommand, needed: readonly ServerVariable[]): string {
  const { member, base, valueOf } = formats[host];
  const required = needed.filter(({ isRequired }) => isRequired);
  const env = Object.fromEntries(required.map((variable) => [variable.name, valueOf(variable.name)]));
  const isAsked = host === "vscode" && required.length > 0;
  const entry = {
    type: "stdio",
    command: "node",
    args: [...nodeOptions, `${base}dist/server.js`],
    ...(required.length > 0 && { env }),
  };
  return jsonText({ ...(isAsked && { inputs: required.map(toInput) }), [member]: { [toEntryName(name)]: entry } });
}

function toInput({ name, description, isSecret }: Omit<ServerVariable, "isRequired">): object {
  return { type: "promptString", id: name, description, password: isSecret };
}

interface HostFormat {
  readonly member: string;
  /** Prefix of paths in the project. */
  readonly base: string;
  /** Placeholder for the value of a variable: the host asks the user for it, or reads it from its own environment. */
  valueOf(variable: string): string;
}

const formats: { readonly [Name in Host]: HostFormat } = {
  vscode: { member: "servers", base: "${workspaceFolder}/", valueOf: (variable) => `\${input:${variable}}` },
  "claude-code": { member: "mcpServers", base: "", valueOf: (variable) => `\${${variable}}` },
  cursor: { member: "mcpServers", base: "${workspaceFolder}/", valueOf: (variable) => `\${env:${variable}}` },
};
