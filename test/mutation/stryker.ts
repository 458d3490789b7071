import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { mutatedFolders, nameOf, root } from "./folders.ts";
import type { ListedMutant } from "./list.ts";
import { readReport, type Mutant } from "./report.ts";

const home = import.meta.dirname;
/** Folder of the packages of Stryker. */
export const packages: string = join(home, "node_modules", "@stryker-mutator");
const program = join(packages, "core", "bin", "stryker.js");

/** Installs Stryker, unless it is there. */
export async function install(): Promise<void> {
  if (!existsSync(program)) await start("npm", ["ci", "--no-audit", "--no-fund"], { cwd: home });
}

/**
 * Mutates a folder and runs its tests against each mutant, or the drawn ones, in a copy of the repository. Results of all mutants are
 * kept in `node_modules/.cache`: the next run tests what has changed.
 *
 * @throws {Error} when the tests fail without a mutant
 */
export async function mutate(folder: string, drawn?: readonly ListedMutant[]): Promise<readonly Mutant[]> {
  await install();
  const work = mkdtempSync(join(tmpdir(), "mutation-"));
  try {
    const [settings, report, list] = [join(work, "settings.json"), join(work, "report.json"), join(work, "drawn.json")];
    const base = describeRun(folder, { work, report });
    writeFileSync(settings, JSON.stringify(drawn ? { ...base, ...onlyDrawn } : base));
    writeFileSync(list, JSON.stringify(drawn?.map(({ made }) => made) ?? []));
    await start(process.execPath, [program, "run", settings], {
      cwd: root,
      env: { ...process.env, MUTATED_FOLDER: folder, DRAWN_MUTANTS: list },
    });
    return readReport(JSON.parse(readFileSync(report, "utf8")));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const runner = join(packages, "vitest-runner", "dist", "src", "index.js");

/** Settings of a run of drawn mutants. The others are not kept as invalid ones for the next run. */
const onlyDrawn = { plugins: [runner, join(home, "drawn-mutants.mjs")], checkers: ["drawn"], incremental: false };

/** Settings of Stryker. */
function describeRun(folder: string, { work, report }: { work: string; report: string }): object {
  const inner = Object.keys(mutatedFolders).filter((other) => other.startsWith(`${folder}/`));
  return {
    plugins: [runner],
    testRunner: "vitest",
    vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
    mutate: [`${folder}/**/*.ts`, ...inner.map((other) => `!${other}/**`)],
    ignorePatterns: ["docs", "bench"],
    coverageAnalysis: "perTest",
    // Most tests of detected mutants of the runtime wait until their time is over. Tests of the generator compute.
    concurrency: (folder.startsWith("generator/") ? 1 : 3) * availableParallelism(),
    // A mutant that no test detects runs all tests that reach it: on a busy machine this takes minutes, and must not pass for a loop without
    // end. Such loops are found by counting.
    timeoutMS: 300_000,
    // The first run of all tests, without a mutant, also takes longer on a busy machine.
    dryRunTimeoutMinutes: 30,
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
