import { startProxy } from "./proxy.ts";

/** Connection of one node to the engine that a test can cut, as a network would. */
export interface EngineLink {
  /** Address of the engine for this node. */
  readonly url: string;
  /** Holds all bytes back. Connections stay open, and new ones get no response. */
  cut(): void;
  /** Ends all connections, as a node does that no longer waits for responses. */
  drop(): void;
  /** Lets all bytes through again, those that were held back first. */
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of an engine. */
export async function startEngineLink(engineUrl: string): Promise<EngineLink> {
  const { protocol, port } = new URL(engineUrl);
  let isCut = false;
  const proxy = await startProxy({
    port: Number(port),
    connected(sockets) {
      if (isCut) for (const socket of sockets) socket.pause();
    },
  });
  return {
    url: `${protocol}//127.0.0.1:${proxy.port}`,
    cut() {
      isCut = true;
      for (const socket of proxy.sockets) socket.pause();
    },
    drop() {
      for (const socket of proxy.sockets) socket.destroy();
    },
    mend() {
      isCut = false;
      for (const socket of proxy.sockets) socket.resume();
    },
    close: proxy.close,
  };
}
