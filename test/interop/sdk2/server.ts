import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import {
  McpServer,
  UrlElicitationRequiredError,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** The official server of the second generation, with a tool for everything that it can do at a handshake revision. */
export function createSdk2Server(): McpServer {
  const server = new McpServer(
    { name: "sdk2", version: "1" },
    { capabilities: { logging: {}, tools: { listChanged: true } } },
  );
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => say(text));
  const sum = z.object({ sum: z.number() });
  const addends = z.object({ a: z.number(), b: z.number() });
  server.registerTool("sum", { inputSchema: addends, outputSchema: sum }, ({ a, b }) => ({
    ...say(String(a + b)),
    structuredContent: { sum: a + b },
  }));
  server.registerTool("progress", {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [1, 2, 3]) {
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: progressToken ?? 0, progress },
      });
    }
    return say("done");
  });
  server.registerTool("sample", {}, async ({ mcpReq }) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "6 * 7?" } }];
    return say(JSON.stringify((await mcpReq.requestSampling({ messages, maxTokens: 10 })).content));
  });
  server.registerTool("form", {}, async ({ mcpReq }) => {
    const requestedSchema = { type: "object" as const, properties: { age: { type: "integer" as const, default: 42 } } };
    return say(JSON.stringify(await mcpReq.elicitInput({ mode: "form", message: "How old?", requestedSchema })));
  });
  let isVisited = false;
  server.registerTool("page", {}, () => {
    if (isVisited) return say("visited");
    isVisited = true;
    const page = { mode: "url" as const, message: "Sign in", url: "https://example.org/in", elicitationId: "e1" };
    throw new UrlElicitationRequiredError([page]);
  });
  server.registerTool("log", {}, async ({ mcpReq }) => {
    await mcpReq.log("error", "logged");
    server.sendToolListChanged();
    return say("done");
  });
  server.registerTool("wait", {}, ({ mcpReq }) => {
    return new Promise((resolve) => mcpReq.signal.addEventListener("abort", () => resolve(say("aborted"))));
  });
  server.registerResource("a", "test://a", {}, ({ href: uri }) => ({ contents: [{ uri, text: "text of a" }] }));
  server.registerPrompt("greet", { argsSchema: z.object({ whom: z.string() }) }, ({ whom }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello ${whom}` } }],
  }));
  return server;
}

/** Serves it over Streamable HTTP on a port of its own. */
export async function serveSdk2(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createSdk2Server().connect(transport);
    return transport;
  };
  const served = await serveFetch(async (request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    return (known ?? (await open())).handleRequest(request);
  });
  return {
    url: served.url,
    async close() {
      for (const transport of sessions.values()) await transport.close();
      await served.close();
    },
  };
}

/** Serves a function of the web platform on a port of its own, under the path `/mcp` and every other. */
export async function serveFetch(
  respond: (request: Request) => Promise<Response>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (incoming, response) => {
    const { status, headers, body } = await respond(await toRequest(incoming));
    response.writeHead(status, Object.fromEntries(headers)).flushHeaders();
    for await (const chunk of body ?? []) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "GET", url = "/", headers } = request;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = method === "POST" ? { body: Buffer.concat(chunks) } : {};
  return new Request(`http://${headers.host}${url}`, { method, headers: pairs, ...body });
}

function say(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
