import { setTimeout as sleep } from "node:timers/promises";
import { pick, type Random } from "../oracle/random.ts";
import type { Cluster, EngineProcess } from "./cluster/cluster.ts";
import type { NatsClusterProcess } from "./cluster/nats-cluster.ts";
import type { RedisProcess } from "./cluster/redis-process.ts";
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

/** Faults of the network between a node and the engine. */
const linkFaults: Readonly<Record<string, RunFault>> = {
  // Shorter than the lease, and longer.
  "partition node 4 s": (cluster, node) => partitionNode(cluster, node, 4_000),
  "partition node 12 s": (cluster, node) => partitionNode(cluster, node, 12_000),
};

const engineFaults: Readonly<Record<string, (engine: EngineProcess) => Promise<void>>> = {
  "kill engine": async (engine) => {
    await engine.kill();
    await sleep(500);
    await engine.restart();
  },
  "stop engine 5 s": (engine) => engine.pause(5_000),
};

/** Faults that only Redis has commands for. */
const redisFaults: Readonly<Record<string, (engine: RedisProcess) => Promise<void>>> = {
  "drop subscriptions": async (engine) => void (await engine.command("CLIENT", "KILL", "TYPE", "pubsub")),
  "remove scripts": async (engine) => void (await engine.command("SCRIPT", "FLUSH")),
  "delay engine 2 s": async (engine) => void (await engine.command("DEBUG", "SLEEP", "2")),
};

/** Faults that only a cluster of servers has. */
const natsClusterFaults: Readonly<Record<string, (engine: NatsClusterProcess) => Promise<void>>> = {
  "step down leaders": (engine) => engine.stepDown(),
};

/** Names of the faults of an engine. */
const faultsOfEngine: { readonly [Kind in EngineProcess["kind"]]: readonly string[] } = {
  redis: [engineFaults, redisFaults].flatMap(Object.keys),
  nats: Object.keys(engineFaults),
  "nats-cluster": [engineFaults, natsClusterFaults].flatMap(Object.keys),
};

async function stopNode(cluster: Cluster, node: number, milliseconds: number): Promise<void> {
  cluster.stop(node);
  await sleep(milliseconds);
  cluster.resume(node);
}

async function partitionNode(cluster: Cluster, node: number, milliseconds: number): Promise<void> {
  cluster.cut(node);
  await sleep(milliseconds);
  cluster.mend(node);
}

/** Cluster that faults are made for. */
interface FaultOptions {
  /** Number of nodes. */
  readonly size: number;
  readonly engine?: EngineProcess["kind"];
  /** True if nodes can be cut off from the engine. Default `false`. */
  readonly hasLinks?: boolean;
  /** Words: only faults with one of them in their names. Default: all. */
  readonly only?: readonly string[];
}

/** Next fault of the schedule that a seed determines. Without an engine there is one node, whose state ends with it: it can only be stopped. */
export function nextFault(random: Random, { size, engine, hasLinks = false, only }: FaultOptions): Fault {
  const names = engine
    ? [...[nodeFaults, hasLinks ? linkFaults : {}].flatMap(Object.keys), ...faultsOfEngine[engine]]
    : ["stop node 3 s"];
  const name = pick(
    names.filter((candidate) => only === undefined || only.some((word) => candidate.includes(word))),
    random,
  );
  const node = Math.floor(random() * size);
  const after = 2_000 + Math.floor(random() * 3_000);
  const ofNode = nodeFaults[name] ?? linkFaults[name];
  if (ofNode) return { name, target: String(node), after, run: (cluster) => ofNode(cluster, node) };
  return { name, target: "engine", after, run: (cluster) => runEngineFault(cluster, name) };
}

async function runEngineFault({ engine: process }: Cluster, name: string): Promise<void> {
  if (!process) return;
  await engineFaults[name]?.(process);
  if (process.kind === "redis") await redisFaults[name]?.(process);
  if (process.kind === "nats-cluster") await natsClusterFaults[name]?.(process);
}

/** Runs one fault after the other, and writes each into the history. Everything runs when it resolves. */
export async function runNemesis({ cluster, log, random, until, only }: NemesisOptions): Promise<void> {
  const { size, hasLinks } = cluster;
  const options = { size, hasLinks, ...(cluster.engine && { engine: cluster.engine.kind }), ...(only && { only }) };
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
