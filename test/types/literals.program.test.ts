import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { compile, compilers } from "../kit/compile.ts";

/* A literal that `run` returns is one, whatever form the function has, and wherever the tool is defined. */

const head = `import { z } from "zod";
import type { Declarations } from "../../../../dist/generated/2026-07-28/index.js";
import { forRevisions } from "../../../../dist/runtime/server/for-revisions.js";
import { fromJsonSchema } from "../../../../dist/runtime/server/json-schema.js";

const { defineServer, defineTool } = forRevisions<Declarations>([]);
const input = z.object({ q: z.string() });
const output = z.object({ kind: z.enum(["a", "b"]) });
const nested = z.object({ one: z.literal(1), list: z.array(z.enum(["a", "b"])), in: z.object({ yes: z.literal(true) }) });
const reserved = z.object({ content: z.enum(["a", "b"]), structuredContent: z.literal("x"), isError: z.literal(true) });
const kinds = z.object({ kind: z.enum(["a", "b"]), list: z.array(z.object({ on: z.literal(true) })) });
const contents = z.object({ content: z.array(kinds), structuredContent: kinds, _meta: z.object({ kind: z.literal("a") }) });
const blocks = z.object({ content: z.array(z.object({ type: z.enum(["text", "b"]), text: z.enum(["c", "d"]) })) });
const texts = z.object({ content: z.array(z.enum(["a", "b"])) });
const pair = z.object({ content: z.tuple([z.literal("a"), z.object({ one: z.literal(1) })]) });
const plain = fromJsonSchema(
  { type: "object", properties: { kind: { enum: ["a", "b"] } }, required: ["kind"] },
  { validate: () => [] },
);
`;

const right = [
  'defineTool({ name: "t", outputSchema: output, execute: () => ({ kind: "a" }) })',
  'defineTool({ name: "t", outputSchema: output, execute: async () => ({ kind: "a" }) })',
  'defineTool({ name: "t", outputSchema: output, execute() { return { kind: "a" }; } })',
  'defineTool({ name: "t", outputSchema: output, async execute() { return { kind: "a" }; } })',
  'defineTool({ name: "t", execute: () => ({ kind: "a" }), outputSchema: output })',
  'defineTool({ name: "t", outputSchema: output, execute: (_) => ({ kind: "a" }) })',
  'defineTool({ name: "t", outputSchema: output, execute: (_: unknown) => ({ kind: "a" }) })',
  'defineTool({ name: "t", inputSchema: input, outputSchema: output, execute: () => (Math.random() < 0.5 ? { kind: "a" } : { kind: "b" }) })',
  'defineTool({ name: "t", outputSchema: plain, execute: () => ({ kind: "a" }) })',
  'defineTool({ name: "t", outputSchema: nested, execute: () => ({ one: 1, list: ["a"], in: { yes: true } }) })',
  'defineTool({ name: "t", outputSchema: reserved, execute: () => ({ content: "a", structuredContent: "x", isError: true }) })',
  'defineTool({ name: "t", outputSchema: contents, execute: () => ({ content: [{ kind: "a", list: [{ on: true }] }], structuredContent: { kind: "b", list: [] }, _meta: { kind: "a" } }) })',
  'defineTool({ name: "t", outputSchema: blocks, execute: () => ({ content: [{ type: "text", text: "c" }, { type: "b", text: "d" }] }) })',
  'defineTool({ name: "t", outputSchema: texts, execute: async () => ({ content: ["a"] }) })',
  'defineTool({ name: "t", outputSchema: texts, async execute() { return { content: ["a", "b"] }; } })',
  'defineTool({ name: "t", outputSchema: pair, execute: () => ({ content: ["a", { one: 1 }] }) })',
  'defineServer({ name: "s", version: "1", tools: [defineTool({ name: "t", outputSchema: output, execute: () => ({ kind: "a" }) })] })',
  'defineServer({ name: "s", version: "1", tools: [{ name: "t", outputSchema: output, execute: () => ({ kind: "a" }) }] })',
];

const wrong: readonly (readonly [code: string, says: RegExp])[] = [
  [
    'defineTool({ name: "t", outputSchema: output, execute: () => ({ kind: "c" }) })',
    /'"c"' is not assignable to type '"a" \| "b"'/,
  ],
  [
    'defineTool({ name: "t", outputSchema: output, execute: () => ({}) })',
    /'\{\}' is not assignable to .*kind: "a" \| "b"/,
  ],
  ['defineTool({ name: "t", execute: () => ({ kind: "a" }) })', /define outputSchema[^]*Property 'content' is missing/],
  [
    'defineTool({ name: "t", execute: () => 5 })',
    /'number' is not assignable to type 'TextOrContent<.*define outputSchema/,
  ],
  [
    'defineTool({ name: "t", execute: () => ({ content: [{ type: "text", text: "a", annotations: { audience: ["usr"] } }] }) })',
    /^[^\n]*'"usr"' is not assignable to type 'Role'[^\n]*$/,
  ],
  [
    'defineTool({ name: "t", execute: () => ({ content: [{ type: "image", data: "a" }] }) })',
    /'mimeType' is missing .* required in type 'ImageContent'/,
  ],
  [
    'defineTool({ name: "t", outputSchema: contents, execute: () => ({ content: [{ kind: "c", list: [] }] }) })',
    /'"c"' is not assignable to type '"a" \| "b"'/,
  ],
];

const folder = await createTemporaryFolder("literals");

test.each(compilers)("the type of %s", { timeout: 240_000 }, async (compiler) => {
  const lines = [...right, ...wrong.map(([code]) => code)].map((code, at) => `export const t${at} = ${code};`);
  const file = join(folder, `${compiler}.ts`);
  await writeFile(file, head + lines.join("\n"));
  const settings = { types: ["node"], skipLibCheck: true };
  const found = (await compile(compiler, { folder, files: [file], settings })).join("\n");
  const first = head.split("\n").length + right.length;
  const told = new Map(found.split(/\n(?=\S)/).map((text) => [Number(/\((\d+),/.exec(text)?.[1]), text]));
  expect([...told.keys()], found).toEqual(wrong.map((_, at) => first + at));
  for (const [at, [, says]] of wrong.entries()) expect(told.get(first + at)).toMatch(says);
});
