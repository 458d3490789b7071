import type { OnError } from "../../runtime/jsonrpc/error-report.ts";
import { respondWithPage } from "../../runtime/transport/http-server/metrics-page.ts";
import { isLoopback, portOf, startListening, toAuthority } from "../../runtime/transport/listening.ts";
import { createMetricsPage, type MetricsSources } from "./metrics-page.ts";
import { checkNumbers } from "../../runtime/jsonrpc/check-numbers.ts";

/** Address of the metrics. */
export interface ServeMetricsOptions {
  /** Port to listen on. Default: any free port. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`. Another address must not be public: every program with access to it can read the metrics. */
  readonly host?: string;
  /** Path of the metrics. Default `/metrics`. */
  readonly path?: string;
  /** Called when the metrics cannot be read. The response then has status 500. */
  readonly onError?: OnError;
}

/** Listening server of metrics. */
export interface MetricsListener {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves metrics as text for Prometheus, on a port of their own: what is public for clients does not show them.
 *
 * @throws {ListenError} when the server cannot listen
 * @example
 * ```ts
 * import { Metrics, serveHttp } from "mcp-server-runtime";
 * import { serveMetrics } from "mcp-server-runtime/metrics";
 *
 * const metrics = new Metrics();
 * await serveHttp(server, { port: 3000, metrics });
 * const { url } = await serveMetrics({ server: metrics }, { port: 9464 });
 * console.error(`Metrics are served at ${url}`);
 * ```
 */
export async function serveMetrics(
  sources: MetricsSources,
  { port = 0, host = "127.0.0.1", path = "/metrics", onError }: ServeMetricsOptions = {},
): Promise<MetricsListener> {
  checkNumbers({ port });
  const { createServer } = await import("node:http");
  const metricsPage = createMetricsPage(sources, path);
  // A web page can resolve its own name to this machine, so the host has to be a local one where only this machine has access.
  const isOnlyLocal = isLoopback(host);
  const server = createServer((request, response) => {
    request.resume();
    const { headers, url } = request;
    if (isOnlyLocal && !isLoopback((headers.host ?? "").replace(/:\d*$/, "")))
      return void response.writeHead(403).end();
    if (url?.split("?")[0] !== path) return void response.writeHead(404).end();
    respondWithPage(request, response, { metricsPage, onError });
  });
  await startListening(server, { port, host });
  return {
    url: `http://${toAuthority(host)}:${portOf(server)}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
