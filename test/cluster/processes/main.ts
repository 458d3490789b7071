import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { startBalancer, type Balancer } from "./balancer.ts";
import { endProcess, startNode, type NodeProcess } from "./processes.ts";

/*
 * `npm run -s cluster -- --engine redis://HOST:PORT --nodes 3`: nodes of the example `everything` behind a balancer. One line of JSON says where they
 * are; SIGTERM or SIGINT ends everything.
 */

const { engine, nodes, port } = yargs(hideBin(process.argv))
  .usage("npm run -s cluster -- --engine URL [options]")
  .option("engine", { type: "string", describe: "URL of the engine that the nodes share" })
  .option("nodes", { type: "number", describe: "Number of nodes", default: 3 })
  .option("port", { type: "number", describe: "Port of the balancer; 0: any free one", default: 0 })
  .check((given) => {
    checkEngine(given.engine, given.nodes);
    if (!Number.isInteger(given.nodes) || given.nodes < 1) throw new Error("--nodes is not a count; give 1 or more");
    if (!Number.isInteger(given.port) || given.port < 0 || given.port > 65_535)
      throw new Error("--port is not a port; give 0 to 65535");
    return true;
  })
  .version(false)
  .strict()
  .parseSync();

function checkEngine(url: string | undefined, count: number): void {
  if (url === undefined && count > 1) throw new Error("--engine is missing; give the URL of an engine, or --nodes 1");
  if (url === "memory")
    throw new Error("--engine memory is not shared by processes; give a URL such as redis://127.0.0.1:6379");
  if (url !== undefined && !/^rediss?:\/\/./.test(url))
    throw new Error(`--engine ${url} is unknown; give a URL that begins with redis:// or rediss://`);
}

const server = join(import.meta.dirname, "../../../dist/examples/everything/server.js");
const started: NodeProcess[] = [];
const key = process.env["MCP_KEY"] ?? randomBytes(32).toString("base64url");
let balancer: Balancer | undefined;
let isClosing = false;

async function start(index: number): Promise<void> {
  const args = [server, "--http", "0", ...(engine === undefined ? [] : ["--engine", engine])];
  const node = await startNode({ args, env: { MCP_KEY: key } });
  started[index] = node;
  if (isClosing) return endProcess(node);
  void node.ended.then(() => restart(index));
}

/** Starts a node again one second after its end, as often as that takes. */
async function restart(index: number): Promise<void> {
  await sleep(1_000);
  if (isClosing) return;
  await start(index).catch((error: unknown) => {
    console.error(describe(error));
    return restart(index);
  });
}

async function startAll(): Promise<void> {
  if (!existsSync(server)) throw new Error("The example everything is not built; run `npm run build`");
  const outcomes = await Promise.allSettled(Array.from({ length: nodes }, (_, index) => start(index)));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  balancer = await startBalancer({ nodes: () => started.map(({ url }) => url), port });
  console.log(JSON.stringify({ url: balancer.url, nodes: started.map(({ pid, url }) => ({ pid, url })) }));
}

async function close(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await balancer?.close();
  await Promise.all(Object.values(started).map((node) => endProcess(node)));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function stop(): void {
  void close().then(() => process.exit());
}

/** Stops with npm, which ends the shell between itself and this program, but sends no signal to this program. */
function watchParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 500).unref();
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
if (process.env["npm_lifecycle_event"] !== undefined) watchParent();
try {
  await startAll();
} catch (error) {
  console.error(describe(error));
  process.exitCode = 1;
  await close();
}
