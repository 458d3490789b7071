import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import type { Declarations } from "../../../../generated/2025-11-25/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { PeerError, RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import type { ErrorReport } from "../../../../runtime/jsonrpc/error-report.ts";
import { forRevisions } from "../../../../runtime/server/for-revisions.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { fromJsonSchema } from "../../../../runtime/server/json-schema.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyTool } from "../../../../runtime/server/any-definition.ts";
import { callServer, meta, type CallSetup } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

const { defineTool } = forRevisions<Declarations>(revisions);

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});

interface Reported {
  readonly server: Server;
  readonly reports: ErrorReport[];
}

function serve(...tools: AnyTool[]): Reported {
  const reports: ErrorReport[] = [];
  const definition = { name: "test", version: "1", onError: (report: ErrorReport) => reports.push(report) };
  return { server: createServer({ ...definition, tools }, revisions), reports };
}

function call(server: Server, name: string, args?: object, setup?: CallSetup): Promise<unknown> {
  return callServer(server, newest, ["tools/call", args ? { name, arguments: args } : { name }], setup);
}

test("a list of 100,000 invalid items makes a short error with their number", async () => {
  const sum = defineTool({
    name: "sum",
    description: "Adds numbers.",
    inputSchema: z.object({ items: z.array(z.number()) }),
    execute: ({ items }) => String(items.length),
  });
  const result = await callServer(serve(sum).server, newest, [
    "tools/call",
    { name: "sum", arguments: { items: Array.from({ length: 100_000 }, () => "") } },
  ]);
  const text = JSON.stringify(result);
  expect(text.length).toBeLessThan(5_000);
  expect(text).toContain("- and 99980 more");
});

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  const { server } = serve(add);

  test("tools/call returns the structured value and the same JSON as text (TL-10, TL-11, S-103)", async () => {
    const params = { name: "add", arguments: { a: 1, b: 2 }, ...meta(revision) };
    expect(await callServer(server, revision, ["tools/call", params])).toMatchObject({
      content: [{ type: "text", text: '{"sum":3}' }],
      structuredContent: { sum: 3 },
    });
  });

  test("failed argument validation is a result that names the arguments (A12, TL-06, TL-08, S-105)", async () => {
    const params = { name: "add", arguments: { a: "1" }, ...meta(revision) };
    const result = await callServer(server, revision, ["tools/call", params]);
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toMatch(/Invalid arguments for tool \\"add\\":\\n- a: .*\\n- b: /);
  });

  test("tools/list shows the schemas without the default dialect (TL-15, JS-01)", async () => {
    expect(await callServer(server, revision, ["tools/list", meta(revision)])).toMatchObject({
      tools: [
        {
          name: "add",
          description: "Adds two numbers.",
          inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a", "b"] },
          outputSchema: { type: "object", required: ["sum"] },
        },
      ],
    });
    expect(JSON.stringify(await callServer(server, revision, ["tools/list", meta(revision)]))).not.toContain("$schema");
  });

  test("an unknown tool is a protocol error (TL-06, S-105)", async () => {
    const unknown = callServer(server, revision, ["tools/call", { name: "sub", ...meta(revision) }]);
    await expect(unknown).rejects.toMatchObject({ code: -32602, message: "Unknown tool: sub" });
  });

  test("results carry the required members of the revision", async () => {
    const result = await callServer(server, revision, ["tools/list", meta(revision)]);
    const stateless = revision.lifecycle === "per-request";
    expect(result).toEqual(
      stateless
        ? expect.objectContaining({ resultType: "complete", ttlMs: 0, cacheScope: "private" })
        : { tools: expect.any(Array) },
    );
  });
});

describe("a tool without an input schema", () => {
  const { server } = serve({ name: "ping", execute: () => "pong" });

  test("a tool without an input schema declares empty arguments (TL-15, S-100)", async () => {
    expect(await callServer(server, newest, ["tools/list"])).toEqual({
      tools: [{ name: "ping", inputSchema: { type: "object", additionalProperties: false } }],
    });
  });

  test.each([undefined, {}])("a tool without an input schema runs with %j as arguments", async (args) => {
    expect(await call(server, "ping", args)).toEqual({ content: [{ type: "text", text: "pong" }] });
  });

  test("a tool without an input schema rejects arguments that it did not declare", async () => {
    const text = 'Invalid arguments for tool "ping":\n- x: the tool has no arguments';
    expect(await call(server, "ping", { x: 1 })).toEqual({ content: [{ type: "text", text }], isError: true });
  });
});

describe("return values of a tool", () => {
  test("a result that a tool returns is sent unchanged", async () => {
    const result = { content: [{ type: "text", text: "a" }], isError: true, _meta: { "example.org/a": 1 } };
    expect(await call(serve({ name: "t", execute: () => result }).server, "t")).toEqual(result);
  });

  test.each([undefined, null, 7, ["a"], {}, { sum: 3 }])(
    "the return value %j is an internal error",
    async (outcome) => {
      await expect(call(serve({ name: "t", execute: () => outcome }).server, "t")).rejects.toThrow(
        /Tool "t" returned .*output schema/,
      );
    },
  );

  test("an output that does not fit its schema is an internal error without details for the client (TL-11, S-102)", async () => {
    const tool = { name: "t", outputSchema: z.object({ secret: z.number() }), execute: () => ({ secret: "hunter2" }) };
    const failure = await call(serve(tool).server, "t").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    // The core responds with -32603 and no text to anything but an RpcError.
    expect(failure).not.toBeInstanceOf(RpcError);
  });

  test("output passes through its schema: members that the schema drops are not sent", async () => {
    const tool = { name: "t", outputSchema: z.object({ a: z.number() }), execute: () => ({ a: 1, secret: 2 }) };
    expect(await call(serve(tool).server, "t")).toMatchObject({
      structuredContent: { a: 1 },
      content: [{ text: '{"a":1}' }],
    });
  });

  test("the function render replaces the JSON text", async () => {
    const tool = defineTool({ ...add, render: ({ sum }) => [{ type: "text", text: `It is ${sum}.` }] });
    expect(await call(serve(tool).server, "add", { a: 1, b: 1 })).toEqual({
      content: [{ type: "text", text: "It is 2." }],
      structuredContent: { sum: 2 },
    });
  });
});

describe("failures of tools", () => {
  test("the message of a ToolError is sent to the client (TL-06)", async () => {
    const { server, reports } = serve({
      name: "t",
      execute: () => {
        throw new ToolError("No such city.");
      },
    });
    expect(await call(server, "t")).toEqual({ content: [{ type: "text", text: "No such city." }], isError: true });
    expect(reports).toEqual([]);
  });

  test("the message of another error is reported to the server only (O-05)", async () => {
    const { server, reports } = serve({ name: "t", execute: () => Promise.reject(new Error("password=hunter2")) });
    expect(await call(server, "t")).toEqual({ content: [{ type: "text", text: "The tool failed" }], isError: true });
    expect(reports).toMatchObject([
      { kind: "handler", method: "tools/call", id: 1, error: { message: 'Tool "t" failed: password=hunter2' } },
    ]);
  });

  test.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["a text", "hunter2"],
    ["an object that no text can be made of", Object.create(null)],
    ["an object that must not be touched", revoked()],
  ])("%s that is thrown is a failure of the tool (O-05)", async (_what, thrown) => {
    const { server, reports } = serve({ name: "t", execute: () => Promise.reject(thrown) });
    expect(await call(server, "t")).toEqual({ content: [{ type: "text", text: "The tool failed" }], isError: true });
    expect(reports).toMatchObject([
      { kind: "handler", error: { message: expect.stringContaining('Tool "t" failed') } },
    ]);
  });

  test("a validator that throws is a failure of the tool", async () => {
    const validate = (): never => {
      throw new Error("broken");
    };
    const { server, reports } = serve({
      name: "t",
      inputSchema: fromJsonSchema({ type: "object" }, { validate }),
      execute: () => "",
    });
    expect(await call(server, "t")).toMatchObject({ isError: true, content: [{ text: "The tool failed" }] });
    expect(reports).toHaveLength(1);
  });

  test("an RpcError is a protocol error", async () => {
    const error = new RpcError(-32042, "URL elicitation required", { data: { elicitations: [] } });
    await expect(call(serve({ name: "t", execute: () => Promise.reject(error) }).server, "t")).rejects.toBe(error);
  });

  test("an error of the client is not sent back to it", async () => {
    const { server, reports } = serve({
      name: "t",
      execute: () => Promise.reject(new PeerError({ code: -1, message: "User rejected sampling request" })),
    });
    expect(await call(server, "t")).toMatchObject({ isError: true, content: [{ text: "The tool failed" }] });
    expect(reports).toHaveLength(1);
  });

  test("a cancelled call is not reported as a failure", async () => {
    const { server, reports } = serve({ name: "t", execute: (_args, { signal }) => Promise.reject(signal.reason) });
    await call(server, "t", {}, { signal: AbortSignal.abort() });
    expect(reports).toEqual([]);
  });
});

/** Returns an object of which every operation throws. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe("argument validation", () => {
  test("argument validation names paths of items and members", async () => {
    const input = z.object({ items: z.array(z.object({ name: z.string() })) });
    const { server } = serve({ name: "t", inputSchema: input, execute: () => "" });
    expect(JSON.stringify(await call(server, "t", { items: [{ name: 1 }] }))).toContain("- items[0].name: ");
  });

  test("a tool receives the parsed arguments of the schema", async () => {
    const input = z.object({ n: z.number().default(7) });
    const tool = defineTool({ name: "t", inputSchema: input, execute: ({ n }) => String(n) });
    expect(await call(serve(tool).server, "t")).toMatchObject({ content: [{ text: "7" }] });
  });

  test("a tool waits for asynchronous schemas", async () => {
    const input = z.object({ n: z.number().refine((n) => Promise.resolve(n > 0), "must be positive") });
    const { server } = serve({ name: "t", inputSchema: input, execute: () => "ok" });
    expect(await call(server, "t", { n: 1 })).toMatchObject({ content: [{ text: "ok" }] });
    expect(await call(server, "t", { n: 0 })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/n: must be positive/) }],
    });
  });

  test("inherited names are not tools (R9)", async () => {
    await expect(call(serve(add).server, "toString")).rejects.toMatchObject({ code: -32602 });
  });
});

describe("schemas of tools", () => {
  test("the dialect follows the revision (JS-01, JS-03)", async () => {
    const targets: string[] = [];
    const schema = z.object({});
    const standard = schema["~standard"];
    const input = ({ target }: { readonly target: string }): Record<string, unknown> => {
      targets.push(target);
      return standard.jsonSchema.input({ target });
    };
    const spied = { "~standard": { ...standard, jsonSchema: { ...standard.jsonSchema, input } } };
    const { server } = serve({ name: "t", inputSchema: spied, execute: () => "" });
    for (const revision of revisions) await callServer(server, revision, ["tools/list", meta(revision)]);
    for (const revision of revisions) await callServer(server, revision, ["tools/list", meta(revision)]);
    expect(targets).toEqual(revisions.map((r) => (r.jsonSchemaDialect ? "draft-2020-12" : "draft-07")));
  });

  test("a plain JSON Schema is shown as it is, with the dialect it names (JS-02)", async () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", required: ["a"] } as const;
    const validate = (value: unknown): { message: string; path: string[] }[] =>
      Object.hasOwn(Object(value), "a") ? [] : [{ message: "is required", path: ["a"] }];
    const { server } = serve({ name: "t", inputSchema: fromJsonSchema(schema, { validate }), execute: () => "ok" });
    expect(await callServer(server, newest, ["tools/list"])).toMatchObject({ tools: [{ inputSchema: schema }] });
    expect(await call(server, "t", { a: 1 })).toMatchObject({ content: [{ text: "ok" }] });
    expect(await call(server, "t", {})).toMatchObject({
      content: [{ text: expect.stringMatching(/- a: is required/) }],
      isError: true,
    });
  });

  test("the dialect that an author names is shown even if it is the default (JS-02)", async () => {
    const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" } as const;
    const { server } = serve({
      name: "t",
      inputSchema: fromJsonSchema(schema, { validate: () => [] }),
      execute: () => "ok",
    });
    expect(await callServer(server, newest, ["tools/list"])).toMatchObject({ tools: [{ inputSchema: schema }] });
  });

  test.each([
    [
      "a root that is not an object (JS-05)",
      z.string(),
      /Tool "t": its input schema has the root type "string"; wrap it/,
    ],
    [
      "a raw shape as input",
      { text: z.string() },
      /Tool "t": its input is an object of schemas; wrap it in z.object\(\{ \.\.\. \}\)$/,
    ],
    ["a raw shape with a member type", { type: z.string() }, /is an object of schemas; wrap it in z\.object/],
    ["an empty raw shape", {}, /is an object of schemas; wrap it in z\.object/],
    ["a raw shape of zod 3", { text: z3.string() }, /is an object of schemas; wrap it in z\.object/],
    [
      "plain JSON Schema",
      { type: "object", properties: { text: { type: "string" } } },
      /its input is plain JSON Schema; wrap it in fromJsonSchema\(schema, \{ validate \}\)$/,
    ],
    ["plain JSON Schema without a type", { properties: { text: { type: "string" } } }, /is plain JSON Schema; wrap it/],
    [
      "an object of zod 3.25",
      z3.object({ text: z3.string() }),
      /its input schema is from zod 3; update zod to version 4$/,
    ],
    [
      "an object of zod 3.22",
      { _def: {}, safeParse: () => ({}) },
      /its input schema is from zod 3; update zod to version 4$/,
    ],
    [
      "an object of valibot alone",
      { "~standard": { version: 1, vendor: "valibot" } },
      /wrap it in toStandardJsonSchema/,
    ],
    [
      "a schema of another library",
      { "~standard": { version: 1, vendor: "joi" } },
      /schema of "joi" has no JSON Schema; use/,
    ],
    ["a text", "object", /its input is not a schema; use zod 4/],
    ["something else", { text: 1 }, /its input is not a schema; use zod 4/],
    ["a union at the root (JS-05)", z.union([z.object({}), z.object({})]), /root type undefined/],
    [
      "what JSON cannot express",
      z.object({ a: z.string(), range: z.object({ from: z.string(), until: z.date() }) }),
      /^Tool "t": its input member "range.until": Date cannot .*; use a text, as z\.iso\.datetime\(\) describes$/,
    ],
    [
      "what JSON has no type for",
      z.object({ all: z.bigint() }),
      /^Tool "t": its input member "all": BigInt .*; use a type that JSON has$/,
    ],
  ])("the schema %s is rejected when it is defined", (_name, input, message) => {
    // Programs in JavaScript get here, and those that the compiler was not asked about.
    const tool = Object.assign(JSON.parse('{ "name": "t" }'), { inputSchema: input, execute: () => "" });
    expect(() => serve(tool)).toThrow(message);
  });
});

describe("names of tools", () => {
  test.each(["a", "A-b_c.9", "x".repeat(128)])("the name %s is accepted (TL-16, S-104)", (name) => {
    expect(() => serve({ name, execute: () => "" })).not.toThrow();
  });

  test.each(["", "a b", "a,b", "a/b", "ä", "x".repeat(129)])("the name %j is rejected (TL-16, S-104)", (name) => {
    expect(() => serve({ name, execute: () => "" })).toThrow(/use 1 to 128 of the characters/);
  });

  test("a duplicate tool name is rejected with both positions (TL-16)", () => {
    expect(() => serve(add, { name: "other", execute: () => "" }, add)).toThrow(
      'tools[0] and tools[2] have the same name "add"; rename one of them',
    );
  });
});
