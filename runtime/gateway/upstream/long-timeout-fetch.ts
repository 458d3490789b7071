import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { toError } from "../../jsonrpc/errors.ts";
import { readNodeResponse } from "../../transport/http-client/node-response.ts";

/**
 * Implements the part of `fetch` used by a gateway. The `fetch` of the platform aborts a response after five minutes without a byte; here the client
 * decides how long to wait.
 */
export async function fetchWithLongTimeout(
  url: URL,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  signal?.throwIfAborted();
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send(url, { method, headers: Object.fromEntries(new Headers(headers)) });
  const response = readNodeResponse(request);
  // Without probes, the wait for a server that disappeared silently would never end.
  request.once("socket", (socket) => socket.setKeepAlive(true, probeDelay));
  if (signal) {
    endWith(signal, request);
    request.once("response", (message) => endWith(signal, message));
  }
  request.end(typeof body === "string" ? body : undefined);
  return response;
}

/** Destroys a stream when the signal aborts; its error is the reason of the signal. */
function endWith(signal: AbortSignal, stream: ClientRequest | IncomingMessage): void {
  const end = (): void => void stream.destroy(toError(signal.reason));
  signal.addEventListener("abort", end, { once: true });
  stream.once("close", () => signal.removeEventListener("abort", end));
}

/** Milliseconds without traffic before the first keep-alive probe. */
const probeDelay = 30_000;
