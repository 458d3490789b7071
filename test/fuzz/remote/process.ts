import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { isObject } from "../../../generated/support.ts";

/** A program of Node under attack. */
export interface RemoteProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Bytes that are in use there, after a collection. */
  used(): Promise<number>;
  /** Ends it as a host does. Returns the problems of its end. */
  end(): Promise<readonly string[]>;
}

/** Reports the used memory on request, without keeping the process alive. */
const preload = `
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("message", () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ used: heapUsed + external });
});
process.channel.unref();
`;

/** Starts a program of Node. */
export function startRemote(args: readonly string[], env: Readonly<Record<string, string>>): RemoteProcess {
  const flags = ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = spawn(process.execPath, [...flags, ...args], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("A child has its streams.");
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4_000)));
  const ended = once(child, "close");
  return {
    child,
    stdin,
    stdout,
    stderr,
    async used() {
      const response = once(child, "message");
      child.send("used");
      const [message]: unknown[] = await response;
      return isObject(message) ? Number(message.used) : NaN;
    },
    async end() {
      const wasAlive = child.exitCode === null && child.signalCode === null;
      if (!wasAlive) return [`it ended in the middle, with ${child.exitCode ?? child.signalCode}: ${said}`];
      stdin.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
      await ended;
      clearTimeout(timer);
      return child.exitCode === 0 ? [] : [`it ended with ${child.exitCode ?? child.signalCode}: ${said}`];
    },
  };
}
