import { spawn } from "node:child_process";
import { join } from "node:path";

/** Outcome of a run of the command line. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a run of the command line. */
export interface CliOptions {
  readonly cwd: string;
  /** Source of a module that runs first. */
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Close its output at the first piece of it, as `head` does. */
  readonly closesOutput?: boolean;
}

/** Runs the command line as it was built, without a terminal. */
export function runCli(
  args: readonly string[],
  { cwd, preload, env = {}, closesOutput }: CliOptions,
): Promise<CliResult> {
  const flags = preload === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
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

const program = join(import.meta.dirname, "..", "..", "dist", "bundle", "generator", "cli.js");
