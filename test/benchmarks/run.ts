import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatJson } from "../../generator/internal/format.ts";
import { packageRoot } from "../../generator/internal/package-info.ts";
import { writePage } from "../kit/docs-page.ts";
import { officialFolder } from "../oracle/official-files.ts";
import { drawPictures, renderPage } from "./page.ts";
import {
  disturbedWorkloads,
  medianOf,
  summaryFile,
  type Contestant,
  type Figure,
  type Measurement,
  type Summary,
} from "./summary.ts";

/*
 * `npm run docs:benchmarks`: writes docs/benchmarks.md and its pictures from bench/summary.json. With `-- --run` it measures first, which takes about
 * an hour and needs a quiet machine, a build, `npm ci` in bench/ and the official schemas. `-- --run W3 W5 --reps=5` measures some of the workloads.
 */

/** Options of each workload of the page. */
const workloads: Readonly<Record<string, readonly string[]>> = {
  W1: [],
  W2: [],
  W3: [],
  W4: [],
  W5: ["--modes=stateful-json,stateful-sse,modern-json,modern-sse"],
  W6: [],
  W7: ["--parts=import,bundle"],
  W12: ["--contestants=floor,ours,ours-modern,sdk2-modern", "--reps=3"],
  W13: [],
  W14: [],
  W15: [],
  W16: [],
  W17: [],
};

/** File of `bench/run.mjs`. */
interface Results {
  readonly meta: {
    readonly at: string;
    readonly node: string;
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly system: string;
    readonly noise: { readonly runs: number; readonly dirty: number };
    readonly contestants: readonly Contestant[];
  };
  readonly figures: readonly Figure[];
}

const { values, positionals } = parseArgs({
  options: { run: { type: "boolean", default: false }, reps: { type: "string" } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in workloads));
if (unknown.length > 0 || (positionals.length > 0 && !values.run)) {
  console.error(`usage: npm run docs:benchmarks [-- --run [${Object.keys(workloads).join("] [")}] [--reps=<number>]]`);
  process.exit(2);
}

if (values.run) {
  const chosen = positionals.length > 0 ? positionals : Object.keys(workloads);
  for (const name of chosen) {
    await measure(name);
    await keep(name);
  }
}
await render(readSummary());

async function measure(name: string): Promise<void> {
  const reps = values.reps === undefined ? [] : [`--reps=${values.reps}`];
  const program = join(packageRoot, "bench", "run.mjs");
  const run = spawn(process.execPath, [program, name, ...(workloads[name] ?? []), ...reps], {
    stdio: "inherit",
    env: { MCP_SCHEMA_DIR: officialFolder(), ...process.env },
  });
  const [code] = await once(run, "exit");
  if (code !== 0) throw new Error(`${name} failed with exit code ${code}; fix it, or name the other workloads.`);
}

/** Replaces a workload of the summary by its last run, if this project has every figure. */
async function keep(name: string): Promise<void> {
  const results: Results = JSON.parse(readFileSync(join(packageRoot, "bench", "results", `${name}.json`), "utf8"));
  const failed = results.figures.filter((figure) => medianOf(figure, figure.subject) === undefined);
  if (failed.length > 0)
    throw new Error(`${name} has no ${failed.map(({ id }) => id).join(", ")} of this project; measure it again.`);
  const summary = { ...readSummary(), [name]: summarize(results) };
  const sorted = Object.fromEntries(Object.entries(summary).toSorted(([one], [other]) => one.localeCompare(other)));
  writeFileSync(summaryFile, await formatJson(JSON.stringify(sorted)));
}

function summarize({ meta, figures }: Results): Measurement {
  const { at, node, cpu, cores, memoryGiB, system, noise, contestants } = meta;
  const measured = new Set(figures.flatMap(({ values: byContestant }) => Object.keys(byContestant)));
  return {
    date: at.slice(0, 10),
    node: node.slice(1),
    ...{ cpu, cores, memoryGiB, system },
    guarded: noise.runs,
    disturbed: noise.dirty,
    contestants: contestants.filter(({ id }) => measured.has(id)),
    figures: figures.map((figure) => ({ ...figure, values: roundAll(figure.values) })),
  };
}

/** Four significant digits are more than a repetition is worth. */
function roundAll(byContestant: Figure["values"]): Figure["values"] {
  const round = (value: number): number => Number(value.toPrecision(4));
  return Object.fromEntries(Object.entries(byContestant).map(([id, repetitions]) => [id, repetitions.map(round)]));
}

function readSummary(): Summary {
  return JSON.parse(readFileSync(summaryFile, "utf8"));
}

/** Writes the page and its pictures. */
async function render(summary: Summary): Promise<void> {
  await writePage("benchmarks.md", renderPage(summary));
  const folder = join(packageRoot, "docs", "pictures", "benchmarks");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of drawPictures(summary)) writeFileSync(join(folder, name), text);
  const disturbed = disturbedWorkloads(summary);
  if (disturbed.length > 0)
    console.log(`Measure again on a quiet machine: npm run docs:benchmarks -- --run ${disturbed.join(" ")}`);
}
