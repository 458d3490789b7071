import { existsSync } from "node:fs";
import { basename } from "node:path";
import { toAuthority } from "../../runtime/transport/listening.ts";
import { UserError } from "../user-error.ts";
import { isModuleName, toModuleCommand, type Command } from "./module-command.ts";

/** What a person named on the command line: a server to start, one to reach, or a file that tells what a server offers. */
export type Target =
  | (Command & {
      readonly kind: "command";
      /** The module that it serves, as it was named. */
      readonly module?: string;
    })
  | { readonly kind: "url"; readonly url: URL }
  | { readonly kind: "websocket"; readonly url: URL }
  | SocketTarget
  | { readonly kind: "file"; readonly path: string };

/** Server that is reached over TCP. */
export interface SocketTarget {
  readonly kind: "tcp";
  readonly host: string;
  readonly port: number;
}

/** What a command can do with a target. */
export interface TargetOptions {
  /** Whether a file that tells what a server offers is proposed, too. Default: yes. */
  readonly takesFiles?: boolean;
  /** Default: the one that this runs on. */
  readonly platform?: string;
}

/**
 * Reads the words after a command. A first word with a scheme is an address, one with the ending of a module is served as one; a single word that
 * ends in `.json` is a file, one with spaces that is no file a command line (quotes group words, nothing is expanded); else they are a command and its arguments.
 * Throws a {@link UserError} that says what is possible.
 */
export function readTarget(
  words: readonly string[],
  { takesFiles = true, platform = process.platform }: TargetOptions = {},
): Target {
  const [first = "", ...args] = words;
  if (first.trim() === "") throw new UserError(`name a server: ${choicesText(takesFiles)}.`);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(first)) return readAddress(first, args);
  if (isModuleName(first) && (!/\s/.test(first) || existsSync(first)))
    return { kind: "command", ...toModuleCommand(first, args), module: first };
  if (args.length > 0) return { kind: "command", command: first, args };
  if (/\.json$/i.test(first)) return readFile(first);
  const [command = "", ...rest] = existsSync(first) ? [first] : splitWords(first, platform);
  return { kind: "command", command, args: rest };
}

function choicesText(takesFiles: boolean): string {
  const file = takesFiles ? "a .json file that lists its tools, " : "";
  return `an address such as http://127.0.0.1:3000/mcp (or ws://, tcp://), a module such as dist/server.js, ${file}or a command after --, such as -- npx some-server --flag`;
}

/** How a target is called in messages: without what may be secret. */
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

/** A program that runs others is known by the one that it runs. */
function describeCommand({ command, args, module }: Command & { readonly module?: string }): string {
  if (module !== undefined) return module;
  const name = basename(command).replace(/\.(exe|cmd)$/i, "");
  const program = args.find((word) => !word.startsWith("-"));
  const isTold = program !== undefined && launchers.includes(name) && /^(?:[a-z]:)?[@\w./\\-]+$/i.test(program);
  return isTold ? `${name} ${program}` : command;
}

const launchers: readonly string[] = ["node", "npx", "bunx", "bun", "deno", "tsx", "python", "python3", "uvx"];

function readAddress(text: string, rest: readonly string[]): Target {
  if (rest.length > 0) throw new UserError(`${rest.join(" ")}: an address takes no arguments.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  switch (url?.protocol) {
    case "http:":
    case "https:":
      return { kind: "url", url };
    case "ws:":
    case "wss:":
      // Clients must not send a fragment, and connect to no address that has one.
      url.hash = "";
      return { kind: "websocket", url };
    case "tcp:":
      return readSocketAddress(text, url);
    default:
      throw new UserError(
        `${JSON.stringify(text)} is not an address of a server. Write for example https://example.org/mcp, ws://127.0.0.1:3000/mcp or tcp://127.0.0.1:4000`,
      );
  }
}

function readSocketAddress(text: string, { hostname, port, href }: URL): SocketTarget {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (Number(port) > 0 && /^tcp:\/\/[^/?#@]+\/?$/.test(href)) return { kind: "tcp", host, port: Number(port) };
  throw new UserError(
    `${JSON.stringify(text)} is not a TCP address. Write tcp://HOST:PORT, for example tcp://127.0.0.1:4000`,
  );
}

function readFile(path: string): Target {
  if (!existsSync(path)) throw new UserError(`there is no file ${path}. Check the path.`);
  return { kind: "file", path };
}

/**
 * Words of a command line: quotes group, a backslash takes the next character as it is (but not within single quotes). Of Windows' paths backslashes
 * and apostrophes are parts.
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
  if (quote !== "") throw new UserError(`the command ${JSON.stringify(line)} has a quote that is never closed.`);
  return word === undefined ? words : [...words, word];
}
