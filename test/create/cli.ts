import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What a run of the command line left. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the command line is run. */
export interface CliOptions {
  readonly cwd: string;
  /** Source of a module that runs first. */
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Close its output at the first piece of it, as `head` does. */
  readonly closesOutput?: boolean;
}

/** Runs the command line from its sources, without a terminal. */
export function runCli(
  args: readonly string[],
  { cwd, preload, env = {}, closesOutput }: CliOptions,
): Promise<CliResult> {
  const imports = [loader, ...(preload === undefined ? [] : [`data:text/javascript,${encodeURIComponent(preload)}`])];
  const flags = imports.flatMap((url) => ["--import", url]);
  const child = spawn(process.execPath, [...flags, program, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  if (closesOutput) child.stdout.once("data", () => child.stdout.destroy());
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const program = join(import.meta.dirname, "..", "..", "generator", "cli.ts");
