import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { WebSocket, WebSocketServer } from "ws";
import type { Channel } from "../../../../runtime/jsonrpc/channel.ts";
import { createWsTransport, listenWebSocket } from "../../../../runtime/transport/websocket/index.ts";
import type { FuzzConnection, OpenFuzzConnection } from "../../../fuzz/conversation.ts";
import { maxMessageBytes } from "../../../fuzz/lines.ts";
import { RawPeer } from "./raw-peer.ts";
import { awaitFirst, closeAll } from "./tcp.ts";

const limits = { maxMessageBytes };

/** Opens a WebSocket connection of which one end is tested. */
export const openWebSocket: OpenFuzzConnection = (role) => (role === "server" ? openToServer() : openToClient());

async function openToServer(): Promise<FuzzConnection> {
  const accepted: Channel[] = [];
  const listener = await listenWebSocket({ limits, accept: (transport) => accepted.push(transport) });
  const socket = new WebSocket(listener.url, ["mcp"], { perMessageDeflate: false });
  const peer = wrapSocket(socket);
  await once(socket, "open");
  return { ...peer, channel: await awaitFirst(accepted), close: () => closeAll(peer.wire, () => listener.close()) };
}

async function openToClient(): Promise<FuzzConnection> {
  const listener = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  await once(listener, "listening");
  const address = listener.address();
  const accepting = once(listener, "connection");
  const port = typeof address === "object" && address ? address.port : 0;
  const channel = createWsTransport(`ws://127.0.0.1:${port}`, { limits });
  const [socket]: WebSocket[] = await accepting;
  if (!socket) throw new Error("The client does not connect.");
  const peer = wrapSocket(socket);
  const close = async (): Promise<void> => {
    socket.terminate();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { ...peer, channel, close: () => closeAll(peer.wire, close) };
}

type Wrapped = Pick<FuzzConnection, "settle" | "carries"> & { readonly wire: RawPeer };

function wrapSocket(socket: WebSocket): Wrapped {
  let rest: Uint8Array = new Uint8Array();
  const wire = new RawPeer((bytes) => {
    const lines = Buffer.concat([rest, bytes]);
    let start = 0;
    for (let end = lines.indexOf(lineFeed); end !== -1; end = lines.indexOf(lineFeed, start)) {
      if (socket.readyState === WebSocket.OPEN) socket.send(lines.subarray(start, end), { binary: false });
      start = end + 1;
    }
    rest = lines.subarray(start);
  });
  socket.on("message", (data: Buffer) => wire.readLine(data.toString()));
  socket.on("error", () => wire.end());
  socket.on("close", () => wire.end());
  return { wire, settle: () => wire.settle(), carries };
}

/**
 * True if a text frame can be made of a line, and means the same there. Frames that are too long, or not UTF-8, end the connection; an empty line and
 * a byte order mark have no meaning in a frame.
 */
function carries(line: Uint8Array): boolean {
  return line.length <= maxMessageBytes && isUtf8(line) && !/^\r?$|^\ufeff/.test(Buffer.from(line).toString());
}

const lineFeed = 0x0a;
