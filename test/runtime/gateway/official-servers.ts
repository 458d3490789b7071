import {
  McpServer,
  createMcpHandler,
  inputRequired,
  inputResponse,
  type CallToolResult,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { serveFetch } from "../../interop/sdk2/server.ts";

/** The official server of the second generation where requests stand alone: it asks inside of results. */
export function serveStateless(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(createServer, { legacy: "reject" });
  return serveFetch((request) => handler.fetch(request));
}

function createServer(): McpServer {
  const server = new McpServer({ name: "alone", version: "1" });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => say(text));
  server.registerTool("sample", {}, ({ mcpReq }) => {
    const result = inputResponse(mcpReq.inputResponses, "model");
    if (result.kind === "sampling") return say(JSON.stringify(result.result.content));
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "6 * 7?" } }];
    return inputRequired({ inputRequests: { model: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  });
  return server;
}

function say(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
