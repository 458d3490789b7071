import { expect } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
/* What is written for newer revisions, and what older ones get: one row for each thing that a rule does. */

export const [, november, june, march, first] = revisions.map(({ id }) => id);
export const callResult = ["clientRequests", "tools/call", "result"] as const;
const prompt = ["clientRequests", "prompts/get", "result"] as const;
const tools = ["clientRequests", "tools/list", "result"] as const;
export const sampling = ["serverRequests", "sampling/createMessage", "params"] as const;
export const sampled = ["serverRequests", "sampling/createMessage", "result"] as const;
export const elicitation = ["serverRequests", "elicitation/create", "params"] as const;
export const elicited = ["serverRequests", "elicitation/create", "result"] as const;
const initialize = ["clientRequests", "initialize", "params"] as const;
const progress = ["serverNotifications", "notifications/progress", "params"] as const;
export const cancelled = ["clientNotifications", "notifications/cancelled", "params"] as const;
const completion = ["clientRequests", "completion/complete", "params"] as const;
const call = ["clientRequests", "tools/call", "params"] as const;

export type Place =
  | typeof callResult
  | typeof prompt
  | typeof tools
  | typeof sampling
  | typeof sampled
  | typeof elicitation
  | typeof elicited
  | typeof initialize
  | typeof progress
  | typeof cancelled
  | typeof completion
  | typeof call;

export const text = { type: "text", text: "hi" };
export const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const link = { type: "resource_link", uri: "file:///a.txt", name: "a", title: "The a", description: "First letter" };
const tool = { name: "add", inputSchema: { type: "object" } };
export const form = (properties: object): object => ({ message: "?", requestedSchema: { type: "object", properties } });

/** At these revisions, this value becomes that one, and these losses are reported. */
export interface Row {
  readonly rule: string;
  readonly at: readonly (string | undefined)[];
  readonly place: Place;
  readonly value: unknown;
  readonly becomes: unknown;
  readonly losses?: readonly string[];
}

export const rows: readonly Row[] = [
  {
    rule: "omits what every older result means anyway, without a loss",
    at: [november, june, march, first],
    place: tools,
    value: {
      tools: [tool],
      resultType: "complete",
      ttlMs: 5,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "s", version: "1" }, trace: 1 },
    },
    becomes: { tools: [tool], _meta: { trace: 1 } },
  },
  {
    rule: "omits from the metadata of a request what the handshake has told",
    at: [november, june, march, first],
    place: call,
    value: {
      name: "add",
      _meta: {
        progressToken: 1,
        "io.modelcontextprotocol/protocolVersion": "x",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "info",
        own: true,
      },
    },
    becomes: { name: "add", _meta: { progressToken: 1, own: true } },
  },
  {
    rule: "drops icons and execution",
    at: [june],
    place: tools,
    value: { tools: [{ ...tool, title: "Add", icons: [], execution: { taskSupport: "optional" }, _meta: {} }] },
    becomes: { tools: [{ ...tool, title: "Add", _meta: {} }] },
    losses: ["Tool.icons: drop", "Tool.execution: drop"],
  },
  {
    rule: "moves the title of a tool into its annotations",
    at: [march],
    place: tools,
    value: { tools: [{ ...tool, title: "Add", annotations: { readOnlyHint: true } }] },
    becomes: { tools: [{ ...tool, annotations: { readOnlyHint: true, title: "Add" } }] },
    losses: ["Tool.title: title-to-annotations"],
  },
  {
    rule: "drops the title of a tool whose annotations have one",
    at: [march],
    place: tools,
    value: { tools: [{ ...tool, title: "Add", annotations: { title: "Sum" } }] },
    becomes: { tools: [{ ...tool, annotations: { title: "Sum" } }] },
    losses: ["Tool.title: drop"],
  },
  {
    rule: "drops everything that tools have gained",
    at: [first],
    place: tools,
    value: { tools: [{ ...tool, title: "Add", annotations: {}, outputSchema: { type: "object" }, _meta: {} }] },
    becomes: { tools: [tool] },
    losses: ["Tool.title: drop", "Tool.annotations: drop", "Tool.outputSchema: drop", "Tool._meta: drop"],
  },
  {
    rule: "keeps a schema as it is, whatever keywords it has, and writes schemas of properties as objects",
    at: [november, june, march, first],
    place: tools,
    value: {
      tools: [
        {
          name: "add",
          inputSchema: { $schema: "s", type: "object", $defs: {}, properties: { a: true, b: false, c: { type: "x" } } },
        },
      ],
    },
    becomes: {
      tools: [
        {
          name: "add",
          inputSchema: {
            $schema: "s",
            type: "object",
            $defs: {},
            properties: { a: {}, b: { not: {} }, c: { type: "x" } },
          },
        },
      ],
    },
  },
  {
    rule: "leaves an output schema out that is none of objects",
    at: [november, june],
    place: tools,
    value: { tools: [{ ...tool, outputSchema: { type: "array" } }] },
    becomes: { tools: [tool] },
    losses: ["Tool.outputSchema.type: object-schema"],
  },
  {
    rule: "sends structured content that is no object as text",
    at: [november, june],
    place: callResult,
    value: { content: [text], structuredContent: [1, 2] },
    becomes: { content: [text, { type: "text", text: "[1,2]" }] },
    losses: ["CallToolResult.structuredContent: structured-object"],
  },
  {
    rule: "takes null for a value of structured content",
    at: [november, june],
    place: callResult,
    value: { content: [], structuredContent: null },
    becomes: { content: [{ type: "text", text: "null" }] },
    losses: ["CallToolResult.structuredContent: structured-object"],
  },
  {
    rule: "sends structured content as text where there is none",
    at: [march, first],
    place: callResult,
    value: { content: [], structuredContent: { sum: 3 }, isError: false },
    becomes: { content: [{ type: "text", text: '{"sum":3}' }], isError: false },
    losses: ["CallToolResult.structuredContent: structured-to-text"],
  },
  {
    rule: "does not repeat structured content that a text block holds already, however indented",
    at: [march, first],
    place: callResult,
    value: { content: [{ type: "text", text: '{\n  "sum": 3\n}' }], structuredContent: { sum: 3 } },
    becomes: { content: [{ type: "text", text: '{\n  "sum": 3\n}' }] },
    losses: ["CallToolResult.structuredContent: structured-to-text"],
  },
  {
    rule: "writes a link to a resource as text",
    at: [march, first],
    place: callResult,
    value: { content: [{ ...link, annotations: { priority: 1, lastModified: "now" } }] },
    becomes: { content: [{ type: "text", text: "The a: file:///a.txt\nFirst letter", annotations: { priority: 1 } }] },
    losses: ["ContentBlock.ResourceLink: link-to-text", "Annotations.lastModified: drop"],
  },
  {
    rule: "sends audio as an embedded resource",
    at: [first],
    place: prompt,
    value: { messages: [{ role: "user", content: { ...audio, _meta: {} } }] },
    becomes: {
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: "attachment:audio-4-AAAA", mimeType: "audio/wav", blob: "AAAA" },
          },
        },
      ],
    },
    losses: ["ContentBlock.AudioContent: audio-to-resource"],
  },
  {
    rule: "tells of audio in a sampling",
    at: [first],
    place: sampling,
    value: { messages: [{ role: "user", content: audio }], maxTokens: 1 },
    becomes: { messages: [{ role: "user", content: { type: "text", text: "[audio, audio/wav]" } }], maxTokens: 1 },
    losses: ["SamplingMessage.content.AudioContent: audio-to-text"],
  },
  {
    rule: "takes the only block of a sampling message out of its array",
    at: [june, march, first],
    place: sampled,
    value: { role: "assistant", model: "m", content: [text] },
    becomes: { role: "assistant", model: "m", content: text },
  },
  {
    rule: "gives an elicitation by URL an id",
    at: [november],
    place: elicitation,
    value: { mode: "url", message: "?", url: "https://a.example" },
    becomes: {
      mode: "url",
      message: "?",
      url: "https://a.example",
      elicitationId: expect.stringMatching(/^[\da-f-]{36}$/),
    },
  },
  {
    rule: "writes titled choices as names and drops defaults",
    at: [june],
    place: elicitation,
    value: {
      mode: "form",
      ...form({
        size: { type: "string", oneOf: [{ const: "s", title: "Small" }], default: "s" },
        old: { type: "string", enum: ["a"], enumNames: ["A"] },
        age: { type: "integer", default: 7 },
        fine: { type: "boolean", default: true },
      }),
    },
    becomes: form({
      size: { type: "string", enum: ["s"], enumNames: ["Small"] },
      old: { type: "string", enum: ["a"], enumNames: ["A"] },
      age: { type: "integer" },
      fine: { type: "boolean", default: true },
    }),
    losses: ["EnumSchema.default: drop", "NumberSchema.default: drop"],
  },
  {
    rule: "declares only capabilities that exist, and extensions",
    at: [first],
    place: initialize,
    value: {
      protocolVersion: "x",
      capabilities: { roots: {}, elicitation: {}, extensions: { "a.example/b": {} }, tasks: {} },
      clientInfo: { name: "c", version: "1", title: "C", description: "d" },
    },
    becomes: {
      protocolVersion: "x",
      capabilities: { roots: {}, extensions: { "a.example/b": {} } },
      clientInfo: { name: "c", version: "1" },
    },
    losses: [
      "ClientCapabilities.elicitation: drop",
      "ClientCapabilities.tasks: drop",
      "Implementation.title: drop",
      "Implementation.description: drop",
    ],
  },
  {
    rule: "drops the message of a progress",
    at: [first],
    place: progress,
    value: { progressToken: 1, progress: 2, message: "half" },
    becomes: { progressToken: 1, progress: 2 },
    losses: ["ProgressNotificationParams.message: drop"],
  },
  {
    rule: "drops the context of a completion",
    at: [march, first],
    place: completion,
    value: {
      ref: { type: "ref/prompt", name: "p", title: "P" },
      argument: { name: "a", value: "" },
      context: { arguments: {} },
    },
    becomes: { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
    losses: ["CompleteRequestParams.context: drop", "PromptReference.title: drop"],
  },
  {
    rule: "runs a task as a plain request",
    at: [june, march, first],
    place: call,
    value: { name: "add", task: { ttl: 1 } },
    becomes: { name: "add" },
    losses: ["CallToolRequestParams.task: drop"],
  },
];
