import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServerProcess, type ServerProcess } from "./server-process.ts";

/** NATS server with JetStream and a folder of its own. It keeps its port and its data over a restart. */
export interface NatsProcess extends ServerProcess {
  readonly kind: "nats";
  readonly url: string;
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
  const file = join(folder, "nats.conf");
  if (config !== undefined) await writeFile(file, config.replaceAll("$FOLDER", folder));
  const settings = config === undefined ? ["--jetstream", "--store_dir", folder] : ["--config", file];
  const server = await startServerProcess({
    command: (port) => ["nats-server", ["--addr", "127.0.0.1", "--port", String(port), ...settings]],
    responds: isGreeting,
  });
  return {
    ...server,
    kind: "nats",
    url: `nats://127.0.0.1:${server.port}`,
    forget: () => rm(join(folder, "jetstream"), { recursive: true }),
    async close() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns true if the server greets its clients. */
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
