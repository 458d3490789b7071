import type { ClusterEngine } from "./cluster.ts";
import type { EngineLink } from "./engine-link.ts";
import type { Host } from "./host.ts";
import type { Network } from "./network.ts";
import type { SentinelProcess } from "./sentinel-process.ts";

/**
 * Kind of a partition. `engine`: between a node and the engine, while clients reach the node. `balancer`: between a node and the balancer. `primary`:
 * between the primary and its replicas and sentinels, while all nodes reach both sides. `primary and node`: the same, and the node reaches the old
 * primary only.
 */
export type PartitionKind = "engine" | "balancer" | "primary" | "primary and node";

/** Connections that a test can cut. */
export interface Partitions {
  readonly kinds: readonly PartitionKind[];
  /** Begins a partition, and returns a function that ends it. */
  begin(kind: PartitionKind, node: number): Promise<() => Promise<void>>;
}

/** Hosts of a cluster in a network. */
export interface ClusterHosts {
  readonly network: Network;
  readonly balancer: Host;
  readonly nodes: readonly Host[];
  readonly engine: readonly Host[];
}

/** Returns the partitions of nodes that reach the engine by links. */
export function cutLinks(links: readonly EngineLink[]): Partitions {
  return {
    kinds: ["engine"],
    async begin(_kind, node) {
      links[node]?.cut();
      return async () => links[node]?.mend();
    },
  };
}

/** Returns the partitions of a network. */
export function cutHosts(hosts: ClusterHosts, engine: ClusterEngine | undefined): Partitions {
  const { network } = hosts;
  const cut = async (host: Host, others: readonly Host[]): Promise<() => Promise<void>> => {
    await network.cut(host, others);
    return () => network.mend(host, others);
  };
  const sentinel = engine?.kind === "sentinel" ? engine : undefined;
  return {
    kinds: sentinel ? ["engine", "balancer", "primary", "primary and node"] : ["engine", "balancer"],
    async begin(kind, index) {
      const node = hosts.nodes[index];
      if (!node) throw new RangeError(`There is no node ${index}`);
      if (kind === "engine") return cut(node, hosts.engine);
      if (kind === "balancer") return cut(node, [hosts.balancer]);
      if (!sentinel) throw new Error("The engine has no replicas; use the engine sentinel");
      return isolatePrimary(sentinel, kind === "primary" ? [] : [node], { hosts, cut });
    },
  };
}

interface Cutting {
  readonly hosts: ClusterHosts;
  cut(host: Host, others: readonly Host[]): Promise<() => Promise<void>>;
}

/** Cuts the primary, and nodes that stay with it, off from its replicas and their sentinels. */
async function isolatePrimary(
  sentinel: SentinelProcess,
  nodes: readonly Host[],
  { hosts, cut }: Cutting,
): Promise<() => Promise<void>> {
  const primary = await sentinel.findPrimary();
  const others = hosts.engine.filter((host) => host !== primary.host);
  const mends: (() => Promise<void>)[] = [];
  for (const host of [primary.host, ...nodes]) mends.push(await cut(host, others));
  return async () => {
    for (const mend of mends) await mend();
    await sentinel.settled();
  };
}
