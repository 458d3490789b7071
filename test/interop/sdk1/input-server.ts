import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** A server made with the official SDK that asks its client for everything that clients offer. */
const server = new McpServer(
  { name: "asking", version: "1" },
  { capabilities: { logging: {}, resources: { subscribe: true } } },
);
const { server: peer } = server;

function say(value: unknown): { content: [{ type: "text"; text: string }] } {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

server.registerTool("roots", {}, async () => say((await peer.listRoots()).roots));

server.registerTool("sample", {}, async () => {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "6 * 7?" } }];
  return say((await peer.createMessage({ messages, maxTokens: 10 })).content);
});

server.registerTool("form", {}, async () =>
  say(
    await peer.elicitInput({
      message: "Who are you?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string" },
          age: { type: "integer", default: 42 },
          colours: { type: "array", items: { type: "string", enum: ["red", "blue"] }, default: ["red"] },
        },
        required: ["name"],
      },
    }),
  ),
);

server.registerTool("page", {}, async () => {
  const result = await peer.elicitInput({
    mode: "url",
    message: "Sign in",
    elicitationId: "e1",
    url: "https://example.org/in",
  });
  await peer.createElicitationCompletionNotifier("e1")();
  return say(result);
});

server.registerTool("sum", { outputSchema: { sum: z.number() } }, async () => ({
  content: [],
  structuredContent: { sum: 3 },
}));

server.registerTool("grow", {}, async () => {
  server.registerTool("grown", {}, async () => say("grown"));
  await peer.sendLoggingMessage({ level: "warning", data: "growing" });
  return say("ok");
});

server.registerTool("exit", {}, () => process.exit(3));

await server.connect(new StdioServerTransport());
