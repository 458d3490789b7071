import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";

/** Program under recording. */
export interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  end(): Promise<void>;
}

/** Starts a program of Node. Its stderr is read, so that it never waits for a reader. */
export function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, args, { stdio: "pipe", env: { ...process.env, ...env } });
  const ended = once(child, "close");
  return {
    child,
    async end() {
      child.stdin.end();
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Address that a program prints on stderr once it listens. */
export function readAddress({ child }: Program): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [url] = /(?:https?|wss?|tcp):\/\/\S+/.exec(text) ?? [];
      if (url !== undefined) resolve(url.replace(/[.,]$/, ""));
    });
    child.once("close", () => reject(new Error(`The server ended before it listened:\n${text}`)));
  });
}
