import { describe, expect, it } from "vitest";
import { startCluster } from "../processes/cluster.ts";
import { runFaults } from "../faults/run-faults.ts";
import { mutants } from "./mutants.ts";

/* Clusters whose engine has one fault: `npm run test:scale -- mutants`. The checker finds it without any other fault. */

const seed = Number(process.env["SCALE_SEED"] ?? "1");

interface Sign {
  /** Workload that shows the fault. */
  readonly workload: string;
  /** Invariants of which it breaks one or more. */
  readonly invariants: readonly string[];
}

const signs: Readonly<Record<string, Sign>> = {
  "stores events late": { workload: "count", invariants: ["I1"] },
  "leaves gaps": { workload: "count", invariants: ["I1"] },
  "repeats events": { workload: "count", invariants: ["I1"] },
  "reorders events": { workload: "count", invariants: ["I1"] },
  "removes streams early": { workload: "count", invariants: ["I1"] },
  "seals streams of living nodes": { workload: "count", invariants: ["I3"] },
  "seals without a fence": { workload: "count", invariants: ["I1", "I3"] },
  "reserves no request ids": { workload: "twice", invariants: ["I5"] },
  "ignores owners": { workload: "stranger", invariants: ["I8"] },
  "loses cancellations": { workload: "cancel", invariants: ["I7"] },
  "loses the ends of sessions": { workload: "end", invariants: ["I7"] },
  "exchanges responses of clients": { workload: "both", invariants: ["I6"] },
};

/** Tries after the first one: on a busy machine, the operations that show a fault may not take place within the time of a run. */
const retry = 2;

describe("a cluster whose engine", () => {
  it.each(Object.keys(mutants))("%s breaks an invariant", { retry }, async (mutant) => {
    const { workload = "", invariants = [] } = signs[mutant] ?? {};
    const cluster = await startCluster({ nodes: 3, engine: "redis", mutant });
    try {
      const { broken } = await runFaults({ cluster, seed, milliseconds: 3_000, workloads: [workload], faults: [] });
      expect(broken.filter((name) => invariants.includes(name))).not.toEqual([]);
    } finally {
      await cluster.close();
    }
  });
});
