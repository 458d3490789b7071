import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";

/* Every rule of requirements.json is proven by a test that cites its id, or listed there with the reason why not. */

/** Folder of all tests. */
const tests = join(import.meta.dirname, "..");

const rule = z.object({
  level: z.string(),
  binds: z.string().optional(),
  revisions: z.string(),
  text: z.string().min(10),
});

const { rules, unproven } = z
  .object({
    rules: z.record(z.string(), rule),
    unproven: z.record(z.string(), z.record(z.string(), z.string().min(5))),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "requirements.json"), "utf8")));

const ids = new Set(Object.keys(rules));
const listed = Object.values(unproven).flatMap((reasons) => Object.keys(reasons));
const cited = readCited();

describe("the numbered rules", () => {
  it("a numbered rule is proven by a test, or listed with a reason", () => {
    const known = new Set(listed);
    expect([...ids].filter((id) => !cited.has(id) && !known.has(id))).toEqual([]);
  });

  it("a numbered rule is not listed as unproven when a test cites it", () => {
    expect(listed.filter((id) => cited.has(id))).toEqual([]);
  });

  it("a numbered rule has its sentence, wherever it is cited or listed", () => {
    expect([...cited, ...listed].filter((id) => !ids.has(id))).toEqual([]);
  });

  it("most numbered rules are proven", () => {
    expect([...ids].filter((id) => cited.has(id)).length).toBeGreaterThan(ids.size / 2);
  });
});

/** Ids in the names of tests and in transcripts; a family of ids is a prefix of one that is known. */
function readCited(): Set<string> {
  const families = [...new Set([...ids].map(familyOf))];
  const pattern = new RegExp(`(?<![\\w-])(?:${families.join("|")})(?![\\w-])`, "g");
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(ts|jsonl)$/.test(file) && !file.includes("node_modules") && !file.endsWith("requirements.test.ts"),
  );
  return new Set(files.flatMap((file) => readFileSync(join(tests, file), "utf8").match(pattern) ?? []));
}

/** Pattern of the ids that are written alike: `TL-\d{2}` for `TL-06`. */
function familyOf(id: string): string {
  const [, prefix = "", digits = ""] = /^(.*?)(\d+)$/.exec(id) ?? [];
  return prefix === "R" ? "R[1-9]\\d?" : `${prefix}\\d{${digits.length}}`;
}
