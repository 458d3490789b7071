import process from "node:process";
import { parseArgs } from "node:util";
import type { ListenOptions } from "../transport/http/listen.ts";
import { serveHttp } from "./http.ts";
import type { ServerConnectionOptions } from "./serve.ts";
import type { Server } from "./server.ts";
import { serveStdio } from "./stdio.ts";

/** How a program that is a server behaves; the command line and the environment win. */
export type RunOptions = ListenOptions & ServerConnectionOptions;

/** Serves on stdin and stdout until the client goes away. `--version` prints the version instead. */
export async function runStdio(server: Server, options: ServerConnectionOptions = {}): Promise<void> {
  if (isAnswered(server, process.argv.slice(2))) return;
  await serveStdio(server, options).closed;
}

/**
 * Serves over HTTP until SIGINT or SIGTERM: `--http PORT`, or the variable `PORT`; `HOST` and `ALLOWED_HOSTS` (names with commas) let
 * other machines in. `/health` answers `200`. Everything for people goes to stderr.
 */
export async function runHttp(server: Server, options: RunOptions = {}): Promise<void> {
  const args = process.argv.slice(2);
  if (isAnswered(server, args)) return;
  await listen(server, options, readPort(args) ?? options.port ?? 3000);
}

/** Serves on stdin and stdout, or over HTTP when `--http PORT` or the variable `PORT` asks for it. */
export async function runEither(server: Server, options: RunOptions = {}): Promise<void> {
  const args = process.argv.slice(2);
  const port = readPort(args);
  if (port === undefined) return runStdio(server, options);
  if (!isAnswered(server, args)) await listen(server, options, port);
}

async function listen(server: Server, options: RunOptions, port: number): Promise<void> {
  const { HOST: host, ALLOWED_HOSTS: hosts } = process.env;
  const listener = await serveHttp(server, {
    health: "/health",
    ...options,
    port,
    ...(host !== undefined && { host }),
    ...(hosts !== undefined && { allowedHosts: hosts.split(",").map((name) => name.trim()) }),
  });
  const stop = (): void => void listener.close();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  console.error(`${server.info.name} is served at ${listener.url}`);
}

/** A question that is answered without serving. stdout is free: nothing is served on it. */
function isAnswered({ info }: Server, args: readonly string[]): boolean {
  if (!args.includes("--version")) return false;
  process.stdout.write(`${info.version}\n`);
  return true;
}

function readPort(args: readonly string[]): number | undefined {
  const { values } = parseArgs({ args: [...args], options: { http: { type: "string" } }, strict: false });
  const text = values.http ?? process.env.PORT;
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text !== true && text !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--http ${text}: give a port from 0 (any free one) to 65535.`);
}
