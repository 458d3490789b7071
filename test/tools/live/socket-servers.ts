import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { Server } from "../../../runtime/server/create-server.ts";
import { listenTcp } from "../../../runtime/transport/tcp/tcp.ts";
import { serveWebSocket, type WsServerOptions } from "../../../runtime/transport/websocket/ws-package.ts";

/** Serves over TCP until the test has finished. Returns the address. */
export async function serveTcp(server: Server): Promise<string> {
  const listener = await listenTcp({ accept: (transport) => serve(server, transport) });
  onTestFinished(() => listener.close());
  return `tcp://127.0.0.1:${listener.port}`;
}

/** Serves over WebSocket until the test has finished. Returns the address. */
export async function serveSockets(server: Server, options: Partial<WsServerOptions> = {}): Promise<string> {
  const http = createServer((_request, response) => void response.writeHead(426).end());
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const service = serveWebSocket(http, { accept: (transport) => serve(server, transport), ...options });
  onTestFinished(async () => {
    await service.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const address = http.address();
  return `ws://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/mcp`;
}
