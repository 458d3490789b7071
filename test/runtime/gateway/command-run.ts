import { spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { isAlive } from "../../kit/programs.ts";

/** The command line, built, as users run it. */
export const program = join(import.meta.dirname, "../../../dist/bundle/generator/cli.js");

/** A gateway that runs as a program of its own. */
export interface RunningGateway {
  readonly pid: number;
  /** Everything that it has written, to both. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Writes to its stdin. */
  write(text: string): void;
  /** Ends its stdin. */
  end(): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or what has killed it. */
  readonly exited: Promise<number | NodeJS.Signals>;
}

/** Starts `create-mcp-server gateway`; it ends with the test at the latest. */
export function startGateway(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningGateway {
  const options = { stdio: "pipe", env: { ...process.env, ...env } } as const;
  const child = spawn(process.execPath, [program, "gateway", ...args], options);
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.stderr += text));
  // Whoever writes to a program that has ended learns of it by its exit code.
  child.stdin.on("error", () => {});
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? code ?? -1)),
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    for (const pid of findPids(texts.stderr)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    write: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    exited,
  };
}

/** The address that a gateway says it is served at. */
export async function readUrl({ stderr, exited }: RunningGateway): Promise<string> {
  let isOver = false;
  void exited.then(() => (isOver = true));
  for (;;) {
    const [url] = /(?<=served at )(?:http|ws|tcp):\S+\n/.exec(stderr()) ?? [];
    if (url !== undefined) return url.trim();
    if (isOver) throw new Error(`The gateway ended: ${stderr()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The processes that servers behind a gateway say they are. */
export function readPids({ stderr }: RunningGateway): number[] {
  return findPids(stderr());
}

function findPids(text: string): number[] {
  return [...text.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
}
