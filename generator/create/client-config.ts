import { jsonText } from "./json-text.ts";

/** A built server, as hosts start it. */
export interface ServerCommand {
  /** How the host calls it. */
  readonly name: string;
  /** Absolute path of the program that Node runs. */
  readonly program: string;
  /** Variables that it needs: hosts pass on hardly any of their own. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** Options of Node with which stack traces name sources instead of lines of the bundle. */
export const nodeOptions: readonly string[] = ["--enable-source-maps"];

/** `claude_desktop_config.json` of Claude Desktop. */
export function desktopConfig({ name, program, env }: ServerCommand): string {
  const args = [...nodeOptions, program];
  return jsonText({ mcpServers: { [name]: { command: "node", args, ...(env && { env }) } } });
}

/** `.cursor/mcp.json` of Cursor. */
export function cursorConfig(server: ServerCommand): string {
  return desktopConfig(server);
}

/** `.vscode/mcp.json` of VS Code. */
export function vscodeConfig({ name, program, env }: ServerCommand): string {
  const args = [...nodeOptions, program];
  return jsonText({ servers: { [name]: { type: "stdio", command: "node", args, ...(env && { env }) } } });
}

/** The command that adds the server to Claude Code. */
export function claudeCodeCommand({ name, program, env = {} }: ServerCommand): string {
  const variables = Object.entries(env).map(([key, value]) => `--env ${key}=${quoteForShell(value)} `);
  return `claude mcp add ${name} ${variables.join("")}-- node ${[...nodeOptions, quoteForShell(program)].join(" ")}`;
}

/** A server that runs already, as hosts reach it. */
export interface ServerAddress {
  readonly name: string;
  readonly url: string;
  /** Whether it lets in only who shows a key. */
  readonly isKeyed: boolean;
}

/** What the README of a project shows of each host. */
export interface HostConfigs {
  /** Claude Desktop starts servers, but does not reach those of this machine. */
  readonly claudeDesktop?: string;
  readonly claudeCode: string;
  readonly vscode: string;
  readonly cursor: string;
}

/** For a server that hosts start. */
export function configsOfCommand(server: ServerCommand): HostConfigs {
  return {
    claudeDesktop: desktopConfig(server),
    claudeCode: claudeCodeCommand(server),
    vscode: vscodeConfig(server),
    cursor: cursorConfig(server),
  };
}

/** For a server that is reached at an address. */
export function configsOfAddress(server: ServerAddress): HostConfigs {
  const { name, url, isKeyed } = server;
  return {
    claudeCode: `claude mcp add --transport http ${name} ${url}${isKeyed ? ` --header "${keyHeader}: $KEY"` : ""}`,
    vscode: vscodeAddress(server),
    cursor: cursorAddress(server),
  };
}

/** Each host has words of its own for a key that does not belong into a file: it asks for it, or takes it from its environment. */
const keyHeader = "X-API-Key";

/** `.vscode/mcp.json` of VS Code. */
export function vscodeAddress({ name, url, isKeyed }: ServerAddress): string {
  const input = { type: "promptString", id: "key", description: `Key for ${name}`, password: true };
  const headers = { [keyHeader]: "${input:key}" };
  return jsonText({
    ...(isKeyed && { inputs: [input] }),
    servers: { [name]: { type: "http", url, ...(isKeyed && { headers }) } },
  });
}

/** `.cursor/mcp.json` of Cursor. */
export function cursorAddress({ name, url, isKeyed }: ServerAddress): string {
  const headers = { [keyHeader]: "${env:KEY}" };
  return jsonText({ mcpServers: { [name]: { url, ...(isKeyed && { headers }) } } });
}

/** `.mcp.json` of Claude Code. */
export function claudeCodeAddress({ name, url, isKeyed }: ServerAddress): string {
  const headers = { [keyHeader]: "${KEY}" };
  return jsonText({ mcpServers: { [name]: { type: "http", url, ...(isKeyed && { headers }) } } });
}

/** A word as the shells of a platform read it: as it is when it is plain, otherwise in quotes. Of Windows both shells know double ones only. */
export function quoteForShell(word: string, platform: string = process.platform): string {
  if (platform === "win32")
    return /^[\w+=:./\\-]+$/.test(word) ? word : `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, "$&$&")}"`;
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
