import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startBalancer, type Balancer } from "./balancer.ts";
import { thisMachine, type Host } from "./host.ts";
import { endProcess, startNode } from "./processes.ts";

/*
 * Balancer in a process of its own: thousands of open streams need more descriptors and time than one process has. As a program it reads the URLs of the
 * nodes from stdin, as one line of JSON whenever they change. Its arguments are the address to listen at and the path that says whether a node is ready.
 */

/** Options of a balancer process. */
export interface BalancerProcessOptions {
  /** URLs of the nodes; called again by `update`. */
  readonly nodes: () => readonly string[];
  /** Host of the process. Default: this machine. */
  readonly host?: Host;
  /** Path that is read to find out whether a node is ready. Default: none. */
  readonly ready?: string;
}

/** Balancer process. */
export interface BalancerProcess extends Balancer {
  /** Sends the URLs of the nodes, because they have changed. */
  update(): void;
}

/** Starts a balancer in a process of its own. */
export async function startBalancerProcess({
  nodes,
  host = thisMachine,
  ready,
}: BalancerProcessOptions): Promise<BalancerProcess> {
  const program = fileURLToPath(import.meta.url);
  const args = ["--import", "tsx", program, host.address, ...(ready === undefined ? [] : [ready])];
  const balancer = await startNode({ args, host });
  const update = (): void => void balancer.child.stdin.write(`${JSON.stringify(nodes())}\n`);
  update();
  return { url: balancer.url, update, close: () => endProcess(balancer) };
}

async function run(host: string, ready: string | undefined): Promise<void> {
  let nodes: readonly string[] = [];
  createInterface({ input: process.stdin })
    .on("line", (line) => (nodes = JSON.parse(line)))
    .on("close", () => process.exit());
  const { url } = await startBalancer({ nodes: () => nodes, host, ...(ready !== undefined && { ready }) });
  console.log(url);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run(process.argv[2] ?? "", process.argv[3]);
