import { jsonText } from "../../internal/json-text.ts";
import { claudeCodeAddress, cursorAddress, nodeOptions, vscodeAddress, type ServerAddress, type ServerCommand } from "./client-config.ts";
import type { Extra } from "../create/project-choices.ts";
import type { ServerVariable } from "./server-variables.ts";

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
