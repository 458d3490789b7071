import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, ToolError, type ToolDefinition } from "./mcp/index.ts";
import { richSchema } from "./rich-schema.ts";
import { png, wav } from "./samples.ts";

/** Every kind of content, and what a tool may do while it runs. Names and words are those that the conformance suite asks for. */
export const tools: readonly ToolDefinition<unknown, unknown>[] = [
  defineTool({
    name: "test_simple_text",
    description: "Answers a line of text.",
    execute: () => "This is a simple text response for testing.",
  }),
  defineTool({
    name: "test_image_content",
    description: "Answers an image.",
    execute: () => ({ content: [{ type: "image", ...png }] }),
  }),
  defineTool({
    name: "test_audio_content",
    description: "Answers a sound.",
    visible: ({ revision }) => revision >= "2025-03-26",
    execute: () => ({ content: [{ type: "audio", ...wav }] }),
  }),
  defineTool({
    name: "test_embedded_resource",
    description: "Answers a resource with its content.",
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
    description: "Answers text, an image and a resource.",
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
    description: "Fails in a way that the model can read.",
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
    description: "Lets the connection go while it works: the client comes back for the answer.",
    async execute(_args, { releaseConnection }) {
      releaseConnection();
      await sleep(100);
      return "The client came back.";
    },
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Has a schema that uses much of what JSON Schema offers.",
    inputSchema: richSchema,
    execute: ({ name = "Somebody" }) => `${name} can be reached.`,
  }),
];
