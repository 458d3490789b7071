import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import { formatJson } from "../../generator/internal/format.ts";
import type { Finding } from "./fuzz/run-job.ts";

/** One measured figure of a run. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Unit of the value, such as `ms` or `MB`. Empty for counts. */
  readonly unit: string;
  /** Condition for the value, such as `at most 20`. Absent for figures that only describe the run. */
  readonly goal?: string;
  /** True if the goal is met, or there is none. */
  readonly isMet: boolean;
}

/** Facts about the machine of a run. They identify no machine. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly processor: string;
  /** Memory of the machine in GiB. */
  readonly memory: number;
}

/** Outcome of one part of the campaign. */
export interface CampaignResult {
  /** Name of the part, and of its file: letters, digits and hyphens. */
  readonly name: string;
  /** Seed of all random choices: the same seed makes the same ones. */
  readonly seed: number;
  /** Other options of its command line. */
  readonly options: SizeOptions;
  /** Start of the run: ISO 8601, UTC. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly machine: Machine;
  readonly figures: readonly Figure[];
  /** Descriptions of everything that went wrong. Empty after a run without faults. */
  readonly violations: readonly string[];
  /** Work that is done, if the time of the part ended before its work. */
  readonly progress?: Progress;
}

/** Work of a part that another run can continue. */
export interface Progress {
  /** Number of finished jobs, which have a fixed order. */
  readonly jobs: number;
  /** Seconds of processor time. */
  readonly cpu: number;
  readonly conversations: number;
  /** Number of messages by lane. */
  readonly messages: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** Options of the size of a part. */
export interface SizeOptions {
  /** Number of messages, cuts, kills or drawn mutants in all, or of sessions of each kind. Default: the count of the campaign, or a few in the short form. */
  readonly count?: number;
  /** Duration of a part that lasts for a time. Default: that of the campaign, or a few seconds in the short form. */
  readonly minutes?: number;
  /** Transport of a part that runs over one. */
  readonly transport?: string;
  /** Folder of the code, of a part that is about one. */
  readonly folder?: string;
}

/** Options of a part, from the command line of `run.ts`. */
export interface PartOptions extends SizeOptions {
  readonly seed: number;
  /** True in the form that takes a few seconds. Its result is not saved. */
  readonly isShort: boolean;
  /** Saved result of an earlier run with the same options, to which this run adds. */
  readonly earlier?: CampaignResult;
}

/** Module of a part of the campaign. */
export interface Part {
  readonly run: (options: PartOptions) => Promise<CampaignResult>;
}

/** Folder of the committed results. */
export const resultsFolder: string = join(import.meta.dirname, "results");

/** Creates a figure without a goal. */
export function describeFigure(name: string, value: number, unit: string): Figure {
  return { name, value: round(value), unit, isMet: true };
}

/** Creates a figure that is met up to a limit. */
export function atMost(name: string, value: number, { limit, unit }: { limit: number; unit: string }): Figure {
  return { name, value: round(value), unit, goal: `at most ${limit}`, isMet: value <= limit };
}

/** Creates a figure that is met from a limit on. */
export function atLeast(name: string, value: number, { limit, unit }: { limit: number; unit: string }): Figure {
  return { name, value: round(value), unit, goal: `at least ${limit}`, isMet: value >= limit };
}

/** Creates a figure that is met by one value only. */
export function exactly(name: string, value: number, { limit, unit }: { limit: number; unit: string }): Figure {
  return { name, value: round(value), unit, goal: `exactly ${limit}`, isMet: value === limit };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Start of a run, from which {@link Run.finish} makes the result. */
export interface Run {
  readonly finish: (figures: readonly Figure[], violations?: readonly string[], progress?: Progress) => CampaignResult;
}

/** Starts the clock of a run. */
export function startRun(name: string, { seed, isShort: _isShort, earlier, ...options }: PartOptions): Run {
  const started = Date.now();
  const { minutes: _minutes, ...size } = options;
  return {
    finish: (figures, violations = [], progress = undefined) => ({
      name,
      seed,
      // The minutes of the last part of a run are not those of the run.
      options: earlier && !progress ? size : options,
      startedAt: earlier?.startedAt ?? new Date(started).toISOString(),
      seconds: (earlier?.seconds ?? 0) + Math.round((Date.now() - started) / 1000),
      machine: readMachine(),
      figures,
      violations,
      ...(progress && { progress }),
    }),
  };
}

/** Judgement of a result. */
export interface JudgeOptions {
  /** True to judge counts only, which have no unit: measurements of a few seconds prove nothing. Default `false`. */
  readonly isShort?: boolean;
}

/** Returns true if a run met its goals and found nothing. */
export function hasPassed({ figures, violations }: CampaignResult, { isShort = false }: JudgeOptions = {}): boolean {
  const judged = figures.filter(({ unit }) => !isShort || unit === "");
  return violations.length === 0 && figures.length > 0 && judged.every(({ isMet }) => isMet);
}

/** Writes a result to the folder of results, in place of the last one with its name. */
export async function saveResult(result: CampaignResult, folder: string = resultsFolder): Promise<string> {
  if (!/^[a-z\d-]+$/.test(result.name))
    throw new Error(`The name "${result.name}" is no file name; use letters, digits and hyphens`);
  const path = join(folder, `${result.name}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, await formatJson(JSON.stringify(result)));
  return path;
}

/** Reads all saved results, in the order of their names. */
export function readResults(folder: string = resultsFolder): readonly CampaignResult[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.toSorted().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}

/**
 * Reads the saved result of a part that has not done all of its work.
 *
 * @throws {Error} when there is none
 */
export function readUnfinished(name: string): CampaignResult {
  const found = readResults().find((result) => result.name === name);
  if (found?.progress !== undefined) return found;
  throw new Error(`The part "${name}" has no unfinished result; run it without --continue`);
}

function readMachine(): Machine {
  return {
    node: process.versions.node,
    platform: `${platform()} ${arch()}`,
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memory: Math.round(totalmem() / 2 ** 30),
  };
}
