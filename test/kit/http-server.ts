import { type HttpService, toSettings } from "../../runtime/transport/http-server/settings.ts";
import type { SessionSettings } from "../../runtime/transport/http-server/session/session.ts";
import { Agent } from "node:http";
import { revisions as allRevisions } from "../../generated/revisions.ts";
import { createAcceptor, type ServeOptions } from "../../runtime/lifecycle/acceptor.ts";
import type { CallContext } from "../../runtime/protocol/peer/incoming-call.ts";
import type { Connection } from "../../runtime/protocol/peer/peer.ts";
import { listenHttp, type HttpListener, type ListenOptions } from "../../runtime/transport/http-server/listen.ts";
import { initialize, openStream, send, type HttpResponse, type SendOptions, type Stream } from "./http-exchange.ts";
import { initialized } from "./messages.ts";

/** Implementation of a tool of the tested server. */
export type Tool = (context: CallContext, args: Record<string, unknown>) => unknown;

export interface Rig {
  readonly url: string;
  readonly listener: HttpListener;
  /** Every connection that was ever accepted. */
  readonly connections: readonly Connection[];
  send(options?: SendOptions): Promise<HttpResponse>;
  stream(options?: SendOptions): Promise<Stream>;
  open(revision?: string, headers?: Record<string, string>): Promise<Session>;
  close(): Promise<void>;
}

export interface Session {
  readonly id: string;
  readonly headers: Record<string, string>;
  /** POSTs a message and reads the whole response. */
  post(message: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  /** POSTs a message and reads events as they come. */
  postStream(message: unknown): Promise<Stream>;
  listen(lastEventId?: string): Promise<Stream>;
  end(): Promise<HttpResponse>;
}

/** Starts a server with these tools on a free port. */
export async function start(
  tools: Record<string, Tool> = {},
  options: Omit<ListenOptions, "port"> = {},
  serveOptions: Partial<ServeOptions> = {},
): Promise<Rig> {
  const connections: Connection[] = [];
  const service = createService(tools, connections, serveOptions);
  const listener = await listenHttp(service, { closeTimeout: 50, ...options });
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const { url } = listener;
  const rig: Rig = {
    url,
    listener,
    connections,
    send: (sent) => send(url, agent, sent),
    stream: (sent) => openStream(url, sent),
    open: (revision, headers) => openSession(rig, revision ?? "2025-11-25", headers),
    async close() {
      agent.destroy();
      await listener.close();
    },
  };
  return rig;
}

/** Settings of a session of its own: the defaults, with a short time to reconnect. */
export function createSessionSettings(fail: SessionSettings["fail"] = () => undefined): SessionSettings {
  return { ...toSettings({ retry: 5, maxStreamBytes: 1e6 }, { hasSse: false }), fail };
}

/** A service whose tools are functions. */
export function createService(
  tools: Record<string, Tool>,
  connections: Connection[] = [],
  options: Partial<ServeOptions> = {},
): HttpService {
  const accept = createAcceptor({
    info: { name: "rig", version: "1" },
    revisions: allRevisions,
    capabilities: { tools: { listChanged: true }, logging: {} },
    timeouts: { confirmation: 50, drain: 50 },
    handlers: {
      async callTool(params: { name: string; arguments?: Record<string, unknown> }, context: CallContext) {
        const text: unknown = await tools[params.name]?.(context, params.arguments ?? {});
        return { content: [{ type: "text", text: String(text) }] };
      },
      listTools: () => ({ tools: [] }),
    },
    ...options,
  });
  return {
    revisions: allRevisions,
    readParamHeaders: () => [],
    accept(channel, agreement) {
      const connection = accept(channel, agreement);
      connections.push(connection);
      return connection;
    },
  };
}

/** Sends a log message or a progress report as part of a call. */
export function log(context: CallContext, data: unknown): Promise<void> {
  const row = context.revision.serverNotifications["notifications/message"];
  if (!row) throw new Error("no log messages");
  return context.notify(row, { level: "info", data });
}

/** Asks the client for its roots as part of a call. */
export function requestRoots(context: CallContext): Promise<unknown> {
  const row = context.revision.serverRequests["roots/list"];
  if (!row) throw new Error("no roots");
  return context.request(row, undefined);
}

/** Tells a client that the tools have changed. */
export function changed(connection: Connection): Promise<void> {
  const row = connection.session?.revision.serverNotifications["notifications/tools/list_changed"];
  if (!row) throw new Error("no list_changed");
  return connection.notify(row, {});
}

async function openSession(rig: Rig, revision: string, extra: Record<string, string> = {}): Promise<Session> {
  const opened = await rig.send({ body: initialize(revision, { roots: {} }), headers: extra });
  const id = String(opened.headers["mcp-session-id"]);
  const headers = { "mcp-session-id": id, "mcp-protocol-version": revision, ...extra };
  const done = await rig.send({ body: initialized, headers });
  if (opened.status !== 200 || done.status !== 202) throw new Error(`${opened.status} ${opened.text} ${done.status}`);
  return {
    id,
    headers,
    post: (body, more) => rig.send({ body, headers: { ...headers, ...more } }),
    postStream: (body) => rig.stream({ body, headers }),
    listen: (last) =>
      rig.stream({ method: "GET", headers: { ...headers, ...(last !== undefined && { "last-event-id": last }) } }),
    end: () => rig.send({ method: "DELETE", headers }),
  };
}
