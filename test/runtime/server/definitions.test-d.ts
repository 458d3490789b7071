import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { expectTypeOf, test } from "vitest";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import type * as v2024 from "../../../generated/2024-11-05/index.ts";
import type * as v202503 from "../../../generated/2025-03-26/index.ts";
import type * as v202506 from "../../../generated/2025-06-18/index.ts";
import type * as v202511 from "../../../generated/2025-11-25/index.ts";
import type * as v2026 from "../../../generated/2026-07-28/index.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import type { ArgumentValues } from "../../../runtime/server/definition.ts";
import { fromJsonSchema, type FromJsonSchema } from "../../../runtime/server/json-schema.ts";
import { createAjvValidator } from "../../../runtime/adapters/ajv.ts";
import { createCfworkerValidator } from "../../../runtime/adapters/cfworker.ts";
import type { FormResponse } from "../../../runtime/server/input/request-types.ts";
import type { Authenticated, RequestSession } from "../../../runtime/server/protocol-types.ts";
import { createSessionState } from "../../../runtime/server/session-state.ts";
import { rateLimit } from "../../../runtime/server/middleware/rate-limit.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import type { TemplateVariables } from "../../../runtime/server/resources/uri-template/template-variables.ts";

const on2024 = forRevisions<v2024.Declarations>([]);
const on202503 = forRevisions<v202503.Declarations>([]);
const on202506 = forRevisions<v202506.Declarations>([]);
const on202511 = forRevisions<v202511.Declarations>([]);
const on2026 = forRevisions<v2026.Declarations>([]);

const input = z.object({ a: z.number(), b: z.number().optional() });
const output = z.object({ sum: z.number() });

test("arguments are typed by the input schema, results by the output schema", () => {
  on202511.defineTool({
    name: "add",
    inputSchema: input,
    outputSchema: output,
    execute: (args, context) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b?: number | undefined }>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      return { sum: args.a };
    },
    render: ({ sum }) => [{ type: "text", text: String(sum) }],
  });
  on202511.defineTool({
    name: "later",
    inputSchema: input,
    outputSchema: output,
    execute: async ({ a, b = 0 }) => ({ sum: a + b }),
  });
  on202511.defineTool({
    name: "wrong",
    inputSchema: input,
    outputSchema: output,
    // @ts-expect-error the output schema asks for a number
    execute: () => ({ sum: "1" }),
  });
  on202511.defineTool({
    name: "wrong",
    inputSchema: input,
    // @ts-expect-error there is no argument c
    execute: ({ c }) => String(c),
  });
});

test("a tool of defineTool is type-checked like any other tool", () => {
  on202511.defineServer({
    name: "a",
    version: "1",
    tools: [
      on202511.defineTool({ name: "add", inputSchema: input, outputSchema: output, execute: ({ a }) => ({ sum: a }) }),
      on202511.defineTool({
        name: "wrong",
        inputSchema: input,
        outputSchema: output,
        // @ts-expect-error the output schema asks for a number
        execute: ({ a }) => ({ sum: String(a) }),
      }),
      on202511.defineTool({
        name: "wrong",
        inputSchema: input,
        outputSchema: output,
        // @ts-expect-error there is no argument c
        execute: ({ c }) => ({ sum: Number(c) }),
      }),
    ],
  });
});

test("a tool without an output schema returns text or a result of the revision", () => {
  on2024.defineTool({ name: "text", execute: () => "hello" });
  on2024.defineTool({ name: "blocks", execute: () => ({ content: [{ type: "text", text: "hello" }] }) });
  on2026.defineTool({ name: "complete", execute: () => ({ content: [] }) });
  // @ts-expect-error a number is neither
  on2024.defineTool({ name: "number", execute: () => 1 });
  on2024.defineTool({ name: "none", execute: (args) => (expectTypeOf<keyof typeof args>().toBeNever(), "") });
});

test("structured output exists since 2025-06-18 (TL-11)", () => {
  // @ts-expect-error not in 2024-11-05
  on2024.defineTool({ name: "add", inputSchema: input, outputSchema: output, execute: () => ({ sum: 1 }) });
  // @ts-expect-error not in 2025-03-26
  on202503.defineTool({ name: "add", inputSchema: input, outputSchema: output, execute: () => ({ sum: 1 }) });
  on202506.defineTool({ name: "add", inputSchema: input, outputSchema: output, execute: () => ({ sum: 1 }) });
  on2026.defineTool({ name: "add", inputSchema: input, outputSchema: output, execute: () => ({ sum: 1 }) });
});

test("fields of a tool are those of the revision", () => {
  const run = (): string => "";
  // @ts-expect-error annotations came with 2025-03-26
  on2024.defineTool({ name: "a", annotations: { readOnlyHint: true }, execute: run });
  on202503.defineTool({ name: "a", annotations: { readOnlyHint: true }, execute: run });
  // @ts-expect-error titles came with 2025-06-18
  on202503.defineTool({ name: "a", title: "A", execute: run });
  on202506.defineTool({ name: "a", title: "A", execute: run });
  // @ts-expect-error icons came with 2025-11-25
  on202506.defineTool({ name: "a", icons: [{ src: "https://example.org/a.png" }], execute: run });
  on202511.defineTool({ name: "a", icons: [{ src: "https://example.org/a.png" }], execute: run });
  // @ts-expect-error derived from task
  on202511.defineTool({ name: "a", execution: { taskSupport: "optional" }, execute: run });
  // @ts-expect-error derived from input
  on202511.defineTool({ name: "a", inputSchema: { type: "object" }, execute: run });
});

test("calls run as tasks where the revision has them (TK-01)", () => {
  const run = (): string => "";
  on202511.defineTool({ name: "a", task: true, execute: run });
  on202511.defineTool({ name: "a", task: { support: "required", ttl: 60_000, pollInterval: 500 }, execute: run });
  // @ts-expect-error a tool without tasks does not name them
  on202511.defineTool({ name: "a", task: { support: "forbidden" }, execute: run });
  // @ts-expect-error tasks came with 2025-11-25
  on202506.defineTool({ name: "a", task: true, execute: run });
  // Tasks left the core with 2026-07-28, and are an extension of it.
  on2026.defineTool({ name: "a", task: true, execute: run });
  on202511.defineTool({
    name: "a",
    task: true,
    execute: async (_args, { task }) => {
      await task?.status("half way");
      return task?.id ?? "";
    },
  });
  // @ts-expect-error no tasks, no task of the call
  on202506.defineTool({ name: "a", execute: (_args, { task }) => task?.id ?? "" });
});

test("content blocks are those of the revision", () => {
  on202503.defineTool({
    name: "a",
    execute: () => ({ content: [{ type: "audio", data: "", mimeType: "audio/wav" }] }),
  });
  // @ts-expect-error audio came with 2025-03-26
  on2024.defineTool({ name: "a", execute: () => ({ content: [{ type: "audio", data: "", mimeType: "audio/wav" }] }) });
  on202506.defineTool({
    name: "a",
    execute: () => ({ content: [{ type: "resource_link", name: "a", uri: "a://b" }] }),
  });
  on202503.defineTool({
    name: "a",
    // @ts-expect-error links came with 2025-06-18
    execute: () => ({ content: [{ type: "resource_link", name: "a", uri: "a://b" }] }),
  });
  on2024.definePrompt({
    name: "p",
    // @ts-expect-error audio came with 2025-03-26
    get: () => [{ role: "user", content: { type: "audio", data: "", mimeType: "audio/wav" } }],
  });
});

test("requests for input are those of the revision (E-01)", () => {
  on2024.defineTool({
    name: "a",
    execute: async (_args, context) => {
      expectTypeOf(await context.roots()).toEqualTypeOf<v2024.Root[]>();
      expectTypeOf(await context.sample({ messages: [], maxTokens: 1 })).toEqualTypeOf<v2024.CreateMessageResult>();
      // @ts-expect-error elicitation came with 2025-06-18
      await context.elicit({});
      return "";
    },
  });
  on202506.defineTool({
    name: "a",
    execute: async (_args, { elicit }) =>
      (await elicit({ message: "?", requestedSchema: { type: "object", properties: {} } })).action,
  });
  on202506.defineTool({
    name: "a",
    execute: async (_args, { elicit }) =>
      // @ts-expect-error URL mode came with 2025-11-25
      (await elicit({ mode: "url", message: "?", url: "", elicitationId: "" })).action,
  });
  on2026.defineTool({ name: "a", execute: async (_args, { roots }) => (await roots()).map((root) => root.uri).join() });
});

test("forms and sampled texts are typed", () => {
  const choices = v.object({ seat: v.picklist(["12A", "12B"]), extras: v.optional(v.array(v.picklist(["a"]))) });
  on202511.defineTool({
    name: "a",
    async execute(_args, { elicit, sample }) {
      const seat = await elicit("?", z.object({ seat: z.enum(["12A", "12B"]), bags: z.number().default(1) }));
      expectTypeOf(seat).toEqualTypeOf<FormResponse<{ seat: "12A" | "12B"; bags: number }>>();
      if (seat.action === "accept") expectTypeOf(seat.content.seat).toEqualTypeOf<"12A" | "12B">();
      else expectTypeOf(seat.content).toEqualTypeOf<undefined>();
      const { content } = await elicit("?", toStandardJsonSchema(choices), { key: "k" });
      expectTypeOf(content).toEqualTypeOf<{ seat: "12A" | "12B"; extras?: "a"[] | undefined } | undefined>();
      const arks = await elicit("?", type({ seat: "'12A' | '12B'", "bags?": "number" }));
      expectTypeOf(arks).toEqualTypeOf<FormResponse<{ seat: "12A" | "12B"; bags?: number }>>();
      const plain = await elicit("?", {
        type: "object",
        properties: {
          seat: { type: "string", enum: ["12A", "12B"] },
          meal: { type: "string", oneOf: [{ const: "a", title: "Apple" }] },
          extras: { type: "array", items: { anyOf: [{ const: "b", title: "Bag" }] } },
          bags: { type: "integer" },
        },
        required: ["seat"],
      });
      expectTypeOf(plain.content).toEqualTypeOf<
        | { readonly seat: "12A" | "12B"; readonly meal?: "a"; readonly extras?: "b"[]; readonly bags?: number }
        | undefined
      >();
      expectTypeOf(await sample("?")).toEqualTypeOf<string>();
      expectTypeOf(await sample(`${seat.action}?`, { maxTokens: 5, temperature: 1, key: "k" })).toEqualTypeOf<string>();
      expectTypeOf(
        await sample({ messages: [], maxTokens: 1 }, { key: "k" }),
      ).toEqualTypeOf<v202511.CreateMessageResult>();
      // @ts-expect-error tools are params of the protocol
      await sample("?", { tools: [] });
      // @ts-expect-error the key is the only option beside params
      await sample({ messages: [], maxTokens: 1 }, { maxTokens: 2 });
      return "";
    },
  });
  on202506.defineTool({
    name: "b",
    async execute(_args, { elicit }) {
      // @ts-expect-error several choices came with 2025-11-25
      await elicit("?", toStandardJsonSchema(choices));
      // @ts-expect-error titles of choices were enumNames
      await elicit("?", { type: "object", properties: { a: { type: "string", oneOf: [] } } });
      // @ts-expect-error a form is flat
      await elicit("?", type({ home: { street: "string" } }));
      // @ts-expect-error a form has no free lists
      await elicit("?", z.object({ tags: z.array(z.string()) }));
      // @ts-expect-error a form is an object
      await elicit("?", z.string());
      // @ts-expect-error a message needs a schema
      await elicit("?", { key: "k" });
      return "";
    },
  });
});

test("the state of a session is typed by its schema, and needs sessions", () => {
  const cart = createSessionState("cart", z.object({ items: z.array(z.string()).default([]) }));
  const run = on202511.defineTool({
    name: "a",
    async execute(_args, { session }) {
      expectTypeOf(await cart.get(session)).toEqualTypeOf<{ items: string[] }>();
      await cart.update(session, ({ items }) => ({ items: [...items, "a"] }));
      // @ts-expect-error items are strings
      await cart.update(session, () => ({ items: [1] }));
      return "";
    },
  });
  expectTypeOf(run.name).toEqualTypeOf<string>();
  // @ts-expect-error sessions ended with 2026-07-28
  on2026.defineTool({ name: "a", execute: async (_args, { session }) => String((await cart.get(session)).items) });
});

test("variables are typed from the template", () => {
  expectTypeOf<TemplateVariables<"a://{b}/{+c}">>().toEqualTypeOf<{ readonly b: string; readonly c: string }>();
  expectTypeOf<TemplateVariables<"a://{b,c}">>().toEqualTypeOf<{ readonly b: string; readonly c: string }>();
  expectTypeOf<TemplateVariables<"a://b{?c,d*}{/e}">>().toEqualTypeOf<{
    readonly c?: string;
    readonly d?: readonly string[];
    readonly e?: string;
  }>();
  expectTypeOf<TemplateVariables<"a://{b:3}{/c*}">>().toEqualTypeOf<{
    readonly b: string;
    readonly c?: readonly string[];
  }>();
  on202511.defineResourceTemplate({
    uriTemplate: "greeting://{name}{?polite}",
    name: "greeting",
    complete: { name: (value) => [value] },
    read: ({ name, polite }, { uri }) => {
      expectTypeOf(name).toEqualTypeOf<string>();
      expectTypeOf(polite).toEqualTypeOf<string | undefined>();
      expectTypeOf(uri).toEqualTypeOf<string>();
      return name;
    },
  });
  on202511.defineResourceTemplate({
    uriTemplate: "greeting://{name}",
    name: "greeting",
    // @ts-expect-error no such variable
    complete: { nome: () => [] },
    // @ts-expect-error no such variable
    read: ({ nome }) => String(nome),
  });
  // @ts-expect-error a URI with variables is a template
  on202511.defineResource({ uri: "user://{id}", name: "user", read: () => "" });
});

test("prompt arguments are typed from their declaration (Q-07)", () => {
  expectTypeOf<ArgumentValues<{ a: true; b: false }>>().toEqualTypeOf<{ readonly a: string; readonly b?: string }>();
  on202511.definePrompt({
    name: "review",
    arguments: {
      code: { required: true, title: "Code" },
      language: { description: "Of the code", complete: () => [] },
    },
    get: ({ code, language }) => {
      expectTypeOf(code).toEqualTypeOf<string>();
      expectTypeOf(language).toEqualTypeOf<string | undefined>();
      return code;
    },
  });
  on2024.definePrompt({
    name: "review",
    // @ts-expect-error titles came with 2025-06-18
    arguments: { code: { title: "Code" } },
    get: () => "",
  });
  on202511.definePrompt({ name: "plain", get: (args) => (expectTypeOf<keyof typeof args>().toBeNever(), "") });
});

test("every definition fits its server, and what the registries read", () => {
  const tool = on202511.defineTool({
    name: "add",
    inputSchema: input,
    outputSchema: output,
    execute: () => ({ sum: 1 }),
  });
  const plain = on202511.defineTool({ name: "plain", execute: () => "" });
  const resource = on202511.defineResource({ uri: "a://b", name: "b", read: () => new Uint8Array() });
  const template = on202511.defineResourceTemplate({ uriTemplate: "a://{b}", name: "b", read: ({ b }) => b });
  const prompt = on202511.definePrompt({ name: "p", arguments: { a: { required: true } }, get: ({ a }) => a });
  const definition = {
    name: "all",
    version: "1",
    websiteUrl: "https://example.org",
    tools: [tool, plain],
    resources: [resource],
    resourceTemplates: [template],
    prompts: [prompt],
  };
  expectTypeOf(definition).toExtend<Parameters<typeof on202511.defineServer>[0]>();
  expectTypeOf(definition).toExtend<AnyServerDefinition>();
  on2024.defineServer({ name: "a", version: "1", tools: [on2024.defineTool({ name: "t", execute: () => "" })] });
  // @ts-expect-error websites came with 2025-11-25
  on2024.defineServer({ name: "a", version: "1", websiteUrl: "https://example.org" });
  // @ts-expect-error a version is required
  on2024.defineServer({ name: "a" });
});

test("plain JSON Schema gives types for literals", () => {
  const schema = {
    type: "object",
    properties: {
      text: { type: "string" },
      count: { type: "integer" },
      unit: { enum: ["cm", "in"] },
      tags: { type: "array", items: { type: "string" } },
      maybe: { type: ["string", "null"] },
      other: { anyOf: [] },
    },
    required: ["text", "unit"],
  } as const;
  expectTypeOf<FromJsonSchema<typeof schema>>().toEqualTypeOf<{
    text: string;
    unit: "cm" | "in";
    count?: number;
    tags?: string[];
    maybe?: string | null;
    other?: unknown;
  }>();
  const validate = (): never[] => [];
  on2024.defineTool({
    name: "a",
    inputSchema: fromJsonSchema(
      { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      { validate },
    ),
    execute: ({ a }) => (expectTypeOf(a).toEqualTypeOf<number>(), ""),
  });
  on2024.defineTool({
    name: "b",
    inputSchema: fromJsonSchema<{ b: bigint }>({ type: "object" }, { validate }),
    execute: ({ b }) => (expectTypeOf(b).toEqualTypeOf<bigint>(), ""),
  });
});

test("handlers and `visible` receive the principal of the request", () => {
  on202511.defineTool({
    name: "a",
    visible: ({ auth, client, session, revision }) => {
      expectTypeOf(auth).toEqualTypeOf<Authenticated | undefined>();
      expectTypeOf(client.info).toEqualTypeOf<v202511.Implementation | undefined>();
      expectTypeOf(client.capabilities).toEqualTypeOf<v202511.ClientCapabilities>();
      expectTypeOf(session).toEqualTypeOf<RequestSession>();
      return revision !== "" && auth?.principal === "ada";
    },
    execute: (_args, { auth, meta }) => (expectTypeOf(meta.a).toBeUnknown(), auth?.principal ?? ""),
  });
  // @ts-expect-error the result is known at once
  on202511.defineResource({ uri: "a://b", name: "b", visible: async () => true, read: () => "" });
  on202511.definePrompt({ name: "p", visible: ({ auth }) => auth !== undefined, get: () => "" });
});

test("templates may list resources of the revision, a page at a time", () => {
  on202511.defineResourceTemplate({
    uriTemplate: "file:///{+path}",
    name: "files",
    list: ({ cursor }, { signal }) => {
      expectTypeOf(cursor).toEqualTypeOf<string | undefined>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return { resources: [{ uri: "file:///a", name: "a", title: "A" }], nextCursor: "1" };
    },
    read: ({ path }) => path,
  });
  on2024.defineResourceTemplate({
    uriTemplate: "file:///{+path}",
    name: "files",
    // @ts-expect-error every resource has a name
    list: () => [{ uri: "file:///a" }],
    read: ({ path }) => path,
  });
});

test("a dynamic server accepts definitions and options about its behaviour", () => {
  const server = on202511.defineServer({
    name: "a",
    version: "1",
    listChanged: ["tools", "prompts"],
    subscribe: true,
    middleware: [rateLimit({ burst: 1, perSecond: 1 }), ({ method }, next) => (method === "" ? {} : next())],
  });
  server.tools.add(
    on202511.defineTool({ name: "add", inputSchema: input, outputSchema: output, execute: () => ({ sum: 1 }) }),
  );
  server.prompts.replace(on202511.definePrompt({ name: "p", arguments: { a: { required: true } }, get: ({ a }) => a }));
  server.resourceTemplates.add(
    on202511.defineResourceTemplate({ uriTemplate: "a://{b}", name: "b", read: ({ b }) => b }),
  );
  expectTypeOf(server.resources.notifyUpdated).toBeCallableWith("a://b", { under: "a://" });
  // @ts-expect-error not a list
  on202511.defineServer({ name: "a", version: "1", listChanged: ["roots"] });
  // @ts-expect-error a tool is no prompt
  server.prompts.add(on202511.defineTool({ name: "t", execute: () => "" }));
});

test("adapters over validators enforce plain JSON Schemas", () => {
  for (const validate of [createAjvValidator(), createCfworkerValidator()]) {
    const schema = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const;
    on2024.defineTool({
      name: "a",
      inputSchema: fromJsonSchema(schema, { validate }),
      execute: ({ a }) => (expectTypeOf(a).toEqualTypeOf<number>(), ""),
    });
  }
});
