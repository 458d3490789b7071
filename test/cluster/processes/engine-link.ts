import type { Socket } from "node:net";
import { startProxy } from "./proxy.ts";

/** Connection of one node to the engine that a test can cut, as a network would. */
export interface EngineLink {
  /** Address of the engine for this node; those of several servers with commas. */
  readonly url: string;
  /** Holds all bytes back. Connections stay open, and new ones get no response. */
  cut(): void;
  /** Ends all connections, as a node does that no longer waits for responses. */
  drop(): void;
  /** Lets all bytes through again, those that were held back first. */
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of each server of an engine. */
export async function startEngineLink(engineUrl: string): Promise<EngineLink> {
  let isCut = false;
  const servers = engineUrl.split(",").map((url) => new URL(url));
  const proxies = await Promise.all(
    servers.map(({ port }) =>
      startProxy({
        port: Number(port),
        connected(sockets) {
          if (isCut) for (const socket of sockets) socket.pause();
        },
      }),
    ),
  );
  const sockets = (): readonly Socket[] => proxies.flatMap((proxy) => [...proxy.sockets]);
  return {
    url: proxies.map(({ port }, index) => `${servers[index]?.protocol}//127.0.0.1:${port}`).join(","),
    cut() {
      isCut = true;
      for (const socket of sockets()) socket.pause();
    },
    drop() {
      for (const socket of sockets()) socket.destroy();
    },
    mend() {
      isCut = false;
      for (const socket of sockets()) socket.resume();
    },
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}
