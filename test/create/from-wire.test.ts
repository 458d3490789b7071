import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
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
    sent.push({ path: request.url ?? "", cookie: request.headers.cookie, type, bytes: all, form });
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
