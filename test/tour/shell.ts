import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import type { Tour } from "./setup.ts";

/** Folder and surroundings of a command line. */
export interface ShellOptions {
  readonly cwd: string;
  readonly tour: Tour;
}

/** A command line that runs until it is stopped. */
export interface RunningCommand {
  /** Resolves to the match once the output matches; rejects if the command ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types into a command of `startInTerminal`. */
  write(keys: string): void;
  /** Resolves to everything that it wrote, without colours; rejects if its exit code is not the expected one. */
  end(code?: number): Promise<string>;
  /** Ends it as Ctrl-C does. A script of npm has no exit code then: pass `null`. */
  stop(code?: number | null): Promise<string>;
  kill(): void;
}

/** Runs a command line of a guide. Returns what it wrote; rejects if its exit code is not `code` (0). */
export function run(line: string, options: ShellOptions & { readonly code?: number }): Promise<string> {
  return start(line, options).end(options.code);
}

/** Starts a command line of a guide, without a terminal. */
export function start(line: string, options: ShellOptions): RunningCommand {
  return observe(line, spawn("bash", ["-c", `exec ${line}`], settings(options)));
}

/** Starts a command line in a pseudo terminal of 100 columns. */
export function startInTerminal(line: string, options: ShellOptions): RunningCommand {
  const args = ["--quiet", "--return", "--flush", "--command", `stty cols 100 rows 40; ${line}`, "/dev/null"];
  return observe(line, spawn("script", args, settings(options)));
}

/** Milliseconds until an output that does not come is an error. */
const longestWait = 120_000;

function settings({ cwd, tour }: ShellOptions) {
  const npm = {
    registry: tour.registry,
    audit: "false",
    fund: "false",
    update_notifier: "false",
    prefer_offline: "true",
  };
  const configuration = Object.fromEntries(Object.entries(npm).map(([key, value]) => [`npm_config_${key}`, value]));
  const env = { ...process.env, ...configuration, TERM: "xterm-256color", SHELL: "/bin/bash" };
  // A group of its own, so that Ctrl-C reaches all of its processes.
  return { cwd, env, detached: true };
}

function observe(line: string, child: ChildProcess): RunningCommand {
  const output = { text: "", ended: false };
  const chunks = new EventTarget();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output.text += stripVTControlCharacters(text);
      chunks.dispatchEvent(new Event("chunk"));
    });
  }
  const closed = once(child, "close").then(([code]) => {
    output.ended = true;
    chunks.dispatchEvent(new Event("chunk"));
    return code;
  });
  const signal = (name: "SIGINT" | "SIGKILL"): void => {
    if (!output.ended && child.pid !== undefined) process.kill(-child.pid, name);
  };
  const end = async (code: number | null = 0): Promise<string> => {
    const actual = await closed;
    if (actual !== code) throw new Error(`${line} ended with ${actual}, not with ${code}:\n${output.text}`);
    return output.text;
  };
  return {
    end,
    kill: () => signal("SIGKILL"),
    write: (keys) => void child.stdin?.write(keys),
    async until(pattern) {
      const late = AbortSignal.timeout(longestWait);
      for (;;) {
        const match = pattern.exec(output.text);
        if (match) return match;
        const problem = output.ended ? "has ended" : late.aborted ? `has run for ${longestWait} ms` : undefined;
        if (problem !== undefined) throw new Error(`${line} ${problem} without ${pattern}:\n${output.text}`);
        await once(chunks, "chunk", { signal: late }).catch(() => {});
      }
    },
    stop(code) {
      signal("SIGINT");
      return end(code);
    },
  };
}
