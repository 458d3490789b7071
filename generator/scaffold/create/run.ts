import { spawn } from "node:child_process";
import { toCommand, withEnv } from "../../../runtime/transport/stdio/command.ts";
import { killTree } from "../../../runtime/transport/stdio/process-tree.ts";

/** Result of a program. */
export interface Outcome {
  readonly ok: boolean;
  /** Output on stdout and stderr, or the reason why the program could not be started. */
  readonly output: string;
}

/** Options of a program run. */
export interface RunOptions {
  readonly folder: string;
  /** Environment variables, in addition to the variables of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the program, and on Windows also the programs started by it. */
  readonly signal?: AbortSignal;
  /** Platform whose rules apply to the command. Default: the platform of this process. */
  readonly platform?: string;
}

/** Runs a program without a shell, with nothing on stdin. Never rejects. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  const { folder, env: more, signal, platform = process.platform } = options;
  return new Promise((resolve) => {
    const env = withEnv({ platform, env: process.env }, more);
    const place = { platform, env, cwd: folder };
    const { file, args: words, verbatim } = toCommand(program, args, place);
    const child = spawn(file, words, {
      cwd: folder,
      env,
      ...(platform !== "win32" && { signal }),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
    // An interpreter runs scripts on Windows; ending it alone would leave the program that it starts running.
    if (platform === "win32") signal?.addEventListener("abort", () => killTree(child, platform), { once: true });
    let output = "";
    const collect = (text: string): void => void (output += text);
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.on("error", (error) => resolve({ ok: false, output: `${output}${error.message}` }));
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

/**
 * Returns the last lines of a program's output, without blank space around it. Frames of a stack, and the members of errors printed by npm, are left
 * out: they follow the cause, and would displace it.
 */
export function lastLines({ output }: Outcome, count = 8): string {
  const lines = output.trim().split("\n");
  return lines
    .filter((line) => !detail.test(line.trimEnd()))
    .slice(-count)
    .join("\n");
}

const detail = /^(?:\s{1,1000}at .*|npm (?:error|ERR!)(?: {2}.*| \})?)$/;
