import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { emitTree } from "../../../generator/generate.ts";
import { packageRoot } from "../../../generator/internal/package-info.ts";
import { openSpecFolder } from "../../../generator/read/spec-folder.ts";

const id = "2025-11-25";
let spec = "";

beforeEach(async () => {
  spec = await mkdtemp(join(tmpdir(), "strange name "));
  await cp(join(packageRoot, "spec"), spec, { recursive: true });
});

afterEach(() => rm(spec, { recursive: true }));

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(spec, path);
  await writeFile(file, change(await readFile(file, "utf8")));
}

test("a commit that is not a hash is rejected, even if it contains code", async () => {
  await edit("pins.json", (text) => text.replace(/"commit": "[^"]*"/, String.raw`"commit": "\nimport'P'//"`));
  await expect(openSpecFolder(spec)).rejects.toThrow(/`[\d-]+` needs a status/);
});

test("a byte order mark at the start of pins.json is ignored", async () => {
  await edit("pins.json", (text) => `\uFEFF${text}`);
  expect([...(await openSpecFolder(spec)).pins.keys()]).toContain(id);
});

test("a copy of the spec folder under another name generates the same files", async () => {
  expect([...(await emitTree({ spec, revisions: [id] }))]).toEqual([...(await emitTree({ revisions: [id] }))]);
});

test("generated comments contain no invisible characters and no characters that change the direction of text", async () => {
  await edit(join(id, "schema.ts"), (text) => text.replace("/**", "/**\n * Left\u202eright\u200b.\n"));
  const pins = await openSpecFolder(spec);
  expect(pins.pins.has(id)).toBe(true);
  const text = [...(await emitTree({ spec, revisions: [id] })).values()].join("");
  expect(text).not.toMatch(/[\u202e\u200b]/);
});
