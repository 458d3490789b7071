import { jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { setTimeout as sleep } from "node:timers/promises";
import { startNats, type NatsProcess } from "./nats-process.ts";
import { findPort } from "./processes.ts";
import { startWithOtherPorts } from "./server-process.ts";

/** Cluster of three NATS servers, which keep three copies of each stream. */
export interface NatsClusterProcess {
  readonly kind: "nats-cluster";
  /** URLs of all servers, with commas. */
  readonly url: string;
  /** Ends a server by SIGKILL, each time another one. */
  kill(): Promise<void>;
  /** Starts the server that was ended, and waits until it has what the others have. */
  restart(): Promise<void>;
  /** Stops one of the servers for some milliseconds, without ending it. */
  pause(milliseconds: number): Promise<void>;
  /** Ends the server that leads a stream by SIGKILL. */
  killLeader(stream: string): Promise<void>;
  /** Lets another server lead each stream, and waits until all are led. */
  stepDown(): Promise<void>;
  /** Removes all messages of all streams. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

interface ClusterServer extends NatsProcess {
  readonly name: string;
  /** Port with the state of the server. */
  readonly monitor: number;
}

const serverCount = 3;

/** Starts a cluster of NATS servers. All of them end with `close`, also when one cannot start. */
export function startNatsCluster(): Promise<NatsClusterProcess> {
  return startWithOtherPorts(startServers);
}

async function startServers(): Promise<NatsClusterProcess> {
  const routes = await Promise.all(Array.from({ length: serverCount }, findPort));
  const outcomes = await Promise.allSettled(routes.map((_, index) => startServer(index, routes)));
  const servers = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const close = async (): Promise<void> => void (await Promise.all(servers.map((server) => server.close())));
  try {
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    await waitForAll(servers);
  } catch (error) {
    await close();
    throw error;
  }
  return toCluster(servers, close);
}

function toCluster(servers: readonly ClusterServer[], close: () => Promise<void>): NatsClusterProcess {
  const url = servers.map((server) => server.url).join(",");
  let turn = 0;
  let ended: ClusterServer | undefined;
  const next = (): ClusterServer => {
    turn += 1;
    const server = servers[turn % servers.length];
    if (!server) throw new Error("The cluster has no servers");
    return server;
  };
  const kill = async (server: ClusterServer): Promise<void> => {
    ended = server;
    await server.kill();
  };
  return {
    kind: "nats-cluster",
    url,
    kill: () => kill(next()),
    async restart() {
      await ended?.restart();
      ended = undefined;
      await waitForAll(servers);
      await waitForStreams(url);
    },
    async pause(milliseconds) {
      await next().pause(milliseconds);
      await waitForStreams(url);
    },
    async killLeader(stream) {
      const leader = await withManager(url, async ({ streams }) => (await streams.info(stream)).cluster?.leader);
      await kill(servers.find(({ name }) => name === leader) ?? next());
    },
    async stepDown() {
      await withManager(url, async ({ streams }, connection) => {
        const names = await listStreams(streams);
        const request = (name: string): string => `$JS.API.STREAM.LEADER.STEPDOWN.${name}`;
        await Promise.all(names.map((name) => connection.request(request(name), "", { timeout: 10_000 })));
      });
      await waitForStreams(url);
    },
    clear: () =>
      withManager(url, async ({ streams }) => {
        await Promise.all((await listStreams(streams)).map((name) => streams.purge(name)));
      }),
    close,
  };
}

async function startServer(index: number, routes: readonly number[]): Promise<ClusterServer> {
  const monitor = await findPort();
  const name = `server${index + 1}`;
  const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`);
  const config = `
server_name: ${name}
http: "127.0.0.1:${monitor}"
jetstream { store_dir: "$FOLDER" }
cluster { name: scale, listen: "127.0.0.1:${routes[index]}", no_advertise: true, routes: [${urls.join(", ")}] }
`;
  return { ...(await startNats({ config })), name, monitor };
}

/** Waits until each stream has a leader, and all copies are up to date. */
async function waitForStreams(url: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isReplicated(url))) {
    if (Date.now() > deadline) throw new Error("The streams of NATS are not replicated after 60 s");
    await sleep(100);
  }
}

async function isReplicated(url: string): Promise<boolean> {
  try {
    return await withManager(url, async ({ streams }) => {
      for await (const { cluster, config } of streams.list()) {
        const followers = (cluster?.replicas ?? []).filter(({ current, offline }) => current && !offline);
        if (!cluster?.leader || followers.length + 1 < config.num_replicas) return false;
      }
      return true;
    });
  } catch {
    // A cluster that elects a leader does not respond.
    return false;
  }
}

/** Waits until each server knows the leader of the cluster, and has what the others have. */
async function waitForAll(servers: readonly ClusterServer[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (const { monitor } of servers) {
    while (!(await isHealthy(monitor))) {
      if (Date.now() > deadline) throw new Error("A server of the NATS cluster is not healthy after 60 s");
      await sleep(100);
    }
  }
}

async function isHealthy(monitor: number): Promise<boolean> {
  try {
    const get = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${monitor}${path}`, { signal: AbortSignal.timeout(2_000) });
    const [health, state] = [await get("/healthz"), await get("/jsz")];
    const { leader, cluster_size: size } = Object(Object(await state.json()).meta_cluster);
    return health.ok && typeof leader === "string" && size === serverCount;
  } catch {
    // It does not listen yet.
    return false;
  }
}

async function withManager<Result>(
  url: string,
  use: (manager: JetStreamManager, connection: NatsConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await connect({ servers: url.split(",") });
  try {
    return await use(await jetstreamManager(connection, { timeout: 5_000, checkAPI: false }), connection);
  } finally {
    await connection.close();
  }
}

async function listStreams(streams: JetStreamManager["streams"]): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of streams.names()) names.push(name);
  return names;
}
