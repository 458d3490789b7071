import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDocument } from "../../../generator/openapi/document.ts";
import { readContractFile } from "../../../tools/live/fetch-contract.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "text-"));
});

afterAll(() => rm(folder, { recursive: true }));

const list = { tools: [{ name: "größe", inputSchema: { type: "object" } }] };
const text = JSON.stringify(list, undefined, 2).replaceAll("\n", "\r\n");
const little = Buffer.from(`\uFEFF${text}`, "utf16le");

test.each([
  ["UTF-8", Buffer.from(text)],
  ["UTF-8 with a byte order mark, as editors of Windows write it", Buffer.from(`\uFEFF${text}`)],
  ["UTF-16 in little-endian order, as PowerShell writes it", little],
  ["UTF-16 in big-endian order", Buffer.from(little).swap16()],
])("a list of tools is read in %s", async (_, bytes) => {
  const path = join(folder, "tools.json");
  await writeFile(path, bytes);
  expect(await readDocument(path)).toEqual(list);
  expect(await readContractFile(path)).toMatchObject({ tools: [{ name: "größe" }] });
});
