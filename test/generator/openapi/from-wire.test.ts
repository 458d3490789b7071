import type { IncomingHttpHeaders } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { readSource } from "../../../generator/openapi/source.ts";
import { ToolError } from "../../../runtime/server/errors.ts";
import { serveRaw, type Running } from "../../kit/raw-server.ts";
import { pets } from "./pets.ts";
import { writeSources } from "./write-sources.ts";

/** Request that the API received. */
interface Sent {
  readonly path: string;
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Form in the body, if there is one. */
  readonly form: FormData | undefined;
}

type Run = (args: object, context: { readonly signal: AbortSignal }) => Promise<unknown>;

const folder = mkdtempSync(join(tmpdir(), "from-wire-"));
const sent: Sent[] = [];
const result = { status: 200, type: "" };
let api: Running | undefined;

beforeAll(async () => {
  api = await serveRaw(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const type = request.headers["content-type"] ?? "";
    const all = new Uint8Array(Buffer.concat(chunks));
    const isForm = type.startsWith("multipart/");
    const form = isForm ? await new Response(all, { headers: { "content-type": type } }).formData() : undefined;
    sent.push({
      path: request.url ?? "",
      cookie: request.headers.cookie,
      authorization: request.headers.authorization,
      headers: request.headers,
      type,
      bytes: all,
      form,
    });
    if (result.type === "never ends") return void (result.status && response.writeHead(result.status).write("begun"));
    if (result.type === "") response.end("done");
    else response.writeHead(result.status, { "content-type": result.type }).end(bytes);
  });
  vi.stubEnv("API_BASE_URL", new URL(api.url).origin);
  vi.stubEnv("API_TOKEN", "to;ken");
});

beforeEach(() => {
  sent.splice(0);
  Object.assign(result, { status: 200, type: "" });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await api?.close();
  rmSync(folder, { recursive: true });
});

/** Writes the sources of a project, and returns the function of one tool. */
async function load(document: string, tool: string): Promise<Run> {
  const root = mkdtempSync(join(folder, "project-"));
  await writeSources(document, root);
  const module: Record<string, { readonly execute: Run }> = await import(
    pathToFileURL(join(root, "src", "tools", `${tool}.ts`)).href
  );
  return Object.values(module)[0]?.execute ?? expect.unreachable(`${tool} has no function`);
}

const context = { signal: new AbortController().signal };
const bytes = Uint8Array.from([0, 255, 128, 10, 13]);
const base64 = Buffer.from(bytes).toString("base64");

async function partsOf(form: FormData | undefined, name: string): Promise<unknown[]> {
  const all = form?.getAll(name) ?? [];
  return Promise.all(
    all.map(async (part) =>
      typeof part === "string" ? part : [part.type, part.name, new Uint8Array(await part.arrayBuffer())],
    ),
  );
}

const binary = "{ schema: { type: string, format: binary } }";

describe("a tool with a body and cookies", () => {
  test("a form has files as bytes, a part for each item of a list, and objects as JSON", async () => {
    const run = await load(pets, "add-photos");
    const body = {
      portrait: base64,
      others: [base64, ""],
      caption: "é & ü",
      tags: ["a", "b"],
      place: { city: "Bern" },
    };
    expect(await run({ petId: "a/b", session: "s", body }, context)).toBe("done");
    const [{ path, form } = {}] = sent;
    expect(path).toBe("/pets/a%2Fb/photos");
    expect(await partsOf(form, "portrait")).toEqual([["image/png", "portrait", bytes]]);
    expect(await partsOf(form, "others")).toEqual([
      ["application/octet-stream", "others", bytes],
      ["application/octet-stream", "others", new Uint8Array()],
    ]);
    expect(await partsOf(form, "caption")).toEqual(["é & ü"]);
    expect(await partsOf(form, "tags")).toEqual(["a", "b"]);
    expect(await partsOf(form, "place")).toEqual(['{"city":"Bern"}']);
  });

  test("a file of a form may be null, and is not sent then", async () => {
    const run = await load(
      `openapi: 3.1.0
info: { title: Uploads, version: 1.0.0 }
components: { schemas: { File: { type: string, format: binary } } }
paths:
  /upload:
    post:
      operationId: upload
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                one: { title: One, anyOf: [{ type: string, format: binary }, { type: "null" }] }
                two: { oneOf: [{ type: "null" }, { $ref: "#/components/schemas/File" }] }
                media: { anyOf: [{ type: string, contentMediaType: image/png }, { type: "null" }] }
                many: { anyOf: [{ type: array, items: { type: string, format: binary } }, { type: "null" }] }
                text: { anyOf: [{ type: string }, { type: "null" }] }
      ${ok}
`,
      "upload",
    );
    const one = (name: string, type = "application/octet-stream") => [[type, name, bytes]];
    await run({ body: { one: base64, two: base64, media: base64, many: [base64], text: base64 } }, context);
    const form = sent.at(-1)?.form;
    expect(await partsOf(form, "one")).toEqual(one("one"));
    expect(await partsOf(form, "two")).toEqual(one("two"));
    expect(await partsOf(form, "media")).toEqual(one("media", "image/png"));
    expect(await partsOf(form, "many")).toEqual(one("many"));
    expect(await partsOf(form, "text")).toEqual([base64]);
    await run({ body: { one: null, two: null, media: null, many: null, text: "" } }, context);
    expect([...(sent.at(-1)?.form?.keys() ?? [])]).toEqual(["text"]);
  });

  test.each(["type: object, ", ""])(
    "files of a form that extends another schema are sent as files: {%s allOf}",
    async (type) => {
      const run = await load(
        `openapi: 3.0.3
info: { title: Uploads, version: 1.0.0 }
components:
  schemas:
    File: { type: object, properties: { file: { type: string, format: binary } } }
    Named: { type: object, properties: { name: { type: string } } }
paths:
  /upload:
    post:
      operationId: upload
      requestBody:
        content:
          multipart/form-data:
            schema: { ${type}allOf: [{ $ref: "#/components/schemas/File" }, { $ref: "#/components/schemas/Named" }] }
            encoding: { file: { contentType: image/png } }
      ${ok}
`,
        "upload",
      );
      await run({ body: { file: base64, name: "a" } }, context);
      const form = sent.at(-1)?.form;
      expect(await partsOf(form, "file")).toEqual([["image/png", "file", bytes]]);
      expect(await partsOf(form, "name")).toEqual(["a"]);
    },
  );

  test("a part of a form has the content type that the API declares", async () => {
    const kinds =
      "{ portrait: { contentType: image/png }, caption: { contentType: text/markdown }, tags: { contentType: application/json } }";
    const run = await load(pets.replace(/encoding: .*/, `encoding: ${kinds}`), "add-photos");
    await run({ petId: "1", session: "s", body: { portrait: base64, caption: "# é", tags: ["a", "b"] } }, context);
    const form = sent.at(-1)?.form;
    expect(await partsOf(form, "caption")).toEqual(["# é"]);
    expect(await partsOf(form, "tags")).toEqual(['["a","b"]']);
    const text = new TextDecoder().decode(sent.at(-1)?.bytes);
    expect(text).toContain('name="caption"\r\nContent-Type: text/markdown\r\n\r\n# é\r\n');
    expect(text).toContain('name="tags"\r\nContent-Type: application/json\r\n\r\n["a","b"]\r\n');
    expect(await partsOf(form, "portrait")).toEqual([["image/png", "portrait", bytes]]);
  });

  test.each(["*/*", "application/*"])("a tool sends JSON when the API accepts %s", async (type) => {
    const run = await load(
      pets.replace("content: { application/json: { schema: { $ref", `content: { "${type}": { schema: { $ref`),
      "create-pet",
    );
    await run({ body: { name: "Rex" } }, context).catch(() => undefined);
    expect(sent.at(-1)).toMatchObject({ type: "application/json", bytes: new TextEncoder().encode('{"name":"Rex"}') });
  });

  test.each([
    ["application/merge-patch+json", ["application/json-patch+json", "application/merge-patch+json"]],
    ["application/json", ["application/json-patch+json", "application/vnd.a+json", "application/json"]],
    ["application/json-patch+json", ["application/json-patch+json"]],
  ])("a tool sends %s when the API accepts %j", async (type, offered) => {
    const content = offered.map((one) => `${one}: { schema: { type: object } }`).join(", ");
    const document = `openapi: 3.0.3
info: { title: Parts, version: 1.0.0 }
paths: { /part: { patch: { operationId: part, requestBody: { content: { ${content} } }, ${ok} } } }
`;
    await (
      await load(document, "part")
    )({ body: { a: 1 } }, context);
    expect(sent.map((one) => one.type)).toEqual([type]);
  });

  test("a tool sends a file that is the whole body as bytes", async () => {
    const run = await load(pets, "post-upload");
    expect(await run({ body: base64 }, context)).toBe("done");
    expect(sent.at(-1)).toMatchObject({ path: "/upload", type: "application/octet-stream", bytes });
    await expect(run({ body: "no base64!" }, context)).rejects.toThrow("body is not base64");
  });

  test.each([
    ["image/png", { type: "image", data: base64, mimeType: "image/png" }],
    ["audio/wav; x=y", { type: "audio", data: base64, mimeType: "audio/wav" }],
    ["application/pdf", { type: "resource", resource: { mimeType: "application/pdf", blob: base64 } }],
  ])("a file of type %s is returned as content of its type", async (type, content) => {
    const file = "content: { image/png: { schema: { type: string, format: binary } } }";
    const document = pets.replace(/(\/upload:[^]*'200': \{ description: ok)/, `$1, ${file}`);
    const run = await load(document, "post-upload");
    result.type = type;
    expect(await run({ body: base64 }, context)).toMatchObject({ content: [content] });
    result.status = 500;
    await expect(run({ body: base64 }, context)).rejects.toThrow("POST /upload returned HTTP 500");
  });

  test.each([
    ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", binary],
    ["application/vnd.ms-excel", binary],
    ['"*/*"', binary],
    ["application/json", binary],
    ["image/*", "{}"],
  ])("a response of the type %s with the schema %s is a file if the API sends one", async (type, media) => {
    const document = `openapi: 3.0.3
info: { title: Reports, version: 1.0.0 }
paths:
  /report: { get: { operationId: report, responses: { "200": { description: ok, content: { ${type}: ${media} } } } } }
`;
    const run = await load(document, "report");
    result.type = "application/vnd.ms-excel";
    const resource = { mimeType: result.type, blob: base64 };
    expect(await run({}, context)).toMatchObject({ content: [{ type: "resource", resource }] });
    result.type = "application/yaml";
    expect(await run({}, context)).toBe(new TextDecoder().decode(bytes));
  });

  test.each([
    ["text/csv; charset=iso-8859-1", "windows-1252"],
    ['text/plain; charset="utf-16le"', "utf-16le"],
    ["text/plain; charset=unknown", "utf-8"],
    ["application/json; charset=iso-8859-1", "utf-8"],
    ["text/plain", "utf-8"],
  ])("text of the type %s is read as %s", async (type, encoding) => {
    const run = await load(guarded(`\n  /nothing: { get: { operationId: nothing, ${ok} } }`), "nothing");
    result.type = type;
    expect(await run({}, context)).toBe(new TextDecoder(encoding).decode(bytes));
  });

  test("a tool sends all cookies in one header and encodes separators in values", async () => {
    const run = await load(pets, "add-photos");
    await run({ petId: "1", session: "a; admin=1\r\n", seen: ["b,c", "é"], body: { portrait: "" } }, context);
    expect(sent.map(({ cookie }) => cookie)).toEqual(["session=a%3B%20admin%3D1%0D%0A; seen=b%2Cc,%C3%A9"]);
    await run({ petId: "1", session: "a", body: { portrait: "" } }, context);
    expect(sent.at(-1)?.cookie).toBe("session=a");
  });

  test("a file that is not base64 is a tool error, and nothing is sent", async () => {
    const run = await load(pets, "add-photos");
    const call = run({ petId: "1", session: "a", body: { portrait: "%" } }, context);
    await expect(call).rejects.toThrow(new ToolError("portrait is not base64; send the bytes of the file in base64."));
    expect(sent).toEqual([]);
  });
});

describe("a token", () => {
  const schemes = {
    header: "type: http, scheme: bearer",
    password: "type: http, scheme: basic",
    query: "type: apiKey, in: query, name: key",
    cookie: "type: apiKey, in: cookie, name: key",
  };

  test.each(Object.entries(schemes))(
    "a token of the kind %s is not sent with requests that need none",
    async (_kind, scheme) => {
      vi.stubEnv("API_TOKEN", "token");
      onTestFinished(() => void vi.stubEnv("API_TOKEN", "to;ken"));
      const document = `openapi: 3.1.0
info: { title: Doors, version: 1.0.0 }
security: [{ key: [] }]
components: { securitySchemes: { key: { ${scheme} } } }
paths:
  /open: { get: { operationId: open, security: [], responses: { "200": { description: ok } } } }
  /locked: { get: { operationId: locked, responses: { "200": { description: ok } } } }
`;
      for (const name of ["open", "locked"]) await (await load(document, name))({}, context);
      const [open, locked] = sent.map(({ path, cookie, authorization }) => [path, cookie, authorization].join(" "));
      expect(open?.trim()).toBe("/open");
      expect(locked?.trim()).not.toBe("/locked");
    },
  );

  test("a token of each scheme is read from its own variable, and sent only with requests that require it", async () => {
    vi.stubEnv("API_TOKEN_X_KEY", "k");
    vi.stubEnv("API_TOKEN_SIGN_IN", "s");
    vi.stubEnv("API_TOKEN_ADMIN", "ann:é");
    const document = guarded(`
  /nothing: { get: { operationId: nothing, ${ok} } }
  /open: { get: { operationId: open, security: [], ${ok} } }
  /key: { get: { operationId: key, security: [{ x-key: [] }], ${ok} } }
  /any: { get: { operationId: any, security: [{ x-key: [] }, { sign in: [read] }], ${ok} } }
  /mine: { get: { operationId: mine, security: [{ sign in: [read] }], ${ok} } }
  /both: { get: { operationId: both, security: [{ x-key: [], sign in: [] }], ${ok} } }
  /root: { get: { operationId: root, security: [{ admin: [] }], ${ok} } }
  /odd: { get: { operationId: odd, security: [{ certificate: [] }], ${ok} } }
  /rather: { get: { operationId: rather, security: [{ certificate: [] }, { x-key: [] }], ${ok} } }`);
    const names = ["nothing", "open", "key", "any", "mine", "both", "root", "odd", "rather"];
    for (const name of names) await (await load(document, name))({}, context);
    const requested = sent.map(({ path, headers, authorization }) => [path, headers["x-key"], authorization]);
    expect(requested).toEqual([
      ["/nothing", undefined, undefined],
      ["/open", undefined, undefined],
      ["/key", "k", undefined],
      ["/any", "k", undefined],
      ["/mine", undefined, "Bearer s"],
      ["/both", "k", "Bearer s"],
      ["/root", undefined, `Basic ${Buffer.from("ann:é").toString("base64")}`],
      ["/odd", undefined, undefined],
      ["/rather", "k", undefined],
    ]);
  });

  test.each(["$$app_token", "api.key"])("a token in the query is sent by the name %s", async (name) => {
    const scheme = `x-key: { type: apiKey, in: query, name: ${name} }`;
    const paths = `\n  /key: { get: { operationId: key, security: [{ x-key: [] }], ${ok} } }`;
    const run = await load(
      guarded(paths).replace(/x-key: \{.*\}/, () => scheme),
      "key",
    );
    await run({}, context);
    expect(sent.map(({ path }) => new URL(path, "http://a").searchParams.get(name))).toEqual(["to;ken"]);
  });

  test("an optional token is sent when its variable is set", async () => {
    const document = guarded(`\n  /any: { get: { operationId: any, security: [{}, { x-key: [] }], ${ok} } }`);
    // Settings are read once, when the tool is loaded.
    for (const token of ["", "to;ken"]) {
      vi.stubEnv("API_TOKEN", token);
      const run = await load(document, "any");
      await run({}, context);
    }
    expect(sent.map(({ headers }) => headers["x-key"])).toEqual([undefined, "to;ken"]);
  });
});

test.each(["3.0", "3.1"])("a document whose version YAML reads as a number is read: %s", async (version) => {
  const document = guarded(`\n  /nothing: { get: { operationId: nothing, ${ok} } }`).replace("3.0.3", version);
  await (
    await load(document, "nothing")
  )({}, context);
  expect(sent.map(({ path }) => path)).toEqual(["/nothing"]);
});

const ok = 'responses: { "200": { description: ok } }';

/** Operations of an API that knows its callers in several ways. */
function guarded(paths: string): string {
  return `openapi: 3.0.3
info: { title: Doors, version: 1.0.0 }
components:
  securitySchemes:
    certificate: { type: mutualTLS }
    admin: { type: http, scheme: basic }
    x-key: { type: apiKey, in: header, name: X-Key }
    sign in: { type: oauth2, flows: {} }
paths:${paths}
`;
}

describe("an operation with a server of its own", () => {
  const document = (own: string, common = "http://127.0.0.1:9/v1"): string => `openapi: 3.0.3
info: { title: Files, version: 1.0.0 }
servers: [{ url: "${common}" }]
paths:
  /files: { get: { operationId: files, servers: [{ url: "${own}" }], ${ok} } }
  /near: { servers: [{ url: "${own}" }], get: { operationId: near, ${ok} } }
  /rest: { get: { operationId: rest, ${ok} } }
`;
  const origin = (): string => (api ? new URL(api.url).origin : expect.unreachable());

  beforeEach(() => void vi.stubEnv("API_BASE_URL", undefined));
  afterEach(() => void vi.stubEnv("API_BASE_URL", origin()));

  test.each(["files", "near"])(
    "an operation with its own server is sent there, and other operations are not: %s",
    async (tool) => {
      await (
        await load(document(`${origin()}/up/`), tool)
      )({}, context);
      expect(sent.map(({ path }) => path)).toEqual([`/up/${tool}`]);
      const rest = (await load(document(origin()), "rest"))({}, context);
      await expect(rest).rejects.toThrow("GET /rest got no response from http://127.0.0.1:9");
    },
  );

  test("a relative address is resolved against the address of the other operations", async () => {
    await (
      await load(document("/v2", `${origin()}/v1`), "files")
    )({}, context);
    expect(sent.map(({ path }) => path)).toEqual(["/v2/files"]);
  });

  test("an address with a variable requires `API_BASE_URL`, and nothing is sent without it", async () => {
    const run = await load(document("https://{agent}", origin()), "files");
    await expect(run({}, context)).rejects.toThrow("set the environment variable API_BASE_URL");
    expect(sent).toEqual([]);
  });

  test("the variable `API_BASE_URL` replaces the server of an operation", async () => {
    vi.stubEnv("API_BASE_URL", origin());
    await (
      await load(document("http://127.0.0.1:9"), "files")
    )({}, context);
    expect(sent.map(({ path }) => path)).toEqual(["/files"]);
  });
});

describe("a response of an API", () => {
  const document = `openapi: 3.1.0
info: { title: Slow, version: 1.0.0 }
paths:
  /slow: { get: { operationId: slow, responses: { "200": { description: ok } } } }
`;

  test.each([
    ["after its headers", 200, "GET /slow got an incomplete response: the API took longer than 30 seconds."],
    [
      "before its headers",
      0,
      /^GET \/slow got no response from http:\/\/[\w.:]+: the API took longer than 30 seconds\.$/,
    ],
  ])("a response that takes too long is a tool error: %s", async (_when, status, message) => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
      const late = new AbortController();
      setTimeout(() => late.abort(new DOMException("late", "TimeoutError")), 300);
      return late.signal;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    Object.assign(result, { status, type: "never ends" });
    const call = (await load(document, "slow"))({}, context);
    await expect(call).rejects.toBeInstanceOf(ToolError);
    await expect(call).rejects.toThrow(message);
  });
});

test("parameters and bodies whose schemas are read-only elsewhere are arguments, and are sent", async () => {
  const path = join(mkdtempSync(join(folder, "document-")), "openapi.yaml");
  const text = `openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
paths:
  /items/{id}:
    put:
      operationId: put
      parameters: [{ name: id, in: path, required: true, schema: { type: string, readOnly: true } }]
      requestBody: { required: true, content: { application/json: { schema: { type: string, readOnly: true } } } }
      ${ok}
`;
  writeFileSync(path, text);
  const { contract } = await readSource(path);
  expect(contract.tools[0]?.inputSchema).toMatchObject({
    properties: { id: { type: "string" }, body: { type: "string" } },
    required: ["id", "body"],
  });
  await (
    await load(text, "put")
  )({ id: "5", body: "x" }, context);
  expect(sent.map(({ path: sentTo }) => sentTo)).toEqual(["/items/5"]);
});

test.each([
  ["beside the base", "{ required: [id, name], allOf: [{ $ref: '#/components/schemas/Base' }] }"],
  [
    "beside a base of the base",
    "{ required: [id, name], allOf: [{ allOf: [{ $ref: '#/components/schemas/Base' }] }] }",
  ],
  ["in another part", "{ allOf: [{ $ref: '#/components/schemas/Base' }, { required: [id, name] }] }"],
  ["in a part before", "{ allOf: [{ required: [id, name] }, { $ref: '#/components/schemas/Base' }] }"],
])("a read-only property of a base schema is not required in requests: %s", async (_place, schema) => {
  const path = join(mkdtempSync(join(folder, "document-")), "openapi.yaml");
  const text = `openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
components:
  schemas:
    Base: { type: object, properties: { id: { type: string, readOnly: true }, name: { type: string } } }
paths:
  /items:
    post:
      operationId: add
      requestBody: { required: true, content: { application/json: { schema: ${schema} } } }
      ${ok}
`;
  writeFileSync(path, text);
  const { contract } = await readSource(path);
  const shown = JSON.stringify(contract.tools[0]?.inputSchema);
  expect(shown).toContain('"required":["name"]');
  expect(shown).not.toContain('"id"');
});

describe("parameters with lists and objects", () => {
  const list = "schema: { type: array, items: { type: string } }";
  const map = "schema: { type: object }";
  const document = `openapi: 3.1.0
info: { title: Styles, version: 1.0.0 }
security: [{ basic: [] }, { bearer: [] }]
components: { securitySchemes: { basic: { type: http, scheme: basic }, bearer: { type: http, scheme: bearer } } }
paths:
  /find:
    get:
      operationId: find
      parameters:
        - { name: repeated, in: query, ${list} }
        - { name: commas, in: query, explode: false, ${list} }
        - { name: pipes, in: query, style: pipeDelimited, ${list} }
        - { name: spaces, in: query, style: spaceDelimited, ${list} }
        - { name: split, in: query, style: pipeDelimited, explode: true, ${list} }
        - { name: members, in: query, ${map} }
        - { name: turns, in: query, explode: false, ${map} }
        - { name: deep, in: query, style: deepObject, explode: true, ${map} }
        - { name: json, in: query, content: { application/json: { ${map} } } }
  /of/{names}/{pairs}:
    get:
      operationId: simple
      parameters:
        - { name: names, in: path, required: true, ${list} }
        - { name: pairs, in: path, required: true, explode: true, ${map} }
        - { name: X-List, in: header, ${list} }
        - { name: X-Turns, in: header, ${map} }
        - { name: X-Pairs, in: header, explode: true, ${map} }
        - { name: X-Json, in: header, content: { application/json: { ${map} } } }
        - { name: c, in: cookie, explode: false, ${map} }
  /pay:
    post:
      operationId: pay
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { type: object }
            encoding: { items: { style: deepObject, explode: true } }
`;

  test("paths, headers and cookies have the style of their parameters", async () => {
    const run = await load(document, "simple");
    const map = { x: 1, y: "é" };
    const lines = { "X-List": ["a", "b"], "X-Turns": { x: 1, y: 2 }, "X-Pairs": { x: 1, y: 2 }, "X-Json": { x: [1] } };
    await run({ names: ["a", "b"], pairs: map, ...lines, c: map }, context);
    const { path, headers, cookie } = sent.at(-1) ?? expect.unreachable();
    expect(decodeURIComponent(path)).toBe("/of/a,b/x=1,y=é");
    expect(headers).toMatchObject({
      "x-list": "a,b",
      "x-turns": "x,1,y,2",
      "x-pairs": "x=1,y=2",
      "x-json": '{"x":[1]}',
    });
    expect(cookie).toBe("c=x,1,y,%C3%A9");
    await run({ names: ["a"], pairs: { x: 1 } }, context);
    expect(Object.keys(sent.at(-1)?.headers ?? {}).filter((name) => name.startsWith("x-"))).toEqual([]);
  });

  test("null and empty lists and objects are not sent", async () => {
    const find = await load(document, "find");
    const absent = { repeated: null, commas: [], pipes: null, spaces: [], members: { x: null }, turns: {} };
    await find({ ...absent, deep: { from: null, at: {} } }, context);
    expect(sent.at(-1)?.path).toBe("/find");
    await find({ repeated: ["", null], commas: [""] }, context);
    expect(sent.at(-1)?.path).toBe("/find?repeated=&commas=");
    const simple = await load(document, "simple");
    await simple({ names: ["a"], pairs: { x: 1 }, "X-List": [], "X-Turns": null, "X-Pairs": {}, c: null }, context);
    const { headers, cookie } = sent.at(-1) ?? expect.unreachable();
    expect(Object.keys(headers).filter((name) => name.startsWith("x-"))).toEqual([]);
    expect(cookie).toBeUndefined();
    await expect(simple({ names: null, pairs: { x: 1 } }, context)).rejects.toThrow('names cannot be "".');
    await (
      await load(document, "pay")
    )({ body: { note: null, amount: 5, items: [{ price: null, at: 1 }] } }, context);
    expect(new TextDecoder().decode(sent.at(-1)?.bytes)).toBe("amount=5&items%5B0%5D%5Bat%5D=1");
  });

  test("null and empty values within lists and objects are not sent", async () => {
    const find = await load(document, "find");
    await find({ commas: ["a", null, "b"], pipes: [null], turns: { x: 1, y: null, z: [] }, json: null }, context);
    expect(decodeURIComponent(sent.at(-1)?.path ?? "")).toBe("/find?commas=a,b&turns=x,1");
    const simple = await load(document, "simple");
    const map = { x: 1, y: null };
    await simple({ names: ["a", null], pairs: map, "X-List": [null], "X-Pairs": map, "X-Json": map, c: map }, context);
    const { path, headers, cookie } = sent.at(-1) ?? expect.unreachable();
    expect(decodeURIComponent(path)).toBe("/of/a/x=1");
    expect(headers).toMatchObject({ "x-pairs": "x=1", "x-json": '{"x":1,"y":null}' });
    expect([headers["x-list"], cookie]).toEqual([undefined, "c=x,1"]);
    await simple({ names: ["a"], pairs: map, c: { x: null } }, context);
    expect(sent.at(-1)?.cookie).toBeUndefined();
  });

  test.each(["a\nb", "10 €", "a\u0000"])("text that a header cannot contain is a tool error: %j", async (text) => {
    const run = await load(document, "simple");
    const call = run({ names: ["a"], pairs: { x: 1 }, "X-List": [text] }, context);
    await expect(call).rejects.toThrow(new ToolError("X-List has characters that a header cannot contain."));
    expect(sent).toEqual([]);
  });

  test("a form has a pair for each item of a list, and paths as names of nested members", async () => {
    const run = await load(document, "pay");
    const body = { amount: 5, expand: ["a", "b"], place: { city: "Bern" }, items: [{ price: "p", tags: ["x"] }] };
    await run({ body }, context);
    const pairs = [...new URLSearchParams(new TextDecoder().decode(sent.at(-1)?.bytes))];
    expect(pairs).toEqual([
      ["amount", "5"],
      ["expand", "a"],
      ["expand", "b"],
      ["place", '{"city":"Bern"}'],
      ["items[0][price]", "p"],
      ["items[0][tags][0]", "x"],
    ]);
  });

  test("a tool prefers a bearer token to a password, and encodes a plain password", async () => {
    await (
      await load(document, "find")
    )({}, context);
    expect(sent.at(-1)?.authorization).toBe("Bearer to;ken");
    const run = await load(document.replace(", bearer: { type: http, scheme: bearer }", ""), "find");
    await run({}, context);
    expect(sent.at(-1)?.authorization).toBe("Basic to;ken");
    vi.stubEnv("API_TOKEN", "me:secret");
    await (
      await load(document.replace(/, bearer: \{ [^}]*\}/, ""), "find")
    )({}, context);
    expect(sent.at(-1)?.authorization).toBe(`Basic ${btoa("me:secret")}`);
    vi.stubEnv("API_TOKEN", "to;ken");
  });
});
