import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isObject } from "../../templates/support.ts";

/* Every numbered rule of the digests is proven by a test that cites it, or stands in test/requirements.json with the reason
   why not. A rule that is in neither, or in both, fails. */

const root = join(import.meta.dirname, "../..");
const folder = process.env.MCP_DIGEST_DIR ?? join(root, "../shared/reference");

/** Where rules are numbered, which of them bind this project, and what their ids look like there and in tests. */
const digests: readonly { readonly file: string; readonly id: string; readonly row: (id: string) => string }[] = [
  {
    file: "revisions-stateful.md",
    id: "(?:J|M|L|P|C|G|N|O|K|R|Q|TL|S|RT|E|TK|JS|I|SEC|T)-\\d{2}",
    row: inTable,
  },
  { file: "revision-2026-and-auth.md", id: "[CSB]-\\d{3}", row: inTable },
  { file: "revision-2026-and-auth.md", id: "(?:TH|TS|TX|DE|XF|XT|XU|XK)-\\d{2}", row: inTable },
  { file: "revision-2026-and-auth.md", id: "(?:AC|AR|AZ|AX)-(?:[A-Z]\\d|\\d{2})", row: inTable },
  // Reliability and security: paragraphs, each with its number in front.
  { file: "security-requirements.md", id: "R[1-9]\\d?", row: (id) => `^(${id})\\. ` },
];

const rules = readRules();
const cited = readCited();
const unproven = readUnproven();

describe("the numbered rules", () => {
  it("are all there", () => {
    expect(rules.length).toBeGreaterThan(500);
    for (const { id } of digests)
      expect(
        rules.some((rule) => new RegExp(`^${id}$`).test(rule)),
        id,
      ).toBe(true);
  });

  it("are each proven by a test, or listed with a reason", () => {
    expect(rules.filter((id) => !cited.has(id) && !unproven.has(id))).toEqual([]);
  });

  it("are not listed as unproven any more when a test cites them", () => {
    expect([...unproven].filter((id) => cited.has(id))).toEqual([]);
  });

  it("are known, wherever they are cited or listed", () => {
    const known = new Set(rules);
    expect([...cited, ...unproven].filter((id) => !known.has(id))).toEqual([]);
  });

  it("are mostly proven", () => {
    const proven = rules.filter((id) => cited.has(id)).length;
    console.log(`${proven} of ${rules.length} rules are proven by a test, ${unproven.size} are listed with a reason`);
    expect(proven).toBeGreaterThan(rules.length / 2);
  });
});

function inTable(id: string): string {
  return `^\\| (${id}) \\|`;
}

function readRules(): string[] {
  const found = digests.flatMap(({ file, id, row }) => {
    const rows = readFileSync(join(folder, file), "utf8").matchAll(new RegExp(row(id), "gm"));
    return [...rows].map(([, name = ""]) => name);
  });
  return [...new Set(found)];
}

function readCited(): Set<string> {
  const tests = join(root, "test");
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(ts|jsonl)$/.test(file) && !file.includes("node_modules") && !file.endsWith("requirements.test.ts"),
  );
  const pattern = new RegExp(`(?<![\\w-])(?:${digests.map(({ id }) => id).join("|")})(?![\\w-])`, "g");
  return new Set(files.flatMap((file) => readFileSync(join(tests, file), "utf8").match(pattern) ?? []));
}

function readUnproven(): Set<string> {
  const value: unknown = JSON.parse(readFileSync(join(root, "test/requirements.json"), "utf8"));
  if (!isObject(value)) throw new Error("test/requirements.json is not an object");
  return new Set(Object.values(value).flatMap((reasons) => (isObject(reasons) ? Object.keys(reasons) : [])));
}
