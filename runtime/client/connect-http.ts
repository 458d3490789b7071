import { isHandshake } from "../lifecycle/negotiation.ts";
import { createHttpClientTransport, type HttpClientOptions } from "../transport/http-client/http-client.ts";
import { isHttpError } from "../transport/http-client/errors.ts";
import { createSseClientTransport, type SseClientOptions } from "../transport/http-sse/http-sse-client.ts";
import { connect, type ClientConnection } from "./connect.ts";
import type { ConnectServerOptions } from "./connection-factory.ts";

/** Options of a client of a server that is reached by URL. */
export interface ConnectHttpOptions extends ConnectServerOptions, HttpClientOptions, SseClientOptions {
  /** Statuses by which an older server says that it has no Streamable HTTP. Default: 400, 404 and 405. */
  readonly olderServerStatuses?: readonly number[];
}

/**
 * Connects to a server over HTTP, whatever its age: by Streamable HTTP, or else by its predecessor if the server turns out to offer that
 * instead. When both fail, the first failure tells more.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
export async function connectHttp(url: string | URL, options: ConnectHttpOptions): Promise<ClientConnection> {
  const { olderServerStatuses = [400, 404, 405], eras } = options;
  const era = eras?.noteOf(new URL(url).href);
  try {
    return await connect(createHttpClientTransport(url, options), { ...options, ...(era && { era }) });
  } catch (refusal) {
    if (!mayBeOld(options) || !isHttpError(refusal) || !olderServerStatuses.includes(refusal.status)) throw refusal;
    // Whoever offers that knows nothing of requests that stand alone.
    return connect(createSseClientTransport(url, options), { ...options, lifecycle: "handshake" }).catch(() => {
      throw refusal;
    });
  }
}

function mayBeOld({ revisions, lifecycle }: ConnectHttpOptions): boolean {
  return lifecycle !== "per-request" && revisions.some(isHandshake);
}
