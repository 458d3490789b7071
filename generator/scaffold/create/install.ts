import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PackageManager } from "./package-manager.ts";
import { run, type Outcome, type RunOptions } from "./run.ts";

/** Package manager, and the place where it runs. */
export interface ManagerRun extends RunOptions {
  readonly manager: PackageManager;
}

/**
 * Installs the dependencies of a project. The first attempt uses cached metadata of packages, which takes a fifth of the time: the versions in a new
 * project are minimum versions. When one of them is newer than the cache, a second attempt requests everything.
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

/** Runs the tests of a project, which build it and call it over its real transport. */
export function testProject(options: ManagerRun): Promise<Outcome> {
  return runManager(["run", "test"], options);
}

const installFlags: { readonly [Name in PackageManager]: readonly string[] } = {
  npm: ["--no-audit", "--no-fund", "--loglevel=error"],
  // A new project has no lock file yet, which pnpm rejects in CI otherwise.
  pnpm: ["--no-frozen-lockfile"],
  yarn: [],
  bun: [],
};

const quickFlags: { readonly [Name in PackageManager]: readonly string[] } = {
  npm: ["--prefer-offline"],
  pnpm: ["--prefer-offline"],
  // Generations of yarn differ in such flags.
  yarn: [],
  bun: [],
};

/** Error codes of npm and pnpm when no cached version matches. */
const unknownVersion = /\bETARGET\b|NO_MATCHING_VERSION/;

/** Runs a package manager with these arguments, without a shell where possible. */
export function runManager(args: readonly string[], options: ManagerRun): Promise<Outcome> {
  const { manager } = options;
  // Allows an installation without a lock file; generations of yarn know different flags for that.
  const env = manager === "yarn" ? { YARN_ENABLE_IMMUTABLE_INSTALLS: "false" } : {};
  const program = findProgram(manager);
  return program !== undefined && /\.[cm]?js$/.test(program)
    ? run(process.execPath, [program, ...args], { ...options, env })
    : run(program ?? manager, args, { ...options, env });
}

/** Finds the running package manager, if it is this one, or the npm beside Node: neither needs a shell on Windows. */
function findProgram(manager: PackageManager): string | undefined {
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running).startsWith(manager) && existsSync(running)) return running;
  const beside = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return manager === "npm" && existsSync(beside) ? beside : undefined;
}
