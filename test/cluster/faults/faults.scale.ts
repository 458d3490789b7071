import { beforeAll, describe, expect, it } from "vitest";
import { startCluster, type Cluster, type ClusterOptions } from "../processes/cluster.ts";
import { selectWorkloads } from "../workloads/index.ts";
import { runFaults, type RunOptions, type RunReport } from "./run-faults.ts";

/*
 * Processes behind a balancer, faults, and clients that break their connections: `npm run test:scale -- faults --engine redis --seed 1 --minutes 3`.
 * With `--engine sentinel` Redis has replicas and sentinels, which replace a lost primary. With `--network namespaces` each program has a network
 * namespace, so that the connections between any of them can be cut. With the engine `memory` there is one node without an engine, which cannot be killed: its state ends with it.
 */

const {
  SCALE_ENGINE = "memory",
  SCALE_NODES = "3",
  SCALE_SEED = "1",
  SCALE_MINUTES = "1",
  SCALE_WORKLOADS,
  SCALE_FAULTS,
  SCALE_NETWORK,
} = process.env;
const seed = Number(SCALE_SEED);
const names = selectWorkloads(SCALE_WORKLOADS);
const milliseconds = Number(SCALE_MINUTES) * 60_000;

describe(`faults with the engine ${SCALE_ENGINE}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(toClusterOptions());
    return cluster.close;
    // Three servers create the streams of a cluster in seconds.
  }, 120_000);

  const run = async (options: Omit<RunOptions, "cluster" | "seed">): Promise<RunReport> => {
    const report = await runFaults({ cluster, seed, ...options });
    console.log(JSON.stringify({ seed, passes: report.passes, faults: report.faults, figures: report.figures }));
    return report;
  };

  it.each(names)("the workload %s keeps all invariants without faults", async (name) => {
    const report = await run({ milliseconds: 1_500, workloads: [name], faults: [], clients: 2 });
    expect(report.violations).toBe("");
  });

  it(
    "all workloads keep all invariants under faults",
    async () => {
      const report = await run({ milliseconds: Math.max(milliseconds, 20_000), workloads: names, ...selectFaults() });
      expect(report.violations).toBe("");
      for (const name of names) expect(report.passes[name], name).toBeGreaterThan(0);
      expect(report.faults.length).toBeGreaterThan(0);
    },
    milliseconds + 180_000,
  );
});

function toClusterOptions(): ClusterOptions {
  const nodes = Number(SCALE_NODES);
  const isInNamespaces = SCALE_NETWORK === "namespaces";
  switch (SCALE_ENGINE) {
    case "memory":
      if (isInNamespaces) throw new Error("The engine memory has no network; use redis or sentinel");
      return { nodes: 1 };
    case "redis":
    case "nats":
    case "nats-cluster":
      return { nodes, engine: SCALE_ENGINE, network: isInNamespaces ? "namespaces" : "links" };
    case "sentinel":
      if (SCALE_NETWORK === "links") throw new Error("Links lead to one server; use the network namespaces");
      return { nodes, engine: SCALE_ENGINE, ...(isInNamespaces && { network: "namespaces" }) };
    default:
      throw new Error(
        `The engine ${SCALE_ENGINE} has no process to start; use redis, sentinel, nats, nats-cluster or memory`,
      );
  }
}

function selectFaults(): { readonly faults?: readonly string[] } {
  return SCALE_FAULTS === undefined ? {} : { faults: SCALE_FAULTS.split(",").map((word) => word.trim()) };
}
