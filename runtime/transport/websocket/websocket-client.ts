import type { Transport } from "../transport.ts";
import {
  WebSocketTransport,
  closeCodes,
  toCloseReason,
  webSocketProtocols,
  type MessageSocket,
  type SocketEvents,
  type WebSocketOptions,
} from "./websocket-transport.ts";

/** What is needed of the platform's WebSocket. */
export interface PlatformSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
}

/** Options of a client over the platform's own WebSocket. */
export interface WebSocketClientOptions extends WebSocketOptions {
  /** Default: the platform's. Node has one from version 22; before that, and for headers of your own, there is `websocket-ws.ts`. */
  readonly WebSocket?: new (url: string | URL, protocols: string[]) => PlatformSocket;
}

/** Connects to a server by the WebSocket of the platform: browsers, workers, Bun, Deno, Node from version 22. */
export function createWebSocketTransport(url: string | URL, options: WebSocketClientOptions = {}): Transport {
  const Implementation: WebSocketClientOptions["WebSocket"] = options.WebSocket ?? globalThis.WebSocket;
  if (typeof Implementation !== "function") {
    throw new Error(
      "This platform has no WebSocket. Use the transport over the library ws, or pass an implementation.",
    );
  }
  return new WebSocketTransport(toMessageSocket(new Implementation(url, [...webSocketProtocols])), options);
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
  // What went wrong is not told; that the connection closes is.
  socket.addEventListener("error", () => {});
  socket.addEventListener("close", ({ code, reason }) => events.closed(toCloseReason(code, reason)));
}

/** Pages may only use codes of their own; those that we need have their twins there. */
function toAllowed(code: number): number {
  return code === closeCodes.normal ? code : code + 3_000;
}
