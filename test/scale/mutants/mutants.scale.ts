import { describe, expect, it } from "vitest";
import { startCluster } from "../cluster/cluster.ts";
import { runFaults } from "../faults/run-faults.ts";
import { mutants } from "./mutants.ts";

/* Clusters whose engine has one fault: `npm run test:scale -- mutants`. The checker finds it without any other fault. */

const seed = Number(process.env["SCALE_SEED"] ?? "1");

interface Sign {
  /** Workload that shows the fault. */
  readonly workload: string;
  /** Invariant that it breaks. */
  readonly invariant: string;
}

const signs: Readonly<Record<string, Sign>> = {
  "stores events late": { workload: "count", invariant: "I1" },
  "leaves gaps": { workload: "count", invariant: "I1" },
  "repeats events": { workload: "count", invariant: "I1" },
  "reorders events": { workload: "count", invariant: "I1" },
  "removes streams early": { workload: "count", invariant: "I1" },
  "seals streams of living nodes": { workload: "count", invariant: "I3" },
  "seals without a fence": { workload: "count", invariant: "I1" },
  "reserves no request ids": { workload: "twice", invariant: "I5" },
  "ignores owners": { workload: "stranger", invariant: "I8" },
  "loses cancellations": { workload: "cancel", invariant: "I7" },
  "loses the ends of sessions": { workload: "end", invariant: "I7" },
  "exchanges responses of clients": { workload: "both", invariant: "I6" },
};

describe("a cluster whose engine", () => {
  it.each(Object.keys(mutants))("%s breaks an invariant", async (mutant) => {
    const { workload = "", invariant = "" } = signs[mutant] ?? {};
    const cluster = await startCluster({ nodes: 3, engine: "redis", mutant });
    try {
      const { broken } = await runFaults({ cluster, seed, milliseconds: 3_000, workloads: [workload], faults: [] });
      expect(broken).toContain(invariant);
    } finally {
      await cluster.close();
    }
  });
});
