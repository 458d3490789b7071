import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { features, type LayerChoices } from "../../../../generator/scaffold/layer/choices.ts";
import { allRevisions, emitFolder, linkPackages, writeFiles } from "../../../kit/projects.ts";

let folder = "";

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "layer-")));
  linkPackages(folder, ["yaml"]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server with one tool. Its schema needs no library. */
const server = `
const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const input = fromJsonSchema(schema, { validate: () => [] });
const tools = [defineTool({ name: "echo", description: "Returns its text.", inputSchema: input, execute: ({ text }) => text })];
const server = defineServer({ name: "echo", version: "1.0.0", tools });
`;

const onStdio = `import { defineServer, defineTool, fromJsonSchema, serveStdio } from "./index.ts";
${server}
await serveStdio(server).closed;
`;

const run = `import { defineServer, defineTool, fromJsonSchema, run } from "./index.ts";
${server}
await run(server);
`;

const worker = `import { createHttpHandler, defineServer, defineTool, fromJsonSchema } from "./index.ts";
${server}
export default createHttpHandler(server);
`;

async function bundle(code: string, choices: Partial<LayerChoices>): Promise<Uint8Array> {
  const resolveDir = join(folder, JSON.stringify(choices).replaceAll(/\W+/g, "-"));
  writeFiles(resolveDir, await emitFolder(choices));
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir, loader: "ts" },
    bundle: true,
    minify: true,
    platform: choices.transports?.includes("worker") ? "neutral" : "node",
    format: "esm",
    write: false,
    external: ["node:*", "yaml"],
    legalComments: "none",
  });
  return outputFiles[0]?.contents ?? expect.unreachable("esbuild returned no file");
}

const usual = ["tools", "resources", "prompts"] as const;

// Ceilings are at most 2 % above what was measured. Comments and schema libraries are not counted.
test.each([
  {
    of: "tools on stdio at the newest revision",
    code: onStdio,
    choices: { revisions: allRevisions.slice(0, 1) },
    bytes: 108_000,
    compressed: 35_150,
  },
  { of: "tools on stdio at every revision", code: onStdio, choices: {}, bytes: 164_500, compressed: 42_850 },
  {
    of: "the usual features on stdio at every revision",
    code: onStdio,
    choices: { features: usual },
    bytes: 235_000,
    compressed: 55_400,
  },
  {
    of: "every feature on stdio and HTTP at every revision",
    code: run,
    choices: { features, transports: ["stdio", "http"] as const },
    bytes: 478_200,
    compressed: 123_600,
  },
  {
    of: "the usual features in a worker at every revision",
    code: worker,
    choices: { features: usual, transports: ["worker"] as const },
    bytes: 292_700,
    compressed: 74_800,
  },
])("the bundle of a server with $of has at most $bytes bytes", async ({ code, choices, ...ceiling }) => {
  const made = await bundle(code, choices);
  const size = { bytes: made.length, compressed: gzipSync(made).length };
  expect(size.bytes, JSON.stringify(size)).toBeLessThanOrEqual(ceiling.bytes);
  expect(size.compressed, JSON.stringify(size)).toBeLessThanOrEqual(ceiling.compressed);
});

test("the bundle of a server with views has no message between a view and its host", async () => {
  const code = `import { createUiResource, defineServer, defineTool, serveStdio } from "./index.ts";
const uri = "ui://test/board";
const board = createUiResource({ uri, name: "board", html: "<!doctype html><title>Board</title>" });
const tools = [defineTool({ name: "show", ui: { resourceUri: uri }, execute: () => "3 open" })];
await serveStdio(defineServer({ name: "board", version: "1.0.0", tools, resources: [board] })).closed;
`;
  const made = await bundle(code, { features: ["tools", "resources", "apps"] });
  const text = new TextDecoder().decode(made);
  expect(text).toContain("io.modelcontextprotocol/ui");
  expect(text).not.toContain("ui/open-link");
  expect(text).not.toContain("ui/notifications/");
});

test("the bundle of a server has code of user-written extensions only if it names one", async () => {
  // Part of an error of the code that sets extensions up.
  const trace = "cannot be set up";
  const named = `import { defineExtension } from "mcp-server-runtime";
import { defineServer, serveStdio } from "./index.ts";
const rows = { clientRequests: {}, serverRequests: {}, clientNotifications: {}, serverNotifications: {} };
const table = { id: "com.example/echo", status: "draft", lifecycles: [], declared: {}, headers: [], results: [], members: [] } as const;
const extensions = [defineExtension({ ...table, ...rows })];
await serveStdio(defineServer({ name: "echo", version: "1.0.0", extensions })).closed;
`;
  // One after the other: both write the same folder.
  const without = await bundle(onStdio, {});
  const within = await bundle(named, {});
  expect(new TextDecoder().decode(without)).not.toContain(trace);
  expect(new TextDecoder().decode(within)).toContain(trace);
});
