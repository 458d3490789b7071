import type { ListenOptions, Server, Socket } from "node:net";

/** Begins to listen, or rejects with the reason why that is not possible. */
export function startListening(server: Server, address: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** The port that a server has taken; 0 for a local socket. */
export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** The sockets of a server that are open, those included on which encryption has not begun: closing waits for every one. */
export function watchSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}
