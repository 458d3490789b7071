import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emitLayer, layerTemplate } from "../../generator/create/emit-layer.ts";
import type { LayerChoices } from "../../generator/create/layer/choices.ts";
import { loadTemplates } from "../../generator/emit/templates.ts";
import { writeTree } from "../../generator/emit/tree.ts";
import { revisions } from "../../generated/revisions.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "layer-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A server with one tool, on stdio. */
const echo = `
import { defineServer, defineTool, fromJsonSchema, serveStdio } from "./index.ts";

const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const input = fromJsonSchema(schema, { validate: () => [] });
const tools = [defineTool({ name: "echo", description: "Says what it was told.", inputSchema: input, execute: ({ text }) => text })];
await serveStdio(defineServer({ name: "echo", version: "1.0.0", tools })).closed;
`;

async function bundle(spoken: readonly string[]): Promise<Uint8Array> {
  const choices: LayerChoices = {
    revisions: spoken,
    offers: ["tools"],
    transports: ["stdio"],
    client: false,
    validator: false,
    auth: "none",
  };
  const templates = loadTemplates("templates", [layerTemplate]);
  const resolveDir = join(folder, spoken.join("-"));
  await writeTree(resolveDir, emitLayer({ choices, version: "1.2.3", packageFolder: process.cwd(), templates }));
  const stdin = { contents: echo, resolveDir, loader: "ts" } as const;
  const options = { bundle: true, minify: true, platform: "node", format: "esm", write: false } as const;
  const { outputFiles } = await build({ stdin, ...options });
  return outputFiles[0]?.contents ?? expect.unreachable();
}

const ids = revisions.map(({ id }) => id);

// Ceilings of the bundle alone: comments and sources are not counted.
test.each([
  { of: "a revision with sessions", spoken: ids.slice(1, 2), bytes: 75_000, compressed: 24_000 },
  { of: "the newest revision", spoken: ids.slice(0, 1), bytes: 75_000, compressed: 24_000 },
  { of: "every revision", spoken: ids, bytes: 120_000, compressed: 31_000 },
])("a server on stdio of $of is a small bundle", async ({ spoken, bytes, compressed }) => {
  const code = await bundle(spoken);
  expect(code.length).toBeLessThan(bytes);
  expect(gzipSync(code).length).toBeLessThan(compressed);
});
