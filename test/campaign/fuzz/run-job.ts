import { fork, type ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followingSeed, mostFindings, type Job, type Report } from "./job.ts";

/** Problem that a job found. */
export interface Finding {
  readonly kind: "wrong" | "crash" | "hang";
  readonly lane: string;
  /** Seed of the conversation; absent for problems that belong to none. */
  readonly seed?: number;
  readonly problem: string;
}

/** Outcome of a job. */
export interface JobOutcome {
  readonly messages: number;
  readonly conversations: number;
  readonly findings: readonly Finding[];
  /** Seconds of processor time of the worker. */
  readonly cpu: number;
}

/** Milliseconds without any progress after which a worker hangs. */
const patience = 180_000;

/** Runs jobs one after another in a process of its own, and in another one after a crash or a hang. */
export class JobRunner {
  #worker: ChildProcess | undefined;

  async run(job: Job): Promise<JobOutcome> {
    const outcome = { messages: 0, conversations: 0, cpu: 0, findings: new Array<Finding>() };
    for (let seed = job.seed; outcome.messages < job.messages && outcome.findings.length < mostFindings;) {
      const run = await this.#runOnce({ ...job, seed, messages: job.messages - outcome.messages });
      outcome.messages += run.messages;
      outcome.conversations += run.conversations;
      outcome.cpu += run.cpu;
      outcome.findings.push(...run.findings);
      seed = followingSeed(seed, run.conversations + run.open.length);
      if (run.end !== undefined) outcome.findings.push(...(await this.#locate(job, run.end, run.open)));
    }
    return outcome;
  }

  /** Ends the process. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker) await stop(worker);
  }

  /** Repeats each conversation that was open, to find the one that is at fault and its last message. */
  async #locate(job: Job, end: string, open: readonly number[]): Promise<readonly Finding[]> {
    const folder = mkdtempSync(join(tmpdir(), "campaign-trace-"));
    const findings: Finding[] = [];
    try {
      for (const seed of open) {
        const trace = join(folder, String(seed));
        const again = await this.#runOnce({ ...job, seed, messages: 1, trace });
        if (again.end === undefined) continue;
        const problem = `${again.end}; the last messages: ${readEnd(trace)}`;
        findings.push({ kind: toKind(again.end), lane: job.lane, seed, problem });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    if (findings.length > 0) return findings;
    return [{ kind: toKind(end), lane: job.lane, problem: `${end}; conversations ${open.join(", ")} were open` }];
  }

  async #runOnce(job: Job): Promise<OneRun> {
    this.#worker ??= start();
    const run = await runIn(this.#worker, job);
    // A process that found something may still be busy with it.
    if (run.end !== undefined || run.findings.length > 0) await this.close();
    return run;
  }
}

function toKind(end: string): "crash" | "hang" {
  return end.startsWith("hang") ? "hang" : "crash";
}

interface OneRun extends JobOutcome {
  /** How the worker ended, if it did not end its job. */
  readonly end?: string;
  /** Seeds of the conversations that had begun and not ended. */
  readonly open: readonly number[];
}

/** Starts a process for jobs. */
function start(): ChildProcess {
  const execArgv = ["--import", "tsx"];
  return fork(join(import.meta.dirname, "worker.ts"), { execArgv, stdio: ["ignore", "inherit", "pipe", "ipc"] });
}

function runIn(worker: ChildProcess, job: Job): Promise<OneRun> {
  const open = new Set<number>();
  const findings: Finding[] = [];
  const tally = { messages: 0, conversations: 0, cpu: 0 };
  let words = "";
  const listen = (text: Buffer): void => void (words = (words + text.toString()).slice(-2_000));
  return new Promise((resolve) => {
    const finish = (end?: string): void => {
      clearTimeout(timer);
      worker.removeListener("message", read).removeListener("exit", leave);
      worker.stderr?.removeListener("data", listen);
      resolve({ ...tally, findings, open: [...open], ...(end !== undefined && { end }) });
    };
    const leave = (code: number | null, signal: string | null): void =>
      finish(`crash: the process ended with ${code ?? signal}: ${words.trim()}`);
    const read = (report: Report): void => {
      timer.refresh();
      if (report.kind === "begin") return void open.add(report.seed);
      if (report.kind === "end") {
        open.delete(report.seed);
        tally.messages += report.messages;
        tally.conversations += 1;
      }
      const own = report.kind === "end" ? { seed: report.seed } : {};
      findings.push(...report.problems.map((problem) => toFinding(job.lane, problem, own)));
      if (report.kind === "done") tally.cpu = report.cpu;
      if (report.kind === "done") finish();
    };
    const timer = setTimeout(() => finish(`hang: nothing for ${patience / 1000} s`), patience);
    worker.stderr?.on("data", listen);
    worker.on("message", read).on("exit", leave);
    worker.send(job);
  });
}

function toFinding(lane: string, problem: string, own: { readonly seed?: number }): Finding {
  const isHang = problem.startsWith("hang");
  const isCrash = problem.startsWith("it ended") || problem.startsWith("the server ended");
  return { kind: isHang ? "hang" : isCrash ? "crash" : "wrong", lane, ...own, problem };
}

async function stop(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  worker.kill("SIGKILL");
  await ended;
}

/** Returns the end of a file as text. */
function readEnd(file: string): string {
  const length = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (length === 0) return "none";
  const buffer = Buffer.alloc(Math.min(length, 1_500));
  const descriptor = openSync(file, "r");
  readSync(descriptor, buffer, 0, buffer.length, length - buffer.length);
  closeSync(descriptor);
  return buffer.toString();
}
