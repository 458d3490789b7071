import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startBalancer, type Balancer } from "./balancer.ts";
import { endProcess, startNode } from "./processes.ts";

/*
 * Balancer in a process of its own: thousands of open streams need more descriptors and time than one process has. As a program it reads the URLs of the
 * nodes from stdin, as one line of JSON whenever they change. Its argument is the path that says whether a node is ready.
 */

/** Options of a balancer process. */
export interface BalancerProcessOptions {
  /** URLs of the nodes; called again by `update`. */
  readonly nodes: () => readonly string[];
  /** Path that is read to find out whether a node is ready. Default: none. */
  readonly ready?: string;
}

/** Balancer process. */
export interface BalancerProcess extends Balancer {
  /** Sends the URLs of the nodes, because they have changed. */
  update(): void;
}

/** Starts a balancer in a process of its own. */
export async function startBalancerProcess({ nodes, ready }: BalancerProcessOptions): Promise<BalancerProcess> {
  const program = fileURLToPath(import.meta.url);
  const balancer = await startNode({ args: ["--import", "tsx", program, ...(ready === undefined ? [] : [ready])] });
  const update = (): void => void balancer.child.stdin.write(`${JSON.stringify(nodes())}\n`);
  update();
  return { url: balancer.url, update, close: () => endProcess(balancer) };
}

async function run(ready: string | undefined): Promise<void> {
  let nodes: readonly string[] = [];
  createInterface({ input: process.stdin })
    .on("line", (line) => (nodes = JSON.parse(line)))
    .on("close", () => process.exit());
  const { url } = await startBalancer({ nodes: () => nodes, ...(ready !== undefined && { ready }) });
  console.log(url);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run(process.argv[2]);
