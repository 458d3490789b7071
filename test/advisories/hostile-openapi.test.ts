import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { isObject } from "../../generated/support.ts";
import { writeSources } from "../generator/openapi/write-sources.ts";
import { serveRaw, type RawServer } from "../kit/raw-server.ts";

/* OpenAPI documents by attackers, and tools that are made from documents and called by attackers. */

interface Tool {
  readonly name: string;
  readonly execute: (args: object, context: { readonly signal: AbortSignal }) => Promise<unknown>;
}

const folder = mkdtempSync(join(tmpdir(), "hostile-openapi-"));
const seen: string[] = [];
let api: RawServer | undefined;
let item: Tool | undefined;

beforeAll(async () => {
  api = await serveRaw((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers["x-mode"] ?? ""}`.trim());
    if (request.url?.startsWith("/v1/items/moved/")) response.writeHead(302, { location: "/v1/elsewhere" });
    response.end("done");
  });
  vi.stubEnv("API_BASE_URL", `${api.origin}/v1`);
  const parameters = [parameter("id", "path"), parameter("q", "query"), parameter("X-Mode", "header")];
  const get = { operationId: "read", parameters, responses: { 200: { description: "ok" } } };
  const info = { title: "a", version: "1" };
  [item] = await importTools({ openapi: "3.1.0", info, paths: { "/items/{id}/details": { get } } });
});

beforeEach(() => void seen.splice(0));

afterAll(async () => {
  vi.unstubAllEnvs();
  await api?.close();
  rmSync(folder, { recursive: true });
});

async function importTools(document: object): Promise<readonly Tool[]> {
  const root = mkdtempSync(join(folder, "project-"));
  const paths = await writeSources(JSON.stringify(document), root);
  const modules = paths.filter((path) => /^src\/.*\.ts$/.test(path) && !/\/(index|server|main)\.ts$/.test(path));
  const loaded: object[] = await Promise.all(modules.map((path) => import(pathToFileURL(join(root, path)).href)));
  return loaded.flatMap((module) => Object.values(module)).filter(isTool);
}

function isTool(value: unknown): value is Tool {
  return isObject(value) && typeof value.execute === "function";
}

/** Texts that end a literal, a template, a comment, a key or a line, and then run. */
const payloads: readonly string[] = [
  `"; globalThis.canary = 1; "`,
  `'; globalThis.canary = 1; '`,
  "`; globalThis.canary = 1; `",
  "${(globalThis.canary = 1)}",
  "*/ globalThis.canary = 1; /*",
  "\n globalThis.canary = 1; //",
  "\u2028globalThis.canary = 1; //",
  `"]: (globalThis.canary = 1), ["`,
  `\\"; globalThis.canary = 1; //`,
  "{{#with canary}}{{/with}}{{{globalThis.canary}}}",
  "<!-- --><script>globalThis.canary = 1</script>",
];

test("texts of a document are never code of a tool", async () => {
  const describe = (text: string): object => ({ title: text, description: text, "x-note": text, example: text });
  const schema = (text: string): object => ({
    type: "object",
    properties: {
      [text]: { ...describe(text), type: "string", default: text, enum: [text, "other"], examples: [text] },
      pattern: { type: "string", pattern: text.replaceAll(/[^\w ]/g, "\\$&"), format: text, const: text },
    },
    required: [text],
  });
  const paths = payloads.map((text, index): [string, object] => [
    `/a${index}/{id}`,
    {
      summary: text,
      post: {
        operationId: `${text}${index}`,
        tags: [text],
        ...describe(text),
        summary: text,
        parameters: [
          { name: "id", in: "path", required: true, description: text, schema: { type: "string", default: text } },
          { name: text, in: "query", description: text, schema: { type: "string", default: text, enum: [text] } },
        ],
        requestBody: { description: text, content: { "application/json": { schema: schema(text), example: text } } },
        responses: { 200: { description: text, content: { "application/json": { schema: schema(text) } } } },
      },
    },
  ]);
  const everything = payloads.join(" ");
  const tools = await importTools({
    openapi: "3.1.0",
    info: { ...describe(everything), version: everything, license: { name: everything } },
    servers: [{ url: "https://api.example/{part}", description: everything, variables: { part: { default: "v1" } } }],
    tags: payloads.map((name) => ({ name, description: name })),
    components: { schemas: Object.fromEntries(payloads.map((text) => [text, schema(text)])) },
    paths: Object.fromEntries(paths),
  });
  expect(tools).toHaveLength(payloads.length);
  expect(Reflect.get(globalThis, "canary")).toBeUndefined();
});

test("names of operations lead to no other folder", async () => {
  const names = [
    "../../../escape",
    "..\\..\\escape",
    "/etc/passwd",
    "C:\\escape",
    "a/../../b",
    "..",
    ".env",
    "CON",
    "a\u0000b",
  ];
  const operation = (operationId: string): object => ({ get: { operationId, tags: [operationId], responses: {} } });
  const root = mkdtempSync(join(folder, "project-"));
  const paths = names.map((name, index): [string, object] => [`/${index}`, operation(name)]);
  const document = { openapi: "3.1.0", info: { title: "../x", version: "1" }, paths: Object.fromEntries(paths) };
  const written = await writeSources(JSON.stringify(document), root);
  for (const path of written)
    expect(path).toMatch(/^(src|test)(\/(tools|resources|prompts))?\/[a-z\d][a-z\d.-]*\.ts$|^[\w.-]+$/);
  expect(written.map(normalize)).toEqual(written);
  expect(written.filter((path) => path.startsWith("src/tools/")).length).toBeGreaterThanOrEqual(names.length);
});

const places: Readonly<Record<string, (reference: object) => object>> = {
  schema: (reference) => ({
    get: { parameters: [{ name: "a", in: "query", schema: reference }], responses: {} },
  }),
  parameter: (reference) => ({ get: { parameters: [reference], responses: {} } }),
  body: (reference) => ({ post: { requestBody: reference, responses: {} } }),
  path: (reference) => reference,
};

test.each(Object.keys(places))("a reference out of the document is neither fetched nor read: %s", async (place) => {
  const root = mkdtempSync(join(folder, "project-"));
  writeFileSync(join(root, "secret.json"), `{"type":"string","description":"canary of a file"}`);
  const references = [`${api?.url}#/x`, `file://${root}/secret.json`, "secret.json", "./secret.json#", "//127.0.0.1/x"];
  for (const $ref of references) {
    const document = {
      openapi: "3.1.0",
      info: { title: "a", version: "1" },
      paths: { "/a": places[place]?.({ $ref }) },
    };
    await expect(writeSources(JSON.stringify(document), root)).rejects.toThrow("points outside the document");
  }
  expect(seen).toEqual([]);
  expect(readdirSync(root).sort()).toEqual(["openapi.yaml", "secret.json"]);
});

test.each([
  "..",
  ".",
  "",
  "../admin",
  "..%2fadmin",
  "%2e%2e",
  "a/../../admin",
  "a?admin=1",
  "a#b",
  "a&admin=1",
  "//evil.example",
  "@evil.example",
  "\\..\\admin",
  "a\r\nx-mode: admin",
  "{id}",
])("an argument changes nothing but its own part of the request: %j", async (value) => {
  const path = `/v1/items/${encodeURIComponent(value)}/details?q=${encodeURIComponent(value)}`;
  const cannotBeSegment = ["..", ".", ""].includes(value);
  expect(await callItem({ id: value, q: value })).toEqual([
    cannotBeSegment ? expect.stringContaining("cannot be") : `GET ${path} user`,
  ]);
  // A header cannot contain a line break.
  expect(await callItem({ "X-Mode": value })).toEqual([
    value.includes("\r") ? expect.stringContaining("header") : `GET /v1/items/1/details?q=1 ${value}`.trim(),
  ]);
});

test("a tool does not follow a redirect of its API", async () => {
  expect(await callItem({ id: "moved" })).toEqual([
    "GET /v1/items/moved/details?q=1 user",
    expect.stringContaining("302"),
  ]);
});

/** Calls a tool with a parameter at each place. Returns the requests that the API received, and the error of the tool. */
async function callItem(args: object): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const [outcome] = await Promise.allSettled([
    item?.execute({ id: "1", q: "1", "X-Mode": "user", ...args }, { signal }),
  ]);
  return [...seen.splice(0), ...(outcome.status === "rejected" ? [String(outcome.reason)] : [])];
}

function parameter(name: string, place: string): object {
  return { name, in: place, required: true, schema: { type: "string" } };
}
