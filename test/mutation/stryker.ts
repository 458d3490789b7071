import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { nameOf, root } from "./folders.ts";
import { readReport, type Mutant } from "./report.ts";

const home = import.meta.dirname;
const packages = join(home, "node_modules", "@stryker-mutator");
const program = join(packages, "core", "bin", "stryker.js");

/**
 * Mutates a folder and runs its tests against each mutant, in a copy of the repository. Results are kept in `node_modules/.cache`: the next run tests
 * what has changed.
 *
 * @throws {Error} when the tests fail without a mutant
 */
export async function mutate(folder: string): Promise<readonly Mutant[]> {
  if (!existsSync(program)) await start("npm", ["ci", "--no-audit", "--no-fund"], { cwd: home });
  const work = mkdtempSync(join(tmpdir(), "mutation-"));
  try {
    const [settings, report] = [join(work, "settings.json"), join(work, "report.json")];
    writeFileSync(settings, JSON.stringify(describeRun(folder, { work, report })));
    const env = { ...process.env, MUTATED_FOLDER: folder };
    await start(process.execPath, [program, "run", settings], { cwd: root, env });
    return readReport(JSON.parse(readFileSync(report, "utf8")));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Settings of Stryker. */
function describeRun(folder: string, { work, report }: { work: string; report: string }): object {
  return {
    plugins: [join(packages, "vitest-runner", "dist", "src", "index.js")],
    testRunner: "vitest",
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
    mutate: [`${folder}/**/*.ts`],
    ignorePatterns: ["dist", "docs", "bench"],
    coverageAnalysis: "perTest",
    // Tests of most mutants that are detected wait until their time is over.
    concurrency: 3 * availableParallelism(),
    // On a busy machine a run of some tests may take this long. Loops without end are found by counting.
    timeoutMS: 30_000,
    disableTypeChecks: false,
    incremental: true,
    incrementalFile: join(home, "node_modules", ".cache", `${nameOf(folder)}.json`),
    tempDirName: join(work, "copy"),
    reporters: ["progress-append-only", "json"],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
  };
}

interface StartOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

async function start(command: string, args: readonly string[], options: StartOptions): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: "inherit" });
  const [code]: readonly unknown[] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed; see its output`);
}
