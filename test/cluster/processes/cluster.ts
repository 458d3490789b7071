import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readLines, type Effect } from "../history.ts";
import { startBalancer } from "./balancer.ts";
import { startBalancerProcess } from "./balancer-process.ts";
import { startEngineLink, type EngineLink } from "./engine-link.ts";
import { startNatsCluster, type NatsClusterProcess } from "./nats-cluster.ts";
import type { Host } from "./host.ts";
import { startNats, type NatsProcess } from "./nats-process.ts";
import { startNetwork } from "./network.ts";
import { buildServer, Nodes, type NodeSettings } from "./nodes.ts";
import { cutHosts, cutLinks, type ClusterHosts, type Partitions } from "./partitions.ts";
import { startRedis, type RedisProcess } from "./redis-process.ts";
import { startSentinel, type SentinelProcess } from "./sentinel-process.ts";

/** Process of an engine that needs no sentinels. */
export type EngineProcess = RedisProcess | NatsProcess | NatsClusterProcess;

/** Engine of a cluster. */
export type ClusterEngine = EngineProcess | SentinelProcess;

/** Options of a cluster. */
export interface ClusterOptions extends NodeSettings {
  readonly nodes: number;
  /** Engine that the nodes share. Default: none, which only works with one node. */
  readonly engine?: ClusterEngine["kind"];
  /**
   * Network whose connections a test can cut. `links`: a proxy between each node and the engine, which is one server. `namespaces`: a network namespace
   * for each node, the balancer, and each server of the engine. Default: none can be cut.
   */
  readonly network?: "links" | "namespaces";
  /** Balancers, each a process of its own. Default: one in this process. */
  readonly balancers?: number;
  /** Time at which Redis has its changes on the disk. Default `always`. */
  readonly fsync?: "always" | "everysec";
}

/** Cluster of processes on this machine, behind a balancer. */
export interface Cluster {
  readonly url: string;
  /** URLs of all balancers. */
  readonly urls: readonly string[];
  readonly engine: ClusterEngine | undefined;
  /** Number of nodes. */
  readonly size: number;
  /** Connections that can be cut; absent without a network for that. */
  readonly partitions: Partitions | undefined;
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
    const hosts = options.network === "namespaces" ? await startHosts(options, closers) : undefined;
    const engine = await startEngine(options, hosts?.engine ?? []);
    if (engine) closers.push(engine.close);
    const effects = join(folder, "effects.jsonl");
    const links = options.network === "links" ? await startLinks(engine, options.nodes) : [];
    closers.push(...links.map((link) => link.close));
    const url = engine && (typeof engine.url === "string" ? engine.url : JSON.stringify(engine.url));
    const engineUrl = (index: number): string | undefined => links[index]?.url ?? url;
    const nodes = new Nodes({ ...options, program, effects, engineUrl, ...(hosts && { hosts: hosts.nodes }) });
    closers.push(() => nodes.close());
    await nodes.start();
    const urls = await startBalancers(nodes, { ...options, host: hosts?.balancer }, closers);
    return {
      ...toControls(nodes),
      url: urls[0] ?? "",
      urls,
      engine,
      size: options.nodes,
      partitions: hosts ? cutHosts(hosts, engine) : links.length > 0 ? cutLinks(links) : undefined,
      readEffects: async () => (existsSync(effects) ? readLines<Effect>(await readFile(effects, "utf8")) : []),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts a network with a host for each node, the balancer, and each server of the engine. */
async function startHosts({ nodes, engine }: ClusterOptions, closers: (() => Promise<void>)[]): Promise<ClusterHosts> {
  const network = await startNetwork();
  closers.push(() => network.close());
  const add = async (count: number): Promise<readonly Host[]> => {
    const added: Host[] = [];
    while (added.length < count) added.push(await network.addHost());
    return added;
  };
  const balancer = await network.addHost();
  return { network, balancer, nodes: await add(nodes), engine: await add(engine === "sentinel" ? 3 : 1) };
}

async function startEngine(
  { engine, fsync = "always" }: ClusterOptions,
  hosts: readonly Host[],
): Promise<ClusterEngine | undefined> {
  const [host] = hosts;
  switch (engine) {
    case undefined:
      return undefined;
    case "redis":
      return startRedis({ fsync, ...(host && { host }) });
    case "nats":
      if (host) throw new Error("NATS runs on this machine only; use the network links");
      return startNats();
    case "nats-cluster":
      if (host) throw new Error("NATS runs on this machine only; use the network links");
      return startNatsCluster();
    case "sentinel":
      // Three seconds: a busy machine is no reason for a failover.
      return startSentinel({ settings: { ...durable, appendfsync: fsync }, hosts, downAfter: 3_000 });
    default:
      return engine satisfies never;
  }
}

/** Settings of Redis with replicas, as the guide has them. */
const durable = {
  appendonly: "yes",
  "maxmemory-policy": "noeviction",
  "min-replicas-to-write": "1",
  "enable-debug-command": "local",
};

/** Starts the balancers, and returns their URLs. */
async function startBalancers(
  nodes: Nodes,
  { balancers, drainDelay, host }: ClusterOptions & { readonly host: Host | undefined },
  closers: (() => Promise<void>)[],
): Promise<readonly string[]> {
  const options = { nodes: () => nodes.urls, ...(drainDelay !== undefined && { ready: "/ready" }) };
  if (balancers === undefined && !host) {
    const balancer = await startBalancer(options);
    closers.push(balancer.close);
    return [balancer.url];
  }
  const urls: string[] = [];
  for (let index = 0; index < (balancers ?? 1); index += 1) {
    const balancer = await startBalancerProcess({ ...options, ...(host && { host }) });
    closers.push(balancer.close);
    nodes.onRestart(balancer.update);
    urls.push(balancer.url);
  }
  return urls;
}

function startLinks(engine: ClusterEngine | undefined, count: number): Promise<readonly EngineLink[]> {
  if (!engine || engine.kind === "sentinel")
    throw new Error("Links lead to an engine of one server; use the network namespaces");
  return Promise.all(Array.from({ length: count }, () => startEngineLink(engine.url)));
}

function toControls(
  nodes: Nodes,
): Omit<Cluster, "url" | "urls" | "engine" | "size" | "partitions" | "readEffects" | "close"> {
  return {
    nodeUrl: (index) => nodes.at(index).url,
    pid: (index) => nodes.at(index).pid,
    nodeName: (index) => nodes.nameOf(index),
    kill: async (index) => void (await nodes.end(index, "SIGKILL")),
    stop: (index) => void nodes.at(index).child.kill("SIGSTOP"),
    resume: (index) => void nodes.at(index).child.kill("SIGCONT"),
    moveClock: (index) => void nodes.at(index).child.kill("SIGUSR2"),
    terminate: (index) => nodes.end(index, "SIGTERM"),
    restart: (index) => nodes.restart(index),
    readErrors: () => nodes.readErrors(),
  };
}
