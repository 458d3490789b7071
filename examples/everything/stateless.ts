import { z } from "zod";
import { defineTool, type ToolDefinition } from "./mcp/index.ts";

/** Tools for stateless requests: param headers, capabilities of one request, and log levels. */
export const stateless: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "test_header_tool",
    description: "Has an argument that clients repeat in a header, so that whoever stands in between can see it.",
    inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
    execute: ({ region }) => `Asked from ${region}.`,
  }),
  defineTool({
    name: "test_missing_capability",
    description: "Cannot do without the client's model.",
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
    description: "Asks nothing, whatever the client could answer.",
    execute: () => "Nothing was asked.",
  }),
  defineTool({
    name: "test_logging_tool",
    description: "Logs a message, which reaches only those who asked for it.",
    async execute(_args, { log }) {
      await log("info", "The tool was called.");
      return "A message was logged.";
    },
  }),
];
