import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Answers leave a connection in the order of their requests. Those that wait behind another one are bounded in number, since one connection
 * could have any number of calls running otherwise; and they are told when the connection closes, which Node does not do.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /** Whether a request may be looked at. If not, its connection is closed. */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // The answer that is next has the connection already.
    if (response.socket) return true;
    const waiting = this.#waiting.get(socket) ?? this.#watch(socket);
    if (waiting.size >= mostWaiting) {
      socket.destroy();
      return false;
    }
    waiting.add(response);
    response.once("close", () => waiting.delete(response));
    return true;
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const waiting = new Set<ServerResponse>();
    this.#waiting.set(socket, waiting);
    socket.once("close", () => {
      for (const response of waiting) response.destroy().emit("close");
    });
    return waiting;
  }
}

/** Hardly any client sends a second request before it has the answer to the first. */
const mostWaiting = 100;
