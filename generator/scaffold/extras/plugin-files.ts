import { jsonText } from "../../internal/json-text.ts";
import { exampleUrl } from "./card-file.ts";
import { toEntryName } from "./host-files.ts";
import type { ServerVariable } from "./server-variables.ts";

/** Server of a project as plugins start or reach it. */
export interface PluginServer {
  /** Name of the npm package. */
  readonly packageName: string;
  /** Name of the server in the configuration of a host. */
  readonly hostName: string;
  /** True if hosts start the package; otherwise they reach the server at an address. */
  readonly isStarted: boolean;
  /** True if the server accepts only clients with an API key. */
  readonly isKeyed: boolean;
  /** Environment variables of the server. */
  readonly variables: readonly ServerVariable[];
}

/**
 * Returns the files of a plugin, by path, in two formats: Agent Plugins and Claude Code. The plugin contains no code. Its server is the published
 * package, or an address.
 *
 * @see https://agent-plugins.org
 */
export function emitPlugin(server: PluginServer): { readonly [path: string]: string } {
  const manifest = {
    name: toPluginName(server.hostName),
    version: "0.1.0",
    description: "A Model Context Protocol server.",
  };
  const entry = server.isStarted ? startedEntry(server) : { type: "streamable-http", url: exampleUrl(server.hostName) };
  return {
    "plugin/plugin.json": textOf({ $schema: schemaOf("plugin"), ...manifest }),
    "plugin/mcp.json": textOf({ $schema: schemaOf("mcp"), mcpServers: { [toEntryName(server.hostName)]: entry } }),
    "plugin/.claude-plugin/plugin.json": textOf({
      ...manifest,
      mcpServers: { [toEntryName(server.hostName)]: claudeEntry(server) },
    }),
  };
}

/** Returns a valid name for a plugin: small letters, digits, and single hyphens and dots between them. */
export function toPluginName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .replace(/-{2,}/g, "-")
    .replace(/\.{2,}/g, ".")
    .slice(0, 64)
    .replace(/^[.-]+|[.-]+$/g, "");
  return plain === "" ? "server" : plain;
}

function startedEntry({ packageName }: PluginServer): {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
} {
  return { type: "stdio", command: "npx", args: ["-y", packageName] };
}

/** Claude Code replaces the names of variables by their values. The other format has no values from outside. */
function claudeEntry(server: PluginServer): object {
  const { isStarted, isKeyed, variables } = server;
  const required = variables.filter(({ isRequired }) => isRequired).map(({ name }) => [name, `\${${name}}`]);
  if (isStarted) return { ...startedEntry(server), ...(required.length > 0 && { env: Object.fromEntries(required) }) };
  return { type: "http", url: exampleUrl(server.hostName), ...(isKeyed && { headers: { "X-API-Key": "${KEY}" } }) };
}

function schemaOf(kind: "plugin" | "mcp"): string {
  return `https://agent-plugins.org/schemas/1.0.0/${kind}.schema.json`;
}

function textOf(value: object): string {
  return `${jsonText(value)}\n`;
}
