import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { startBalancer } from "./balancer.ts";
import { endProcess, startNode, type NodeProcess } from "./processes.ts";

/*
 * `npm run -s cluster -- --engine redis://HOST:PORT --nodes 3`: nodes of the example `everything` behind a balancer. One line of JSON says where they
 * are; SIGTERM, SIGINT or the end of stdin ends everything.
 */

const { engine, nodes, port } = yargs(hideBin(process.argv))
  .usage("npm run -s cluster -- --engine URL [options]")
  .option("engine", { type: "string", describe: "URL of the engine that the nodes share" })
  .option("nodes", { type: "number", describe: "Number of nodes", default: 3 })
  .option("port", { type: "number", describe: "Port of the balancer; 0: any free one", default: 0 })
  .check((given) => {
    if (given.engine === "memory")
      throw new Error("--engine memory is not shared by processes; give a URL such as redis://127.0.0.1:6379");
    if (!Number.isInteger(given.nodes) || given.nodes < 1) throw new Error("--nodes is not a count; give 1 or more");
    if (given.engine === undefined && given.nodes > 1)
      throw new Error("--engine is missing; give the URL of an engine, or --nodes 1");
    return true;
  })
  .version(false)
  .strict()
  .parseSync();

const server = join(import.meta.dirname, "../../../dist/examples/everything/server.js");
if (!existsSync(server)) throw new Error("The example everything is not built; run `npm run build`");

const started: NodeProcess[] = [];
const key = randomBytes(32).toString("base64url");
let isClosing = false;

async function start(index: number): Promise<void> {
  const args = [server, "--http", "0", ...(engine === undefined ? [] : ["--engine", engine])];
  const node = await startNode({ args, env: { MCP_KEY: process.env["MCP_KEY"] ?? key } });
  started[index] = node;
  if (isClosing) return endProcess(node);
  void node.ended.then(() => restart(index));
}

/** Starts a node again one second after its end, as often as that takes. */
async function restart(index: number): Promise<void> {
  await sleep(1_000);
  if (isClosing) return;
  await start(index).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return restart(index);
  });
}

async function close(): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  await balancer.close();
  await Promise.all(started.map((node) => endProcess(node)));
  process.exit(0);
}

const outcomes = await Promise.allSettled(Array.from({ length: nodes }, (_, index) => start(index)));
const failure = outcomes.find((outcome) => outcome.status === "rejected");
if (failure) {
  isClosing = true;
  await Promise.all(Object.values(started).map((node) => endProcess(node)));
  throw failure.reason;
}
const balancer = await startBalancer({ nodes: () => started.map(({ url }) => url), port });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close());
process.stdin.on("end", () => void close()).resume();
console.log(JSON.stringify({ url: balancer.url, nodes: started.map(({ pid, url }) => ({ pid, url })) }));
