import {
  claudeCodeAddress,
  cursorAddress,
  nodeOptions,
  vscodeAddress,
  type ServerAddress,
  type ServerCommand,
} from "./client-config.ts";
import { jsonText } from "./json-text.ts";
import type { Extra } from "./project-choices.ts";
import type { ServerVariable } from "./server-variables.ts";

/** Where hosts look that are opened in the folder of a project. */
export const hostFiles = {
  vscode: ".vscode/mcp.json",
  "claude-code": ".mcp.json",
  cursor: ".cursor/mcp.json",
} as const;

/** One of these hosts. */
export type Host = keyof typeof hostFiles;

/** Whether a further file is one of theirs. */
export function isHost(extra: Extra): extra is Host {
  return extra in hostFiles;
}

/** What such a file says of a server that runs already. */
export const addressTexts: { readonly [Name in Host]: (server: ServerAddress) => string } = {
  vscode: vscodeAddress,
  "claude-code": claudeCodeAddress,
  cursor: cursorAddress,
};

/**
 * What such a file says of a server that the host starts: `needed` are the variables without which it cannot work. The file belongs to the
 * project and to everybody who has it, so that their values come from elsewhere.
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
  /** What paths of the project begin with. */
  readonly base: string;
  /** Stands for the value of a variable that the file does not know: asked for, or of the host's own environment. */
  valueOf(variable: string): string;
}

const habits: { readonly [Name in Host]: Habits } = {
  vscode: { member: "servers", base: "${workspaceFolder}/", valueOf: (variable) => `\${input:${variable}}` },
  "claude-code": { member: "mcpServers", base: "", valueOf: (variable) => `\${${variable}}` },
  cursor: { member: "mcpServers", base: "${workspaceFolder}/", valueOf: (variable) => `\${env:${variable}}` },
};
