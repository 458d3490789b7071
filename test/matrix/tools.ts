import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

/** A program of the matrix, or why it cannot be had. */
export type Tool = { readonly path: string } | { readonly missing: string };

/** Package managers and versions of Node as packages of the registry. */
const packages = {
  pnpm: ["pnpm@10", "pnpm/bin/pnpm.cjs"],
  yarn: ["yarn@1", "yarn/bin/yarn.js"],
  berry: ["@yarnpkg/cli-dist@4", "@yarnpkg/cli-dist/bin/yarn.js"],
  bun: ["bun@1", "bun/bin/bun.exe"],
  node20: ["node@20", "node/bin/node"],
  node22: ["node@22", "node/bin/node"],
  node24: ["node@24", "node/bin/node"],
  miniflare: ["miniflare@4", "miniflare"],
} as const;

/** Name of such a program. */
export type ToolName = keyof typeof packages;

/** Installs a program into a folder of its own. What the registry does not give is told, not thrown. */
export async function installTool(name: ToolName, root: string): Promise<Tool> {
  const [specifier, program] = packages[name];
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  try {
    await runProgram("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", specifier], { cwd: folder });
    return { path: join(folder, "node_modules", program) };
  } catch (error) {
    return { missing: `${specifier} could not be installed: ${firstLine(error)}` };
  }
}

/** Folder of a program, and the version of Node that runs it. */
export interface RunOptions {
  readonly cwd: string;
  /** Absolute path of Node. Default: the one that runs this. */
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program; rejects with the end of what it wrote when it fails. */
export async function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { cwd, node = process.execPath, env } = options;
  const isScript = /\.[cm]?js$/.test(program);
  const path = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const settings = { cwd, env: { ...process.env, PATH: path, ...env }, timeout: 600_000, maxBuffer: 64e6 };
  const [file, all] = isScript ? [node, [program, ...args]] : [program, args];
  try {
    const { stdout } = await promisify(execFile)(file, all, settings);
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" }: { stdout?: string; stderr?: string } = Object(error);
    const end = `${stdout}${stderr}`.trim().split("\n").slice(-15).join("\n");
    throw new Error(end === "" ? firstLine(error) : end, { cause: error });
  }
}

/** Returns the first line of an error. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
