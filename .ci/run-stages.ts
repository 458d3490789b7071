import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { execute, sum, type Execution, type FileTests } from "./execute.ts";
import type { Repeat, Stage } from "./stage.ts";

/** Second attempts that may pass in a run. More are a fault of the tests, and the run is red. */
const mostAttempts = 3;

/** A stage with what it did. */
export interface StageResult {
  readonly stage: Stage;
  readonly first: Execution;
  /** What was run again by itself, in order. */
  readonly attempts: readonly Attempt[];
}

/** A command line that was run once more by itself. */
export interface Attempt {
  readonly command: string;
  /** Test file that it runs. Absent: something else, or the whole stage. */
  readonly path?: string;
  readonly execution: Execution;
}

/** Runs groups of stages one after another, prints what they print, and closes with a table. Returns whether the run is green. */
export async function runStages(
  groups: readonly (readonly Stage[])[],
  print: (text: string) => void,
  cores: number = availableParallelism(),
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "ci-"));
  try {
    const results: StageResult[] = [];
    for (const stages of groups) {
      const run = async (stage: Stage): Promise<StageResult> => {
        const first = await execute(stage.command, folder);
        const outcome = first.passed ? "passed" : "failed";
        print(`\n== ${stage.name}: ${outcome} (${Math.round(first.wall)} s)\n${first.output}`);
        return { stage, first, attempts: [] };
      };
      results.push(...(await runBeside(stages, cores, run)));
    }
    // Alone: nothing runs beside them any more.
    const repeated: StageResult[] = [];
    for (const result of results) repeated.push(result.first.passed ? result : await repeat(result, folder, print));
    return report(repeated, print);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts stages in their order, each as soon as its cores are free. One that needs more than there are runs alone. */
async function runBeside(
  stages: readonly Stage[],
  cores: number,
  run: (stage: Stage) => Promise<StageResult>,
): Promise<readonly StageResult[]> {
  const waiting = [...stages];
  const running = new Map<Stage, Promise<void>>();
  const results: StageResult[] = [];
  const fits = (stage: Stage): boolean => {
    const busy = [...running.keys()].reduce((sum, other) => sum + other.cores, 0);
    return running.size === 0 || busy + stage.cores <= cores;
  };
  while (waiting.length > 0 || running.size > 0) {
    for (let at = waiting.findIndex(fits); at >= 0; at = waiting.findIndex(fits)) {
      const [stage] = waiting.splice(at, 1);
      if (!stage) break;
      const ended = run(stage).then((result) => {
        results.push(result);
        running.delete(stage);
      });
      running.set(stage, ended);
    }
    await Promise.race(running.values());
  }
  return results;
}

/** Runs what has failed once more. */
async function repeat(result: StageResult, folder: string, print: (text: string) => void): Promise<StageResult> {
  const attempts: Attempt[] = [];
  for (const again of commandsOf(result)) {
    const execution = await execute(again.command, folder);
    const outcome = execution.passed ? "passed" : "failed";
    print(`\n== second attempt, ${result.stage.name}: ${again.command}: ${outcome}\n${execution.output}`);
    attempts.push({ ...again, execution });
  }
  return { ...result, attempts };
}

/** Returns the command lines that run again what has failed. None: nothing may be repeated. */
export function commandsOf({
  stage,
  first,
}: StageResult): readonly { readonly command: string; readonly path?: string }[] {
  const { repeat, command } = stage;
  switch (repeat.kind) {
    case "never":
      return [];
    case "stage":
      return [{ command }];
    case "named": {
      const named = [...first.output.matchAll(/^failed: (.+)$/gm)].map(([, line = ""]) => line);
      return named.length > 0 ? named.map((line) => ({ command: line })) : [{ command }];
    }
    case "files": {
      const paths = first.tests.files.filter(({ failed }) => failed > 0).map(({ path }) => path);
      // An error outside of the tests belongs to no file.
      if (paths.length === 0 || hasOtherErrors(first.output)) return [{ command }];
      return paths.map((path) => ({ command: `${command} ${repeat.option} ${path}`, path }));
    }
    default:
      return unknownKind(repeat);
  }
}

/** True if Vitest has counted errors outside of the tests. Its report does not have them. */
function hasOtherErrors(output: string): boolean {
  return /^ *Errors +\d+ errors?$/m.test(output);
}

function unknownKind(repeat: never): never {
  throw new Error(`The stage has an unknown kind of repetition: ${JSON.stringify(repeat satisfies Repeat)}`);
}

/** True if a stage has passed, at the second attempt at the latest. */
function hasPassed({ first, attempts }: StageResult): boolean {
  return first.passed || (attempts.length > 0 && attempts.every(({ execution }) => execution.passed));
}

/** Counts the tests of a stage. The second result of a file counts, or that of a stage without files. */
function countTests(result: StageResult): { readonly passed: number; readonly failed: number } {
  const { first, attempts } = result;
  const again = new Map<string, FileTests>();
  for (const { path, execution } of attempts) {
    if (path === undefined)
      return hasPassed(result) ? { passed: first.tests.passed + first.tests.failed, failed: 0 } : first.tests;
    again.set(path, { path, ...sum(execution.tests.files) });
  }
  return first.tests.files.length > 0
    ? sum(first.tests.files.map((file) => again.get(file.path) ?? file))
    : first.tests;
}

/** Prints what failed, what passed at the second attempt, and the table. */
function report(results: readonly StageResult[], print: (text: string) => void): boolean {
  const failed = results.filter((result) => !hasPassed(result));
  for (const { stage, first, attempts } of failed) {
    const [last = first] = attempts.filter(({ execution }) => !execution.passed).map(({ execution }) => execution);
    print(`\n== failed: ${stage.name}\n${last.output}`);
  }
  const second = results
    .filter((result) => !result.first.passed && hasPassed(result))
    .flatMap(({ attempts }) => attempts);
  print(`\n${toTable(results)}`);
  if (second.length > 0)
    print(`\npassed at the second attempt:\n${second.map(({ command }) => `  ${command}`).join("\n")}`);
  if (second.length > mostAttempts) print(`\nmore than ${mostAttempts} second attempts: the run is red`);
  const counts = results.map(countTests);
  const total = (key: "passed" | "failed"): number => counts.reduce((all, count) => all + count[key], 0);
  print(`\n${total("passed")} passed, ${total("failed")} failed`);
  return failed.length === 0 && second.length <= mostAttempts;
}

function toTable(results: readonly StageResult[]): string {
  const rows = results.map((result) => {
    const { passed, failed } = countTests(result);
    const outcome = result.first.passed ? "passed" : hasPassed(result) ? "second attempt" : "failed";
    const { wall, processor } = result.first;
    return [result.stage.name, `${passed + failed}`, wall.toFixed(0), processor.toFixed(0), outcome];
  });
  const all = [["stage", "tests", "wall s", "processor s", "result"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}
