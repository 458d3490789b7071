import { readMessage, receiveResponse, writeMessage, type TestLink, type TestMessage } from "./link.ts";
import { startOnPort, type TestProgram } from "./program.ts";

/** The part of a WebSocket used by tests: the global class, and the class of the package `ws`. */
export interface TestSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "close" | "error", listen: () => void): void;
  addEventListener(type: "message", listen: (event: { readonly data: unknown }) => void): void;
}

/**
 * Starts a server and connects to it with a WebSocket. `open` creates it, with the subprotocol `mcp.v1`.
 *
 * @example
 * ```ts
 * import { openWebSocket } from "mcp-server-runtime/testing";
 * import { WebSocket } from "ws";
 *
 * const link = await openWebSocket({ path: "dist/server.js" }, (url) => new WebSocket(url, "mcp.v1"));
 * ```
 */
export async function openWebSocket(program: TestProgram, open: (url: string) => TestSocket): Promise<TestLink> {
  const { url, ended, end } = await startOnPort(program, ["--websocket", "0"]);
  const socket = open(url);
  const frames = readFrames(socket);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`${url} accepts no WebSocket`)));
  });
  const send = async (message: TestMessage): Promise<void> => socket.send(writeMessage(message));
  return {
    async exchange(message, respond) {
      await send(message);
      if (message.id === undefined) return undefined;
      const response = await receiveResponse(frames, message.id, { respond, send });
      if (!response) throw new Error(`the server ended with code ${await ended}`);
      return response;
    },
    end() {
      socket.close();
      return end();
    },
  };
}

/** Keeps received messages, for one reader after another. */
function readFrames(socket: TestSocket): AsyncIterable<TestMessage> {
  const waiting: TestMessage[] = [];
  let isClosed = false;
  let notify = (): void => {};
  const wake = (): void => notify();
  socket.addEventListener("message", ({ data }) => {
    waiting.push(readMessage(String(data)));
    wake();
  });
  socket.addEventListener("close", () => {
    isClosed = true;
    wake();
  });
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else if (isClosed) return;
        else await new Promise<void>((resolve) => (notify = resolve));
      }
    },
  };
}
