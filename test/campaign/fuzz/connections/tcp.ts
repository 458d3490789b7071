import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Channel } from "../../../../runtime/jsonrpc/channel.ts";
import { createTcpTransport, listenTcp } from "../../../../runtime/transport/tcp/tcp.ts";
import type { FuzzConnection, OpenFuzzConnection } from "../../../fuzz/conversation.ts";
import { maxMessageBytes } from "../../../fuzz/lines.ts";
import { listenLoopback } from "../../../fuzz/loopback.ts";
import { RawPeer } from "./raw-peer.ts";

const limits = { maxMessageBytes };

/** Opens a TCP connection of which one end is tested. */
export const openTcp: OpenFuzzConnection = (role) =>
  role === "server" ? openToServer() : openToClient((port) => createTcpTransport({ port, limits }));

async function openToServer(): Promise<FuzzConnection> {
  const accepted: Channel[] = [];
  const listener = await listenTcp({ limits, accept: (transport) => accepted.push(transport) });
  const peer = wrapSocket(connect(listener.port, "127.0.0.1"));
  return { ...peer, channel: await awaitFirst(accepted), close: () => closeAll(peer.wire, () => listener.close()) };
}

/** Opens a connection of a client, which connects to a port of this process. */
export async function openToClient(connectTo: (port: number) => Channel): Promise<FuzzConnection> {
  const listener = createServer();
  const port = await listenLoopback(listener);
  const accepting = once(listener, "connection");
  const channel = connectTo(port);
  const [socket]: Socket[] = await accepting;
  if (!socket) throw new Error("The client does not connect.");
  const peer = wrapSocket(socket);
  const close = async (): Promise<void> => {
    socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { ...peer, channel, close: () => closeAll(peer.wire, close) };
}

/** Makes a raw peer of a socket. */
function wrapSocket(socket: Socket): { readonly wire: RawPeer; readonly settle: () => Promise<void> } {
  socket.setNoDelay(true).setEncoding("utf8");
  const wire = new RawPeer((bytes) => void socket.write(bytes));
  socket.on("data", (text: string) => wire.readChunk(text));
  socket.on("error", () => wire.end());
  socket.on("close", () => wire.end());
  return { wire, settle: () => wire.settle() };
}

/** Waits for the first connection that a listener accepts. */
export async function awaitFirst(accepted: readonly Channel[]): Promise<Channel> {
  for (;;) {
    const [first] = accepted;
    if (first) return first;
    await delay(1);
  }
}

/** Closes a connection. Returns the problems of its raw end. */
export async function closeAll(wire: RawPeer, close: () => Promise<void>): Promise<readonly string[]> {
  await close();
  return wire.problems;
}
