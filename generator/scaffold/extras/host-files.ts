import { quoteForShell } from "../../internal/text.ts";
import { jsonText } from "../../internal/json-text.ts";
import type { Extra } from "../create/project-choices.ts";
import type { ServerVariable } from "./server-variables.ts";

/** A built server as hosts start it. */
export interface ServerCommand {
  /** Name of the server in the configuration of a host. */
  readonly name: string;
  /** Absolute path of the program that Node runs. */
  readonly program: string;
  /** Environment variables that the server needs; hosts pass on hardly any of their own. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Options of Node that make stack traces name sources instead of lines of the bundle. */
export const nodeOptions: readonly string[] = ["--enable-source-maps"];

/** Text of `claude_desktop_config.json` for Claude Desktop; the host starts the server. */
export function desktopConfig({ name, program, env }: ServerCommand): string {
  const args = [...nodeOptions, program];
  return jsonText({ mcpServers: { [name]: { command: "node", args, ...(env && { env }) } } });
}

/** Text of `.cursor/mcp.json` for Cursor; the host starts the server. */
export function cursorConfig(server: ServerCommand): string {
  return desktopConfig(server);
}

/** Text of `.vscode/mcp.json` for VS Code; the host starts the server. */
export function vscodeConfig({ name, program, env }: ServerCommand): string {
  const args = [...nodeOptions, program];
  return jsonText({ servers: { [name]: { type: "stdio", command: "node", args, ...(env && { env }) } } });
}

/** Command that adds the server to Claude Code. */
export function claudeCodeCommand({ name, program, env = {} }: ServerCommand): string {
  const variables = Object.entries(env).map(([key, value]) => `--env ${key}=${quoteForShell(value)} `);
  return `claude mcp add ${name} ${variables.join("")}-- node ${[...nodeOptions, quoteForShell(program)].join(" ")}`;
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
  /** Absent for servers with an address: Claude Desktop starts servers, but does not reach those of this machine. */
  readonly claudeDesktop?: string;
  readonly claudeCode: string;
  readonly vscode: string;
  readonly cursor: string;
}

/** Returns the configurations for a server that hosts start. */
export function configsOfCommand(server: ServerCommand): HostConfigs {
  return {
    claudeDesktop: desktopConfig(server),
    claudeCode: claudeCodeCommand(server),
    vscode: vscodeConfig(server),
    cursor: cursorConfig(server),
  };
}

/** Returns the configurations for a server with an address. */
export function configsOfAddress(server: ServerAddress): HostConfigs {
  const { name, url, isKeyed } = server;
  return {
    claudeCode: `claude mcp add --transport http ${name} ${url}${isKeyed ? ` --header "${keyHeader}: $KEY"` : ""}`,
    vscode: vscodeAddress(server),
    cursor: cursorAddress(server),
  };
}

/** Header that carries the API key. The key itself does not belong in a file: each host asks for it or reads it from its environment. */
const keyHeader = "X-API-Key";

/** Text of `.vscode/mcp.json` for VS Code, with the address of a running server. */
export function vscodeAddress({ name, url, isKeyed }: ServerAddress): string {
  const input = { type: "promptString", id: "key", description: `Key for ${name}`, password: true };
  const headers = { [keyHeader]: "${input:key}" };
  return jsonText({
    ...(isKeyed && { inputs: [input] }),
    servers: { [name]: { type: "http", url, ...(isKeyed && { headers }) } },
  });
}

/** Text of `.cursor/mcp.json` for Cursor, with the address of a running server. */
export function cursorAddress({ name, url, isKeyed }: ServerAddress): string {
  const headers = { [keyHeader]: "${env:KEY}" };
  return jsonText({ mcpServers: { [name]: { url, ...(isKeyed && { headers }) } } });
}

/** Text of `.mcp.json` for Claude Code, with the address of a running server. */
export function claudeCodeAddress({ name, url, isKeyed }: ServerAddress): string {
  const headers = { [keyHeader]: "${KEY}" };
  return jsonText({ mcpServers: { [name]: { type: "http", url, ...(isKeyed && { headers }) } } });
}

/** Configuration files, by host, in the folder of a project that the host has opened. */
export const hostFiles = {
  vscode: ".vscode/mcp.json",
  "claude-code": ".mcp.json",
  cursor: ".cursor/mcp.json",
} as const;

/** Host that reads a configuration file from the folder of a project. */
export type Host = keyof typeof hostFiles;

/** True if an extra file is the configuration of such a host. */
export function isHost(extra: Extra): extra is Host {
  return extra in hostFiles;
}

/** Text of the configuration file for a running server, by host. */
export const addressTexts: { readonly [Name in Host]: (server: ServerAddress) => string } = {
  vscode: vscodeAddress,
  "claude-code": claudeCodeAddress,
  cursor: cursorAddress,
};

/**
 * Text of the configuration file for a server that the host starts. Of the `needed` variables it lists the required ones. The file is shared with the
 * project, so the values come from elsewhere.
 */
export function commandText(host: Host, { name }: ServerCommand, needed: readonly ServerVariable[]): string {
  const { member, base, valueOf } = habits[host];
  const required = needed.filter(({ isRequired }) => isRequired);
  const env = Object.fromEntries(required.map((variable) => [variable.name, valueOf(variable.name)]));
  const isAsked = host === "vscode" && required.length > 0;
  const entry = {
    type: "stdio",
    command: "node",
    args: [...nodeOptions, `${base}dist/server.js`],
    ...(required.length > 0 && { env }),
  };
  return jsonText({ ...(isAsked && { inputs: required.map(toInput) }), [member]: { [name]: entry } });
}

function toInput({ name, description, isSecret }: ServerVariable): object {
  return { type: "promptString", id: name, description, password: isSecret };
}

interface Habits {
  readonly member: string;
  /** Prefix of paths in the project. */
  readonly base: string;
  /** Placeholder for the value of a variable: the host asks the user for it, or reads it from its own environment. */
  valueOf(variable: string): string;
}

const habits: { readonly [Name in Host]: Habits } = {
  vscode: { member: "servers", base: "${workspaceFolder}/", valueOf: (variable) => `\${input:${variable}}` },
  "claude-code": { member: "mcpServers", base: "", valueOf: (variable) => `\${${variable}}` },
  cursor: { member: "mcpServers", base: "${workspaceFolder}/", valueOf: (variable) => `\${env:${variable}}` },
};
