import { joinCluster, type Cluster } from "../../../cluster/cluster.ts";
import { createMemoryCluster } from "../../../cluster/memory-engine.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { start, type Rig, type Session, type Tool } from "../../kit/http-server.ts";
import type { HttpResponse, Stream } from "../../kit/http-exchange.ts";
import { selectFixture } from "../engine-fixture.ts";

/** Nodes of one cluster, each with the same tools, in this process. */
export interface Nodes {
  readonly rigs: readonly Rig[];
  /** Opens a session on the first node. */
  open(revision?: string, headers?: Record<string, string>): Promise<Session>;
  /** Sends a message of a session to a node, and reads the whole response. */
  post(node: number, session: Session, message: unknown): Promise<HttpResponse>;
  /** Sends a message of a session to a node, and reads events as they arrive. */
  postStream(node: number, session: Session, message: unknown): Promise<Stream>;
  /** Opens a stream of a session at a node by GET. */
  listen(node: number, session: Session, lastEventId?: string): Promise<Stream>;
  end(node: number, session: Session): Promise<HttpResponse>;
  /** Cuts a node off from the store and from the others, as if it had stopped. */
  cutOff(node: number): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds after which a node counts as gone. */
export const lease = 300;

/** Starts nodes on the engine of this run. `toolsOf` returns the tools of a node. */
export async function startNodes(
  count: number,
  toolsOf: (node: number) => Record<string, Tool>,
  options: Omit<ListenOptions, "port" | "cluster"> = {},
): Promise<Nodes> {
  const engines = await startEngines(count);
  const clusters: Cluster[] = [];
  const rigs: Rig[] = [];
  for (const engine of engines.all) {
    const cluster = await joinCluster(engine, { lease });
    clusters.push(cluster);
    rigs.push(await start(toolsOf(rigs.length), { retry: 20, ...options, cluster }));
  }
  const at = (node: number): Rig => {
    const rig = rigs[node];
    if (!rig) throw new Error(`no node ${node}`);
    return rig;
  };
  return {
    rigs,
    open: (revision, headers) => at(0).open(revision, headers),
    post: (node, { headers }, body) => at(node).send({ body, headers }),
    postStream: (node, { headers }, body) => at(node).stream({ body, headers }),
    listen: (node, { headers }, last) =>
      at(node).stream({ method: "GET", headers: { ...headers, ...(last !== undefined && { "last-event-id": last }) } }),
    end: (node, { headers }) => at(node).send({ method: "DELETE", headers }),
    cutOff: async (node) => engines.all[node]?.close(),
    async close() {
      await Promise.all(rigs.map((rig) => rig.close()));
      await Promise.all(clusters.map((cluster) => cluster.close()));
      await engines.stop();
    },
  };
}

/** Starts a cluster on the engine of this run, with an engine for each node. */
export async function startEngines(count: number): Promise<{ readonly all: readonly Engine[]; stop(): Promise<void> }> {
  const name = process.env["SCALE_ENGINE"] ?? "memory";
  if (name === "memory") {
    const memory = createMemoryCluster();
    return { all: Array.from({ length: count }, () => memory.connect()), stop: async () => {} };
  }
  const cluster = await selectFixture().start();
  const all: Engine[] = [];
  for (let index = 0; index < count; index += 1) all.push(await cluster.connect());
  return { all, stop: () => cluster.stop() };
}
