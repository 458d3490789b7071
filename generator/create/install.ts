import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PackageManager } from "./package-manager.ts";
import { run, type Outcome, type RunOptions } from "./run.ts";

/** Where a package manager runs. */
export interface ManagerRun extends RunOptions {
  readonly manager: PackageManager;
}

/**
 * Installs the dependencies of a project. What is known of packages from earlier installations is not asked for again, which takes a fifth of the
 * time: the versions that a new project names are the oldest that it gets. Where one of them is too new to be known, everything is asked for.
 */
export async function installDependencies(options: ManagerRun): Promise<Outcome> {
  const { manager, signal } = options;
  const args = ["install", ...installFlags[manager]];
  const quick = await runManager([...args, ...quickFlags[manager]], options);
  const isOutdated = !quick.ok && signal?.aborted !== true && unknownVersion.test(quick.output);
  return isOutdated ? runManager(args, options) : quick;
}

/** Builds a project with its own script. */
export function buildProject(options: ManagerRun): Promise<Outcome> {
  return runManager(["run", "build"], options);
}

/** Runs the tests of a project, which build it and talk to it over the real wire. */
export function testProject(options: ManagerRun): Promise<Outcome> {
  return runManager(["run", "test"], options);
}

const installFlags: { readonly [Name in PackageManager]: readonly string[] } = {
  npm: ["--no-audit", "--no-fund", "--loglevel=error"],
  // A new project has no lock file yet, which is refused in CI otherwise.
  pnpm: ["--no-frozen-lockfile"],
  yarn: [],
  bun: [],
};

const quickFlags: { readonly [Name in PackageManager]: readonly string[] } = {
  npm: ["--prefer-offline"],
  pnpm: ["--prefer-offline"],
  // Generations of yarn differ in it.
  yarn: [],
  bun: [],
};

/** Said when no version that is known fits: by npm, by pnpm. */
const unknownVersion = /\bETARGET\b|NO_MATCHING_VERSION/;

/** Runs a package manager. */
export function runManager(args: readonly string[], options: ManagerRun): Promise<Outcome> {
  const { manager } = options;
  // The same for yarn, whose generations know different flags.
  const env = manager === "yarn" ? { YARN_ENABLE_IMMUTABLE_INSTALLS: "false" } : {};
  const program = findProgram(manager);
  return program !== undefined && /\.[cm]?js$/.test(program)
    ? run(process.execPath, [program, ...args], { ...options, env })
    : run(program ?? manager, args, { ...options, env });
}

/** The program that runs us, if it is this manager, or the npm beside Node: neither needs a shell on Windows. */
function findProgram(manager: PackageManager): string | undefined {
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running).startsWith(manager) && existsSync(running)) return running;
  const beside = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return manager === "npm" && existsSync(beside) ? beside : undefined;
}
