import { createStdioClientTransport } from "../../../../runtime/transport/stdio/stdio-client.ts";
import type { FuzzConnection } from "../../../fuzz/conversation.ts";
import { maxMessageBytes } from "../../../fuzz/lines.ts";
import { openToClient } from "./tcp.ts";

/** Opens a connection of a client to its child process. The child passes bytes on between its pipes and this process. */
export function openStdioClient(): Promise<FuzzConnection> {
  return openToClient((port) =>
    createStdioClientTransport({
      command: process.execPath,
      args: ["-e", passOn, String(port)],
      stderr: "ignore",
      limits: { maxMessageBytes },
      shutdown: { terminate: 500, kill: 500 },
    }),
  );
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
