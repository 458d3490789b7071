import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { createStdioClientTransport } from "../../../../runtime/transport/stdio/stdio-client.ts";
import type { FuzzConnection } from "../../../fuzz/conversation.ts";
import { maxMessageBytes } from "../../../fuzz/lines.ts";
import { listenLoopback } from "../../../fuzz/loopback.ts";
import { closeAll, wrapSocket } from "./tcp.ts";

/** Opens a connection of a client to its child process. The child passes bytes on between its pipes and this process. */
export async function openStdioClient(): Promise<FuzzConnection> {
  const listener = createServer();
  const port = await listenLoopback(listener);
  const accepting = once(listener, "connection");
  const channel = createStdioClientTransport({
    command: process.execPath,
    args: ["-e", passOn, String(port)],
    stderr: "ignore",
    limits: { maxMessageBytes },
    shutdown: { terminate: 500, kill: 500 },
  });
  const [socket]: Socket[] = await accepting;
  if (!socket) throw new Error("The child does not connect.");
  const peer = wrapSocket(socket);
  const close = async (): Promise<void> => {
    socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { ...peer, channel, close: () => closeAll(peer.wire, close) };
}

/** Program of the child. Without imports of its own it starts fast. */
const passOn = `
const socket = require("node:net").connect(Number(process.argv[1]), "127.0.0.1", () => {
  socket.setNoDelay(true);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.on("error", () => process.exit());
socket.on("close", () => process.exit());
`;
