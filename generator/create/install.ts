import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, type Outcome, type RunOptions } from "./run.ts";

/** Installs the dependencies of a project with npm. */
export function installDependencies(options: RunOptions): Promise<Outcome> {
  return runNpm(["install", "--no-audit", "--no-fund", "--loglevel=error"], options);
}

/** Builds a project with its own script. */
export function buildProject(options: RunOptions): Promise<Outcome> {
  return runNpm(["run", "build", "--silent"], options);
}

function runNpm(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const script = findNpmScript();
  return script === undefined ? run("npm", args, options) : run(process.execPath, [script, ...args], options);
}

/** npm's own program: the one that runs us, or the one beside Node. Windows can start `npm` only through a shell. */
function findNpmScript(): string | undefined {
  const running = process.env.npm_execpath;
  if (running !== undefined && /npm-cli\.js$/.test(running) && existsSync(running)) return running;
  const beside = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return existsSync(beside) ? beside : undefined;
}
