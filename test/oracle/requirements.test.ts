import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isObject } from "../../templates/support.ts";

/* The rules of test/repository/requirements.json are those of the digests, no more and no fewer. */

const root = join(import.meta.dirname, "../..");
const folder = process.env.MCP_DIGEST_DIR ?? join(root, "../shared/reference");

/** Document with numbered rules, those that apply to this project, and the form of their ids there and in tests. */
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

it("the rules of the digests are all in test/repository/requirements.json", () => {
  const rules = readRules();
  expect(rules.length).toBeGreaterThan(500);
  expect(readListed().sort()).toEqual(rules.sort());
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

function readListed(): string[] {
  const value: unknown = JSON.parse(readFileSync(join(root, "test/repository/requirements.json"), "utf8"));
  if (!isObject(value) || !isObject(value.rules)) throw new Error("test/repository/requirements.json has no rules");
  return Object.keys(value.rules);
}
