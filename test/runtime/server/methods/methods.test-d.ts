import { expectTypeOf, test } from "vitest";
import type * as v2024 from "../../../../generated/2024-11-05/index.ts";
import type * as v2025 from "../../../../generated/2025-11-25/index.ts";
import type * as v2026 from "../../../../generated/2026-07-28/index.ts";
import { createClient } from "../../../../runtime/client/create-client.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";

const on2024 = forRevisions<v2024.Declarations>([]);
const on2025 = forRevisions<v2025.Declarations>([]);
const on2026 = forRevisions<v2026.Declarations>([]);
const implementation = { name: "test", version: "1" };

test("handlers of methods have the params and results of the revision", () => {
  on2026.defineServer({
    ...implementation,
    handlers: {
      listTools: (params, context) => {
        expectTypeOf(params.cursor).toEqualTypeOf<string | undefined>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        return { tools: [] };
      },
      callTool: async ({ name }) => ({ content: [{ type: "text", text: name }] }),
    },
    fallback: ({ method }) => ({ method }),
  });
  on2025.defineServer({ ...implementation, handlers: { subscribe: ({ uri }) => void uri } });
  on2024.defineServer({
    ...implementation,
    // @ts-expect-error a list of tools is missing
    handlers: { listTools: () => ({}) },
  });
  on2026.defineServer({
    ...implementation,
    // @ts-expect-error the revision has no such method
    handlers: { subscribe: () => ({}) },
  });
  on2026.defineServer({
    ...implementation,
    // @ts-expect-error the runtime serves it
    handlers: { discover: () => ({}) },
  });
  on2024.defineServer({
    ...implementation,
    handlers: {
      // @ts-expect-error the revision has no audio in results of tools
      callTool: () => ({ content: [{ type: "audio", data: "", mimeType: "" }] }),
    },
  });
});

test("requests by method name have the params and results of the revision", () => {
  const at2026 = (session: ClientSession<v2026.Declarations>) => ({
    list: session.request("tools/list"),
    page: session.request("tools/list", { cursor: "a" }, { timeout: 1 }),
    call: session.request("tools/call", { name: "a", _meta: { "com.example/key": 1 } }),
    other: session.request("com.example/search", { text: "a" }),
    // @ts-expect-error the name is missing
    wrong: session.request("tools/call", { arguments: {} }),
    // @ts-expect-error the params are missing
    none: session.request("tools/call"),
  });
  type Calls = ReturnType<typeof at2026>;
  expectTypeOf<Awaited<Calls["list"]>>().toEqualTypeOf<v2026.ListToolsResult>();
  expectTypeOf<Awaited<Calls["page"]>>().toEqualTypeOf<v2026.ListToolsResult>();
  expectTypeOf<Awaited<Calls["call"]>>().toEqualTypeOf<v2026.CallToolResult | v2026.InputRequiredResult>();
  expectTypeOf<Awaited<Calls["other"]>>().toEqualTypeOf<unknown>();
  const at2025 = (session: ClientSession<v2025.Declarations>) => session.request("tools/call", { name: "a" });
  expectTypeOf<Awaited<ReturnType<typeof at2025>>>().toEqualTypeOf<v2025.CallToolResult>();
});

test("a union of messages is no message with a handler", () => {
  on2026.defineServer({
    ...implementation,
    // @ts-expect-error it is the union of the notifications of clients
    handlers: { client: () => {} },
  });
  createClient<v2026.Declarations>({
    info: implementation,
    revisions: [],
    // @ts-expect-error it is the union of the notifications of servers
    handlers: { server: () => {} },
  });
});

test("contexts send the requests and notifications of the revision by their methods", () => {
  on2026.defineServer({
    ...implementation,
    handlers: {
      async callTool(_params, { request, notify }) {
        expectTypeOf((await request("roots/list")).roots).toEqualTypeOf<v2026.Root[]>();
        await request("sampling/createMessage", { messages: [], maxTokens: 1 }, { key: "model" });
        await notify("notifications/resources/updated", { uri: "a://1" });
        await notify("notifications/tools/list_changed");
        // @ts-expect-error the messages are missing
        await request("sampling/createMessage", { maxTokens: 1 });
        // @ts-expect-error the URI is missing
        await notify("notifications/resources/updated", {});
        // @ts-expect-error clients send it
        await request("tools/list");
        // @ts-expect-error the revision has no such notification
        await notify("notifications/elicitation/complete", { elicitationId: "1" });
        return { content: [] };
      },
      cancelled: ({ requestId }, { client }) => {
        expectTypeOf(requestId).toEqualTypeOf<string | number>();
        expectTypeOf(client.capabilities).toEqualTypeOf<v2026.ClientCapabilities>();
      },
    },
  });
  on2025.defineServer({
    ...implementation,
    handlers: { rootsListChanged: (_params, { revision }) => expectTypeOf(revision).toEqualTypeOf<string>() },
  });
  on2026.defineServer({
    ...implementation,
    // @ts-expect-error the revision has no such notification
    handlers: { rootsListChanged: () => {} },
  });
});

test("handlers of clients have the params and results of the revision", () => {
  const info = implementation;
  createClient<v2026.Declarations>({
    info,
    revisions: [],
    handlers: {
      listRoots: (_params, { server }) => {
        expectTypeOf(server.info).toEqualTypeOf<v2026.Implementation>();
        return { roots: [] };
      },
      resourceUpdated: ({ uri }) => expectTypeOf(uri).toEqualTypeOf<string>(),
      loggingMessage: async ({ level }) => expectTypeOf(level).toEqualTypeOf<v2026.LoggingLevel>(),
    },
    fallback: ({ method }) => ({ method }),
  });
  createClient<v2025.Declarations>({
    info,
    revisions: [],
    handlers: { elicitationComplete: ({ elicitationId }) => void elicitationId },
  });
  createClient<v2026.Declarations>({
    info,
    revisions: [],
    // @ts-expect-error the list of roots is missing
    handlers: { listRoots: () => ({}) },
  });
  createClient<v2024.Declarations>({
    info,
    revisions: [],
    // @ts-expect-error the revision has no elicitation
    handlers: { elicit: () => ({ action: "accept" }) },
  });
});
