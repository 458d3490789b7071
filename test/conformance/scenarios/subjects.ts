import { join } from "node:path";
import { startServer, type RunningServer } from "../../kit/programs.ts";
import { startProtectedServer, type ProtectedServer } from "../../runtime/auth/server/protected-server.ts";
import type { Scene } from "./scenario.ts";
import { openPeer, type Peer, type PeerOptions } from "./peer.ts";

/** Servers that all scenarios share. */
export interface Servers {
  /** The example with every feature, at all revisions. */
  readonly everything: string;
  /** The same without sessions. */
  readonly sessionless: string;
  /** A server that requires access tokens, and its authorization server. */
  readonly protectedServer: ProtectedServer;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "..", "..", "..");
const program = join("dist", "examples", "everything", "server.js");

/** Starts the servers, or none of them. The example runs as built. */
export async function startServers(signal: AbortSignal): Promise<Servers> {
  const failure = new AbortController();
  const options = { cwd: root, signal: AbortSignal.any([signal, failure.signal]) };
  const start = (...args: readonly string[]): Promise<RunningServer> =>
    startServer([program, "--http", "0", ...args], options);
  try {
    const [everything, sessionless] = await Promise.all([start(), start("--stateless")]);
    const protectedServer = await startProtectedServer();
    return {
      everything: everything.url,
      sessionless: sessionless.url,
      protectedServer,
      async stop() {
        await Promise.all([everything.stop(), sessionless.stop(), protectedServer.close()]);
      },
    };
  } catch (error) {
    failure.abort();
    throw error;
  }
}

/** Facts and servers for a scenario of a server. */
export interface ServerScene extends Scene {
  readonly servers: Servers;
  /** Opens a raw connection, by default to the example with every feature. */
  open(options?: PeerOptions & { readonly url?: string }): Promise<Peer>;
}

/** Adds the servers to the facts of a scenario. */
export function toServerScene(scene: Scene, servers: Servers): ServerScene {
  const { revision } = scene;
  return {
    ...scene,
    servers,
    open: ({ url = servers.everything, ...options } = {}) => openPeer(url, revision, options),
  };
}
