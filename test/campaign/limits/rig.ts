import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { Connectable } from "../../../runtime/client/connection-factory.ts";
import type { ClientSession } from "../../../runtime/client/session/client-session.ts";
import { serve, type ServerConnectionOptions } from "../../../runtime/server/run/acceptor.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { createTcpTransport, listenTcp, type TcpServerOptions } from "../../../runtime/transport/tcp/tcp.ts";
import {
  createWsTransport,
  listenWebSocket,
  type WsListenOptions,
} from "../../../runtime/transport/websocket/index.ts";
import { handshakeRevisions } from "../../kit/revisions.ts";
import { createLimitServer, type LimitServerOptions } from "./server.ts";

/** Server at which a limit is reached, and another client of it. */
export interface LimitRig {
  readonly url: string;
  /** Calls a tool as the client that has been connected all the while. */
  callOther(): Promise<void>;
  close(): Promise<void>;
}

/** Options of the served definition, and of its connections. */
export interface RigOptions {
  readonly server?: LimitServerOptions;
  readonly serve?: ServerConnectionOptions;
}

/** Serves over TCP. */
export async function openTcpRig(
  options: RigOptions & { readonly listen?: Partial<TcpServerOptions> } = {},
): Promise<LimitRig> {
  const server = createLimitServer(options.server);
  const { limits } = options.serve ?? {};
  const listener = await listenTcp({
    ...options.listen,
    ...(limits && { limits }),
    accept: (transport) => serve(server, transport, options.serve),
  });
  return toRig(`tcp://127.0.0.1:${listener.port}`, createTcpTransport({ port: listener.port }), listener);
}

/** Serves over WebSocket. */
export async function openWsRig(
  options: RigOptions & { readonly listen?: Partial<WsListenOptions> } = {},
): Promise<LimitRig> {
  const server = createLimitServer(options.server);
  const { limits } = options.serve ?? {};
  const listener = await listenWebSocket({
    ...options.listen,
    ...(limits && { limits }),
    accept: (transport) => serve(server, transport, options.serve),
  });
  return toRig(listener.url, createWsTransport(listener.url), listener);
}

/** Serves over HTTP. */
export async function openHttpRig(options: RigOptions & { readonly listen?: ListenOptions } = {}): Promise<LimitRig> {
  const listener = await serveHttp(createLimitServer(options.server), { ...options.listen, ...options.serve });
  return toRig(listener.url, (opening) => connectHttp(listener.url, opening), listener);
}

async function toRig(url: string, source: Connectable, listener: { close(): Promise<void> }): Promise<LimitRig> {
  const info = { name: "other", version: "1" };
  const client = createClient<Declarations>({ info, revisions: handshakeRevisions, onLog() {} });
  const session: ClientSession<Declarations> = await client.connect(source);
  return {
    url,
    async callOther() {
      const { content } = await session.callTool("echo", { text: "served" });
      if (JSON.stringify(content) !== '[{"type":"text","text":"served"}]')
        throw new Error(`another client got ${JSON.stringify(content)}`);
    },
    async close() {
      await session.close();
      await listener.close();
    },
  };
}
