import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAccepted, reasons, review, type Accepted } from "./accepted.ts";
import { folderOf, mutatedFolders, root } from "./folders.ts";
import { draw } from "../kit/random.ts";
import { readReport } from "./report.ts";

const source = "const a = 1;\nif (a > 1) {\n  stop();\n}\n";
const block = { start: { line: 2, column: 12 }, end: { line: 4, column: 2 } };
const condition = { start: { line: 2, column: 5 }, end: { line: 2, column: 10 } };
const file = "a.ts";

describe("a report of mutants", () => {
  test("each mutant has its line, its text before and after, and its outcome", () => {
    const mutants = [
      { status: "Killed", replacement: "{}", location: block },
      { status: "NoCoverage", replacement: "a >= 1", location: condition },
    ];
    const line = "if (a > 1) {";
    expect(readReport({ files: { [file]: { source, mutants } } })).toEqual([
      { file, line, row: 2, from: "{ stop(); }", to: "{}", outcome: "detected" },
      { file, line, row: 2, from: "a > 1", to: "a >= 1", outcome: "survived" },
    ]);
  });

  test("a test whose time was over detects nothing by itself", () => {
    const mutants = [
      { status: "Killed", statusReason: "Test timed out in 8000ms.", replacement: "{}", location: block },
      { status: "Killed", statusReason: "expected 1 to be 2", replacement: "a >= 1", location: condition },
    ];
    const outcomes = readReport({ files: { [file]: { source, mutants } } }).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["timeout", "detected"]);
  });

  test("an unknown status is an error", () => {
    const mutants = [{ status: "Other", replacement: "{}", location: block }];
    expect(() => readReport({ files: { [file]: { source, mutants } } })).toThrow("The status Other");
  });
});

describe("the review of survivors", () => {
  const survivor = { file, line: "if (a > 1) {", row: 2, from: "a > 1", to: "true", outcome: "survived" } as const;
  const accepted: Accepted = {
    file,
    line: survivor.line,
    changes: { "a > 1": ["true"] },
    reason: "cost",
    because: "The rest of the function returns the same.",
  };

  test("an accepted survivor is counted by its reason, wherever its line is", () => {
    const { counts, open, stale } = review([survivor, { ...survivor, row: 9 }], [accepted]);
    expect([[...counts], open, stale]).toEqual([[["cost", 2]], [], []]);
  });

  test("an accepted mutant that was not drawn is not stale", () => {
    const { counts, open, stale } = review([{ ...survivor, outcome: "unusable" }], [accepted]);
    expect([[...counts], open, stale]).toEqual([[], [], []]);
  });

  test("an accepted mutant that is detected is stale", () => {
    expect(review([{ ...survivor, outcome: "detected" }], [accepted]).stale).toHaveLength(1);
  });

  test.each([{ file: "b.ts" }, { line: "while (a > 1) {" }, { from: "a" }, { to: "false" }])(
    "another survivor is open, and the accepted one stale: %j",
    (difference) => {
      const other = { ...survivor, ...difference };
      expect(review([other], [accepted])).toEqual({
        counts: new Map(),
        open: [other],
        stale: ["a.ts: a > 1 → true, in: if (a > 1) {"],
      });
    },
  );
});

test("a draw has the same items for the same seed, each once", () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const drawn = draw(items, { count: 20, seed: 3 });
  expect(new Set(drawn).size).toBe(20);
  expect(draw(items, { count: 20, seed: 3 })).toEqual(drawn);
  expect(draw(items, { count: 20, seed: 4 })).not.toEqual(drawn);
  expect(draw(items, { count: 99, seed: 3 })).toHaveLength(50);
});

describe.each(Object.keys(mutatedFolders))("the folder %s", (folder) => {
  const accepted = readAccepted(folder);

  test(`${folder} and its tests exist`, () => {
    expect(existsSync(join(root, folder))).toBe(true);
    for (const tests of mutatedFolders[folder] ?? []) expect(existsSync(join(root, tests)), tests).toBe(true);
  });

  test(`accepted mutants of ${folder} are about lines of it, and have a reason`, () => {
    for (const { file: path, line, reason, because, changes } of accepted) {
      const lines = readFileSync(join(root, path), "utf8").split("\n");
      expect(folderOf(path), path).toBe(folder);
      expect(lines.map((text) => text.trim())).toContain(line);
      expect(Object.keys(reasons)).toContain(reason);
      expect(because).toMatch(/^[A-Z].*\.$/);
      expect(Object.values(changes).flat().length).toBeGreaterThan(0);
    }
  });
});
