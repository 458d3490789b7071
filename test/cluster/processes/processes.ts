import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { thisMachine, toCommand, type Host } from "./host.ts";

/** How a program of Node is started. */
export interface NodeCommand {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Host of the process. Default: this machine. */
  readonly host?: Host;
}

/** Process of a node that listens. */
export interface NodeProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly url: string;
  /** Everything that the process has written to stderr. */
  readonly errors: () => string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

/** Starts a program and waits until it writes its URL. */
export async function startNode({ args, env = {}, host = thisMachine }: NodeCommand): Promise<NodeProcess> {
  const [program, all] = toCommand(host, [process.execPath, ...args]);
  const child = spawn(program, all, { stdio: "pipe", env: { ...process.env, ...env } });
  const ended = once(child, "close").then(() => undefined);
  let errors = "";
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const [found] = /https?:\/\/\S+(?=\n)/.exec(text) ?? [];
      if (found === undefined) return;
      child.stdout.off("data", read);
      child.stdout.resume();
      child.stderr.off("data", read);
      resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-100_000)));
    child.once("error", reject);
    void ended.then(() => reject(new Error(`The node ended before it listened:\n${text}`)));
  });
  return { child, pid: child.pid ?? 0, url, errors: () => errors, ended };
}

/** Ends a process, after 10 s by SIGKILL. A stopped process is continued first: it would not end otherwise. */
export async function endProcess({ child, ended }: Pick<NodeProcess, "child" | "ended">): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(timer);
}

/** Returns a port that is free now. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address !== null && typeof address === "object") return address.port;
  throw new Error("No port is free; end other programs that listen");
}
