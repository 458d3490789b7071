import { expect, onTestFinished, test, vi } from "vitest";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { emitSource, type EmitSourceOptions } from "../../../generator/openapi/emit-source.ts";
import type { OutputMode } from "../../../generator/openapi/operation.ts";
import { toSource } from "../../../generator/openapi/source.ts";

/* Files of a source: that of each tool, and the one that all tools share, which has only the parts that some tool needs. */

const options: EmitSourceOptions = {
  name: "demo",
  toolMembers: new Set(["outputSchema"]),
  hasAudio: true,
  stubs: { prompts: false, resources: false, templates: false },
  layer: "mcp/index.ts",
  packageFolder: packageRoot,
};

/** Names of parts, with a text that only they contain. */
const marks = {
  access: "readonly access?",
  addresses: "address = defaultAddress",
  audio: 'type: "audio"',
  cookies: "function toCookies(",
  deep: "function toDeep(",
  deepForm: 'style === "deep"',
  file: "function readFile(",
  form: "function toForm(",
  cookieToken: "function toSecretCookie(",
  headerToken: 'findCredentials("header"',
  named: "function toNamed(",
  others: "function readValue(",
  output: "function callApi<",
  password: "function toPassword(",
  queryToken: 'findCredentials("query"',
  reserved: "function encodeRest(",
  re2: "compileRe2",
  strict: "throw new ToolError(`${method} ${path} returned JSON that deviates",
  styles: "function toStyled(",
  types: "types = {}",
  whole: 'toBytes("body"',
  bytes: "function toBytes(",
};

interface Emitting {
  readonly output?: OutputMode;
  readonly hasAudio?: boolean;
  readonly hasOutput?: boolean;
  readonly more?: object;
}

/** Returns the names of the parts that the file has for an operation. */
async function partsOf(operation: object, { output, hasAudio = true, hasOutput = true, more }: Emitting) {
  const servers = [{ url: "https://a.example" }];
  const paths = { "/a": { post: { operationId: "send", responses: {}, ...operation } } };
  const document = { openapi: "3.1.0", servers, paths, ...more };
  const { tree } = await emitSource(toSource(document, "a.json", output ? { output } : {}), {
    ...options,
    toolMembers: new Set(hasOutput ? ["outputSchema"] : []),
    hasAudio,
  });
  const text = tree.get("src/api.ts")?.replaceAll(/\s+/g, " ") ?? "";
  return Object.entries(marks).flatMap(([name, mark]) => (text.includes(mark) ? [name] : []));
}

const text = { type: "string" };
const parameters = [
  { name: "b", in: "cookie" },
  { name: "c", in: "query", style: "deepObject" },
  { name: "d", in: "header", explode: true },
  { name: "e", in: "query", allowReserved: true },
  { name: "f", in: "query", schema: { ...text, pattern: "^(a+)+$" } },
];
const body = (type: string, media: object): object => ({ requestBody: { content: { [type]: media } } });
const members = (encoding: object): object => {
  const schema = { type: "object", properties: { b: { type: "object" } } };
  return body("application/x-www-form-urlencoded", { schema, encoding });
};
const parts = (encoding: object = {}): object => {
  return body("multipart/form-data", { schema: { type: "object", properties: { b: text } }, encoding });
};
const file = { responses: { 200: { content: { "image/png": {} } } } };
const result = { responses: { 200: { content: { "application/json": { schema: { type: "object" } } } } } };
const others = { responses: { ...result.responses, 204: {} } };
const send = (scheme: object): Emitting => ({
  more: { security: [{ key: [] }], components: { securitySchemes: { key: scheme } } },
});
const key = (place: string): object => ({ type: "apiKey", in: place, name: "key" });
const basic = { type: "http", scheme: "basic" };

test.each<[what: string, operation: object, emitting: Emitting, names: (keyof typeof marks)[]]>([
  ["nothing else", { parameters: [{ name: "b", in: "query" }] }, {}, []],
  [
    "parameters",
    { parameters },
    send(basic),
    ["access", "cookies", "deep", "headerToken", "named", "password", "reserved", "re2"],
  ],
  ["members of a form", members({}), send(key("header")), ["access", "headerToken"]],
  ["members with styles", members({ b: { style: "form" } }), send(key("query")), ["access", "queryToken", "styles"]],
  [
    "deep members",
    members({ b: { style: "deepObject", allowReserved: true } }),
    {},
    ["deep", "deepForm", "reserved", "styles"],
  ],
  ["parts", { ...parts(), ...file }, { hasAudio: false }, ["file", "form", "bytes"]],
  [
    "parts of a type",
    parts({ b: { contentType: "text/csv" } }),
    send(key("cookie")),
    ["access", "cookies", "form", "cookieToken", "types", "bytes"],
  ],
  ["files", { ...body("image/png", {}), ...file }, {}, ["audio", "file", "whole", "bytes"]],
  ["a result", { ...result, servers: [{ url: "https://a.example/b" }] }, {}, ["addresses", "output"]],
  ["a result or nothing, which is enforced", others, { output: "strict" }, ["others", "output", "strict"]],
  ["a result as text", result, { output: "none" }, []],
  ["a result of a revision without output schemas", others, { hasOutput: false }, []],
])("the file that all tools of an API share has the parts for %s", async (_what, operation, emitting, names) => {
  const known = Object.keys(marks).filter((name) => names.some((one) => one === name));
  expect(await partsOf(operation, emitting)).toEqual(known);
});

test("a tool that cannot be written is left out with the reason, and the others are written", async () => {
  const printed: unknown[] = [];
  const spy = vi.spyOn(console, "error").mockImplementation((line) => void printed.push(line));
  onTestFinished(() => spy.mockRestore());
  const inputSchema = { $ref: "#/$defs/a", $defs: { a: { type: "object" } } };
  const source = toSource({ tools: [{ name: "a", inputSchema }, { name: "b" }] }, "tools.json", {});
  const tools = source.plan.tools.map((tool) =>
    tool.entry.name === "a" ? { ...tool, input: { ...tool.input, definitions: new Map() } } : tool,
  );
  const emitted = await emitSource({ ...source, plan: { ...source.plan, tools } }, options);
  expect(printed).toEqual([expect.stringMatching(/^left out {3}tool "a": no code can be generated \(.+\)$/)]);
  expect(emitted.source.plan.tools.map(({ entry }) => entry.name)).toEqual(["b"]);
  expect([...emitted.tree.keys()]).toEqual(["src/todo.ts", "src/tools.ts", "test/server.test.ts", "src/tools/b.ts"]);
  expect(emitted.tree.get("src/tools.ts")).toMatch(/tools = \[bTool\] as const;/);
});

const described = { name: "a", title: "T", description: "D", annotations: { readOnlyHint: true } };
const texts = ['title: "T"', 'description: "D"', "annotations: { readOnlyHint: true }"];

test.each<[members: string[], expected: string[]]>([
  [[], []],
  [["title"], texts.slice(0, 1)],
  [["description"], texts.slice(1, 2)],
  [["annotations"], texts.slice(2)],
  [["title", "description", "annotations"], texts],
])("the file of a tool has the members that its revision has: %j", async (members, expected) => {
  const source = toSource({ tools: [described] }, "tools.json", {});
  const { tree } = await emitSource(source, { ...options, toolMembers: new Set(members) });
  const text = tree.get("src/tools/a.ts") ?? "";
  expect(texts.filter((one) => text.includes(one))).toEqual(expected);
});

test.each<[inputSchema: unknown, schema: string]>([
  [true, '{ type: "object" }'],
  [{}, '{ type: "object" }'],
  [{ title: "T" }, '{ type: "object", title: "T" }'],
  [{ type: "object", title: "T" }, '{ title: "T", type: "object" }'],
  [{ type: ["object", "null"], title: "T" }, '{ type: "object" }'],
])("the arguments of a tool are an object, whatever its schema says: %j", async (inputSchema, schema) => {
  const source = toSource({ tools: [{ name: "a", inputSchema }] }, "tools.json", {});
  const { tree } = await emitSource(source, options);
  expect(tree.get("src/tools/a.ts")).toContain(`inputSchema: fromJsonSchema<AArguments>(${schema}, { validate })`);
});
