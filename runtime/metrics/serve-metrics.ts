import type { IncomingMessage, ServerResponse } from "node:http";
import { deliverReport, type OnError } from "../jsonrpc/error-report.ts";
import { toError } from "../jsonrpc/errors.ts";
import type { Metrics } from "../jsonrpc/metrics.ts";
import { isLoopback, portOf, startListening, toAuthority } from "../transport/listening.ts";
import type { EngineMetrics } from "./engine-metrics.ts";
import { toPrometheusText } from "./prometheus-text.ts";

/** Metrics of a process. */
export interface MetricsSources {
  readonly server?: Pick<Metrics, "read">;
  readonly engine?: Pick<EngineMetrics, "read">;
}

/** Address of the metrics. */
export interface ServeMetricsOptions {
  /** Port to listen on. Default: any free port. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`. Every program that can reach another one can read the metrics, so it must not be public. */
  readonly host?: string;
  /** Path of the metrics. Default `/metrics`. */
  readonly path?: string;
  /** Called when the metrics cannot be read. The response then has status 500. */
  readonly onError?: OnError;
}

/** Server of metrics that listens. */
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
  const { createServer } = await import("node:http");
  const isOnlyLocal = isLoopback(host);
  const server = createServer((request, response) => {
    request.resume();
    const status = toStatus(request, { path, isOnlyLocal });
    if (status !== 200) return void response.writeHead(status, status === 405 ? { allow: "GET, HEAD" } : {}).end();
    try {
      respond(request, response, readMetricsText(sources));
    } catch (thrown) {
      deliverReport({ kind: "callback", error: toError(thrown) }, { onError });
      response.writeHead(500).end();
    }
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

/** Media type of the text that Prometheus reads. */
export const prometheusType = "text/plain; version=0.0.4; charset=utf-8";

/** Returns the status of a response. A web page can resolve its own name to this machine, so the host has to be a local one where only this machine has access. */
function toStatus(
  { method, url, headers }: IncomingMessage,
  { path, isOnlyLocal }: { readonly path: string; readonly isOnlyLocal: boolean },
): number {
  if (isOnlyLocal && !isLoopback((headers.host ?? "").replace(/:\d*$/, ""))) return 403;
  if (url?.split("?")[0] !== path) return 404;
  return method === "GET" || method === "HEAD" ? 200 : 405;
}

/** Returns metrics as text. */
export function readMetricsText({ server, engine }: MetricsSources): string {
  return toPrometheusText({ ...(server && { server: server.read() }), ...(engine && { engine: engine.read() }) });
}

function respond({ method }: IncomingMessage, response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": prometheusType, "cache-control": "no-store" });
  response.end(method === "GET" ? text : undefined);
}
