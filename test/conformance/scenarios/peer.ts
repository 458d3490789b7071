import { isObject } from "../../../generated/support.ts";
import { openStream, send, type HttpResponse, type Stream } from "../../kit/http-exchange.ts";
import { statelessHeaders } from "../../wire/http.ts";
import { isStateless, request, type RevisionId } from "../../wire/script.ts";

/** Header fields of a request. */
export type Headers = Readonly<Record<string, string>>;

/** HTTP response with the JSON-RPC messages in it, from JSON or from a stream of events. */
export interface Reply {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly text: string;
  readonly messages: readonly unknown[];
}

/** Raw end of a connection to a server over Streamable HTTP: it sends exactly what a scenario gives it. */
export interface Peer {
  readonly url: string;
  readonly revision: RevisionId;
  /** Response to `initialize`, or to `server/discover` where there is none. */
  readonly opened: Reply;
  readonly sessionId: string | undefined;
  /** Builds a request with the metadata of its revision. */
  build(id: unknown, method: string, params?: object): object;
  /** Builds a call of a tool, without arguments unless `params` has some. */
  buildCall(id: unknown, name: string, params?: object): object;
  post(message: unknown, headers?: Headers): Promise<Reply>;
  stream(message: unknown): Promise<Stream>;
  /** Sends a request without a body. */
  send(method: "GET" | "DELETE", headers?: Headers): Promise<Reply>;
}

/** Options of the raw end. */
export interface PeerOptions {
  readonly capabilities?: object;
  /** Header fields of every request. */
  readonly headers?: Headers;
}

const clientInfo = { name: "scenario", version: "1.0.0" };

/** Opens a session, or discovers the server where there are no sessions. */
export async function openPeer(
  url: string,
  revision: RevisionId,
  { capabilities = {}, headers: always = {} }: PeerOptions = {},
): Promise<Peer> {
  const meta = { "io.modelcontextprotocol/clientCapabilities": capabilities };
  const build = (id: unknown, method: string, params: object = {}): object => {
    if (!isStateless(revision)) return request(revision, id, method, params);
    const own: unknown = "_meta" in params ? params._meta : {};
    return request(revision, id, method, { ...params, _meta: { ...meta, ...(isObject(own) ? own : {}) } });
  };
  const opening = isStateless(revision)
    ? build("open", "server/discover")
    : build("open", "initialize", { protocolVersion: revision, capabilities, clientInfo });
  const opened = await exchange(url, { headers: { ...toHeaders(revision, opening), ...always }, body: opening });
  const sessionId = opened.headers["mcp-session-id"];
  const session = typeof sessionId === "string" ? sessionId : undefined;
  const toAll = (message: unknown): Headers => ({
    ...toHeaders(revision, message),
    ...(!isStateless(revision) && { "mcp-protocol-version": revision }),
    ...(session !== undefined && { "mcp-session-id": session }),
    ...always,
  });
  const peer: Peer = {
    url,
    revision,
    opened,
    sessionId: session,
    build,
    buildCall: (id, name, params) => build(id, "tools/call", { name, arguments: {}, ...params }),
    post: (body, headers) => exchange(url, { headers: { ...toAll(body), ...headers }, body }),
    stream: (body) => openStream(url, { headers: toAll(body), body }),
    send: (method, headers) => exchange(url, { method, headers: { ...toAll(undefined), ...headers } }),
  };
  if (opened.status === 200 && !isStateless(revision))
    await peer.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return peer;
}

function toHeaders(revision: RevisionId, message: unknown): Headers {
  if (!isStateless(revision)) return {};
  return { "mcp-protocol-version": revision, ...statelessHeaders(message) };
}

/** One exchange of HTTP. */
export async function exchange(url: string, options: Parameters<typeof send>[2]): Promise<Reply> {
  const { status, headers, text } = await send(url, undefined, options);
  return { status, headers, text, messages: readMessages(headers["content-type"] ?? "", text) };
}

function readMessages(type: string, text: string): readonly unknown[] {
  if (type.startsWith("application/json")) return text === "" ? [] : [JSON.parse(text)];
  const lines = text.split("\n").filter((line) => line.startsWith("data:") && line.length > "data: ".length);
  return lines.map((line): unknown => JSON.parse(line.slice("data:".length)));
}
