import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { connect, type ClientConnection, type ConnectOptions } from "../../runtime/client/connect.ts";
import { createHttpClientTransport, type HttpClientOptions } from "../../runtime/transport/http-client/http-client.ts";
import { newest } from "./revisions.ts";

/** A request as the scripted server got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The message in the body. */
  readonly message: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: Record<string, unknown>;
    readonly result?: unknown;
  };
  readonly at: number;
}

/** Does what the test wants; returns whether it has taken the request. */
export type Script = (request: Received, response: ServerResponse) => unknown;

/** A server on 127.0.0.1 whose responses are written by the test. */
export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly Received[];
  close(): Promise<void>;
}

/** The session id that the scripted server gives. */
export const sessionId = "session-1";

/** Returned by a script that wants the usual response. */
export const usual: unique symbol = Symbol("usual");

/** Serves the script; where it returns `usual`, a plain server with a session and without GET stream responds. */
export async function serveScript(script: Script = () => usual): Promise<ScriptedServer> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    void read(request).then((received) => {
      requests.push(received);
      if (script(received, response) === usual) respondAsUsual(received, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The usual result of `initialize`, at the requested revision. */
export function openingResult(params: Record<string, unknown> = {}): object {
  const { protocolVersion } = params;
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "script", version: "1" } };
}

/** Responds with JSON. */
export function respondJson(response: ServerResponse, body: unknown, { status = 200, headers = {} } = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Begins a stream of events; what is given is written at once. */
export function respondEvents(response: ServerResponse, ...events: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(events.join(""));
}

/** One event with a result in it. */
export function resultEvent(id: number | undefined, result: object = {}, eventId?: string): string {
  const line = eventId === undefined ? "" : `id: ${eventId}\n`;
  return `${line}data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`;
}

/** True of the request for the stream of the server. */
export const isListening = ({ method }: Received): boolean => method === "GET";

/** True of `initialize`. */
export const isOpening = ({ message }: Received): boolean => message.method === "initialize";

/** True of a call of a tool. */
export const isCall = ({ message }: Received): boolean => message.method === "tools/call";

/** A client of the scripted server. */
export function connectScript(
  server: ScriptedServer,
  options: HttpClientOptions & Partial<ConnectOptions> = {},
): Promise<ClientConnection> {
  const reconnect = { initialDelay: 10, maxDelay: 40, ...options.reconnect };
  const transport = createHttpClientTransport(server.url, { ...options, reconnect });
  // On a busy machine a hundred requests at once take longer than the default of 5 s.
  const timeouts = { request: 60_000, confirmation: 60_000, ...options.timeouts };
  return connect(transport, { info: { name: "c", version: "1" }, revisions: [newest], ...options, timeouts });
}

function respondAsUsual({ method, message }: Received, response: ServerResponse): void {
  if (method === "GET") return void response.writeHead(405, { allow: "POST, DELETE" }).end();
  if (method === "DELETE") return void response.writeHead(200).end();
  const { id } = message;
  if (id === undefined || message.method === undefined) return void response.writeHead(202).end();
  const isOpening = message.method === "initialize";
  const result = isOpening ? openingResult(message.params) : {};
  respondJson(response, { jsonrpc: "2.0", id, result }, { headers: isOpening ? { "mcp-session-id": sessionId } : {} });
}

async function read(request: IncomingMessage): Promise<Received> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const { method = "", url = "", headers } = request;
  return { method, path: url, headers, message: text === "" ? {} : JSON.parse(text), at: performance.now() };
}

/** Starts a scripted server that is closed when the test has finished. */
export async function serve(script?: Script): Promise<ScriptedServer> {
  const server = await serveScript(script);
  onTestFinished(() => server.close());
  return server;
}

/** Starts a scripted server, and a client that is connected to it. Both are closed when the test has finished. */
export async function start(
  script?: Script,
  options?: HttpClientOptions & Partial<ConnectOptions>,
): Promise<{ readonly server: ScriptedServer; readonly client: ClientConnection }> {
  const server = await serve(script);
  const client = await connectScript(server, options);
  onTestFinished(() => client.close());
  return { server, client };
}
