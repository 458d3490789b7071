import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../../kit/random.ts";
import { describeViolations, findViolations } from "../checker.ts";
import type { Cluster } from "../processes/cluster.ts";
import { HistoryLog, type Evidence } from "../history.ts";
import { runNemesis } from "../nemesis.ts";
import { countFigures, type Figures } from "../checker/figures.ts";
import { permanentKeys, readEngineState } from "./engine-state.ts";
import { selectWorkloads, workloads } from "../workloads/index.ts";

/** Options of a run. */
export interface RunOptions {
  readonly cluster: Cluster;
  readonly seed: number;
  readonly milliseconds: number;
  /** Names of the workloads. Default: all. */
  readonly workloads?: readonly string[];
  /** Words in the names of the faults; an empty list: no faults. Default: all faults. */
  readonly faults?: readonly string[];
  /** Clients at a time. Default 6. */
  readonly clients?: number;
}

/** Result of a run. */
export interface RunReport {
  /** Violations as text; empty without any. */
  readonly violations: string;
  /** Passes of each workload. */
  readonly passes: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly figures: Figures;
  /** Names of the invariants that were broken. */
  readonly broken: readonly string[];
}

/** Milliseconds without faults at the end. */
const quiet = 10_000;
/** Milliseconds for everything on a machine with other work. */
const slack = 1_500;

let runs = 0;

/** Runs workloads and faults for some time, then checks all that happened. A violation leaves the history in a file. */
export async function runFaults(options: RunOptions): Promise<RunReport> {
  const { cluster, seed, milliseconds, faults, clients = 6 } = options;
  const path = join(tmpdir(), `scale-history-${seed}-${process.pid}-${(runs += 1)}.jsonl`);
  const log = new HistoryLog(path);
  const until = Date.now() + milliseconds;
  const passes: Record<string, number> = {};
  const names = options.workloads ?? selectWorkloads(undefined);
  const work = async (index: number): Promise<void> => {
    const random = createRandom(seed + 1 + index);
    for (let turn = index; Date.now() < until; turn++) {
      const name = names[turn % names.length] ?? "";
      const workload = workloads[name];
      if (!workload) throw new Error(`The workload ${name} is unknown; use ${Object.keys(workloads).join(", ")}`);
      await workload({ url: cluster.url, log, random });
      passes[name] = (passes[name] ?? 0) + 1;
    }
  };
  const nemesis =
    faults?.length === 0
      ? undefined
      : runNemesis({ cluster, log, random: createRandom(seed), until: until - quiet, ...(faults && { only: faults }) });
  await Promise.all([nemesis, ...Array.from({ length: clients }, (_, index) => work(index))]);
  await sleep(slack);
  const { engine, size } = cluster;
  const end = { history: log.lines, livingNodes: size };
  const evidence: Evidence = {
    history: log.lines,
    effects: await cluster.readEffects(),
    ...((engine?.kind === "redis" || engine?.kind === "sentinel") && {
      engineState: await readEngineState(engine, end),
    }),
  };
  const found = findViolations(evidence, { slack, permanentKeys });
  const violations = describeViolations(found);
  const report =
    violations === ""
      ? ""
      : `${violations}\nseed: ${seed}\nhistory: ${save(evidence, path)}\n${cluster.readErrors().slice(-1_000)}`;
  if (violations === "") rmSync(path, { force: true });
  return {
    violations: report,
    passes,
    faults: log.lines.flatMap(readFault),
    figures: countFigures(evidence),
    broken: [...new Set(found.map(({ invariant }) => invariant))],
  };
}

function readFault({ op, phase, value = "", node = "" }: Evidence["history"][number]): readonly string[] {
  return op === "fault" && phase === "call" ? [`${value} (${node})`] : [];
}

/** Writes the lines of clients and tools to the file of the history. */
function save(evidence: Evidence, path: string): string {
  const lines = [...evidence.history, ...evidence.effects].toSorted((a, b) => a.t - b.t);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}
