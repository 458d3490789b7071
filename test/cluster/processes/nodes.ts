import { build } from "esbuild";
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "./host.ts";
import { endProcess, startNode, type NodeProcess } from "./processes.ts";

/** Fixture server as a program. */
export interface ServerProgram {
  readonly folder: string;
  readonly path: string;
}

/** Bundles the fixture server: node starts it ten times as fast as the sources. */
export async function buildServer(): Promise<ServerProgram> {
  // Inside the project, so that the libraries that stay outside are found.
  const cache = join(import.meta.dirname, "../../../node_modules/.cache/programs");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "scale-"));
  const path = join(folder, "server.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "fault-server.ts")],
    outfile: path,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
  });
  return { folder, path };
}

/** Options of the processes of all nodes. */
export interface NodesOptions extends NodeSettings {
  readonly nodes: number;
  readonly program: ServerProgram;
  /** File for the lines of tools. */
  readonly effects: string;
  /** Returns the address of the engine for a node. */
  readonly engineUrl: (index: number) => string | undefined;
  /** Hosts of the nodes. Default: this machine. */
  readonly hosts?: readonly Host[];
}

/** Settings of each node. */
export interface NodeSettings {
  /** Milliseconds after which a node that has ended is started again. Default: never. */
  readonly restartAfter?: number;
  /** Milliseconds for which a node that ends still serves while it is not ready, so that the balancer notices it. Default 0. */
  readonly drainDelay?: number;
  /** Milliseconds that clients wait before they resume a stream; with an open stream of a session up to five times as long. Default 100. */
  readonly retry?: number;
  /** Sessions at a time. Default: that of the engine. */
  readonly maxSessions?: number;
  /** Fault of the engine, by its name among the mutants. Default: none. */
  readonly mutant?: string;
}

/** Processes of the nodes. A process that was started again has another name than the one before. */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #processes: NodeProcess[] = [];
  readonly #starts: number[] = [];
  readonly #restarted: (() => void)[] = [];
  #earlierErrors = "";
  #isClosed = false;

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  get urls(): readonly string[] {
    return this.#processes.map(({ url }) => url);
  }

  async start(): Promise<void> {
    const indexes = Array.from({ length: this.#options.nodes }, (_, index) => index);
    // A node that cannot start leaves none of the others behind.
    const started = await Promise.allSettled(indexes.map((index) => this.restart(index)));
    for (const outcome of started) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** Sets a function that is called whenever a node has another URL. */
  onRestart(restarted: () => void): void {
    this.#restarted.push(restarted);
  }

  at(index: number): NodeProcess {
    const node = this.#processes[index];
    if (node) return node;
    throw new RangeError(`There is no node ${index}; there are ${this.#processes.length}`);
  }

  nameOf(index: number): string {
    return `${index}.${this.#starts[index] ?? 0}`;
  }

  async restart(index: number): Promise<void> {
    const { program, effects, hosts, restartAfter, mutant, maxSessions, retry = 100, drainDelay = 0 } = this.#options;
    const engineUrl = this.#options.engineUrl(index);
    const host = hosts?.[index];
    this.#starts[index] = (this.#starts[index] ?? 0) + 1;
    const env = {
      NODE_EFFECTS: effects,
      NODE_NAME: this.nameOf(index),
      NODE_DRAIN_DELAY: String(drainDelay),
      NODE_RETRY: String(retry),
      ...(host && { NODE_HOST: host.address }),
      ...(engineUrl !== undefined && { NODE_ENGINE: engineUrl }),
      ...(mutant !== undefined && { NODE_MUTANT: mutant }),
      ...(maxSessions !== undefined && { NODE_MAX_SESSIONS: String(maxSessions) }),
    };
    const node = await startNode({ args: [program.path], env, ...(host && { host }) });
    this.#earlierErrors += this.#processes[index]?.errors() ?? "";
    this.#processes[index] = node;
    for (const restarted of this.#restarted) restarted();
    if (this.#isClosed) return endProcess(node);
    if (restartAfter === undefined) return;
    void node.ended
      .then(() => sleep(restartAfter, undefined, { ref: false }))
      .then(() => (this.#isClosed || this.#processes[index] !== node ? undefined : this.restart(index)));
  }

  async end(index: number, signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const { child, ended } = this.at(index);
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await ended;
    clearTimeout(timer);
    return child.exitCode;
  }

  readErrors(): string {
    return `${this.#earlierErrors}${this.#processes.map((node) => node.errors()).join("")}`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // What is under test ends at once: an orderly end is a fault of its own.
    const started = Object.values(this.#processes);
    for (const { child } of started) child.kill("SIGKILL");
    await Promise.all(started.map(({ ended }) => ended));
  }
}
