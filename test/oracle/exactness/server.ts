import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";

const { defineTool, definePrompt, defineResource, defineResourceTemplate } = forRevisions<Declarations>(revisions);

const icons = [
  { src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" as const },
];
const annotations = { audience: ["user" as const], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" };
const _meta = { "example.com/a": { b: 1 } };

/** A definition that uses everything there is, at the newest revision. */
export function createMaximalServer(): Server {
  const server = createServer(
    {
      ...{ title: "Exact", description: "Everything", websiteUrl: "https://example.com", icons },
      name: "exact",
      version: "1.0.0",
      instructions: "Ask.",
      tools: [
        report,
        { ...lengthy, task: true },
        { ...endless, task: true },
        media,
        values,
        fails,
        ...inputTools,
        announce(() => server),
      ],
      resources: [
        defineResource({
          uri: "file:///a.txt",
          name: "a",
          title: "A",
          description: "Text",
          mimeType: "text/plain",
          size: 4,
          icons,
          annotations,
          _meta,
          read: () => "text",
        }),
        defineResource({ uri: "file:///b.bin", name: "b", read: () => new Uint8Array([1, 2]) }),
      ],
      resourceTemplates: [
        defineResourceTemplate({
          uriTemplate: "file:///c/{name}",
          name: "c",
          title: "C",
          icons,
          annotations,
          _meta,
          complete: { name: () => ["one"] },
          list: () => [{ uri: "file:///c/one", name: "one", title: "One", icons }],
          read: ({ name }, { uri }) => ({ contents: [{ uri, text: name, mimeType: "text/plain", _meta }] }),
        }),
      ],
      prompts: [
        definePrompt({
          name: "p",
          title: "P",
          description: "Prompt",
          icons,
          _meta,
          arguments: { x: { title: "X", description: "x", required: true, complete: () => ["one"] } },
          get: () => ({
            description: "All blocks",
            messages: blocks.map((content) => ({ role: "user" as const, content })),
          }),
        }),
      ],
      subscribe: true,
      listChanged: true,
      tasks: {},
      onError: () => {},
    },
    revisions,
  );
  return server;
}

const blocks = [
  { type: "text" as const, text: "hello", annotations, _meta },
  { type: "image" as const, data: "AAAA", mimeType: "image/png", annotations, _meta },
  { type: "audio" as const, data: "AAAA", mimeType: "audio/wav", annotations, _meta },
  { type: "resource" as const, resource: { uri: "file:///a.txt", text: "text", _meta }, annotations, _meta },
  { type: "resource_link" as const, uri: "file:///a.txt", name: "a", title: "A", icons, annotations, _meta },
];

const report = defineTool({
  name: "report",
  title: "ErrorReport",
  description: "Structured",
  icons,
  annotations: { title: "Rep", readOnlyHint: true, idempotentHint: true, openWorldHint: false, destructiveHint: false },
  _meta,
  inputSchema: z.object({ year: z.number() }),
  outputSchema: z.object({ total: z.number() }),
  execute: () => ({ total: 3 }),
});

const lengthy = defineTool({ name: "lengthy", execute: () => "done" });

const endless = defineTool({
  name: "endless",
  visible: ({ revision }) => revision === "2025-11-25",
  execute: (_args, { signal }) =>
    new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"), { once: true })),
});

const media = defineTool({
  name: "media",
  async execute(_args, { progress, log }) {
    await progress(1, 2, "half");
    await log("info", { at: "half" }, "media");
    return { content: blocks, structuredContent: { a: [1, null] }, _meta };
  },
});

const values = defineTool({ name: "values", execute: () => ({ content: [], structuredContent: [1, "two", null] }) });

const fails = defineTool({
  name: "fails",
  execute() {
    throw new Error("secret");
  },
});

const inputTools: readonly AnyTool[] = [
  defineTool({
    name: "elicit",
    async execute(_args, { elicit }) {
      const titled = [{ const: "a", title: "A" }];
      const { action } = await elicit({
        message: "Who?",
        requestedSchema: {
          type: "object",
          properties: {
            name: { type: "string", title: "Name", default: "me", minLength: 1, format: "email" },
            age: { type: "integer", minimum: 0, default: 3 },
            sure: { type: "boolean", default: true },
            one: { type: "string", oneOf: titled, default: "a" },
            old: { type: "string", enum: ["a"], enumNames: ["A"] },
          },
          required: ["name"],
        },
      });
      return action;
    },
  }),
  defineTool({
    name: "choose",
    visible: ({ revision }) => revision >= "2025-11-25",
    async execute(_args, { elicit }) {
      const items = { anyOf: [{ const: "a", title: "A" }] };
      const { action } = await elicit({
        message: "Which?",
        requestedSchema: { type: "object", properties: { many: { type: "array", items, minItems: 1 } } },
      });
      return action;
    },
  }),
  defineTool({
    name: "visit",
    visible: ({ revision }) => revision >= "2025-11-25",
    async execute(_args, { elicit }) {
      const page = { mode: "url" as const, message: "Pay", url: "https://example.com/pay", elicitationId: "e1" };
      const { action } = await elicit(page);
      return action;
    },
  }),
  defineTool({
    name: "sample",
    async execute(_args, { sample }) {
      const { model } = await sample({
        messages: [{ role: "user", content: { type: "audio", data: "AAAA", mimeType: "audio/wav", _meta } }],
        maxTokens: 1,
        systemPrompt: "Be brief.",
        modelPreferences: { hints: [{ name: "m" }], costPriority: 1 },
        stopSequences: ["."],
        temperature: 0.5,
        metadata: { a: 1 },
      });
      return model;
    },
  }),
  defineTool({
    name: "roots",
    execute: async (_args, { roots }) => `${(await roots()).length}`,
  }),
];

/** Tells of every kind of change, then gives them time to leave. */
function announce(find: () => Server): AnyTool {
  return defineTool({
    name: "announce",
    async execute() {
      const server = find();
      for (const list of [server.tools, server.resources, server.prompts]) list.notifyListChanged();
      server.resources.notifyUpdated("file:///a.txt");
      await sleep(50);
      return "told";
    },
  });
}
