import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTemporaryFolder } from "../kit/temporary-folders.ts";
import { readPackages, reportDraft, reportPackages } from "../upstream/report.ts";

const folder = await createTemporaryFolder("upstream");
const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  for (const name of ["log", "error"] as const)
    vi.spyOn(console, name).mockImplementation((line) => void lines.push(line));
  vi.spyOn(process.stdout, "write").mockImplementation((text) => lines.push(String(text)) > 0);
});
afterEach(() => void vi.restoreAllMocks());

async function writeDraft(text: string): Promise<void> {
  await mkdir(join(folder, "schema", "draft"), { recursive: true });
  await writeFile(join(folder, "schema", "draft", "schema.ts"), text);
}

test("the report lists what the draft decides and changes", async () => {
  const newest = await readFile("spec/2026-07-28/schema.ts", "utf8");
  await writeDraft(
    newest.replace("  title?: string;", "  title?: string;\n\n  /** Short form. */\n  subtitle?: string;"),
  );
  expect(await reportDraft(folder, "2027-01-01")).toBe(0);
  const text = lines.join("\n");
  expect(text).toContain("Pinned 2027-01-01 (draft)");
  expect(text).toContain("BaseMetadata.subtitle");
  expect(text).toContain("2026-07-28 → 2027-01-01");
});

test("the report fails for a draft that cannot be read", async () => {
  const newest = await readFile("spec/2026-07-28/schema.ts", "utf8");
  await writeDraft(`${newest}\nexport type Handler = (value: string) => void;\n`);
  expect(await reportDraft(folder, "2027-01-01")).toBe(1);
  expect(lines.join("\n")).toMatch(/schema\.ts:\d+/);
});

test("the report names the packages with a newer version than the tested one", async () => {
  const versions = ["0.9.0", "1.0.0", "1.1.0-alpha.1"];
  const packages = [
    { name: "old", wanted: "^0.9.0" },
    { name: "new", wanted: "^1.0.0" },
    { name: "prerelease", wanted: "1.0.0-alpha.9" },
  ];
  await reportPackages(packages, async () => versions);
  expect(lines.slice(1)).toEqual([
    "- old: 1.0.0 is the newest, ^0.9.0 is tested",
    "- new: 1.0.0 is tested",
    "- prerelease: 1.1.0-alpha.1 is the newest, 1.0.0-alpha.9 is tested",
  ]);
  expect(readPackages().map(({ name }) => name)).toEqual(
    expect.arrayContaining(["@modelcontextprotocol/conformance", "@modelcontextprotocol/sdk"]),
  );
});
