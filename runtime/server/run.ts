import process from "node:process";
import { parseArgs } from "node:util";
import { SetupError } from "../rpc/errors.ts";
import type { ListenOptions } from "../transport/http/listen.ts";
import { ListenError } from "../transport/listening.ts";
import { serveHttp } from "./http.ts";
import type { ServerConnectionOptions } from "./serve.ts";
import type { CoreServer } from "./server.ts";
import { serveStdio } from "./stdio.ts";

/** How a program that is a server behaves; the command line and the environment win. */
export type RunOptions = ListenOptions & ServerConnectionOptions;

/** Serves on stdin and stdout until the client goes away. `--version` prints the version instead. */
export async function runStdio(server: CoreServer, options: ServerConnectionOptions = {}): Promise<void> {
  if (isAnswered(server, process.argv.slice(2))) return;
  await serveStdio(server, options).closed;
}

/**
 * Serves over HTTP until SIGINT or SIGTERM, Ctrl-C or Ctrl-Break: `--http PORT`, or the variable `PORT`; `HOST` and `ALLOWED_HOSTS` (names with
 * commas) let other machines in. `/health` answers `200`. Everything for people goes to stderr. Where it cannot listen, the process says why and
 * ends with 1: `serveHttp` throws instead.
 */
export async function runHttp(server: CoreServer, options: RunOptions = {}): Promise<void> {
  const args = process.argv.slice(2);
  if (isAnswered(server, args)) return;
  const port = await orExit(server, () => readPort(args));
  await listen(server, options, port ?? options.port ?? 3000);
}

/** Serves on stdin and stdout, or over HTTP when `--http PORT` or the variable `PORT` asks for it. */
export async function runEither(server: CoreServer, options: RunOptions = {}): Promise<void> {
  const args = process.argv.slice(2);
  if (isAnswered(server, args)) return;
  const port = await orExit(server, () => readPort(args));
  if (port === undefined) return runStdio(server, options);
  await listen(server, options, port);
}

async function listen(server: CoreServer, options: RunOptions, port: number): Promise<void> {
  const { HOST: host, ALLOWED_HOSTS: hosts } = process.env;
  const all = {
    health: "/health",
    ...options,
    port,
    ...(host !== undefined && { host }),
    ...(hosts !== undefined && { allowedHosts: hosts.split(",").map((name) => name.trim()) }),
  };
  const listener = await orExit(server, () => serveHttp(server, all));
  const stop = (): void => void listener.close();
  for (const signal of ["SIGINT", "SIGTERM", "SIGBREAK"]) process.once(signal, stop);
  console.error(`${server.info.name} is served at ${listener.url}`);
}

/** Whoever starts a program can put right where it listens, and reads no stack for that: a line says what to do. */
async function orExit<T>({ info }: CoreServer, start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const line = `${info.name}: ${error.message}\n`;
    await new Promise((resolve) => process.stderr.write(line, resolve));
    return process.exit(1);
  }
}

/** A question that is answered without serving. stdout is free: nothing is served on it. */
function isAnswered({ info }: CoreServer, args: readonly string[]): boolean {
  if (!args.includes("--version")) return false;
  process.stdout.write(`${info.version}\n`);
  return true;
}

function readPort(args: readonly string[]): number | undefined {
  const { values } = parseArgs({ args: [...args], options: { http: { type: "string" } }, strict: false });
  const text = values.http ?? process.env.PORT;
  if (text === undefined) return undefined;
  if (typeof text === "string" && /^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  const given = values.http === undefined ? `PORT=${text}` : ["--http", ...(text === true ? [] : [text])].join(" ");
  throw new ListenError(`${given}: give a port from 0 (any free one) to 65535.`);
}
