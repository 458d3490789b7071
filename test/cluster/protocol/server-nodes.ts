import { createServer, serveHttp, type Server } from "../../../runtime/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { joinCluster, type Cluster, type ClusterOptions } from "../../../cluster/cluster.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { HttpListener, ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { request } from "../../kit/messages.ts";
import type { Stream } from "../../kit/http-exchange.ts";
import { createNodeRequests, openSession, type NodeRequests } from "./node-requests.ts";
import { lease, startEngines } from "./nodes.ts";

/** Definition of the server of a node. */
export type Definition = Parameters<typeof createServer>[0];

/** Options of the nodes of a test. */
export interface ServerNodesOptions extends Omit<ListenOptions, "port" | "cluster"> {
  /** Returns the hook of a node. */
  onListChanged?(node: number): ClusterOptions["onListChanged"];
  /** Returns the engine that a node uses. Default: the same. */
  toEngine?(engine: Engine, node: number): Engine;
}

/** Servers on the nodes of one cluster, in this process. */
export interface ServerNodes extends NodeRequests {
  server(node: number): Server;
  /** Opens a session on the first node, and returns its headers. */
  open(revision?: string): Promise<Record<string, string>>;
  /** Opens a stream by GET. */
  listen(node: number, headers: Record<string, string>, lastEventId?: string): Promise<Stream>;
  /** Waits for changes without a session. */
  listenStateless(node: number, notifications: object): Promise<Stream>;
  /** Cuts a node off from the store and from the others, as if it had stopped. */
  cutOff(node: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts servers on three nodes. */
export async function startServerNodes(
  define: (node: number) => Definition,
  { onListChanged, toEngine = (engine) => engine, ...options }: ServerNodesOptions = {},
): Promise<ServerNodes> {
  const engines = await startEngines(3);
  const clusters: Cluster[] = [];
  const servers: Server[] = [];
  const listeners: HttpListener[] = [];
  for (const [node, engine] of engines.all.entries()) {
    const hook = onListChanged?.(node);
    const cluster = await joinCluster(toEngine(engine, node), {
      lease,
      onError: () => {},
      ...(hook && { onListChanged: hook }),
    });
    clusters.push(cluster);
    const server = createServer({ onError: () => {}, ...define(node) }, revisions);
    servers.push(server);
    listeners.push(await serveHttp(server, { closeTimeout: 50, retry: 20, ...options, cluster }));
  }
  const requests = createNodeRequests(listeners);
  return {
    ...requests,
    server(node) {
      const server = servers[node];
      if (!server) throw new Error(`no node ${node}`);
      return server;
    },
    open: (revision) => openSession(requests, [0, 0], { capabilities: { roots: {} }, ...(revision && { revision }) }),
    listen: (node, headers, last) =>
      requests.stream(node, {
        method: "GET",
        headers: { ...headers, ...(last !== undefined && { "last-event-id": last }) },
      }),
    async listenStateless(node, notifications) {
      const stream = await requests.stream(node, {
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
        body: request("listen", "subscriptions/listen", { notifications }),
      });
      await stream.message();
      return stream;
    },
    cutOff: async (node) => engines.all[node]?.close(),
    async close() {
      await Promise.all(listeners.map((listener) => listener.close()));
      await Promise.all(clusters.map((cluster) => cluster.close()));
      await engines.stop();
    },
  };
}
