import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport, type EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ListToolsRequestSchema,
  UrlElicitationRequiredError,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";

/** Options of the SDK's server. */
export interface SdkOptions {
  readonly json?: boolean;
  readonly stateless?: boolean;
  /** Keeps events, so that streams can be resumed. */
  readonly events?: boolean;
  /** The only value of the header `Authorization` that is let in. Default: everything is. */
  readonly authorization?: string;
  /** Makes the server of a session. Default: one with a tool for everything. */
  readonly create?: () => Pick<Server, "connect">;
}

/** The official SDK's server on a port of its own. */
export interface SdkHttpServer {
  readonly url: string;
  /** Received requests: `POST initialize`, `GET`, `DELETE`, ... */
  readonly log: readonly string[];
  readonly sessions: ReadonlyMap<string, StreamableHTTPServerTransport>;
  /** Ends every session without a word, as a restart does. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Serves the SDK's Streamable HTTP. */
export async function serveSdk(options: SdkOptions = {}): Promise<SdkHttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const log: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = request.method === "POST" ? await readJson(request) : undefined;
    log.push([request.method, ...readMethods(body)].join(" "));
    const { authorization } = options;
    if (authorization !== undefined && request.headers.authorization !== authorization)
      return void response.writeHead(401).end();
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (id !== undefined && !known) return void response.writeHead(404).end();
    if (options.stateless && request.method !== "POST") return void response.writeHead(405).end();
    const transport = known ?? (await openTransport(options, sessions));
    await transport.handleRequest(request, response, body);
  };
  return listen(handle, { log, sessions });
}

/** Serves the SDK's HTTP+SSE. POST to the stream's URL is refused as old servers do. */
export async function serveSdkSse(): Promise<SdkHttpServer> {
  const transports = new Map<string, SSEServerTransport>();
  const log: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    log.push(`${request.method} ${pathname}`);
    if (request.method === "GET") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      return createSdkServer().connect(transport);
    }
    const transport = transports.get(searchParams.get("sessionId") ?? "");
    if (pathname !== "/messages" || !transport) return void response.writeHead(404).end();
    await transport.handlePostMessage(request, response);
  };
  return listen(handle, { log, sessions: new Map() });
}

async function openTransport(
  { json = false, stateless = false, events = false, create = createSdkServer }: SdkOptions,
  sessions: Map<string, StreamableHTTPServerTransport>,
): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    ...(stateless ? {} : { sessionIdGenerator: randomUUID }),
    enableJsonResponse: json,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
    ...(events && { eventStore: createEventStore(), retryInterval: 50 }),
  });
  await create().connect(transport);
  return transport;
}

/** A server with a tool for everything. */
export function createSdkServer(): Server {
  const server = new Server(
    { name: "sdk", version: "1" },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "echo", inputSchema: { type: "object" } }],
  }));
  let isVisited = false;
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const text = (value: string): { content: [{ type: "text"; text: string }] } => ({
      content: [{ type: "text", text: value }],
    });
    const token = params._meta?.progressToken;
    const notify = async (progress: number): Promise<void> => {
      if (token === undefined) return;
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken: token, progress } });
    };
    switch (params.name) {
      case "progress":
        for (const progress of [1, 2, 3]) await notify(progress);
        return text("done");
      case "sample": {
        const request = {
          method: "sampling/createMessage" as const,
          params: {
            messages: [{ role: "user" as const, content: { type: "text" as const, text: "hi" } }],
            maxTokens: 1,
          },
        };
        const result = await extra.sendRequest(request, CreateMessageResultSchema);
        return text(result.content.type === "text" ? result.content.text : "?");
      }
      case "hang":
        await notify(1);
        return new Promise((resolve) => extra.signal.addEventListener("abort", () => resolve(text("aborted"))));
      case "reconnect":
        extra.closeSSEStream?.();
        await new Promise((resolve) => setTimeout(resolve, 100));
        return text("after the cut");
      case "page": {
        if (isVisited) return text("visited");
        isVisited = true;
        const page = { mode: "url" as const, message: "Sign in", url: "https://example.org/in", elicitationId: "e1" };
        throw new UrlElicitationRequiredError([page]);
      }
      case "announce":
        await server.sendToolListChanged();
        return text("announced");
      default:
        return text(String(params.arguments?.text));
    }
  });
  return server;
}

function createEventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    storeEvent(stream, message) {
      const id = `${stream}_${events.length}`;
      events.push({ id, stream, message });
      return Promise.resolve(id);
    },
    async replayEventsAfter(lastId, { send }) {
      const start = events.findIndex(({ id }) => id === lastId);
      const stream = events[start]?.stream ?? "";
      for (const event of events.slice(start + 1)) {
        const isMessage = "jsonrpc" in event.message;
        if (event.stream === stream && isMessage) await send(event.id, event.message);
      }
      return stream;
    },
  };
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { log, sessions }: { readonly log: string[]; readonly sessions: Map<string, StreamableHTTPServerTransport> },
): Promise<SdkHttpServer> {
  const server: HttpServer = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    log,
    sessions,
    async forget() {
      const transports = [...sessions.values()];
      sessions.clear();
      for (const transport of transports) await transport.close();
    },
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text);
}

function readMethods(body: unknown): string[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) =>
    typeof message === "object" && message !== null && "method" in message ? [String(message.method)] : [],
  );
}
