import { z } from "zod";
import { defineTool, type ToolDefinition } from "./mcp/index.ts";

/** Tools for stateless requests: param headers, capabilities of one request, and log levels. */
export const stateless: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "test_header_tool",
    description: "Has an argument that clients repeat in a header, for proxies.",
    inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
    execute: ({ region }) => `Asked from ${region}.`,
  }),
  defineTool({
    name: "test_missing_capability",
    description: "Requires the sampling capability of the client.",
    async execute(_args, { sample }) {
      const { model } = await sample({
        messages: [{ role: "user", content: { type: "text", text: "Who are you?" } }],
        maxTokens: 10,
      });
      return `${model} answered.`;
    },
  }),
  defineTool({
    name: "test_streaming_elicitation",
    description: "Sends no requests to the client.",
    execute: () => "Nothing was asked.",
  }),
  defineTool({
    name: "test_logging_tool",
    description: "Logs a message, which only clients with a log level receive.",
    async execute(_args, { log }) {
      await log("info", "The tool was called.");
      return "A message was logged.";
    },
  }),
];
