import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { isObject } from "../../generated/support.ts";
import { run, type Outcome, type RunOptions } from "../kit/programs.ts";

/** The suite's command line, and the Node that runs it. */
export interface Suite {
  readonly node: string;
  readonly cli: string;
  readonly version: string;
}

/** One line of the suite's report on a scenario. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** Findings of the suite. */
export interface ErrorReport extends Outcome {
  /** Checks by scenario. */
  readonly checks: ReadonlyMap<string, readonly Check[]>;
}

/** Installs the suite beside this file unless it is there already, with a newer Node where ours is too old for it. */
export async function installSuite(options: RunOptions): Promise<Suite> {
  const isNew = Number(process.versions.node.split(".")[0]) >= 22;
  const home = join(options.cwd, "node_modules", suiteName);
  const isThere = (await readJson(join(home, "package.json")))?.version === (await readPin(options.cwd));
  if (!isThere || !(isNew || findNode(options.cwd))) {
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...(isNew ? ["--omit=optional"] : [])];
    const { code, output } = await run("npm", args, options);
    if (code !== 0) throw new Error(`npm ci in ${options.cwd} failed:\n${output}`);
  }
  const node = isNew ? process.execPath : findNode(options.cwd);
  const version = String((await readJson(join(home, "package.json")))?.version);
  if (node) return { node, cli: join(home, "dist", "index.js"), version };
  throw new Error(
    `The suite needs Node 22 or newer, and npm has none for ${process.platform} ${process.arch}: install one.`,
  );
}

/** Selected scenarios: those of one side at a revision, or its extensions. */
export interface Selection {
  readonly side: "server" | "client";
  readonly revision: string;
  readonly isExtension?: boolean;
}

/** Names the scenarios of one side at a revision. */
export async function listScenarios(
  suite: Suite,
  { side, revision, isExtension = false }: Selection,
  options: RunOptions,
): Promise<readonly string[]> {
  const version = isExtension ? [] : ["--spec-version", revision];
  const { output } = await run(suite.node, [suite.cli, "list", `--${side}`, ...version], options);
  const found = [...output.matchAll(/^ {2}- (\S+) \[(\S+)\]/gm)];
  return found.filter(([, , where]) => (where === "extension") === isExtension).map(([, name = ""]) => name);
}

/** Runs the suite with these arguments and collects what it found. */
export async function runSuite(suite: Suite, args: readonly string[], options: RunOptions): Promise<ErrorReport> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const outcome = await run(suite.node, [suite.cli, ...args, "--output-dir", folder], options);
    return { ...outcome, checks: await readChecks(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folder of a scenario is called `<scenario>-<time>`, within another where its name has a slash; on the server's side `server-` comes first. */
async function readChecks(folder: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => basename(file) === "checks.json");
  const read = async (file: string): Promise<readonly [string, readonly Check[]]> => {
    const checks: readonly Check[] = JSON.parse(await readFile(join(folder, file), "utf8"));
    const name = dirname(file).split(sep).join("/");
    return [name.replace(/-\d{4}-\d\d-\d\dT[-\dZ]+$/, ""), checks];
  };
  return new Map(await Promise.all(files.map(read)));
}

const suiteName = "@modelcontextprotocol/conformance";

async function readPin(folder: string): Promise<unknown> {
  const manifest = await readJson(join(folder, "package.json"));
  return isObject(manifest?.dependencies) ? manifest.dependencies[suiteName] : undefined;
}

async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  if (!existsSync(file)) return undefined;
  const value: unknown = JSON.parse(await readFile(file, "utf8"));
  return isObject(value) ? value : undefined;
}

function findNode(folder: string): string | undefined {
  const { platform, arch } = process;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}`;
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve(`${name}/package.json`);
    return join(manifest, "..", "bin", platform === "win32" ? "node.exe" : "node");
  } catch {
    return undefined;
  }
}
