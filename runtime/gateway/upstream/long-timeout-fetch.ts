import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { toError } from "../../jsonrpc/errors.ts";

/**
 * Implements the part of `fetch` that a gateway needs. The `fetch` of the platform aborts a response after five minutes without a byte; here
 * the client decides how long to wait.
 */
export function fetchWithLongTimeout(url: URL, { method, headers, body, signal }: RequestInit): Promise<Response> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = send(url, { method, headers: Object.fromEntries(new Headers(headers)) });
    // Once the response has begun, its body fails instead.
    request.on("error", reject);
    // Without probes, the wait for a server that disappeared silently would never end.
    request.once("socket", (socket) => socket.setKeepAlive(true, probeDelay));
    request.once("response", (message) => {
      if (!isFinalStatus(message.statusCode)) {
        message.destroy();
        return reject(new Error(`The server responded with the status ${message.statusCode}, which is not final`));
      }
      if (signal) endWith(signal, message);
      resolve(toResponse(message));
    });
    if (signal) endWith(signal, request);
    request.end(typeof body === "string" ? body : undefined);
  });
}

/** Destroys a stream when the signal aborts; its error is the reason of the signal. */
function endWith(signal: AbortSignal, stream: ClientRequest | IncomingMessage): void {
  const end = (): void => void stream.destroy(toError(signal.reason));
  signal.addEventListener("abort", end, { once: true });
  stream.once("close", () => signal.removeEventListener("abort", end));
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode = 500 } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct))
    for (const value of values) headers.append(name, value);
  // The reader of the body receives the error. Without a reader, it is ignored.
  message.on("error", () => {});
  if (!bodiless.has(statusCode)) return new Response(toBody(message), { status: statusCode, headers });
  message.resume();
  return new Response(undefined, { status: statusCode, headers });
}

function toBody(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = message[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void message.destroy(),
  });
}

/** True for a status that a response can have: others arrive from servers that invent them, or switch to another protocol. */
function isFinalStatus(status = 0): boolean {
  return status >= 200 && status <= 599;
}

/** Statuses whose responses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Milliseconds without traffic before the first keep-alive probe. */
const probeDelay = 30_000;
