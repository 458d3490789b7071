import type { IncomingMessage, ServerResponse } from "node:http";
import type { CloseOptions } from "../../protocol/session/connection.ts";
import type { Connection } from "../../protocol/peer/peer.ts";
import { FetchExchange } from "./exchange/fetch-exchange.ts";
import { NodeExchange } from "./exchange/node-exchange.ts";
import { isChunked } from "./exchange/node-head.ts";
import { PipelineLimiter } from "./exchange/pipeline-limiter.ts";
import { TurnBatcher } from "./exchange/turn-batcher.ts";
import { HttpEndpoint } from "./http-endpoint.ts";
import type { HttpOptions, HttpService } from "./settings.ts";

/** HTTP handler of a server, independent of the platform which accepts connections. */
export interface HttpHandler {
  /** Handles a request of the web platform: Bun, Deno, workers, Hono. */
  fetch(request: Request): Promise<Response>;
  /**
   * Handles a request of `node:http`, Express and Fastify; faster than `fetch` on Node. If a body parser runs first, its limits apply, too. The
   * parsed body is taken from `request.body`, as in Express, or from `body`. If another listener reads the body as well, add it before.
   */
  node(request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** Sessions of this process, by id. */
  readonly sessions: ReadonlyMap<string, OpenSession>;
  /** Rejects new requests, waits for running calls for as long as the options permit, and ends all streams. */
  close(options?: CloseOptions): Promise<void>;
}

/** Open session over HTTP. */
export interface OpenSession {
  readonly connection: Connection;
}

/**
 * Creates a handler for Streamable HTTP, and for HTTP with SSE if a served revision supports only that.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 * @throws {SetupError} when a value of `allowedOrigins` is not an origin
 */
export function createServiceHandler(service: HttpService, options: HttpOptions = {}): HttpHandler {
  const endpoint = new HttpEndpoint(service, options);
  const pipelines = new PipelineLimiter();
  const turns = new TurnBatcher();
  return {
    fetch(request) {
      const exchange = new FetchExchange(request);
      void endpoint.handle(exchange);
      return exchange.response;
    },
    node(request, response, body) {
      // A framework restores the URL of a request after its handler has been called.
      const exchange = new NodeExchange(request, response, turns, body);
      pipelines.begin(request, response, () => {
        const run = (): void => void endpoint.handle(exchange);
        // A body with another reader has to be read from its start.
        if (request.readableFlowing === null && !isChunked(request)) turns.handle(run);
        else run();
      });
    },
    get sessions() {
      const { sessions, streams } = endpoint;
      return streams.size === 0 ? sessions.live : new Map<string, OpenSession>([...sessions.live, ...streams]);
    },
    close: (closeOptions) => endpoint.close(closeOptions),
  };
}
