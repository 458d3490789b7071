import { describe, expect, test } from "vitest";
import { chooseRevisions, readCatalogue, servable, type RevisionEntry } from "../../generator/create/catalogue.ts";
import { packageRoot } from "../../generator/package-info.ts";
import { revisions } from "../../generated/revisions.ts";

const catalogue: readonly RevisionEntry[] = [
  { id: "2031-01-01", status: "draft", lifecycle: "handshake" },
  { id: "2030-01-01", status: "released", lifecycle: "unheard-of" },
  { id: "2029-01-01", status: "released", lifecycle: "per-request" },
  { id: "2028-01-01", status: "released", lifecycle: "handshake" },
];

describe("--protocol", () => {
  test.each([
    ["absent: all that are released", undefined, ["2029-01-01", "2028-01-01"]],
    ["latest", "latest", ["2029-01-01"]],
    ["all", "all", ["2031-01-01", "2029-01-01", "2028-01-01"]],
    ["one", "2028-01-01", ["2028-01-01"]],
    ["a list, in any order, newest first", "2028-01-01, 2029-01-01", ["2029-01-01", "2028-01-01"]],
    ["a list with repetitions", "latest,2029-01-01", ["2029-01-01"]],
    ["a draft by name", "2031-01-01", ["2031-01-01"]],
  ])("%s", (_what, protocol, expected) => {
    expect(chooseRevisions(protocol, catalogue)).toEqual(expected);
  });

  test.each(["1999-01-01", "", "latest,,all", "../2029-01-01", "LATEST"])("%j is refused with what exists", (word) => {
    expect(() => chooseRevisions(word, catalogue)).toThrow(
      /there is no revision .* Choose among 2031-01-01, 2029-01-01, 2028-01-01, or say latest or all/,
    );
  });

  test("another lifecycle is refused by what it is", () => {
    expect(() => chooseRevisions("2030-01-01", catalogue)).toThrow("2030-01-01 has the unheard-of lifecycle");
  });
});

test("the catalogue agrees with the generated revisions", async () => {
  const expected = revisions.map(({ id, status, lifecycle }) => ({ id, status, lifecycle }));
  expect(readCatalogue(packageRoot)).toEqual(expected);
  expect(servable(expected)).toHaveLength(5);
});
