import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isObject } from "../../templates/support.ts";

/* Every numbered rule of the stateful revisions is proven by a test that cites it, or stands in test/requirements.json with the reason
   why not. A rule that is in neither, or in both, fails. */

const root = join(import.meta.dirname, "../..");
const digest = join(process.env.MCP_DIGEST_DIR ?? join(root, "../shared/reference"), "revisions-stateful.md");
const families = [
  "J",
  "M",
  "L",
  "P",
  "C",
  "G",
  "N",
  "O",
  "K",
  "R",
  "Q",
  "TL",
  "S",
  "RT",
  "E",
  "TK",
  "JS",
  "I",
  "SEC",
  "T",
];

const rules = readRules();
const cited = readCited();
const unproven = readUnproven();

describe("the numbered rules", () => {
  it("are all there", () => {
    expect(rules.length).toBeGreaterThan(250);
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

function readRules(): string[] {
  const lines = readFileSync(digest, "utf8").split("\n");
  const ids = lines.map((line) => /^\| ([A-Z]+-\d{2}) \|/.exec(line)?.[1]).filter((id) => id !== undefined);
  return [...new Set(ids)].filter((id) => families.includes(id.split("-")[0] ?? ""));
}

function readCited(): Set<string> {
  const folder = join(root, "test");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.(ts|jsonl)$/.test(file));
  const tests = files.filter((file) => !file.includes("node_modules") && !file.endsWith("requirements.test.ts"));
  const pattern = new RegExp(`(?<![A-Z-])(?:${families.join("|")})-\\d{2}(?!\\d)`, "g");
  return new Set(tests.flatMap((file) => readFileSync(join(folder, file), "utf8").match(pattern) ?? []));
}

function readUnproven(): Set<string> {
  const value: unknown = JSON.parse(readFileSync(join(root, "test/requirements.json"), "utf8"));
  if (!isObject(value)) throw new Error("test/requirements.json is not an object");
  return new Set(Object.values(value).flatMap((reasons) => (isObject(reasons) ? Object.keys(reasons) : [])));
}
