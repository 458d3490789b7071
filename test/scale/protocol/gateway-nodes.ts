import { onTestFinished } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { createGateway, serveGatewayHttp, type Gateway } from "../../../runtime/gateway/index.ts";
import { joinCluster } from "../../../runtime/scale/cluster.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { HttpListener, ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
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

/** Gateways that share an engine, in front of one server. */
export interface GatewayNodes {
  /** Server behind the gateways. */
  readonly server: Server;
  readonly gateways: readonly Gateway[];
  readonly listeners: readonly HttpListener[];
  /** Opens a session at a node, and returns its headers. */
  open(node: number, options?: OpenOptions): Promise<Record<string, string>>;
  send(node: number, options: SendOptions): Promise<Answer>;
  stream(node: number, options: SendOptions): Promise<Stream>;
  /** Cuts a node off from the engine, as if it had stopped. */
  cutOff(node: number): Promise<void>;
}

export interface OpenOptions {
  readonly revision?: string;
  readonly capabilities?: object;
  readonly headers?: Record<string, string>;
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
  const urlOf = (node: number): string => listeners[node]?.url ?? "";
  const nodes: GatewayNodes = {
    server,
    gateways,
    listeners,
    async open(node, { revision = "2025-11-25", capabilities = { elicitation: { form: {} } }, headers: more } = {}) {
      const opened = await nodes.send(node, { body: initialize(revision, capabilities), headers: { ...more } });
      const id = String(opened.headers["mcp-session-id"]);
      const headers = { ...more, "mcp-session-id": id, "mcp-protocol-version": revision };
      await nodes.send(1 - node, { body: initialized, headers });
      return headers;
    },
    send: (node, sent) => send(urlOf(node), undefined, sent),
    stream: (node, sent) => openStream(urlOf(node), sent),
    cutOff: async (node) => engines.all[node]?.close(),
  };
  return nodes;
}
