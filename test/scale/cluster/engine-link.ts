import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Connection of one node to the engine that a test can cut, as a network would. */
export interface EngineLink {
  /** Address of the engine for this node. */
  readonly url: string;
  /** Holds all bytes back. Connections stay open, and new ones get no response. */
  cut(): void;
  /** Lets all bytes through again, those that were held back first. */
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of an engine. */
export async function startEngineLink(engineUrl: string): Promise<EngineLink> {
  const target = new URL(engineUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const add = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("data", (chunk) => other.write(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((socket) => {
    const engine = connect(Number(target.port), target.hostname);
    add(socket, engine);
    add(engine, socket);
    // A listener for data lets a socket flow again.
    if (isCut) for (const paused of [socket, engine]) paused.pause();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The link has no port");
  return {
    url: `${target.protocol}//127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
