import { keepOpen, readMessage, receiveResponse, writeMessage, type TestLink, type TestMessage } from "./link.ts";
import { startOnPort, type TestProgram } from "./program.ts";

/** A server with HTTP: a running program, or a function called by a test. */
export interface TestHttpServer {
  readonly url: string;
  /** Sends a request to the server. */
  send(request: Request): Promise<Response>;
  /** Stops the server. Resolves to its exit code. */
  end(): Promise<number | null>;
}

/** Options of {@link openFetch}. */
export interface OpenFetchOptions {
  /** Revision of the client, which requests name. */
  readonly revision: string;
  /** Headers of every request, such as credentials. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Starts a server over HTTP.
 *
 * @example
 * ```ts
 * import { revisions } from "mcp-server-runtime/revisions";
 * import { openFetch, startHttpProgram } from "mcp-server-runtime/testing";
 *
 * const server = await startHttpProgram({ path: "dist/server.js" });
 * const clients = revisions.map(({ id }) => openFetch(server, { revision: id }));
 * ```
 */
export async function startHttpProgram(program: TestProgram): Promise<TestHttpServer> {
  const server = await startOnPort(program, program.httpArguments ?? ["--http", "0"]);
  return { ...server, send: (request) => fetch(request) };
}

/**
 * Starts a server and connects to it over Streamable HTTP. At the end, its health check has to pass.
 *
 * @example
 * ```ts
 * import { openHttp } from "mcp-server-runtime/testing";
 *
 * const link = await openHttp({ path: "dist/server.js" }, revision.id);
 * ```
 */
export async function openHttp(program: TestProgram, revision: string): Promise<TestLink> {
  const server = await startHttpProgram(program);
  const { headers } = program;
  return {
    ...openFetch(server, { revision, ...(headers && { headers }) }),
    async end() {
      const health = await fetch(new URL("/health", server.url)).catch(() => undefined);
      const code = await server.end();
      if (!health?.ok) throw new Error(`/health returned ${health?.status ?? "no response"}`);
      return code;
    },
  };
}

/**
 * Connects to a server over Streamable HTTP: sends each message in a POST. The response is JSON, or an event of a stream.
 *
 * @example
 * ```ts
 * import { createHttpHandler } from "mcp-server-runtime";
 * import { openFetch } from "mcp-server-runtime/testing";
 *
 * const handler = createHttpHandler(server);
 * const local = { url: "http://localhost/mcp", send: (request: Request) => handler.fetch(request), end: async () => 0 };
 * const link = openFetch(local, { revision: revision.id });
 * ```
 */
export function openFetch({ send, url, end }: TestHttpServer, { revision, headers = {} }: OpenFetchOptions): TestLink {
  let session: string | undefined;
  const post = async (message: TestMessage): Promise<Response> => {
    const { name, uri } = { name: undefined, uri: undefined, ...message.params };
    const named: unknown = name ?? uri;
    const own = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(message.method !== undefined && { "mcp-method": message.method }),
      ...(message.method !== "initialize" && { "mcp-protocol-version": revision }),
      ...(session !== undefined && { "mcp-session-id": session }),
      ...(named !== undefined && { "mcp-name": String(named) }),
    };
    const options = { method: "POST", headers: { ...own, ...headers }, body: writeMessage(message) };
    const response = await send(new Request(url, options));
    session = response.headers.get("mcp-session-id") ?? session;
    return response;
  };
  return {
    async exchange(message, respond) {
      const response = await post(message);
      if (message.id === undefined) {
        await response.text();
        return undefined;
      }
      if (!response.headers.get("content-type")?.startsWith("text/event-stream"))
        return readMessage(await response.text());
      const sendBack = async (own: TestMessage): Promise<void> => void (await (await post(own)).text());
      return receiveResponse(readMessages(readEvents(response)), message.id, { respond, send: sendBack });
    },
    end,
  };
}

/**
 * Starts a server and connects to it over HTTP with SSE: the client sends messages by POST, and receives all as events of one stream.
 *
 * @example
 * ```ts
 * import { openSse } from "mcp-server-runtime/testing";
 *
 * const link = await openSse({ path: "dist/server.js" });
 * ```
 */
export async function openSse(program: TestProgram): Promise<TestLink> {
  const { url, end } = await startHttpProgram(program);
  const { headers = {} } = program;
  const stream = await fetch(new URL("/sse", url), { headers: { accept: "text/event-stream", ...headers } });
  if (stream.status !== 200) throw new Error(`/sse returned ${stream.status}`);
  const events = readEvents(stream);
  const { value: endpoint = "" } = await events.next();
  const send = async (message: TestMessage): Promise<void> => {
    const own = { "content-type": "application/json", ...headers };
    const body = writeMessage(message);
    const sent = await fetch(new URL(endpoint, url), { method: "POST", headers: own, body });
    if (!sent.ok) throw new Error(`${endpoint} returned ${sent.status}`);
  };
  return {
    async exchange(message, respond) {
      await send(message);
      if (message.id === undefined) return undefined;
      const response = await receiveResponse(readMessages(keepOpen(events)), message.id, { respond, send });
      if (!response) throw new Error("the stream has ended");
      return response;
    },
    end,
  };
}

async function* readMessages(events: AsyncIterable<string>): AsyncGenerator<TestMessage, undefined> {
  for await (const data of events) yield readMessage(data);
}

/** Yields the data of the events of a stream, one after another. The first event may have no data: it only sets the id of the stream. */
async function* readEvents({ body }: Response): AsyncGenerator<string, undefined> {
  if (!body) return undefined;
  const utf8 = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    const events = `${text}${utf8.decode(chunk, { stream: true })}`.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const [, data] = /^data: ?(\S.*)$/m.exec(event) ?? [];
      if (data !== undefined) yield data;
    }
  }
  return undefined;
}
