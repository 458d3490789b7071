import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { cache } from "./temporary-folders.ts";

const root = join(import.meta.dirname, "../..");
const commandLine = join(root, "dist/bundle/generator/cli.js");

/**
 * A script of ours as one file of JavaScript, with the libraries outside: node starts it ten times as fast as the sources. Within it
 * `import.meta` tells of the new place. The file stays: other test files, also of another run, may be starting it.
 */
export async function createProgram(script: URL): Promise<string> {
  const path = fileURLToPath(script);
  const program = join(cache, "programs", relative(root, path).replaceAll(/[\\/]/g, "-").replace(/\.ts$/, ".mjs"));
  const outfile = `${program}.${randomUUID()}`;
  await build({ entryPoints: [path], outfile, bundle: true, packages: "external", format: "esm", platform: "node" });
  renameSync(outfile, program);
  return program;
}

/** End of a program, with its output on stdout and stderr. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end; the signal ends it early. */
export async function run(
  command: string,
  args: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<Outcome> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [code]: readonly unknown[] = await once(child, "close");
  return { code: typeof code === "number" ? code : null, output };
}

/** Folder, abort signal and environment of a program. */
export interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A server that runs beside us. */
export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server, which writes its URL to stderr or stdout. The first group of `pattern` is the URL. Default: the first URL. */
export async function startServer(
  args: readonly string[],
  { pattern = /(http:[^\s"]+)(?=[\s"])/, ...options }: RunOptions & { readonly pattern?: RegExp },
): Promise<RunningServer> {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  child.on("error", () => {});
  const url = await readUrl(child, pattern);
  return { url, stop: () => stop(child) };
}

function readUrl(child: ChildProcess, pattern: RegExp): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, url] = pattern.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stderr?.on("data", read);
    child.stdout?.on("data", read);
    child.once("close", () => reject(new Error(`The server ended before it listened. It said:\n${said}`)));
  });
}

/** A server that does not end by itself when asked to is a failure of its own. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  const patience = setTimeout(() => child.kill("SIGKILL"), 60_000);
  child.kill("SIGTERM");
  await closed;
  clearTimeout(patience);
  if (child.signalCode === "SIGKILL") throw new Error("The server did not end within 60 s of SIGTERM.");
}

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
  const child = spawn(process.execPath, [...flags, commandLine, ...args], {
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

/**
 * True if any thread of a process runs: its ports are open until the last one has ended, and after SIGKILL the first thread often ends before the
 * others. A process that has ended and was not waited for yet does not run.
 */
export function isAlive(pid: number | undefined): boolean {
  try {
    if (pid === undefined || !process.kill(pid, 0)) return false;
    return (
      process.platform !== "linux" ||
      !/^State:\s+Z[^]*^Threads:\s+[01]$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    );
  } catch {
    return false;
  }
}
