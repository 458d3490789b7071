import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isChunked } from "./node-head.ts";

/**
 * Order of the requests of each connection. A request begins when the response to the previous one has been sent, so that a connection holds one
 * response at a time. The bodies of waiting requests are not read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
export class PipelineLimiter {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Calls `run` when it is the turn of a request, synchronously if none is before it. Destroys a connection on which too many requests wait. */
  begin(request: IncomingMessage, response: ServerResponse, run: () => void): void {
    // Node assigns the connection to the response whose turn it is.
    if (response.socket) return run();
    const { socket } = request;
    const waiting = this.#waiting.get(socket) ?? 0;
    const most = isChunked(request) ? 1 : maxWaiting;
    if (waiting >= most) return void socket.destroy();
    this.#waiting.set(socket, waiting + 1);
    const turn = new Promise<void>((resolve) => response.once("socket", () => resolve()));
    // A continuation runs in the asynchronous context of its own request, a listener in that of the previous request.
    void turn.then(() => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      run();
    });
  }
}

/** Maximum number of waiting requests on a connection. Few clients send a second request before the response to the first. */
const maxWaiting = 100;
