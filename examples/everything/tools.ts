import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, ToolError, type ToolDefinition } from "./mcp/index.ts";
import { richSchema } from "./rich-schema.ts";
import { png, wav } from "./samples.ts";

/** Tools with every kind of content, and with log messages and progress. Names and texts are those of the conformance suite. */
export const tools: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "test_simple_text",
    description: "Returns a line of text.",
    execute: () => "This is a simple text response for testing.",
  }),
  defineTool({
    name: "test_image_content",
    description: "Returns an image.",
    execute: () => ({ content: [{ type: "image", ...png }] }),
  }),
  defineTool({
    name: "test_audio_content",
    description: "Returns audio.",
    visible: ({ revision }) => revision >= "2025-03-26",
    execute: () => ({ content: [{ type: "audio", ...wav }] }),
  }),
  defineTool({
    name: "test_embedded_resource",
    description: "Returns an embedded resource.",
    execute: () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    }),
  }),
  defineTool({
    name: "test_multiple_content_types",
    description: "Returns text, an image and a resource.",
    execute: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", ...png },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 }),
          },
        },
      ],
    }),
  }),
  defineTool({
    name: "test_error_handling",
    description: "Returns an error for the model.",
    execute() {
      throw new ToolError("This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    name: "test_tool_with_logging",
    description: "Logs three messages while it runs.",
    async execute(_args, { log }) {
      await log("info", "Tool execution started");
      await sleep(50);
      await log("info", "Tool processing data");
      await sleep(50);
      await log("info", "Tool execution completed");
      return "Three messages were logged.";
    },
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Reports progress three times while it runs.",
    async execute(_args, { progress }) {
      await progress(0, 100);
      await sleep(50);
      await progress(50, 100);
      await sleep(50);
      await progress(100, 100);
      return "Progress was reported three times.";
    },
  }),
  defineTool({
    name: "test_reconnection",
    description: "Closes the stream while it works; the client resumes it for the response.",
    async execute(_args, { releaseConnection }) {
      releaseConnection();
      await sleep(100);
      return "The client came back.";
    },
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Has a schema with many keywords of JSON Schema.",
    inputSchema: richSchema,
    execute: ({ name = "Somebody" }) => `${name} can be reached.`,
  }),
];
