import { setTimeout as sleep } from "node:timers/promises";
import { pick, type Random } from "../kit/random.ts";
import type { Cluster, ClusterEngine, EngineProcess } from "./processes/cluster.ts";
import type { NatsClusterProcess } from "./processes/nats-cluster.ts";
import type { PartitionKind } from "./processes/partitions.ts";
import type { RedisProcess } from "./processes/redis-process.ts";
import type { SentinelProcess } from "./processes/sentinel-process.ts";
import type { HistoryLog } from "./history.ts";

/** Options of a nemesis. */
export interface NemesisOptions {
  readonly cluster: Cluster;
  readonly log: HistoryLog;
  readonly random: Random;
  /** Time at which it ends, in milliseconds since 1970. */
  readonly until: number;
  /** Words: only faults with one of them in their names. Default: all. */
  readonly only?: readonly string[];
}

/** One fault of a schedule. It resolves when everything runs again. */
export interface Fault {
  readonly name: string;
  /** Index of a node, or `engine`. */
  readonly target: string;
  /** Milliseconds of quiet before it. */
  readonly after: number;
  run(cluster: Cluster): Promise<void>;
}

type RunFault = (cluster: Cluster, node: number) => Promise<void>;

const nodeFaults: Readonly<Record<string, RunFault>> = {
  "kill node": async (cluster, node) => {
    await cluster.kill(node);
    await sleep(1_000);
    await cluster.restart(node);
  },
  "terminate node": async (cluster, node) => {
    await cluster.terminate(node);
    await cluster.restart(node);
  },
  "move clock of node": async (cluster, node) => cluster.moveClock(node),
  // Shorter than the lease, about as long, and longer.
  "stop node 3 s": (cluster, node) => stopNode(cluster, node, 3_000),
  "stop node 8 s": (cluster, node) => stopNode(cluster, node, 8_000),
  "stop node 20 s": (cluster, node) => stopNode(cluster, node, 20_000),
};

/** Partition of the network, and how long it lasts. */
interface PartitionFault {
  readonly kind: PartitionKind;
  readonly milliseconds: number;
}

const partitionFaults: Readonly<Record<string, PartitionFault>> = {
  // Shorter than the lease, and longer.
  "partition node 4 s": { kind: "engine", milliseconds: 4_000 },
  "partition node 12 s": { kind: "engine", milliseconds: 12_000 },
  "partition node from balancer 4 s": { kind: "balancer", milliseconds: 4_000 },
  "partition node from balancer 12 s": { kind: "balancer", milliseconds: 12_000 },
  // Longer than a failover takes.
  "partition primary 12 s": { kind: "primary", milliseconds: 12_000 },
  "partition primary and node 15 s": { kind: "primary and node", milliseconds: 15_000 },
};

/** Faults of an engine that is one server. */
const serverFaults: Readonly<Record<string, (engine: EngineProcess) => Promise<void>>> = {
  "kill engine": async (engine) => {
    await engine.kill();
    await sleep(500);
    await engine.restart();
  },
  "stop engine 5 s": (engine) => engine.pause(5_000),
};

/** Faults that only Redis has commands for. */
const redisFaults: Readonly<Record<string, (engine: RedisProcess | SentinelProcess) => Promise<void>>> = {
  "drop subscriptions": async (engine) => void (await engine.command("CLIENT", "KILL", "TYPE", "pubsub")),
  "remove scripts": async (engine) => void (await engine.command("SCRIPT", "FLUSH")),
};

/** Faults of one Redis server. With sentinels they would be a failover that ends after the fault. */
const singleRedisFaults: Readonly<Record<string, (engine: RedisProcess) => Promise<void>>> = {
  "delay engine 2 s": async (engine) => void (await engine.command("DEBUG", "SLEEP", "2")),
};

/** Faults that only a cluster of servers has. */
const natsClusterFaults: Readonly<Record<string, (engine: NatsClusterProcess) => Promise<void>>> = {
  "step down leaders": (engine) => engine.stepDown(),
};

/** Faults of Redis with replicas and sentinels. */
const sentinelFaults: Readonly<Record<string, (engine: SentinelProcess) => Promise<void>>> = {
  "kill primary": async (engine) => {
    const primary = await engine.findPrimary();
    await primary.kill();
    await engine.replaced(primary);
    await primary.restart();
    await engine.settled();
  },
  "suspend primary": async (engine) => {
    const primary = await engine.findPrimary();
    await primary.suspend();
    await engine.replaced(primary).finally(() => primary.resume());
    await engine.settled();
  },
  "kill replica": async (engine) => killReplicas(engine, 1),
  "kill replicas": async (engine) => killReplicas(engine, 2),
};

/** Ends replicas, and starts them again after some seconds. */
async function killReplicas(engine: SentinelProcess, count: number): Promise<void> {
  const replicas = (await engine.findReplicas()).slice(0, count);
  for (const replica of replicas) await replica.kill();
  await sleep(4_000);
  for (const replica of replicas) await replica.restart();
  await engine.settled();
}

async function stopNode(cluster: Cluster, node: number, milliseconds: number): Promise<void> {
  cluster.stop(node);
  await sleep(milliseconds);
  cluster.resume(node);
}

async function partition(cluster: Cluster, { kind, milliseconds }: PartitionFault, node: number): Promise<void> {
  const end = await cluster.partitions?.begin(kind, node);
  await sleep(milliseconds);
  await end?.();
}

/** Cluster that faults are made for. */
interface FaultOptions {
  /** Number of nodes. */
  readonly size: number;
  readonly engine?: ClusterEngine["kind"];
  /** Partitions that can be made. Default: none. */
  readonly partitions?: readonly PartitionKind[];
  /** Words: only faults with one of them in their names. Default: all. */
  readonly only?: readonly string[];
}

/** Names of the faults of an engine. */
const engineFaults: Readonly<Record<ClusterEngine["kind"], readonly string[]>> = {
  redis: [serverFaults, redisFaults, singleRedisFaults].flatMap(Object.keys),
  nats: Object.keys(serverFaults),
  "nats-cluster": [serverFaults, natsClusterFaults].flatMap(Object.keys),
  sentinel: [sentinelFaults, redisFaults].flatMap(Object.keys),
};

/**
 * Next fault of the schedule that a seed determines. Without an engine there is one node, whose state ends with it: it can only be stopped.
 *
 * @throws {Error} when no fault has one of the words in its name
 */
export function nextFault(random: Random, { size, engine, partitions = [], only }: FaultOptions): Fault {
  const cuts = Object.keys(partitionFaults).filter((name) =>
    partitions.includes(partitionFaults[name]?.kind ?? "engine"),
  );
  const names = engine ? [...Object.keys(nodeFaults), ...cuts, ...engineFaults[engine]] : ["stop node 3 s"];
  const name = pick(
    names.filter((candidate) => only === undefined || only.some((word) => candidate.includes(word))),
    random,
  );
  const node = Math.floor(random() * size);
  const after = 2_000 + Math.floor(random() * 3_000);
  const ofNode = nodeFaults[name];
  if (ofNode) return { name, target: String(node), after, run: (cluster) => ofNode(cluster, node) };
  const cut = partitionFaults[name];
  if (!cut) return { name, target: "engine", after, run: (cluster) => runEngineFault(cluster, name) };
  const target = cut.kind.startsWith("primary") ? "engine" : String(node);
  return { name, target, after, run: (cluster) => partition(cluster, cut, node) };
}

async function runEngineFault({ engine }: Cluster, name: string): Promise<void> {
  if (!engine) return;
  if (engine.kind === "sentinel") await sentinelFaults[name]?.(engine);
  else await serverFaults[name]?.(engine);
  if (engine.kind === "redis") await singleRedisFaults[name]?.(engine);
  if (engine.kind === "redis" || engine.kind === "sentinel") await redisFaults[name]?.(engine);
  if (engine.kind === "nats-cluster") await natsClusterFaults[name]?.(engine);
}

/** Runs one fault after the other, and writes each into the history. Everything runs when it resolves. */
export async function runNemesis({ cluster, log, random, until, only }: NemesisOptions): Promise<void> {
  const { size, engine, partitions } = cluster;
  const options = {
    size,
    partitions: partitions?.kinds ?? [],
    ...(engine && { engine: engine.kind }),
    ...(only && { only }),
  };
  for (let id = 1; ; id++) {
    const { name, target, after, run } = nextFault(random, options);
    if (Date.now() + after > until) return;
    await sleep(after);
    const line = { op: "fault", id: String(id), client: "nemesis", principal: "", node: target, value: name } as const;
    log.add({ phase: "call", ...line });
    await run(cluster);
    log.add({ phase: "return", ...line });
  }
}
