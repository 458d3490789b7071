import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatPage, readPage } from "../kit/docs-page.ts";
import { classes, renderPage } from "./page.ts";

const tests = join(import.meta.dirname, "..");

test("the page about advisories is that of the classes", async () => {
  expect(readPage("advisories.md")).toBe(await formatPage(renderPage()));
});

describe.each(classes)("$title", ({ advisories, tests: references }) => {
  test("every test of the class exists, and runs", () => {
    expect(references).not.toEqual([]);
    for (const [file, title] of references) {
      const source = readFileSync(join(tests, file), "utf8");
      // The title is the first argument of a test that is neither skipped nor a text elsewhere.
      expect(findTitles(source), `${file} has a test with this title`).toContain(title);
    }
  });

  test("every advisory has ids and a source with the first of them", () => {
    for (const { ids, source, date = "2026" } of advisories) {
      const [first = ""] = ids;
      expect(source.toLowerCase()).toContain(first.startsWith("GHSA") ? first.toLowerCase() : "https://");
      expect(ids.every((id) => /^(GHSA(-[\da-z]{4}){3}|CVE-20\d\d-\d{4,6}|[\w-]+\/[\w-]+ #\d+)$/.test(id))).toBe(true);
      expect(date).toMatch(/^202[56](-\d\d){0,2}$/);
    }
  });
});

test("an advisory is in one class", () => {
  const ids = classes.flatMap(({ advisories }) => advisories.flatMap((advisory) => advisory.ids));
  expect(new Set(ids).size).toBe(ids.length);
});

test("titles of tests are found, except those of skipped ones", () => {
  const source = [
    'test("a (1)", () => {});',
    'it.each<A>([\n["x"]])(\n"b \\"c\\" %s", async (a) => {});',
    'test.skip("d", () => {});',
  ];
  expect(findTitles(source.join("\n"))).toEqual(["a (1)", 'b "c" %s']);
});

/** Returns the titles of the tests in a file. A title belongs to the last call of a function of the test runner before it. */
function findTitles(source: string): string[] {
  const parts = source
    .split(/\b(?=(?:describe|test|it)(?:\.\w+)*[<(])/)
    .filter((part) => /^(?:test|it)(?!\.skip)/.test(part));
  const literal = /("(?:[^"\\\n]|\\.)*"),\s*(?:\{[^{}\n]*\},\s*)?(?:async )?\(/g;
  return parts.flatMap((part) => [...part.matchAll(literal)].map(([, text = ""]) => String(JSON.parse(text))));
}
