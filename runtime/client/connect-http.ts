import { isHandshake } from "../lifecycle/negotiation.ts";
import { createHttpClientTransport, type HttpClientOptions } from "../transport/http-client/http-client.ts";
import { isHttpError } from "../transport/http-client/errors.ts";
import { createSseClientTransport, type SseClientOptions } from "../transport/http-sse/http-sse-client.ts";
import { connect, type ClientConnection } from "./connect.ts";
import type { ConnectServerOptions } from "./connection-factory.ts";

/** Options of a connection to a server by its URL. */
export interface ConnectHttpOptions extends ConnectServerOptions, HttpClientOptions, SseClientOptions {
  /** HTTP statuses of older servers without Streamable HTTP. Default: 400, 404 and 405. */
  readonly olderServerStatuses?: readonly number[];
}

/**
 * Connects to a server of any age over HTTP. Uses Streamable HTTP, or its predecessor if the server turns out to have only this one. When both fail,
 * rejects with the failure of the first, which is more informative.
 *
 * @throws {Error} when no session can be opened: the server is unreachable, rejects the client or has no common revision
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 * @example
 * ```ts
 * import { connectClient, connectHttp } from "mcp-server-runtime";
 * import { revisions } from "mcp-server-runtime/revisions";
 *
 * const url = "https://mcp.example.com/mcp";
 * const client = await connectClient<Declarations>((options) => connectHttp(url, options), {
 *   info: { name: "my-client", version: "1.0.0" },
 *   revisions,
 * });
 * ```
 */
export async function connectHttp(url: string | URL, options: ConnectHttpOptions): Promise<ClientConnection> {
  const { olderServerStatuses = [400, 404, 405], eras } = options;
  const era = eras?.noteOf(new URL(url).href);
  try {
    return await connect(createHttpClientTransport(url, options), { ...options, ...(era && { era }) });
  } catch (rejection) {
    if (!mayBeOld(options) || !isHttpError(rejection) || !olderServerStatuses.includes(rejection.status))
      throw rejection;
    // A server that offers the older transport does not know stateless requests.
    return connect(createSseClientTransport(url, options), { ...options, lifecycle: "handshake" }).catch(() => {
      throw rejection;
    });
  }
}

function mayBeOld({ revisions, lifecycle }: ConnectHttpOptions): boolean {
  return lifecycle !== "per-request" && revisions.some(isHandshake);
}
