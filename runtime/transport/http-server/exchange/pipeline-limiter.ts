import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Order of the requests of each connection: a request begins when the response to the one before it has been sent, so that a connection holds
 * one response at a time. The bodies of waiting requests are not read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
export class PipelineLimiter {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Calls back when it is the turn of a request, at once if none is before it. Closes the connection on which too many wait. */
  begin({ socket }: IncomingMessage, response: ServerResponse, run: () => void): void {
    // Node gives the connection to the response that is next.
    if (response.socket) return run();
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= maxWaiting) return void socket.destroy();
    this.#waiting.set(socket, waiting + 1);
    const turn = new Promise<void>((resolve) => response.once("socket", () => resolve()));
    // A continuation runs in the asynchronous context of its own request, a listener in that of the request before.
    void turn.then(() => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      run();
    });
  }
}

/** Hardly any client sends a second request before it has the response to the first. */
const maxWaiting = 100;
