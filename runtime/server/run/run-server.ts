import { fstatSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { ListenOptions } from "../../transport/http-server/listen.ts";
import { releaseStdout } from "../../transport/stdio/stdout.ts";
import { readCommandLine, type Service } from "./command-line.ts";
import { serveHttp } from "./serve-http.ts";
import {
  closeOnSignal,
  readHosts,
  readPortOption,
  toPort,
  warnOfOpenServer,
  type PortOptions,
} from "./port-options.ts";
import type { ServerConnectionOptions } from "./acceptor.ts";
import type { CoreServer } from "../create-server.ts";
import { serveStdio } from "./serve-stdio.ts";

/** Words of the command line that a server reads. */
export interface CommandLineOptions {
  /**
   * Words after the name of the program. A program with options of its own leaves them out here, because unknown options end it with 2.
   * Default: those of the process.
   */
  readonly args?: readonly string[];
  /** Further transports, created by `createFurtherTransports`. Default: none. */
  readonly further?: FurtherTransports;
}

/** Further transports of a program. */
export interface FurtherTransports {
  /** Options of the command line that name their ports. */
  readonly names: readonly string[];
  /** Listens on the ports that are given, until SIGINT or SIGTERM. Returns whether any is. */
  serve(server: CoreServer, options: ServerConnectionOptions, ports: PortOptions): Promise<boolean>;
}

/** How a program that is a server behaves; the command line and the environment win. */
export type RunOptions = ListenOptions & ServerConnectionOptions & CommandLineOptions;

/** Serves on stdin and stdout until the client goes away. `--help` and `--version` print a text instead. */
export async function runStdio(
  server: CoreServer,
  options: ServerConnectionOptions & CommandLineOptions = {},
): Promise<void> {
  const ports = await readArguments(server, options, "stdio");
  if (await serveFurther(server, options, ports)) return;
  await serveStdio(server, options).closed;
}

/**
 * Serves over HTTP until SIGINT or SIGTERM, Ctrl-C or Ctrl-Break: `--http PORT`, or the variable `MCP_HTTP_PORT` or `PORT`; `HOST` and `ALLOWED_HOSTS`
 * (names with commas) let other machines in. `/health` answers `200`. Everything for people goes to stderr. Where it cannot listen, the process says why and
 * ends with 1: `serveHttp` throws instead.
 */
export async function runHttp(server: CoreServer, options: RunOptions = {}): Promise<void> {
  const ports = await readArguments(server, options, "http");
  const port = await orExit(server, () => readPort(ports, "http"));
  await serveFurther(server, options, ports);
  await listen(server, options, port ?? options.port ?? 3000);
}

/**
 * Serves on stdin and stdout, or over HTTP when `--http PORT` or the variable `MCP_HTTP_PORT` asks for it. The variable `PORT` does so only
 * where stdin is no pipe: hosts pass on variables that are meant for other programs.
 */
export async function runServer(server: CoreServer, options: RunOptions = {}): Promise<void> {
  const ports = await readArguments(server, options, "either");
  const port = await orExit(server, () => readPort(ports, "either"));
  const isServed = await serveFurther(server, options, ports);
  if (port === undefined) return isServed ? undefined : serveStdio(server, options).closed;
  await listen(server, options, port);
}

/** Port at which `runServer` serves over HTTP; nothing when it does not. Throws when what is given is no port. */
export function readHttpPort({ args = process.argv.slice(2) }: CommandLineOptions = {}): number | undefined {
  const { tokens } = parseArgs({ args: [...args], options: { http: { type: "string" } }, strict: false, tokens: true });
  const given = tokens.flatMap((token) =>
    token.kind === "option" ? [[token.name, token.value ?? true] as const] : [],
  );
  return readPort(new Map(given), "either");
}

async function serveFurther(
  server: CoreServer,
  options: ServerConnectionOptions & CommandLineOptions,
  ports: PortOptions,
): Promise<boolean> {
  const { further } = options;
  return further !== undefined && (await orExit(server, () => further.serve(server, options, ports)));
}

async function listen(server: CoreServer, options: RunOptions, port: number): Promise<void> {
  releaseStdout();
  const all = { health: "/health", ...options, port, ...readHosts() };
  const listener = await orExit(server, () => serveHttp(server, all));
  warnOfOpenServer(server.info.name, all);
  closeOnSignal(listener);
  console.error(`${server.info.name} is served at ${listener.url}`);
}

/** Whoever starts a program can put right where it listens, and reads no stack for that: a line says what to do. */
async function orExit<T>({ info }: CoreServer, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return exitWith(1, process.stderr, `${info.name}: ${error.message}\n`);
  }
}

/** Reads the command line; the process ends here when it asks for a text, or has an option that the server does not know. */
async function readArguments(
  { info }: CoreServer,
  { args = process.argv.slice(2), further }: CommandLineOptions,
  service: Service,
): Promise<PortOptions> {
  const { ports, text, problem } = readCommandLine(args, { info, service, further: further?.names ?? [] });
  if (problem !== undefined) return exitWith(2, process.stderr, problem);
  // Nothing is served on stdout.
  if (text === undefined) return ports;
  releaseStdout();
  return exitWith(0, process.stdout, text);
}

async function exitWith(code: number, stream: NodeJS.WriteStream, text: string): Promise<never> {
  await new Promise((resolve) => stream.write(text, resolve));
  return process.exit(code);
}

/** Port of `--http`, or of the first variable that counts. */
function readPort(ports: PortOptions, service: "http" | "either"): number | undefined {
  const port = readPortOption(ports, "http");
  if (port !== undefined) return port;
  const isIgnored = service === "either" && isPiped(0);
  const name = ["MCP_HTTP_PORT", ...(isIgnored ? [] : ["PORT"])].find((variable) => variable in process.env);
  return name === undefined ? undefined : toPort(process.env[name] ?? "", `${name}=${process.env[name]}`);
}

/** True if a client may be at the other end of a descriptor: a pipe of a shell or of a host. A descriptor that is closed is none. */
function isPiped(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
