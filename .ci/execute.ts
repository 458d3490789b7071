import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What a command line did. */
export interface Execution {
  readonly passed: boolean;
  readonly output: string;
  /** Seconds from its start to its end. */
  readonly wall: number;
  /** Seconds of processor time of its processes. */
  readonly processor: number;
  readonly tests: Tests;
}

/** Counted tests, and the state of each test file, if Vitest has run them. */
export interface Tests {
  readonly passed: number;
  readonly failed: number;
  readonly files: readonly FileTests[];
}

/** Tests of one file. */
export interface FileTests {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
}

/** Ends a command line that hangs. */
const longest = 30 * 60_000;

/** Runs its argument in a shell that stops at the first error, and then writes the processor time of its processes. */
const wrapper = 'status=0; bash -euo pipefail -c "$1" || status=$?; times >"$2"; exit "$status"';

/** Runs a command line of bash, and reads the report of its tests. Files of the run are in `folder`. */
export async function execute(command: string, folder: string): Promise<Execution> {
  const own = mkdtempSync(join(folder, "stage-"));
  const report = join(own, "report.json");
  const times = join(own, "times");
  const started = performance.now();
  const { status, output } = await runInGroup(["-c", wrapper, "bash", command, times], {
    ...process.env,
    NO_COLOR: "1",
    RUN_FOLDER: folder,
    TEST_REPORT: report,
  });
  return {
    passed: status === 0,
    output,
    wall: (performance.now() - started) / 1_000,
    processor: existsSync(times) ? readTimes(readFileSync(times, "utf8")) : 0,
    tests: existsSync(report) ? readReport(readFileSync(report, "utf8")) : readCount(output, status === 0),
  };
}

/** Runs bash in a process group of its own, so that everything that it has started ends with it. */
function runInGroup(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly status: number | null; readonly output: string }> {
  const child = spawn("bash", args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const end = (): void =>
    void (child.pid !== undefined && isRunning(-child.pid) && process.kill(-child.pid, "SIGKILL"));
  const timer = setTimeout(() => {
    output += `\nended after ${longest / 60_000} minutes\n`;
    end();
  }, longest);
  process.once("exit", end);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (status) => {
      clearTimeout(timer);
      process.off("exit", end);
      end();
      child.once("close", () => resolve({ status, output }));
    });
  });
}

function isRunning(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}

/** Sums the second line of the output of `times`, such as `0m1.20s 1m0.30s`. */
function readTimes(text: string): number {
  const [, children = ""] = text.split("\n");
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/** Reads a report of Vitest. A file that fails without a test, as one that does not load, counts as one failed test. */
function readReport(text: string): Tests {
  const {
    testResults,
  }: {
    readonly testResults: readonly {
      readonly name: string;
      readonly status: string;
      readonly assertionResults: readonly { readonly status: string }[];
    }[];
  } = JSON.parse(text);
  const files = testResults.map(({ name, status, assertionResults }) => {
    const count = (state: string): number => assertionResults.filter((one) => one.status === state).length;
    const failed = count("failed");
    return {
      path: relative(process.cwd(), name),
      passed: count("passed"),
      failed: status === "failed" ? Math.max(1, failed) : failed,
    };
  });
  return { ...sum(files), files };
}

/** Counts the tests of files. */
export function sum(files: readonly FileTests[]): { readonly passed: number; readonly failed: number } {
  return {
    passed: files.reduce((total, { passed }) => total + passed, 0),
    failed: files.reduce((total, { failed }) => total + failed, 0),
  };
}

/** Reads the last line `N passed, N failed` of an output. What prints none is one test. */
function readCount(output: string, hasPassed: boolean): Tests {
  const [line] = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].slice(-1);
  if (!line) return { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, files: [] };
  const failed = Number(line[2]);
  return { passed: Number(line[1]), failed: hasPassed ? failed : Math.max(1, failed), files: [] };
}
