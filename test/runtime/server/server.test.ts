import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { SetupError } from "../../../runtime/jsonrpc/errors.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";

const text = (): string => "";
const complete = (): string[] => [];
const tool = { name: "t", execute: text };
const resource = { uri: "a://b", name: "b", read: text };
const template = { uriTemplate: "a://{b}", name: "b", read: text };
const prompt = { name: "p", get: text };
const completable = { name: "p", arguments: { a: { complete } }, get: text };

describe("capabilities follow from what is defined (TL-01, R-01, Q-01, K-01, O-01)", () => {
  test.each<readonly [string, Partial<AnyServerDefinition>, readonly string[]]>([
    ["nothing", {}, ["logging"]],
    ["tools", { tools: [tool] }, ["logging", "tools"]],
    ["resources", { resources: [resource] }, ["logging", "resources"]],
    ["templates", { resourceTemplates: [template] }, ["logging", "resources"]],
    ["prompts", { prompts: [prompt] }, ["logging", "prompts"]],
    ["completion", { prompts: [completable] }, ["completions", "logging", "prompts"]],
    ["empty lists", { tools: [], resources: [], prompts: [] }, ["logging"]],
  ])("capabilities follow from the definition: %s", (_name, definition, expected) => {
    const server = createServer({ name: "test", version: "1", ...definition }, revisions);
    for (const revision of revisions) {
      const declared = server.implement(revision).capabilities;
      const hasCompletions = revision.clientRequests["completion/complete"]?.gate !== undefined;
      const known = expected.filter((name) => name !== "completions" || hasCompletions);
      expect([revision.id, Object.keys(declared).sort()]).toEqual([revision.id, known]);
      // An empty object: subscriptions and change notifications are not offered yet.
      expect(Object.values(declared).every((value) => isObject(value) && Object.keys(value).length === 0)).toBe(true);
    }
  });

  test("experimental capabilities are declared at every revision, and are not part of serverInfo", () => {
    const experimental = { "com.example/search": { depth: 2 } };
    const server = createServer({ name: "test", version: "1", experimental }, revisions);
    expect(server.info).toEqual({ name: "test", version: "1" });
    for (const revision of revisions) {
      expect(server.implement(revision).capabilities).toEqual({ experimental, logging: {} });
    }
  });

  test("a method without definitions is rejected (-32601)", () => {
    const { handlers } = createServer({ name: "test", version: "1" }, revisions).implement(first());
    expect(Object.keys(handlers)).toEqual(["setLevel"]);
  });
});

describe("a server", () => {
  test.each([
    ['{"tools":[null]}', "tools[0] is null; check its import, which may be circular"],
    ['{"tools":{"t":{}}}', "tools is not an array; write tools: [...]"],
    ['{"tools":[{"name":"t"}]}', "tools[0] has no function execute; add it, or await the entry if it is a promise"],
    ['{"resources":[{"uri":"a://b","name":"b"}]}', "resources[0] has no function read"],
    ['{"resourceTemplates":[{"uriTemplate":"a://{b}","name":"b"}]}', "resourceTemplates[0] has no function read"],
    ['{"prompts":[{"name":"p"}]}', "prompts[0] has no function get"],
    ['{"extensions":[null]}', "extensions[0] is null; check its import, which may be circular"],
  ])("a list that the compiler has not checked is rejected: %s", (json, message) => {
    const lists: Partial<AnyServerDefinition> = JSON.parse(json);
    expect(() => createServer({ name: "test", version: "1", ...lists }, revisions)).toThrow(message);
    expect(() => createServer({ name: "test", version: "1", ...lists }, revisions)).toThrow(SetupError);
  });

  test.each(["tools", "resources", "resourceTemplates", "prompts"] as const)(
    "a server whose %s have an asynchronous function `visible` is rejected, and so is one that is added later",
    (list) => {
      const entry = {
        name: "a",
        uri: "a://b",
        uriTemplate: "a://{b}",
        execute: () => "",
        read: () => "",
        get: () => "",
      };
      const visible = (): boolean => Object((async () => false)());
      for (const wrong of [
        { ...entry, visible: Object(async () => false) },
        { ...entry, visible: Object(true) },
      ]) {
        const source = { name: "test", version: "1", listChanged: true as const };
        expect(() => createServer({ ...source, [list]: [wrong] }, revisions)).toThrow(SetupError);
        const { [list]: added } = createServer({ ...source, [list]: [] }, revisions);
        expect(() => added.add(wrong)).toThrow("visible has to be a function that returns true or false");
      }
      expect(() =>
        createServer({ name: "test", version: "1", [list]: [{ ...entry, visible }] }, revisions),
      ).not.toThrow();
    },
  );

  test("a server introduces itself with all members of its definition", () => {
    const definition = { name: "test", version: "1", title: "Test", tools: [tool], instructions: "Be brief." };
    const server = createServer(definition, revisions);
    expect(server.info).toEqual({ name: "test", version: "1", title: "Test" });
    expect(server.instructions).toBe("Be brief.");
  });

  test("a server is built once per revision", () => {
    const server = createServer({ name: "test", version: "1", tools: [tool] }, revisions);
    expect(server.implement(first())).toBe(server.implement(first()));
    expect(server.implement(first())).toMatchObject({ role: "server", revision: first() });
  });

  test.each([0, -1, 1.5, NaN])("a server rejects %d as page size", (pageSize) => {
    expect(() => createServer({ name: "test", version: "1", pageSize }, revisions)).toThrow(
      /use a whole number above 0/,
    );
  });

  test("a server needs a revision", () => {
    expect(() => createServer({ name: "test", version: "1" }, [])).toThrow(
      'Server "test" requires at least one protocol revision',
    );
  });
});

describe("a server over a connection", () => {
  const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
  const add = defineTool({
    name: "add",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    execute: ({ a, b }) => ({ sum: a + b }),
  });
  const broken = defineTool({
    name: "broken",
    outputSchema: z.object({ a: z.number() }).loose(),
    execute: () => ({ a: NaN }),
  });

  test.each(revisions.filter((revision) => revision.lifecycle === "handshake").map((revision) => revision.id))(
    "a server serves its definition at revision %s",
    async (protocolVersion) => {
      const errors: string[] = [];
      const server = defineServer({
        name: "demo",
        version: "1.0.0",
        tools: [add, broken],
        onError: ({ error }) => errors.push(error.message),
      });
      const [near, far] = createInMemoryTransports();
      const connection = serve(server, far);
      const request = createCaller(near);
      const hello = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      expect(await request("initialize", hello)).toEqual({
        result: {
          protocolVersion,
          capabilities: { logging: {}, tools: {} },
          serverInfo: { name: "demo", version: "1.0.0" },
        },
      });
      await near.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      expect(await request("tools/list")).toMatchObject({ result: { tools: [{ name: "add" }, { name: "broken" }] } });
      const structured = protocolVersion >= "2025-06-18" ? { structuredContent: { sum: 3 } } : {};
      expect(await request("tools/call", { name: "add", arguments: { a: 1, b: 2 } })).toEqual({
        result: { content: [{ type: "text", text: '{"sum":3}' }], ...structured },
      });
      expect(await request("tools/call", { name: "broken" })).toEqual({
        error: { code: -32603, message: "Internal error" },
      });
      expect(errors).toEqual([
        expect.stringContaining('Tool "broken" returned a value that does not match its output schema'),
      ]);
      expect(await request("tools/call", { name: "other" })).toMatchObject({ error: { code: -32602 } });
      expect(await request("prompts/list")).toMatchObject({ error: { code: -32601 } });
      await connection.close();
    },
  );
});

function first(): (typeof revisions)[number] {
  const [newest] = revisions;
  if (!newest) throw new Error("no revision to test");
  return newest;
}

/** Sends requests with growing ids, and returns each response without its id. */
function createCaller(transport: Transport): (method: string, params?: object) => Promise<unknown> {
  const waiting = new Map<unknown, (response: unknown) => void>();
  transport.start({
    message(value) {
      if (!isObject(value)) return;
      const { id, jsonrpc: _jsonrpc, ...response } = value;
      waiting.get(id)?.(response);
    },
    classified() {},
    problem() {},
    ended() {},
    disconnected() {},
  });
  let id = 0;
  return (method, params) =>
    new Promise((resolve) => {
      id += 1;
      waiting.set(id, resolve);
      void transport.send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    });
}
