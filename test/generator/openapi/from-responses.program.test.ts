import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Declarations } from "../../../generated/2025-11-25/index.ts";
import { outputModes, type OutputMode } from "../../../generator/openapi/operation.ts";
import { readSource } from "../../../generator/openapi/source.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import type { RevisionDefiners } from "../../../runtime/server/for-revisions.ts";
import { connectInMemory } from "../../../runtime/testing/connect-to.ts";
import { serveRaw, type Running } from "../../kit/raw-server.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { emitFiles, linkPackages, writeFiles } from "../../kit/projects.ts";

const given = { status: 200, text: "" };
const requested: string[] = [];
let api: Running | undefined;

beforeAll(async () => {
  api = await serveRaw((request, response) => {
    requested.push(request.url ?? "");
    response.writeHead(given.status, { "content-type": "application/json" }).end(given.text);
  });
  vi.stubEnv("API_BASE_URL", new URL(api.url).origin);
});

beforeEach(() => {
  requested.splice(0);
  Object.assign(given, { status: 200, text: "" });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await api?.close();
});

const document = `openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
components:
  schemas:
    Owner:
      type: object
      additionalProperties: false
      required: [name]
      properties: { name: { type: string, description: Full name }, friend: { $ref: "#/components/schemas/Owner" } }
    Item:
      type: object
      description: Thing for sale
      additionalProperties: false
      required: [id, state]
      properties:
        id: { type: string, minLength: 1, description: Its key }
        state: { type: string, enum: [new, sold] }
        owner: { nullable: true, allOf: [{ $ref: "#/components/schemas/Owner" }] }
        price: { oneOf: [{ type: number }, { type: string, format: date }] }
        tags: { type: array, minItems: 1, items: { type: string, pattern: "^[a-z]+$" } }
        prices: { type: object, minProperties: 1, additionalProperties: { type: number, not: { const: 0 } } }
paths:
  /item:
    get:
      operationId: getItem
      parameters:
        - { name: constructor, in: query, schema: { type: string } }
        - { name: toString, in: query, schema: { type: string } }
        - { name: hasOwnProperty, in: query, schema: { type: string } }
        - { name: __proto__, in: query, schema: { type: string } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
`;

interface ProjectText {
  readonly output?: OutputMode;
  readonly text?: string;
}

/** Writes a project of the document, and returns its folder. */
async function write({ output, text = document }: ProjectText = {}): Promise<string> {
  const root = temporaryFolder();
  writeFileSync(join(root, "openapi.yaml"), text);
  const source = await readSource(join(root, "openapi.yaml"), { ...(output && { output }) });
  const selection = { schema: "json", features: "tools" };
  writeFiles(root, await emitFiles({ folder: root, revisions: ["2025-11-25"], selection, source }));
  linkPackages(root, ["@cfworker/json-schema", "@types/node", "vitest"]);
  return root;
}

/** Connects a client to the tools of such a project in this process. */
async function connect(project: ProjectText = {}) {
  const root = await write(project);
  const addressOf = (path: string): string => pathToFileURL(join(root, "src", path)).href;
  const layer: Pick<RevisionDefiners<Declarations>, "defineServer"> = await import(addressOf("mcp/index.ts"));
  const { tools }: { readonly tools: [] } = await import(addressOf("tools.ts"));
  const client = await connectInMemory<Declarations>(layer.defineServer({ name: "demo", version: "1", tools }));
  onTestFinished(() => client.close());
  return client;
}

/** Collects the warnings of a test. */
function warnings(): string[] {
  const lines: string[] = [];
  vi.spyOn(console, "warn").mockImplementation((line) => void lines.push(String(line)));
  onTestFinished(() => void vi.restoreAllMocks());
  return lines;
}

/** Checks a value as hosts do. */
function issuesOf(schema: object | undefined, value: unknown): unknown {
  const check = new Ajv({ strict: false, validateSchema: false, allErrors: true, logger: false }).compile(
    schema ?? expect.unreachable("no schema is advertised"),
  );
  return check(value) ? [] : check.errors;
}

const good = { id: "5", state: "new" };

const deviating: readonly (readonly [string, unknown])[] = [
  ["a number for a string", { id: 5, state: "new" }],
  ["a missing member", {}],
  ["a value that is not listed", { ...good, state: "lost" }],
  ["a member that is not described", { ...good, more: 1 }],
  ["null for an object", { ...good, owner: { name: "Ann", friend: null } }],
  ["an alternative that is none", { ...good, price: [] }],
  ["an item that does not match", { ...good, tags: [] }],
  ["a list for an object", { ...good, tags: {} }],
  ["an empty map", { ...good, prices: {} }],
  ["a forbidden value", { ...good, prices: { a: 0 } }],
];

describe("a tool of an API whose response deviates from its document", () => {
  test("a tool returns a deviating response with a warning, and its advertised schema accepts it", async () => {
    const lines = warnings();
    const client = await connect();
    const [tool] = await client.listTools();
    for (const [what, value] of deviating) {
      given.text = JSON.stringify(value);
      const result = await client.callTool("getItem");
      expect(result, what).toEqual({ content: [{ type: "text", text: given.text }], structuredContent: value });
      expect(lines.splice(0), what).toEqual([
        expect.stringMatching(/^GET \/item returned JSON that deviates from its schema: .+/),
      ]);
      expect(issuesOf(tool?.outputSchema, value), what).toEqual([]);
    }
  });

  test.each([
    ["a list", "[1]", { value: [1] }],
    ["null", "null", { value: null }],
    ["an empty body", "", { value: "" }],
    ["text that is not JSON", "done", { value: "done" }],
  ])("a tool wraps a response that is not an object: %s", async (_what, text, value) => {
    const lines = warnings();
    const client = await connect();
    given.text = text;
    const result = await client.callTool("getItem");
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toEqual(value);
    expect(lines).toHaveLength(1);
    const [tool] = await client.listTools();
    expect(issuesOf(tool?.outputSchema, value)).toEqual([]);
  });

  test("a tool writes the warning in one short line for a long response with control characters", async () => {
    const lines = warnings();
    const client = await connect();
    given.text = JSON.stringify({ ...good, [`\u001b[2J\u009b\n${"x".repeat(5_000)}`]: 1 });
    expect((await client.callTool("getItem")).isError).not.toBe(true);
    expect(lines[0]).not.toMatch(/\p{C}/u);
    expect(lines[0]?.length).toBeLessThan(1_200);
  });

  test("a tool returns an error for a deviating response with `output: strict`", async () => {
    const lines = warnings();
    const client = await connect({ output: "strict" });
    for (const [what, value] of deviating) {
      given.text = JSON.stringify(value);
      const result = await client.callTool("getItem");
      expect(result.isError, what).toBe(true);
      expect(JSON.stringify(result.content), what).toContain("GET /item returned JSON that deviates");
    }
    given.text = "done";
    const { content } = await client.callTool("getItem");
    expect(JSON.stringify(content)).toContain("GET /item returned text that is not JSON: done");
    expect(lines).toEqual([]);
  });

  test("a tool returns the JSON as text with `output: none`", async () => {
    const client = await connect({ output: "none" });
    given.text = '{ "id": 5 }';
    expect(await client.callTool("getItem")).toMatchObject({ content: [{ type: "text", text: '{ "id": 5 }' }] });
    const [tool] = await client.listTools();
    expect(tool).not.toHaveProperty("outputSchema");
  });
});

describe("a tool of an API whose response matches its document", () => {
  test.each<OutputMode>(["loose", "strict"])(
    "a tool returns a matching response without a warning: %s",
    async (output) => {
      const lines = warnings();
      const client = await connect({ output });
      given.text = JSON.stringify(good);
      expect(await client.callTool("getItem")).toMatchObject({ structuredContent: good });
      expect(lines).toEqual([]);
    },
  );

  test("a loose output schema describes the members of the document", async () => {
    const client = await connect();
    const [tool] = await client.listTools();
    expect(tool?.outputSchema).toMatchObject({
      type: "object",
      description: "Thing for sale",
      properties: { id: { description: "Its key" }, state: { examples: ["new", "sold"] }, price: { anyOf: [{}, {}] } },
      $defs: { Owner: { properties: { name: { description: "Full name" }, friend: { $ref: "#/$defs/Owner" } } } },
    });
    expect(JSON.stringify(tool?.outputSchema)).not.toMatch(/required|minLength|pattern|oneOf|"(string|array)"/);
  });

  test("a tool advertises the schema of the document with `output: strict`", async () => {
    const client = await connect({ output: "strict" });
    const [tool] = await client.listTools();
    expect(issuesOf(tool?.outputSchema, good)).toEqual([]);
    for (const [what, value] of deviating) expect(issuesOf(tool?.outputSchema, value), what).not.toEqual([]);
  });
});

/** Operations with several successful responses. */
const several = document
  .replace(
    /responses:\n[^]*$/,
    `responses:
        "200":
          description: ok
          content:
            application/json: { schema: { $ref: "#/components/schemas/Item" } }
            text/csv: { schema: { type: string } }
        "201": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
        "202": { description: later, content: { application/json: { schema: { $ref: "#/components/schemas/Job" } } } }
        "204": { description: none }
        "2XX": { description: all, content: { application/json: { schema: { type: array, items: { type: string } } } } }
`,
  )
  .replace(
    "    Item:\n",
    `    Job:
      type: object
      required: [job]
      properties: { job: { type: integer, format: int64 }, step: { $ref: "#/components/schemas/Step" } }
    Step: { type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind } }
    Copy: { allOf: [{ $ref: "#/components/schemas/Step" }, { type: object, properties: { to: { type: string } } }] }
    Item:
`,
  );

describe("an operation with several successful responses", () => {
  const responses: readonly (readonly [what: string, status: number, text: string, value: object])[] = [
    ["the first", 200, JSON.stringify(good), good],
    ["another one", 202, '{"job":7,"step":{"kind":"Copy","to":"x"}}', { job: 7, step: { kind: "Copy", to: "x" } }],
    ["one without content", 204, "", {}],
    ["an empty one", 200, "", {}],
    ["text", 200, "id,state", { value: "id,state" }],
    ["a list", 206, '["a"]', { value: ["a"] }],
    ["a large integer", 202, '{"job":9007199254740993}', { job: "9007199254740993" }],
  ];
  const wrong: readonly (readonly [what: string, text: string])[] = [
    ["no documented object", '{"x":1}'],
    ["a wrong list", "[1]"],
    ["a wrong step", '{"job":7,"step":{"kind":"Copy","to":1}}'],
  ];

  test.each<OutputMode>(["loose", "strict"])("each documented response is a result: %s", async (output) => {
    const lines = warnings();
    const client = await connect({ output, text: several });
    const [tool] = await client.listTools();
    for (const [what, status, text, value] of responses) {
      Object.assign(given, { status, text });
      const result = await client.callTool("getItem");
      expect(result.isError, `${what}: ${JSON.stringify(result.content)}`).not.toBe(true);
      expect(result.structuredContent, what).toEqual(value);
      expect(issuesOf(tool?.outputSchema, value), what).toEqual([]);
    }
    expect(lines).toEqual([]);
    for (const [what, text] of wrong) {
      Object.assign(given, { status: 200, text });
      const result = await client.callTool("getItem");
      expect([result.isError === true, lines.splice(0).length], what).toEqual(
        output === "strict" ? [true, 0] : [false, 1],
      );
    }
  });

  test("a project with several responses compiles", async () => {
    const root = await write({ output: "strict", text: several });
    const compiler = join(packageRoot, "node_modules", "typescript7", "bin", "tsc");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", root, "--noEmit"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});

test("digits of integers do not change, and those within texts stay", async () => {
  warnings();
  const client = await connect();
  given.text = String.raw`{"a\"1234567890123456789":[9007199254740993,-9007199254740993,9007199254740991,0.12345678901234567890],"b\\":12345678901234567890}`;
  const { structuredContent, content } = await client.callTool("getItem");
  const numbers = ["9007199254740993", "-9007199254740993", 9007199254740991, 0.12345678901234568];
  expect(structuredContent).toEqual({ 'a"1234567890123456789': numbers, "b\\": "12345678901234567890" });
  expect(JSON.stringify(content)).toContain("9007199254740993");
});

describe("a response of an API that is larger than 10 MiB", () => {
  const plain = document.replace(/, content: \{ application\/json[^\n]*\} \} \}/, " }");

  test.each([
    ["a tool with a schema", document],
    ["a tool of text", plain],
  ])("a response over 10 MiB is an error that names the limit: %s", async (_what, text) => {
    const client = await connect({ text });
    const member = `{"id":"${"x".repeat(10 * 1024 * 1024 - 30)}"`;
    given.text = `${member.padEnd(10 * 1024 * 1024 - 15)},"state":"new"}`;
    expect(given.text.length).toBe(10 * 1024 * 1024);
    expect((await client.callTool("getItem")).isError).not.toBe(true);
    given.text += " ";
    const { isError, content } = await client.callTool("getItem");
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain(
      "GET /item returned HTTP 200 with more than 10485760 bytes; request less, or raise maxResponseBytes in src/api.ts.",
    );
  });

  test("a response over 10 MiB to a rejected request is an error that names its status", async () => {
    const client = await connect();
    Object.assign(given, { status: 500, text: "x".repeat(11 * 1024 * 1024) });
    expect(JSON.stringify(await client.callTool("getItem"))).toContain(
      "returned HTTP 500 with more than 10485760 bytes",
    );
  });
});

describe("the token of an API", () => {
  const access = "security: [{ key: [] }]\ncomponents:\n  securitySchemes: { key: { type: http, scheme: bearer } }";
  const text = document.replace("components:", access);

  test("an error text of the API is shown without the token that it repeats", async () => {
    vi.stubEnv("API_TOKEN", "s3cr3t+/=");
    const client = await connect({ text });
    Object.assign(given, { status: 403, text: "Invalid token s3cr3t+/= in ?key=s3cr3t%2B%2F%3D" });
    const { isError, content } = await client.callTool("getItem");
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain("HTTP 403: Invalid token [secret] in ?key=[secret]");
    expect(JSON.stringify(content)).not.toContain("s3cr3t");
  });

  test.each([
    ["bearer", "se/cret+=", '{"error":"not se\\/cret+="}', '{"error":"not [secret]"}'],
    ["bearer", 'a"quoted', '{"error":"not a\\"quoted"}', '{"error":"not [secret]"}'],
    ["basic", "ann:pass:word", "no user ann with pass:word", "no user ann with [secret]"],
    ["basic", "sk_live_1:", "invalid key sk_live_1", "invalid key [secret]"],
    ["basic", "ann:pass", `invalid ${btoa("ann:pass")} or ann:pass`, "invalid [secret] or [secret]"],
  ])(
    "an error text of the API is shown without a %s token as the API writes it: %s",
    async (scheme, token, text, shown) => {
      vi.stubEnv("API_TOKEN", token);
      const client = await connect({ text: document.replace("components:", access.replace("bearer", scheme)) });
      Object.assign(given, { status: 403, text });
      const { content } = await client.callTool("getItem");
      expect(content).toEqual([{ type: "text", text: `GET /item returned HTTP 403: ${shown}` }]);
    },
  );

  test("an error text of the API is shown without a token that begins like another one", async () => {
    vi.stubEnv("API_TOKEN_KEY", "token");
    vi.stubEnv("API_TOKEN_MORE", "token-and-more");
    const more = "key: { type: http, scheme: bearer }, more: { type: apiKey, in: header, name: X-More }";
    const both = access.replace("[{ key: [] }]", "[{ key: [], more: [] }]").replace(/key: \{ type[^}]*\}/, more);
    const client = await connect({ text: document.replace("components:", both) });
    Object.assign(given, { status: 403, text: "invalid token-and-more" });
    const { content } = await client.callTool("getItem");
    expect(content).toEqual([{ type: "text", text: "GET /item returned HTTP 403: invalid [secret]" }]);
  });

  test("a warning about a deviating response does not contain the token", async () => {
    vi.stubEnv("API_TOKEN", "s3cr3t");
    const lines = warnings();
    const client = await connect({ text });
    given.text = JSON.stringify({ ...good, s3cr3t: 1 });
    await client.callTool("getItem");
    expect(lines).toEqual([expect.stringContaining("deviates from its schema")]);
    expect(lines.join("")).not.toContain("s3cr3t");
  });

  test("an error with status 401 names the setting that is missing", async () => {
    vi.stubEnv("API_TOKEN", "");
    const client = await connect({ text });
    Object.assign(given, { status: 401, text: "no" });
    const { content } = await client.callTool("getItem");
    expect(JSON.stringify(content)).toContain("HTTP 401: no The setting API_TOKEN is missing");
  });

  test("a token that no header can contain is rejected without its value", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    vi.stubEnv("API_TOKEN", "two\nlines");
    const client = await connect({ text });
    const result = await client.callTool("getItem");
    expect(result.isError).toBe(true);
    const all = JSON.stringify([result, logged.mock.calls.flat().map(String)]);
    expect(all).toContain("The setting API_TOKEN is invalid; correct the environment variable");
    expect(all).not.toMatch(/two|lines/);
    expect(requested).toEqual([]);
  });
});

describe("a project of an API", () => {
  test.each<OutputMode>(outputModes)("a project compiles with each mode of responses: %s", async (output) => {
    const root = await write({ output });
    const compiler = join(packageRoot, "node_modules", "typescript7", "bin", "tsc");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", root, "--noEmit"], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });
});

describe("an operation with parameters named like members of Object.prototype", () => {
  test("a tool sends the given arguments and no inherited members", async () => {
    const client = await connect();
    given.text = JSON.stringify(good);
    await client.callTool("getItem", {});
    expect(requested.splice(0)).toEqual(["/item"]);
    const [tool] = await client.listTools();
    const args = Object.fromEntries(
      Object.keys(tool?.inputSchema.properties ?? {}).map((name, at) => [name, String(at)]),
    );
    await client.callTool("getItem", args);
    expect(requested).toEqual(["/item?constructor=0&toString=1&hasOwnProperty=2&__proto__=3"]);
  });
});
