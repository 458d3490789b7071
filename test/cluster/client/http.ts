import { once, setMaxListeners } from "node:events";
import {
  request as openRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import { text as readText } from "node:stream/consumers";
import { cutHeader } from "../processes/balancer.ts";

/** Revision of sessions in the tests. */
export const sessionRevision = "2025-11-25";

/** Request of a test client. */
export interface ClientRequest {
  readonly url: string;
  readonly method: "POST" | "GET" | "DELETE";
  readonly principal: string;
  readonly session?: string | undefined;
  readonly message?: object;
  readonly lastEventId?: string | undefined;
  /** Bytes of the response body after which the balancer cuts the connection. */
  readonly cut?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Response of which the body has not been read. */
export interface HttpResponse {
  readonly status: number;
  /** True for a status of success. */
  readonly ok: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Sends a request over a connection of its own: `fetch` needs a second for each turn with thousands of open streams to one server. `undefined`: the
 * connection failed, or nothing came within 30 s; the request may have had an effect.
 */
export async function send(request: ClientRequest): Promise<HttpResponse | undefined> {
  const { url, method, message, signal } = request;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, 30_000);
  // Many requests end with one signal.
  if (signal) setMaxListeners(0, signal);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    const options = { method, headers: toHeaders(request), agent: false, signal: controller.signal };
    const sent = openRequest(url, options).end(message && JSON.stringify(message));
    const [response]: readonly IncomingMessage[] = await once(sent, "response");
    // The connection may break at any time. The reader of the body finds out.
    sent.on("error", () => {});
    return response && toResponse(response);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function toHeaders({ method, principal, session, message, lastEventId, cut }: ClientRequest): OutgoingHttpHeaders {
  return {
    authorization: `Bearer ${principal}`,
    accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
    ...(message && { "content-type": "application/json" }),
    ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": sessionRevision }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
    ...(cut !== undefined && { [cutHeader]: String(cut) }),
  };
}

function toResponse(incoming: IncomingMessage): HttpResponse {
  const { statusCode: status = 0, headers } = incoming;
  return { status, ok: status >= 200 && status < 300, headers, body: incoming };
}

/** Reads a body to its end; empty when the connection breaks. */
export function readBody({ body }: HttpResponse): Promise<string> {
  return readText(body).catch(() => "");
}

/** True if a rejection says that the same request may succeed later. */
export function isTemporary(response: HttpResponse | undefined): boolean {
  return response === undefined || response.status >= 500 || response.status === 429;
}
