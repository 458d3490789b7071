import { createServer, serveHttp, type Server } from "../../../runtime/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { joinCluster, type Cluster, type ClusterOptions } from "../../../runtime/scale/cluster.ts";
import type { HttpListener, ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { request } from "../../runtime/lifecycle/stateless.ts";
import {
  initialize,
  initialized,
  openStream,
  send,
  type Answer,
  type SendOptions,
  type Stream,
} from "../../runtime/transport/http-server/http-rig.ts";
import { lease, startEngines } from "./nodes.ts";

/** Definition of the server of a node. */
export type Definition = Parameters<typeof createServer>[0];

/** Options of the nodes of a test. */
export interface ServerNodesOptions extends Omit<ListenOptions, "port" | "cluster"> {
  /** Returns the hook of a node. */
  onListChanged?(node: number): ClusterOptions["onListChanged"];
}

/** Servers on the nodes of one cluster, in this process. */
export interface ServerNodes {
  server(node: number): Server;
  /** Opens a session on the first node, and returns its headers. */
  open(revision?: string): Promise<Record<string, string>>;
  send(node: number, options: SendOptions): Promise<Answer>;
  stream(node: number, options: SendOptions): Promise<Stream>;
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
  { onListChanged, ...options }: ServerNodesOptions = {},
): Promise<ServerNodes> {
  const engines = await startEngines(3);
  const clusters: Cluster[] = [];
  const nodes: { readonly server: Server; readonly listener: HttpListener }[] = [];
  for (const [node, engine] of engines.all.entries()) {
    const hook = onListChanged?.(node);
    const cluster = await joinCluster(engine, { lease, onError: () => {}, ...(hook && { onListChanged: hook }) });
    clusters.push(cluster);
    const server = createServer({ onError: () => {}, ...define(node) }, revisions);
    const listener = await serveHttp(server, { closeTimeout: 50, retry: 20, ...options, cluster });
    nodes.push({ server, listener });
  }
  const at = (index: number): (typeof nodes)[number] => {
    const node = nodes[index];
    if (!node) throw new Error(`no node ${index}`);
    return node;
  };
  const all: ServerNodes = {
    server: (node) => at(node).server,
    async open(revision = "2025-11-25") {
      const opened = await all.send(0, { body: initialize(revision, { roots: {} }) });
      const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]), "mcp-protocol-version": revision };
      await all.send(0, { body: initialized, headers });
      return headers;
    },
    send: (node, sent) => send(at(node).listener.url, undefined, sent),
    stream: (node, sent) => openStream(at(node).listener.url, sent),
    listen: (node, headers, last) =>
      all.stream(node, {
        method: "GET",
        headers: { ...headers, ...(last !== undefined && { "last-event-id": last }) },
      }),
    async listenStateless(node, notifications) {
      const stream = await all.stream(node, {
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
        body: request("listen", "subscriptions/listen", { notifications }),
      });
      await stream.message();
      return stream;
    },
    cutOff: async (node) => engines.all[node]?.close(),
    async close() {
      await Promise.all(nodes.map(({ listener }) => listener.close()));
      await Promise.all(clusters.map((cluster) => cluster.close()));
      await engines.stop();
    },
  };
  return all;
}
