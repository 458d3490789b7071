import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { findPort } from "./processes.ts";
import { suspendProcess } from "./suspend-process.ts";

/** Program and its arguments. */
type Command = readonly [string, readonly string[]];

/** Program of others that listens at a port. */
export interface ServerProgram {
  /** Returns the command that listens at a port. Called for each port that is tried, and not for a restart. */
  readonly command: (port: number) => Command | Promise<Command>;
  /** Returns true if the process at the port responds. */
  readonly responds: (port: number) => Promise<boolean>;
}

/** Process of a program that listens. It keeps its port over a restart. */
export interface ServerProcess {
  readonly port: number;
  /** Ends the process by SIGKILL. */
  kill(): Promise<void>;
  /** Starts the process again, and waits until it responds. */
  restart(): Promise<void>;
  /** Stops the process for some milliseconds, without ending it. */
  pause(milliseconds: number): Promise<void>;
  /** Stops the process without ending it, until `resume` or `restart`. Resolves when all of its threads have stopped. */
  suspend(): Promise<void>;
  resume(): void;
}

/** Number of starts with other ports: another program may take a port between its choice and its use. */
const mostStarts = 5;

/** Error of a program that ends before it responds, as it does at a port that is taken. */
class EndedError extends Error {}

/** Starts programs again, with other ports, if one of them ends before it responds. Rejects with the error of the fifth start. */
export async function startWithOtherPorts<Started>(start: () => Promise<Started>): Promise<Started> {
  for (let count = 1; ; count += 1) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof EndedError) || count === mostStarts) throw error;
    }
  }
}

/** Starts a program at a free port, and waits until it responds. */
export function startServerProcess({ command, responds }: ServerProgram): Promise<ServerProcess> {
  return startWithOtherPorts(async () => {
    const port = await findPort();
    const chosen = await command(port);
    const run = (): Promise<ChildProcess | undefined> => start(chosen, () => responds(port));
    const child = await run();
    if (!child) throw new EndedError(`${chosen[0]} ended before it responded; run ${chosen.flat().join(" ")}`);
    return toProcess(port, child, run);
  });
}

function toProcess(port: number, first: ChildProcess, run: () => Promise<ChildProcess | undefined>): ServerProcess {
  let child = first;
  return {
    port,
    async kill() {
      if (hasEnded(child)) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
    async restart() {
      const deadline = Date.now() + 60_000;
      let next: ChildProcess | undefined;
      while (!(next = await run())) {
        if (Date.now() > deadline) throw new Error(`Port ${port} is used by another program; run the test again`);
        await sleep(100);
      }
      child = next;
    },
    async pause(milliseconds) {
      child.kill("SIGSTOP");
      await sleep(milliseconds);
      child.kill("SIGCONT");
    },
    async suspend() {
      if (child.pid !== undefined) await suspendProcess(child.pid);
    },
    resume: () => void child.kill("SIGCONT"),
  };
}

/** Starts the process. Returns nothing if it ends before it responds, as it does at a port that is taken. */
async function start([name, args]: Command, responds: () => Promise<boolean>): Promise<ChildProcess | undefined> {
  const child = spawn(name, args, { stdio: "ignore" });
  let problem: Error | undefined;
  child.once("error", (error) => (problem = error));
  const deadline = Date.now() + 60_000;
  while (!(await responds()) || hasEnded(child)) {
    if (problem) throw new Error(`${name} cannot be started; see whether it is installed`, { cause: problem });
    if (hasEnded(child)) return undefined;
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${name} does not respond within 60 s; run ${[name, ...args].join(" ")}`);
    }
    await sleep(50);
  }
  return child;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
