import { setTimeout as sleep } from "node:timers/promises";
import { createRedisEngine } from "../../cluster/redis/index.ts";
import { createNatsEngine } from "../../cluster/nats/index.ts";
import { createMemoryCluster } from "../../cluster/memory-engine.ts";
import type { EngineLimits } from "../../cluster/engine-limits.ts";
import type { Engine } from "../../cluster/stores/engine.ts";
import { startEngineLink, type EngineLink } from "./processes/engine-link.ts";
import { startNatsCluster, type NatsClusterProcess } from "./processes/nats-cluster.ts";
import { startNats } from "./processes/nats-process.ts";
import { startRedisCluster, startSentinels, type RedisGroup } from "./processes/redis-group.ts";
import type { EngineProcess } from "./processes/cluster.ts";
import { startRedis } from "./processes/redis-process.ts";
import { ManualClock } from "../../runtime/testing/manual-clock.ts";

/** Starts engines of one kind for the contract suites. */
export interface EngineFixture {
  /** Starts a cluster with an empty store. */
  start(limits?: Partial<EngineLimits>): Promise<TestCluster>;
  /** Ends the servers that all clusters share. Absent where each cluster has its own. */
  close?(): Promise<void>;
}

/** Cluster of a test: one store, and an engine for each node. */
export interface TestCluster {
  /** Returns an open engine for one more node. */
  connect(): Promise<Engine>;
  /** Returns an open engine for one more node, whose connection to the store can be cut, where a test can do so. */
  connectByLink?(): Promise<LinkedEngine>;
  /** Lets time pass for the store: by its clock where that is manual, else by waiting. */
  pass(milliseconds: number): Promise<void>;
  /** Makes the store unreachable, where a test can. */
  kill?(): Promise<void>;
  /** Makes the store reachable again, with all that it has acknowledged. */
  restart?(): Promise<void>;
  /** Closes all engines that were connected, and ends the store in every outcome. */
  stop(): Promise<void>;
}

/** Engine of a node, and its connection to the store. */
export interface LinkedEngine {
  readonly engine: Engine;
  readonly link: Pick<EngineLink, "cut" | "drop" | "mend">;
}

const keys = [new Uint8Array(32).fill(7)];

/** Each cluster has a prefix of its own. */
const redisGroup: SharedUse<RedisGroup> = {
  create: ({ url }, cluster, limits) => createRedisEngine({ url, keys, prefix: `contract${cluster}`, limits }),
};

/** All clusters have the same streams: a cluster of NATS takes long to create them. */
const natsCluster: SharedUse<NatsClusterProcess> = {
  create: ({ url }, _cluster, limits) =>
    createNatsEngine({ servers: url, replicas: 3, strict: true, keys, prefix: "contract", limits }),
  clear: (servers) => servers.clear(),
};

/** Fixtures by the name that the environment variable SCALE_ENGINE selects. */
export const fixtures: Readonly<Record<string, EngineFixture>> = {
  memory: { start: startMemory },
  redis: { start: startOnRedis },
  "redis-cluster": shareServers(startRedisCluster, redisGroup),
  sentinel: shareServers(startSentinels, redisGroup),
  nats: { start: startOnNats },
  "nats-cluster": shareServers(startNatsCluster, natsCluster),
};

/** Returns the fixture that the environment variable SCALE_ENGINE names. Default: `memory`. */
export function selectFixture(): EngineFixture {
  const name = process.env["SCALE_ENGINE"] ?? "memory";
  const fixture = fixtures[name];
  if (!fixture) throw new Error(`The engine ${name} is unknown; use one of ${Object.keys(fixtures).join(", ")}`);
  return fixture;
}

async function startOnRedis(limits: Partial<EngineLimits> = {}): Promise<TestCluster> {
  // With `everysec`, Redis holds changes back while a slow disk writes earlier ones: a server that is killed then loses them.
  return createTestCluster(await startRedis({ fsync: "no" }), (url) =>
    createRedisEngine({ url, keys, prefix: "contract", limits }),
  );
}

/** Returns a cluster with a server of its own. Limits of time are real, so a test waits for them. */
function createTestCluster(server: EngineProcess, create: (url: string) => Engine): TestCluster {
  const engines: Engine[] = [];
  const links: EngineLink[] = [];
  const open = async (url: string): Promise<Engine> => {
    const engine = create(url);
    engines.push(engine);
    await engine.open();
    return engine;
  };
  return {
    connect: () => open(server.url),
    async connectByLink() {
      const link = await startEngineLink(server.url);
      links.push(link);
      return { engine: await open(link.url), link };
    },
    pass: (milliseconds) => sleep(milliseconds),
    kill: () => server.kill(),
    restart: () => server.restart(),
    async stop() {
      try {
        for (const engine of engines) await engine.close();
        for (const link of links) await link.close();
      } finally {
        await server.close();
      }
    },
  };
}

/** Servers that several clusters share. */
interface SharedServers {
  close(): Promise<void>;
}

/** Use of shared servers by one cluster after the other. */
interface SharedUse<Servers> {
  /** Creates an engine. Each cluster has a number. */
  create(servers: Servers, cluster: number, limits: Partial<EngineLimits>): Engine;
  /** Removes what an earlier cluster has stored, where it would be in the way. */
  clear?(servers: Servers): Promise<void>;
}

/** Shares servers, whose start takes seconds. They cannot be made unreachable. */
function shareServers<Servers extends SharedServers>(
  start: () => Promise<Servers>,
  { create, clear }: SharedUse<Servers>,
): EngineFixture {
  let started: Promise<Servers> | undefined;
  let count = 0;
  return {
    async start(limits = {}) {
      started ??= start();
      const servers = await started;
      const number = (count += 1);
      await clear?.(servers);
      const engines: Engine[] = [];
      return {
        async connect() {
          const engine = create(servers, number, limits);
          engines.push(engine);
          await engine.open();
          return engine;
        },
        pass: (milliseconds) => sleep(milliseconds),
        async stop() {
          for (const engine of engines) await engine.close();
        },
      };
    },
    async close() {
      await (await started)?.close();
      started = undefined;
    },
  };
}

async function startOnNats(limits: Partial<EngineLimits> = {}): Promise<TestCluster> {
  return createTestCluster(await startNats(), (servers) =>
    createNatsEngine({ servers, keys, prefix: "contract", limits }),
  );
}

async function startMemory(limits: Partial<EngineLimits> = {}): Promise<TestCluster> {
  const clock = new ManualClock();
  const cluster = createMemoryCluster({ ...limits, clock });
  const engines: Engine[] = [];
  const connect = async (): Promise<Engine> => {
    const engine = cluster.connect();
    engines.push(engine);
    await engine.open();
    return engine;
  };
  return {
    connect,
    async connectByLink() {
      const engine = await connect();
      const link = { cut: () => cluster.lose(engine), drop: () => {}, mend: () => cluster.restore(engine) };
      return { engine, link };
    },
    async pass(milliseconds) {
      await clock.pass(milliseconds);
    },
    async kill() {
      cluster.lose();
    },
    async restart() {
      cluster.restore();
    },
    async stop() {
      for (const engine of engines) await engine.close();
    },
  };
}
