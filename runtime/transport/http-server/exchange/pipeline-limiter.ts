import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isObject } from "../../../../generated/support.ts";
import { startTimer } from "../../../internal/timers.ts";
import { isChunked } from "./node-head.ts";

/**
 * Order of the requests of each connection. A request begins when the response to the previous one has been sent: a connection holds one response at
 * a time. The bodies of waiting requests are not read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2
 */
export class PipelineLimiter {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  /** Calls `run` when it is the turn of a request, synchronously if none is before it. Destroys a connection on which too many requests wait. */
  begin(request: IncomingMessage, response: ServerResponse, run: () => void): void {
    // Node assigns the connection to the response whose turn it is.
    if (response.socket) return run();
    const { socket } = request;
    const pipeline = this.#pipelines.get(socket) ?? new Pipeline(socket);
    this.#pipelines.set(socket, pipeline);
    const most = isChunked(request) ? 1 : maxWaiting;
    if (pipeline.waiting >= most) return void socket.destroy();
    pipeline.waiting += 1;
    const turn = new Promise<void>((resolve) => response.once("socket", () => resolve()));
    // A continuation runs in the asynchronous context of its own request, a listener in the context of the previous request.
    void turn.then(() => {
      pipeline.waiting -= 1;
      pipeline.allowTime();
      run();
    });
  }
}

/** Maximum number of waiting requests on a connection. Few clients send a second request before the response to the first. */
const maxWaiting = 100;

/** Milliseconds for a response after the client has closed its side of a connection. */
const halfClosedTime = 500;

/** Connection whose client does not wait for responses. */
class Pipeline {
  waiting = 0;
  readonly #socket: Socket;
  #isHalfClosed = false;
  #cancel: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    const server: unknown = Reflect.get(socket, "server");
    if (!isObject(server) || server.httpAllowHalfOpen !== false) return;
    // Node ends a connection whose client sends no more. The server as a whole cannot permit that: closing the connection cancels a request. So it is
    // permitted while Node's own listener runs, and not for long.
    socket.prependOnceListener("end", () => {
      server.httpAllowHalfOpen = true;
      this.#isHalfClosed = true;
      this.allowTime();
    });
    socket.once("end", () => (server.httpAllowHalfOpen = false));
    socket.once("close", () => this.#cancel());
  }

  /** Ends a half-closed connection unless the current request has its response soon: the client may have closed all of it. */
  allowTime(): void {
    this.#cancel();
    if (this.#isHalfClosed && !this.#socket.destroyed)
      this.#cancel = startTimer(halfClosedTime, () => this.#socket.end());
  }
}
