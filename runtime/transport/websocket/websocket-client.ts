import type { Transport } from "../transport.ts";
import {
  WebSocketTransport,
  closeCodes,
  toCloseReason,
  webSocketProtocols,
  type MessageSocket,
  type SocketEvents,
  type WebSocketOptions,
  toClientNetwork,
} from "./websocket-transport.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";

/** Part of the platform's WebSocket used by the transport. */
export interface PlatformSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

/** Options of a client over the platform's WebSocket. */
export interface WebSocketClientOptions extends WebSocketOptions {
  /**
   * Implementation of WebSocket. Default: the platform's. Node has one from version 22; for earlier versions, and for custom headers, use
   * `websocket-ws.ts`.
   */
  readonly WebSocket?: new (url: string | URL, protocols: string[]) => PlatformSocket;
}

/**
 * Connects to a server with the WebSocket of the platform: browsers, workers, Bun, Deno, Node from version 22.
 *
 * @throws {Error} when the platform has no WebSocket and no implementation is given
 * @example
 * ```ts
 * import { connectClient } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 * import { createWebSocketTransport } from "mcp-server-runtime/transports";
 *
 * const transport = createWebSocketTransport("wss://mcp.example.com/mcp");
 * const info = { name: "my-client", version: "1.0.0" };
 * const client = await connectClient<Declarations>(transport, { info, revisions });
 * ```
 */
export function createWebSocketTransport(url: string | URL, options: WebSocketClientOptions = {}): Transport {
  checkNumbers(options);
  const Implementation: WebSocketClientOptions["WebSocket"] = options.WebSocket ?? globalThis.WebSocket;
  if (typeof Implementation !== "function") {
    throw new Error("The platform has no WebSocket; use the transport for the library ws, or pass an implementation");
  }
  const socket = toMessageSocket(new Implementation(url, [...webSocketProtocols]));
  return new WebSocketTransport(socket, { ...options, network: toClientNetwork(url) });
}

function toMessageSocket(socket: PlatformSocket): MessageSocket {
  return {
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    listen: (events) => listen(socket, events),
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(toAllowed(code), reason),
    terminate: () => socket.close(),
  };
}

function listen(socket: PlatformSocket, events: SocketEvents): void {
  socket.addEventListener("open", () => events.opened());
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") events.text(data);
    else events.binary();
  });
  // The platform hides the error; the close event follows.
  socket.addEventListener("error", () => {});
  socket.addEventListener("close", ({ code, reason }) => events.closed(toCloseReason(code, reason)));
}

/** Maps a close code to one pages may send: all but 1000 move to the range from 4000. */
function toAllowed(code: number): number {
  return code === closeCodes.normal ? code : code + 3_000;
}
