import { toSettings } from "../../../../runtime/transport/http-server/settings.ts";
import type { SessionSettings } from "../../../../runtime/transport/http-server/session/session.ts";
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { revisions as allRevisions } from "../../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../../generated/support.ts";
import { EventDecoder, type ServerEvent } from "../../../../runtime/framing/sse-events.ts";
import { createAcceptor, type ServeOptions } from "../../../../runtime/lifecycle/acceptor.ts";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import type { Connection } from "../../../../runtime/protocol/peer/peer.ts";
import { listenHttp, type HttpListener, type ListenOptions } from "../../../../runtime/transport/http-server/listen.ts";
import type { HttpService } from "../../../../runtime/transport/http-server/settings.ts";

/** The revisions that open sessions, newest first. */
export const revisions: readonly Revision[] = allRevisions.filter((revision) => revision.lifecycle === "handshake");

/** A revision by name. */
export function revisionOf(id: string): Revision {
  const found = revisions.find((revision) => revision.id === id);
  if (!found) throw new Error(`no revision ${id}`);
  return found;
}

/** Implementation of a tool of the tested server. */
export type Tool = (context: CallContext, args: Record<string, unknown>) => unknown;

export interface Rig {
  readonly url: string;
  readonly listener: HttpListener;
  /** Every connection that was ever accepted. */
  readonly connections: readonly Connection[];
  send(options?: SendOptions): Promise<Answer>;
  stream(options?: SendOptions): Promise<Stream>;
  open(revision?: string, headers?: Record<string, string>): Promise<Session>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Leaves these default headers out. */
  readonly without?: readonly string[];
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: unknown;
}

export interface Session {
  readonly id: string;
  readonly headers: Record<string, string>;
  /** POSTs a message and reads the whole answer. */
  post(message: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** POSTs a message and reads events as they come. */
  postStream(message: unknown): Promise<Stream>;
  listen(lastEventId?: string): Promise<Stream>;
  end(): Promise<Answer>;
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

export const acceptBoth = "application/json, text/event-stream";

export const initialize = (revision: string, capabilities: object = {}): object => ({
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: revision, capabilities, clientInfo: { name: "test", version: "1" } },
});

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" } as const;

export const call = (id: string | number, name: string, args: object = {}, meta?: object): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});

/** The one text block of a tool's result. */
export function textOf(message: unknown): string {
  const parsed: unknown = typeof message === "string" ? JSON.parse(message) : message;
  const result = isObject(parsed) && isObject(parsed.result) ? parsed.result : {};
  const block: unknown = Array.isArray(result.content) ? result.content[0] : undefined;
  return isObject(block) ? String(block.text) : JSON.stringify(parsed);
}

/** The code of a JSON-RPC error. */
export function codeOf(answer: Pick<Answer, "json">): unknown {
  return isObject(answer.json) && isObject(answer.json.error) ? answer.json.error.code : undefined;
}

/** Sends a log message or a progress report as part of a call. */
export function log(context: CallContext, data: unknown): Promise<void> {
  const row = context.revision.serverNotifications["notifications/message"];
  if (!row) throw new Error("no log messages");
  return context.notify(row, { level: "info", data });
}

/** Asks the client for its roots as part of a call. */
export function askRoots(context: CallContext): Promise<unknown> {
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

/** Waits until something holds; the bound is one against hanging. */
export async function until(holds: () => boolean, what = "it"): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 50_000) throw new Error(`${what} did not happen in time`);
    await delay(5);
  }
}

/** Events of one connection, in order. */
export class Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: ServerEvent[] = [];
  readonly #response: IncomingMessage;
  #isEnded = false;
  #taken = 0;
  text = "";

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    const decoder = new EventDecoder(
      { maxMessageBytes: 1e9 },
      { event: (event) => void this.events.push(event), problem: () => {} },
    );
    response.on("data", (chunk: Buffer) => {
      this.text += chunk.toString();
      decoder.push(chunk);
    });
    response.on("error", () => {});
    response.on("close", () => (this.#isEnded = true));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The messages so far. */
  get messages(): readonly unknown[] {
    return this.events.filter(({ data }) => data !== "").map(({ data }): unknown => JSON.parse(data));
  }

  /** The next event that has not been taken yet. */
  async next(): Promise<ServerEvent> {
    await until(() => this.events.length > this.#taken || this.#isEnded, "an event");
    const event = this.events[this.#taken];
    if (!event) throw new Error("the stream has ended");
    this.#taken += 1;
    return event;
  }

  /** The next message that has not been taken yet. */
  async message(): Promise<Record<string, unknown>> {
    const { data } = await this.next();
    const message: unknown = data === "" ? await this.message() : JSON.parse(data);
    return isObject(message) ? message : {};
  }

  async end(): Promise<void> {
    await until(() => this.#isEnded, "the end of the stream");
  }

  pause(): void {
    this.#response.pause();
  }

  /** Breaks the connection off as a crash would. */
  cut(): void {
    this.#response.destroy();
  }
}

export async function send(url: string, agent: Agent | undefined, options: SendOptions = {}): Promise<Answer> {
  const response = await exchange(url, agent, options);
  let text = "";
  response.setEncoding("utf8");
  for await (const chunk of response) text += String(chunk);
  const isJson = response.headers["content-type"] === "application/json";
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson && text !== "" ? JSON.parse(text) : undefined,
  };
}

export async function openStream(url: string, options: SendOptions = {}): Promise<Stream> {
  return new Stream(await exchange(url, undefined, options));
}

function exchange(url: string, agent: Agent | undefined, options: SendOptions): Promise<IncomingMessage> {
  const { method = "POST", path, headers, without = [], body } = options;
  const target = new URL(path ?? new URL(url).pathname, url);
  const defaults = { accept: acceptBoth, ...(method === "POST" && { "content-type": "application/json" }) };
  const fields = Object.fromEntries(
    Object.entries({ ...defaults, ...headers }).filter(([name]) => !without.includes(name)),
  );
  return new Promise((resolve, reject) => {
    const sent = request(target, { method, headers: fields, agent: agent ?? false }, resolve);
    sent.on("error", reject);
    sent.end(
      typeof body === "string" || body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body),
    );
  });
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
