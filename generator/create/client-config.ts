import { jsonText } from "./json-text.ts";

/** A built server, as hosts start it. */
export interface ServerCommand {
  /** How the host calls it. */
  readonly name: string;
  /** Absolute path of the program that Node runs. */
  readonly program: string;
}

/** `claude_desktop_config.json` of Claude Desktop. */
export function desktopConfig({ name, program }: ServerCommand): string {
  return jsonText({ mcpServers: { [name]: { command: "node", args: [program] } } });
}

/** `.cursor/mcp.json` of Cursor. */
export function cursorConfig(server: ServerCommand): string {
  return desktopConfig(server);
}

/** `.vscode/mcp.json` of VS Code. */
export function vscodeConfig({ name, program }: ServerCommand): string {
  return jsonText({ servers: { [name]: { type: "stdio", command: "node", args: [program] } } });
}

/** The command that adds the server to Claude Code. */
export function claudeCodeCommand({ name, program }: ServerCommand): string {
  return `claude mcp add ${name} -- node ${quoteForShell(program)}`;
}

/** A word as a POSIX shell reads it: as it is when it is plain, otherwise in single quotes. */
export function quoteForShell(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
