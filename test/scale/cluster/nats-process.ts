import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findPort } from "./processes.ts";
import { suspendProcess } from "./suspend-process.ts";

/** NATS server with JetStream and a folder of its own. It keeps its port and its data over a restart. */
export interface NatsProcess {
  readonly kind: "nats";
  readonly url: string;
  /** Ends the process by SIGKILL. */
  kill(): Promise<void>;
  /** Starts the process again, and waits until it accepts connections. */
  restart(): Promise<void>;
  /** Stops the process for some milliseconds, without ending it. */
  pause(milliseconds: number): Promise<void>;
  /** Stops the process without ending it, until `restart`. */
  suspend(): Promise<void>;
  /** Removes its data while it does not run. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Options of a NATS server. */
export interface NatsOptions {
  /** Text of its configuration file. Default: JetStream without limits, and no accounts. */
  readonly config?: string;
}

/** Starts a NATS server. */
export async function startNats({ config }: NatsOptions = {}): Promise<NatsProcess> {
  const folder = await mkdtemp(join(tmpdir(), "scale-nats-"));
  const port = await findPort();
  const args = ["--addr", "127.0.0.1", "--port", String(port)];
  if (config === undefined) args.push("--jetstream", "--store_dir", folder);
  else {
    const file = join(folder, "nats.conf");
    await writeFile(file, config.replaceAll("$FOLDER", folder));
    args.push("--config", file);
  }
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn("nats-server", args, { stdio: "ignore" });
    await waitForNats(port);
  };
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    kind: "nats",
    url: `nats://127.0.0.1:${port}`,
    kill,
    restart: start,
    async pause(milliseconds) {
      child?.kill("SIGSTOP");
      await sleep(milliseconds);
      child?.kill("SIGCONT");
    },
    async suspend() {
      if (child?.pid !== undefined) await suspendProcess(child.pid);
    },
    forget: () => rm(join(folder, "jetstream"), { recursive: true }),
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server greets its clients. */
async function waitForNats(port: number): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isGreeting(port))) {
    if (Date.now() > deadline) throw new Error("NATS does not respond; see whether nats-server is installed");
    await sleep(50);
  }
}

function isGreeting(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.once("data", (chunk: Buffer) => {
      resolve(chunk.toString().startsWith("INFO "));
      socket.destroy();
    });
  });
}
