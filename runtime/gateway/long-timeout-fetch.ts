import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { toError } from "../jsonrpc/errors.ts";

/**
 * What a gateway needs of `fetch`. The platform's gives an answer up after five minutes without a byte: for how long it is worth waiting is for
 * the client to say.
 */
export function fetchWithLongTimeout(
  url: URL,
  { method = "GET", headers, body, signal }: RequestInit,
): Promise<Response> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = send(url, { method, headers: Object.fromEntries(new Headers(headers)) });
    // When the answer has begun, its body fails.
    request.on("error", reject);
    // A server that is gone without a word would be waited for without end.
    request.once("socket", (socket) => socket.setKeepAlive(true, probeDelay));
    request.once("response", (message) => {
      if (signal) endWith(signal, message);
      resolve(toResponse(message));
    });
    if (signal) endWith(signal, request);
    request.end(typeof body === "string" ? body : undefined);
  });
}

/** Whoever waits learns why it was ended. */
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
  // Whoever reads the body learns of it; whoever does not need not.
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

/** Statuses that a response with a body cannot have. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** Milliseconds. */
const probeDelay = 30_000;
