import { existsSync } from "node:fs";
import { basename } from "node:path";
import { toAuthority } from "../../runtime/transport/listening.ts";
import { UserError } from "../../generator/internal/user-error.ts";
import { isModuleName, toModuleCommand, type Command } from "./module-command.ts";
import { parseUrl } from "../../runtime/internal/parse-url.ts";

/** Target of a command line: a server to start, one to connect to, or a file with the tools of a server. */
export type Target =
  | (Command & {
      readonly kind: "command";
      /** The served module, as the command line named it. */
      readonly module?: string;
    })
  | { readonly kind: "url"; readonly url: URL }
  | { readonly kind: "websocket"; readonly url: URL }
  | SocketTarget
  | { readonly kind: "file"; readonly path: string };

/** A server reached over TCP. */
export interface SocketTarget {
  readonly kind: "tcp";
  readonly host: string;
  readonly port: number;
}

/** Options of reading a target. */
export interface TargetOptions {
  /** True if messages also propose a file with the tools of a server. Default: true. */
  readonly takesFiles?: boolean;
  /** Platform whose quoting rules apply. Default: the current one. */
  readonly platform?: string;
}

/**
 * Reads the words after a command. A first word with a scheme is an address; one with the extension of a module is served as one. A single word
 * ending in `.json` is a file; one with spaces is a command line, unless there is a file of this name (quotes group words, nothing is expanded). All
 * other words are a command and its arguments.
 *
 * @throws {UserError} when the words name no target; the message lists the possibilities.
 */
export function readTarget(
  words: readonly string[],
  { takesFiles = true, platform = process.platform }: TargetOptions = {},
): Target {
  const [first = "", ...args] = words;
  if (first.trim() === "") throw new UserError(`no server is given; pass ${choicesText(takesFiles)}.`);
  rejectVariable(first);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(first)) return readAddress(first, args);
  if (isModuleName(first) && (!/\s/.test(first) || existsSync(first)))
    return { kind: "command", ...toModuleCommand(first, args), module: first };
  if (args.length > 0) return { kind: "command", command: first, args };
  if (/\.json$/i.test(first)) return readFile(first);
  const [command = "", ...rest] = existsSync(first) ? [first] : splitWords(first, platform);
  return { kind: "command", command, args: rest };
}

/** Rejects a variable in front of a command, which only shells know. Its value, which may be secret, is not repeated. */
function rejectVariable(word: string): void {
  const [, name] = /^([A-Za-z_]\w*)=/.exec(word) ?? [];
  if (name === undefined || existsSync(word)) return;
  throw new UserError(`the command begins with the variable ${name}; pass --env ${name}=value instead.`);
}

function choicesText(takesFiles: boolean): string {
  const file = takesFiles ? "a .json file that lists its tools, " : "";
  return `an address such as http://127.0.0.1:3000/mcp (or ws://, tcp://), a module such as dist/server.js, ${file}or a command after --, such as -- npx some-server --flag`;
}

/** Returns the name of a target for messages, without possible secrets. */
export function describeTarget(target: Target): string {
  switch (target.kind) {
    case "url":
    case "websocket":
      return target.url.origin + target.url.pathname;
    case "tcp":
      return `tcp://${toAuthority(target.host)}:${target.port}`;
    case "file":
      return target.path;
    case "command":
      return describeCommand(target);
    default:
      return target satisfies never;
  }
}

/** Describes a command. A launcher is described together with its program. */
function describeCommand({ command, args, module }: Command & { readonly module?: string }): string {
  if (module !== undefined) return module;
  const name = basename(command).replace(/\.(exe|cmd)$/i, "");
  const program = args.find((word) => !word.startsWith("-"));
  const isTold = program !== undefined && launchers.includes(name) && /^(?:[a-z]:)?[@\w./\\-]+$/i.test(program);
  return isTold ? `${name} ${program}` : command;
}

const launchers: readonly string[] = ["node", "npx", "bunx", "bun", "deno", "tsx", "python", "python3", "uvx"];

function readAddress(text: string, rest: readonly string[]): Target {
  if (rest.length > 0) throw new UserError(`unexpected arguments after the address (${rest.join(" ")}); remove them.`);
  const url = parseUrl(text);
  switch (url?.protocol) {
    case "http:":
    case "https:":
      return { kind: "url", url };
    case "ws:":
    case "wss:":
      // Clients must not send a fragment, and do not connect to an address with one.
      url.hash = "";
      return { kind: "websocket", url };
    case "tcp:":
      return readSocketAddress(text, url);
    default:
      throw new UserError(
        `${JSON.stringify(text)} is not the address of a server; use for example https://example.org/mcp, ws://127.0.0.1:3000/mcp or tcp://127.0.0.1:4000`,
      );
  }
}

function readSocketAddress(text: string, { hostname, port, href }: URL): SocketTarget {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (Number(port) > 0 && /^tcp:\/\/[^/?#@]+\/?$/.test(href)) return { kind: "tcp", host, port: Number(port) };
  throw new UserError(
    `${JSON.stringify(text)} is not a TCP address; use tcp://HOST:PORT, for example tcp://127.0.0.1:4000`,
  );
}

function readFile(path: string): Target {
  if (!existsSync(path)) throw new UserError(`${path} does not exist; check the path.`);
  return { kind: "file", path };
}

/**
 * Splits a command line into words. Quotes group; a backslash takes the next character literally, but not within single quotes. On Windows,
 * backslashes and apostrophes are parts of paths.
 */
function splitWords(line: string, platform: string): string[] {
  const isWindows = platform === "win32";
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const isEscape = character === "\\" && quote !== "'" && !isWindows && at + 1 < line.length;
    if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" && (character === '"' || (character === "'" && !(isWindows && word !== undefined)))) {
      quote = character;
      word ??= "";
    } else if (character === quote) quote = "";
    else word = (word ?? "") + (isEscape ? line.charAt((at += 1)) : character);
  }
  if (quote !== "") throw new UserError(`the command ${JSON.stringify(line)} has an unclosed quote; close it.`);
  return word === undefined ? words : [...words, word];
}
