import { setMaxListeners } from "node:events";
import { cutHeader } from "../cluster/balancer.ts";

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

/** Sends a request with nothing but `fetch`. `undefined`: the connection failed, or nothing came within 30 s; the request may have had an effect. */
export async function send(request: ClientRequest): Promise<Response | undefined> {
  const { url, method, principal, session, message, lastEventId, cut, signal } = request;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 30_000);
  // Many requests end with one signal.
  if (signal) setMaxListeners(0, signal);
  signal?.addEventListener("abort", () => controller.abort(), { once: true });
  try {
    return await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${principal}`,
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        ...(message && { "content-type": "application/json" }),
        ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": sessionRevision }),
        ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
        ...(cut !== undefined && { [cutHeader]: String(cut) }),
      },
      ...(message && { body: JSON.stringify(message) }),
      signal: controller.signal,
    });
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a body to its end; empty when the connection breaks. */
export function readBody(response: Response): Promise<string> {
  return response.text().catch(() => "");
}

/** True if a rejection says that the same request may succeed later. */
export function isTemporary(response: Response | undefined): boolean {
  return response === undefined || response.status >= 500 || response.status === 429;
}
