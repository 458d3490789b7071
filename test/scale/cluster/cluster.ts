import { build } from "esbuild";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readLines, type Effect } from "../history.ts";
import { startBalancer } from "./balancer.ts";
import { startBalancerProcess } from "./balancer-process.ts";
import { startEngineLink, type EngineLink } from "./engine-link.ts";
import { endProcess, startNode, type NodeProcess } from "./processes.ts";
import { startNatsCluster, type NatsClusterProcess } from "./nats-cluster.ts";
import { startNats, type NatsProcess } from "./nats-process.ts";
import { startRedis, type RedisProcess } from "./redis-process.ts";

/** Process of an engine. */
export type EngineProcess = RedisProcess | NatsProcess | NatsClusterProcess;

/** Options of a cluster. */
export interface ClusterOptions {
  readonly nodes: number;
  /** Engine that the nodes share. Default: none, which only works with one node. */
  readonly engine?: EngineProcess["kind"];
  /** Milliseconds after which a node that has ended is started again. Default: never. */
  readonly restartAfter?: number;
  /** Milliseconds for which a node that ends still serves while it is not ready, so that the balancer notices it. Default 0. */
  readonly drainDelay?: number;
  /** Puts a link between each node and the engine, which a test can cut. Default `false`. */
  readonly hasLinks?: boolean;
  /** Balancers, each a process of its own. Default: one in this process. */
  readonly balancers?: number;
  /** Time at which Redis has its changes on the disk. Default `always`. */
  readonly fsync?: "always" | "everysec";
  /** Milliseconds that clients wait before they resume a stream; with an open stream of a session up to five times as long. Default 100. */
  readonly retry?: number;
  /** Sessions at a time. Default: that of the engine. */
  readonly maxSessions?: number;
  /** Fault of the engine, by its name among the mutants. Default: none. */
  readonly mutant?: string;
}

/** Cluster of processes on this machine, behind a balancer. */
export interface Cluster {
  readonly url: string;
  /** URLs of all balancers. */
  readonly urls: readonly string[];
  readonly engine: EngineProcess | undefined;
  /** Number of nodes. */
  readonly size: number;
  /** True if nodes can be cut off from the engine. */
  readonly hasLinks: boolean;
  /** Returns the URL of a node; another one after a restart. */
  nodeUrl(index: number): string;
  /** Returns the id of the process of a node; another one after a restart. */
  pid(index: number): number;
  /** Returns the name of the process of a node, as its effects have it. */
  nodeName(index: number): string;
  /** Ends a node by SIGKILL. */
  kill(index: number): Promise<void>;
  /** Stops a node by SIGSTOP. */
  stop(index: number): void;
  /** Continues a node by SIGCONT. */
  resume(index: number): void;
  /** Sets the clock of a node an hour ahead, back, or right again. */
  moveClock(index: number): void;
  /** Cuts a node off from the engine, while its clients reach it. */
  cut(index: number): void;
  /** Ends the cut of a node. */
  mend(index: number): void;
  /** Ends a node in order by SIGTERM, and waits until it has ended. Returns its exit code; `null` when it had to be killed. */
  terminate(index: number): Promise<number | null>;
  /** Starts a node that has ended. */
  restart(index: number): Promise<void>;
  /** Returns the lines of all tools so far. */
  readEffects(): Promise<readonly Effect[]>;
  /** Returns what the nodes have written to stderr. */
  readErrors(): string;
  close(): Promise<void>;
}

/** Starts a cluster. Everything ends with `close`, also when the start fails. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  if (options.nodes > 1 && options.engine === undefined) {
    throw new Error("Several nodes need an engine that they share; set engine, or use one node");
  }
  const folder = await mkdtemp(join(tmpdir(), "scale-cluster-"));
  const closers = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const program = await buildServer();
    closers.push(() => rm(program.folder, { recursive: true, force: true }));
    const engine = options.engine && (await startEngine(options.engine, options.fsync));
    if (engine) closers.push(engine.close);
    const effects = join(folder, "effects.jsonl");
    const links = engine && options.hasLinks ? await startLinks(engine.url, options.nodes) : [];
    closers.push(...links.map((link) => link.close));
    const nodes = new Nodes({ ...options, program, effects, engineUrl: engine?.url, links });
    closers.push(() => nodes.close());
    await nodes.start();
    const urls = await startBalancers(nodes, options, closers);
    return Object.assign(toControls(nodes, links), {
      url: urls[0] ?? "",
      urls,
      engine,
      size: options.nodes,
      hasLinks: links.length > 0,
      readEffects: async () => (existsSync(effects) ? readLines<Effect>(await readFile(effects, "utf8")) : []),
      close,
    });
  } catch (error) {
    await close();
    throw error;
  }
}

function startEngine(kind: EngineProcess["kind"], fsync: ClusterOptions["fsync"] = "always"): Promise<EngineProcess> {
  switch (kind) {
    case "redis":
      return startRedis({ fsync });
    case "nats":
      return startNats();
    case "nats-cluster":
      return startNatsCluster();
  }
}

/** Starts the balancers, and returns their URLs. */
async function startBalancers(
  nodes: Nodes,
  { balancers, drainDelay }: ClusterOptions,
  closers: (() => Promise<void>)[],
): Promise<readonly string[]> {
  const options = { nodes: () => nodes.urls, ...(drainDelay !== undefined && { ready: "/ready" }) };
  if (balancers === undefined) {
    const balancer = await startBalancer(options);
    closers.push(balancer.close);
    return [balancer.url];
  }
  const urls: string[] = [];
  for (let index = 0; index < balancers; index += 1) {
    const balancer = await startBalancerProcess(options);
    closers.push(balancer.close);
    nodes.onRestart(balancer.update);
    urls.push(balancer.url);
  }
  return urls;
}

function startLinks(url: string, count: number): Promise<readonly EngineLink[]> {
  return Promise.all(Array.from({ length: count }, () => startEngineLink(url)));
}

function toControls(
  nodes: Nodes,
  links: readonly EngineLink[],
): Omit<Cluster, "url" | "urls" | "engine" | "size" | "hasLinks" | "readEffects" | "close"> {
  return {
    nodeUrl: (index) => nodes.at(index).url,
    pid: (index) => nodes.at(index).pid,
    nodeName: (index) => nodes.nameOf(index),
    kill: async (index) => void (await nodes.end(index, "SIGKILL")),
    stop: (index) => void nodes.at(index).child.kill("SIGSTOP"),
    resume: (index) => void nodes.at(index).child.kill("SIGCONT"),
    moveClock: (index) => void nodes.at(index).child.kill("SIGUSR2"),
    cut: (index) => links[index]?.cut(),
    mend: (index) => links[index]?.mend(),
    terminate: (index) => nodes.end(index, "SIGTERM"),
    restart: (index) => nodes.restart(index),
    readErrors: () => nodes.readErrors(),
  };
}

interface ServerProgram {
  readonly folder: string;
  readonly path: string;
}

/** Bundles the fixture server: node starts it ten times as fast as the sources. */
async function buildServer(): Promise<ServerProgram> {
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

interface NodesOptions extends ClusterOptions {
  readonly program: ServerProgram;
  readonly effects: string;
  readonly engineUrl: string | undefined;
  readonly links: readonly EngineLink[];
}

/** Processes of the nodes. A process that was started again has another name than the one before. */
class Nodes {
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
    const { program, effects, links, restartAfter, mutant, maxSessions, retry = 100, drainDelay = 0 } = this.#options;
    const engineUrl = links[index]?.url ?? this.#options.engineUrl;
    this.#starts[index] = (this.#starts[index] ?? 0) + 1;
    const env = {
      NODE_EFFECTS: effects,
      NODE_NAME: this.nameOf(index),
      NODE_DRAIN_DELAY: String(drainDelay),
      NODE_RETRY: String(retry),
      ...(engineUrl !== undefined && { NODE_ENGINE: engineUrl }),
      ...(mutant !== undefined && { NODE_MUTANT: mutant }),
      ...(maxSessions !== undefined && { NODE_MAX_SESSIONS: String(maxSessions) }),
    };
    const node = await startNode({ args: [program.path], env });
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
