import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { emitSource } from "../../generator/from/emit-source.ts";
import { readSource } from "../../generator/from/source.ts";
import { packageRoot } from "../../generator/package-info.ts";
import { ToolError } from "../../runtime/server/errors.ts";
import { serveRaw, type Running } from "../check/running.ts";
import { pets } from "./pets.ts";

/** What the API was sent. */
interface Sent {
  readonly path: string;
  readonly cookie: string | undefined;
  readonly authorization: string | undefined;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Where that is what was sent. */
  readonly form: FormData | undefined;
}

type Run = (args: object, context: { readonly signal: AbortSignal }) => Promise<unknown>;

const folder = mkdtempSync(join(tmpdir(), "from-wire-"));
const sent: Sent[] = [];
const answer = { status: 200, type: "" };
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
      type,
      bytes: all,
      form,
    });
    if (answer.type === "never ends") return void (answer.status && response.writeHead(answer.status).write("begun"));
    if (answer.type === "") response.end("done");
    else response.writeHead(answer.status, { "content-type": answer.type }).end(bytes);
  });
  vi.stubEnv("API_BASE_URL", new URL(api.url).origin);
  vi.stubEnv("API_TOKEN", "to;ken");
});

beforeEach(() => {
  sent.splice(0);
  Object.assign(answer, { status: 200, type: "" });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await api?.close();
  rmSync(folder, { recursive: true });
});

/** Writes the sources of a project with a layer that passes on what it gets, and gives the function of one tool. */
async function load(document: string, tool: string): Promise<Run> {
  const root = mkdtempSync(join(folder, "project-"));
  writeFileSync(join(root, "openapi.yaml"), document);
  const source = await readSource(join(root, "openapi.yaml"));
  const stubs = { prompts: false, resources: false, templates: false };
  const options = {
    name: "demo",
    toolMembers: new Set<string>(),
    hasAudio: true,
    stubs,
    layer: "mcp/index.ts",
    packageFolder: packageRoot,
  };
  const runtime = (path: string): string => JSON.stringify(join(packageRoot, "runtime", path));
  const layer = [
    `export { ToolError } from ${runtime("server/errors.ts")};`,
    `export const createCfworkerValidator = () => () => undefined;`,
    `export const defineTool = (tool) => tool;`,
    `export const fromJsonSchema = (schema) => schema;`,
  ].join("\n");
  const files = [...(await emitSource(source, options)), ["src/mcp/index.ts", layer] as const];
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const module: Record<string, { readonly run: Run }> = await import(
    pathToFileURL(join(root, "src", "tools", `${tool}.ts`)).href
  );
  return Object.values(module)[0]?.run ?? expect.unreachable(`${tool} has no function`);
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

describe("a tool with a form and cookies", () => {
  test("sends files as bytes, lists part by part, and objects as JSON", async () => {
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
    const json = new TextEncoder().encode('{"city":"Bern"}');
    expect(await partsOf(form, "place")).toEqual([["application/json", "blob", json]]);
  });

  test("sends a file that is the whole body as its bytes", async () => {
    const run = await load(pets, "post-upload");
    expect(await run({ body: base64 }, context)).toBe("done");
    expect(sent.at(-1)).toMatchObject({ path: "/upload", type: "application/octet-stream", bytes });
    await expect(run({ body: "no base64!" }, context)).rejects.toThrow("body is not base64");
  });

  test.each([
    ["image/png", { type: "image", data: base64, mimeType: "image/png" }],
    ["audio/wav; x=y", { type: "audio", data: base64, mimeType: "audio/wav" }],
    ["application/pdf", { type: "resource", resource: { mimeType: "application/pdf", blob: base64 } }],
  ])("gives a file of type %s as content of its kind", async (type, content) => {
    const file = "content: { image/png: { schema: { type: string, format: binary } } }";
    const document = pets.replace(/(\/upload:[^]*'200': \{ description: ok)/, `$1, ${file}`);
    const run = await load(document, "post-upload");
    answer.type = type;
    expect(await run({ body: base64 }, context)).toMatchObject({ content: [content] });
    answer.status = 500;
    await expect(run({ body: base64 }, context)).rejects.toThrow("POST /upload answered 500");
  });

  test("sends one header with all cookies, of which none can add another", async () => {
    const run = await load(pets, "add-photos");
    await run({ petId: "1", session: "a; admin=1\r\n", seen: ["b,c", "é"], body: { portrait: "" } }, context);
    expect(sent.map(({ cookie }) => cookie)).toEqual(["session=a%3B%20admin%3D1%0D%0A; seen=b%2Cc,%C3%A9"]);
    await run({ petId: "1", session: "a", body: { portrait: "" } }, context);
    expect(sent.at(-1)?.cookie).toBe("session=a");
  });

  test("sends a token as a cookie where the API wants it there", async () => {
    const run = await load(pets.replace("in: header, name: X-Api-Key", "in: cookie, name: sid"), "add-photos");
    await run({ petId: "1", session: "a", body: { portrait: "" } }, context);
    expect(sent.map(({ cookie }) => cookie)).toEqual(["session=a; sid=to%3Bken"]);
  });

  test("tells the model that a file is not base64, and sends nothing", async () => {
    const run = await load(pets, "add-photos");
    const call = run({ petId: "1", session: "a", body: { portrait: "%" } }, context);
    await expect(call).rejects.toThrow(new ToolError("portrait is not base64: send the bytes of the file encoded so."));
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

  test.each(Object.entries(schemes))("of the kind %s stays out of requests that need none", async (_kind, scheme) => {
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
  });
});

describe("an answer of an API", () => {
  const document = `openapi: 3.1.0
info: { title: Slow, version: 1.0.0 }
paths:
  /slow: { get: { operationId: slow, responses: { "200": { description: ok } } } }
`;

  test.each([
    ["begun", 200, "GET /slow got half an answer: the API took longer than 30 seconds."],
    ["awaited", 0, /^GET \/slow got no answer of http:\/\/[\w.:]+: the API took longer than 30 seconds\.$/],
  ])("that takes too long is told to the model: %s", async (_when, status, message) => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
      const late = new AbortController();
      setTimeout(() => late.abort(new DOMException("late", "TimeoutError")), 300);
      return late.signal;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    Object.assign(answer, { status, type: "never ends" });
    const call = (await load(document, "slow"))({}, context);
    await expect(call).rejects.toBeInstanceOf(ToolError);
    await expect(call).rejects.toThrow(message);
  });
});

describe("a tool with values of several parts", () => {
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
  /pay:
    post:
      operationId: pay
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { type: object }
            encoding: { items: { style: deepObject, explode: true } }
`;

  test.each<[object, string]>([
    [{ repeated: ["a", "b&c"] }, "repeated=a&repeated=b%26c"],
    [{ commas: ["a", "b"] }, "commas=a%2Cb"],
    [{ pipes: ["a", "b"] }, "pipes=a%7Cb"],
    [{ spaces: ["a", "b"] }, "spaces=a+b"],
    [{ split: ["a", "b"] }, "split=a&split=b"],
    [{ members: { x: 1, y: 2 } }, "x=1&y=2"],
    [{ turns: { x: 1, y: 2 } }, "turns=x%2C1%2Cy%2C2"],
    [{ deep: { from: 1, at: { day: 2 }, any: ["a"] } }, "deep[from]=1&deep[at][day]=2&deep[any][0]=a"],
    [{ json: { x: [1] } }, 'json={"x":[1]}'],
  ])("writes the query of %j as its style says", async (args, query) => {
    const run = await load(document, "find");
    await run(args, context);
    const written = sent.at(-1)?.path.split("?")[1] ?? "";
    expect(decodeURIComponent(written)).toBe(decodeURIComponent(query));
  });

  test("writes a form with a pair for each item of a list, and names for what is deep", async () => {
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

  test("prefers a token to a password, and encodes a password that is not", async () => {
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
