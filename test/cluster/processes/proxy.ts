import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Server on a port of this machine. */
export interface LocalServer {
  readonly port: number;
  /** Connections that are open, those to other servers included. */
  readonly sockets: Set<Socket>;
  /** Ends all connections and stops to listen. */
  close(): Promise<void>;
}

/** Starts a server that passes each connection on. */
export async function listenLocally(
  accept: (socket: Socket, track: (socket: Socket) => void) => void,
): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    track(socket);
    accept(socket, track);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    port: address.port,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Changes of what passes a proxy. */
export interface ProxyOptions {
  readonly port: number;
  /** Returns the bytes that the server receives. Default: the same. */
  toServer?(chunk: Buffer): Buffer;
  /** Returns the bytes that the client receives. Default: the same. */
  toClient?(chunk: Buffer): Buffer;
  /** Called with both connections of a client, before bytes pass. */
  connected?(sockets: readonly Socket[]): void;
}

/** Starts a proxy in front of a server of this machine. */
export function startProxy({ port, toServer, toClient, connected }: ProxyOptions): Promise<LocalServer> {
  return listenLocally((client, track) => {
    const server = connect(port, "127.0.0.1");
    track(server);
    forward(client, server, toServer);
    forward(server, client, toClient);
    connected?.([client, server]);
  });
}

function forward(from: Socket, to: Socket, change = (chunk: Buffer): Buffer => chunk): void {
  from.setNoDelay(true);
  from.on("data", (chunk: Buffer) => to.write(change(chunk)));
  from.on("close", () => to.destroy());
}
