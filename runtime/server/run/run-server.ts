import { SetupError } from "../../jsonrpc/errors.ts";
import { systemClock } from "../../internal/timers.ts";
import {
  toDrainDelay,
  defaultCloseTimeout,
  type HttpListener,
  type ListenOptions,
} from "../../transport/http-server/listen.ts";
import { loadFileSystem, loadParseArgs } from "../../transport/stdio/node-modules.ts";
import { releaseStdout } from "../../transport/stdio/stdout.ts";
import { closeServer, closeTelemetry, disconnectWorker } from "./close-server.ts";
import { readCommandLine, type Service } from "./command-line.ts";
import { serveHttp } from "./serve-http.ts";
import {
  closeOnSignal,
  readHosts,
  readPortOption,
  toPort,
  warnUnauthenticated,
  type PortOptions,
} from "./port-options.ts";
import type { ServerConnectionOptions } from "./acceptor.ts";
import type { CoreServer } from "../server.ts";
import { serveStdio } from "./serve-stdio.ts";

/** Command-line options read by a server. */
export interface CommandLineOptions {
  /**
   * Arguments after the program name. A program with its own options must leave them out here, because an unknown option ends the process with exit
   * code 2. Default: the arguments of the process.
   */
  readonly args?: readonly string[];
  /** Further transports, created by `createFurtherTransports`. Default: none. */
  readonly further?: FurtherTransports;
}

/** Further transports of a program. */
export interface FurtherTransports {
  /** Names of the command-line options for their ports. */
  readonly names: readonly string[];
  /** Listens on the given ports, until SIGINT or SIGTERM. Resolves with true if there is any. */
  serve(server: CoreServer, options: ServerConnectionOptions, ports: PortOptions): Promise<boolean>;
}

/** Options of a server program. The command line and the environment take precedence. */
export interface RunOptions extends ListenOptions, ServerConnectionOptions, CommandLineOptions {}

/**
 * Serves on stdin and stdout until the client disconnects. `--help` and `--version` print a text instead.
 *
 * @example
 * ```ts
 * import { runStdio } from "mcp-server-runtime";
 *
 * await runStdio(server);
 * ```
 */
export async function runStdio(
  server: CoreServer,
  options: ServerConnectionOptions & CommandLineOptions = {},
): Promise<void> {
  const ports = await readArguments(server, options, "stdio");
  if (await serveFurther(server, options, ports)) return closeOnSignal({ close: () => closeServer(server, options) });
  await serveOnStdio(server, options);
}

/**
 * Serves over HTTP until SIGINT or SIGTERM, Ctrl-C or Ctrl-Break.
 *
 * The port comes from `--http PORT`, `MCP_HTTP_PORT` or `PORT`. `HOST` and `ALLOWED_HOSTS` (comma-separated names) permit access from other machines.
 * `/health`, `/live` and `/ready` respond to probes. Messages for people go to stderr. If the process cannot listen, it prints the reason and exits with code 1, whereas
 * `serveHttp` throws.
 *
 * @example
 * ```ts
 * import { runHttp } from "mcp-server-runtime";
 *
 * await runHttp(server); // `PORT=3000 node server.js`
 * ```
 */
export async function runHttp(server: CoreServer, options: RunOptions = {}): Promise<void> {
  await startHttp(server, options);
}

/** Does what `runHttp` does. Returns the listener. */
export async function startHttp(server: CoreServer, options: RunOptions = {}): Promise<HttpListener> {
  const ports = await readArguments(server, options, "http");
  const port = await exitOnError(server, () => readPort(ports, "http"));
  await serveFurther(server, options, ports);
  return listen(server, options, port ?? options.port ?? 3000);
}

/**
 * Serves on stdin and stdout, or over HTTP if `--http PORT` or `MCP_HTTP_PORT` is given. The variable `PORT` counts only if stdin is not a pipe,
 * because hosts pass on variables meant for other programs.
 *
 * @example
 * ```ts
 * import { runServer } from "mcp-server-runtime";
 *
 * await runServer(server); // `node server.js` or `node server.js --http 3000`
 * ```
 */
export async function runServer(server: CoreServer, options: RunOptions = {}): Promise<void> {
  await startServer(server, options);
}

/** Does what `runServer` does. Returns the listener for HTTP, if there is one. */
export async function startServer(server: CoreServer, options: RunOptions = {}): Promise<HttpListener | undefined> {
  const ports = await readArguments(server, options, "either");
  const port = await exitOnError(server, () => readPort(ports, "either"));
  const isServed = await serveFurther(server, options, ports);
  if (port !== undefined) return listen(server, options, port);
  if (isServed) closeOnSignal({ close: () => closeServer(server, options) });
  else await serveOnStdio(server, options, "add --http 3000 for HTTP (npm: -- --http 3000)");
  return undefined;
}

/**
 * Returns the port at which `runServer` serves over HTTP, or undefined if it does not.
 *
 * @throws {ListenError} when the given value is not a port.
 * @example
 * ```ts
 * import { readHttpPort, runServer } from "mcp-server-runtime";
 *
 * console.error(readHttpPort() === undefined ? "Serving on stdio" : "Serving over HTTP");
 * await runServer(server);
 * ```
 */
export function readHttpPort({ args = process.argv.slice(2) }: CommandLineOptions = {}): number | undefined {
  const { tokens } = loadParseArgs()({
    args: [...args],
    options: { http: { type: "string" } },
    strict: false,
    tokens: true,
  });
  const given = tokens.flatMap((token) =>
    token.kind === "option" ? [[token.name, token.value ?? true] as const] : [],
  );
  return readPort(new Map(given), "either");
}

/** Serves on stdin and stdout. In a terminal there is no client, and without a line the program would seem to hang. */
async function serveOnStdio(server: CoreServer, options: ServerConnectionOptions, hint = "see --help"): Promise<void> {
  const { closed } = serveStdio(server, options);
  if (process.stdin.isTTY) console.error(`${server.info.name} waits for a client on stdin and stdout; ${hint}`);
  process.stdin.once("end", () => {
    if (process.stdin.bytesRead === 0)
      console.error(`${server.info.name} ends: stdin has ended without a message; ${hint}`);
  });
  await closed;
}

async function serveFurther(
  server: CoreServer,
  options: ServerConnectionOptions & CommandLineOptions,
  ports: PortOptions,
): Promise<boolean> {
  const { further } = options;
  return further !== undefined && (await exitOnError(server, () => further.serve(server, options, ports)));
}

async function listen(server: CoreServer, options: RunOptions, port: number): Promise<HttpListener> {
  releaseStdout();
  const all = { health: "/health", live: "/live", ready: "/ready", ...options, port, ...readHosts() };
  const listener = await exitOnError(server, () => serveHttp(server, all));
  warnUnauthenticated(server.info.name, all);
  closeOnSignal({ close: () => closeProgram(server, listener, all) });
  console.error(`${server.info.name} is served at ${listener.url}`);
  return listener;
}

/** Closes a listener, its server, and its cluster, in this order: calls and tasks have the same time to finish. */
async function closeProgram(server: CoreServer, listener: HttpListener, options: RunOptions): Promise<void> {
  const { closeTimeout = defaultCloseTimeout, cluster } = options;
  const deadline = systemClock.now() + toDrainDelay(options) + closeTimeout;
  await listener.close();
  await server.close({ drain: Math.max(0, deadline - systemClock.now()) });
  await cluster?.close?.();
  await closeTelemetry(server, options);
  await disconnectWorker();
}

/** Runs a start function. A setup error, such as a port in use, ends the process with a one-line message instead of a stack trace. */
async function exitOnError<T>({ info }: CoreServer, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return exitWith(1, process.stderr, `${info.name}: ${error.message}\n`);
  }
}

/** Parses the command line, and checks the settings. Ends the process for `--help`, `--version`, `--settings`, unknown options and invalid settings. */
async function readArguments(
  server: CoreServer,
  { args = process.argv.slice(2), further }: CommandLineOptions,
  service: Service,
): Promise<PortOptions> {
  const { info, settings } = server;
  const program = { info, service, further: further?.names ?? [], settings: settings?.variables };
  const { ports, text, problem } = readCommandLine(args, program);
  if (problem !== undefined) return exitWith(2, process.stderr, problem);
  if (text === undefined) {
    await exitOnError(server, () => settings?.check());
    return ports;
  }
  // A text is printed instead of serving, so stdout is released only in that case.
  releaseStdout();
  return exitWith(0, process.stdout, text);
}

async function exitWith(code: number, stream: NodeJS.WriteStream, text: string): Promise<never> {
  await new Promise((resolve) => stream.write(text, resolve));
  return process.exit(code);
}

/** Returns the port of `--http`, or else of the first variable with one. */
function readPort(ports: PortOptions, service: "http" | "either"): number | undefined {
  const port = readPortOption(ports, "http");
  if (port !== undefined) return port;
  const isIgnored = service === "either" && isPiped(0);
  const name = ["MCP_HTTP_PORT", ...(isIgnored ? [] : ["PORT"])].find((variable) => variable in process.env);
  return name === undefined ? undefined : toPort(process.env[name] ?? "", `${name}=${process.env[name]}`);
}

/** True if a client may be at the other end of a descriptor: a pipe of a shell or of a host. False if the descriptor is closed. */
function isPiped(descriptor: number): boolean {
  try {
    const stats = loadFileSystem().fstatSync(descriptor);
    return stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}
