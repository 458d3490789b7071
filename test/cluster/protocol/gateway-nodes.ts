import { onTestFinished } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { createGateway, serveGatewayHttp, type Gateway } from "../../../runtime/gateway/index.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { HttpListener, ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { createNodeRequests, openSession, type NodeRequests, type OpenOptions } from "./node-requests.ts";
import { lease, startEngines } from "./nodes.ts";

/** Gateways that share an engine, in front of one server. */
export interface GatewayNodes extends NodeRequests {
  /** Server behind the gateways. */
  readonly server: Server;
  readonly gateways: readonly Gateway[];
  readonly listeners: readonly HttpListener[];
  /** Opens a session at a node, and returns its headers. */
  open(node: number, options?: OpenOptions): Promise<Record<string, string>>;
  /** Cuts a node off from the engine, as if it had stopped. */
  cutOff(node: number): Promise<void>;
}

/** Options of the gateways of a test. */
export interface GatewayNodesOptions extends Omit<ListenOptions, "port" | "cluster"> {
  /** Revisions of the server. Default: all. */
  readonly served?: readonly Revision[];
}

/** Starts two gateways in front of a server, which end with the test. */
export async function startGatewayNodes(
  define: Parameters<typeof createServer>[0],
  { served = revisions, ...options }: GatewayNodesOptions = {},
): Promise<GatewayNodes> {
  const server = createServer({ onError: () => {}, ...define }, served);
  const upstream = await serveHttp(server, { closeTimeout: 50 });
  onTestFinished(async () => {
    await server.close({ drain: 0 });
    await upstream.close();
  });
  const engines = await startEngines(2);
  onTestFinished(() => engines.stop());
  const gateways: Gateway[] = [];
  const listeners: HttpListener[] = [];
  for (const engine of engines.all) {
    const cluster = await joinCluster(engine, { lease, onError: () => {} });
    const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions, onError: () => {} });
    const listener = await serveGatewayHttp(gateway, {
      closeTimeout: 50,
      retry: 20,
      onError: () => {},
      ...options,
      cluster,
    });
    gateways.push(gateway);
    listeners.push(listener);
    onTestFinished(async () => {
      await listener.close();
      await gateway.close();
      await cluster.close();
    });
  }
  const requests = createNodeRequests(listeners);
  return {
    ...requests,
    server,
    gateways,
    listeners,
    open: (node, opening) =>
      openSession(requests, [node, 1 - node], { capabilities: { elicitation: { form: {} } }, ...opening }),
    cutOff: async (node) => engines.all[node]?.close(),
  };
}
