import { describe, expect, test } from "vitest";
import {
  chooseRevisions,
  statelessAmong,
  toCatalogue,
  type RevisionEntry,
} from "../../../../generator/scaffold/layer/catalogue.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { models } from "../../../kit/projects.ts";

const catalogue: readonly RevisionEntry[] = [
  { id: "2031-01-01", status: "draft", isStateless: true },
  { id: "2029-01-01", status: "released", isStateless: true },
  { id: "2028-01-01", status: "released", isStateless: false },
];

describe("the option --protocol", () => {
  test.each([
    ["no value, and returns all released revisions", undefined, ["2029-01-01", "2028-01-01"]],
    ["latest", "latest", ["2029-01-01"]],
    ["all", "all", ["2031-01-01", "2029-01-01", "2028-01-01"]],
    ["one revision", "2028-01-01", ["2028-01-01"]],
    [
      "a list in any order, and returns the newest revision first",
      "2028-01-01, 2029-01-01",
      ["2029-01-01", "2028-01-01"],
    ],
    ["a list with repetitions", "latest,2029-01-01", ["2029-01-01"]],
    ["a draft by name", "2031-01-01", ["2031-01-01"]],
  ])("`chooseRevisions` accepts %s", (_what, protocol, expected) => {
    expect(chooseRevisions(protocol, catalogue)).toEqual(expected);
  });

  test.each(["1999-01-01", "", "latest,,all", "../2029-01-01", "LATEST"])(
    "the value %j of --protocol is rejected with a list of the revisions",
    (word) => {
      expect(() => chooseRevisions(word, catalogue)).toThrow(
        /unknown revision .* Choose from 2031-01-01, 2029-01-01, 2028-01-01, or use latest or all/,
      );
    },
  );
});

test("the catalogue lists the generated revisions with the lifecycle of each", () => {
  const expected = revisions.map(({ id, status, lifecycle }) => ({
    id,
    status,
    isStateless: lifecycle === "per-request",
  }));
  expect(toCatalogue(models.models)).toEqual(expected);
  expect(expected).toHaveLength(5);
});

test("stateless revisions are selected from the chosen ones only", () => {
  expect(statelessAmong(["2029-01-01", "2028-01-01"], catalogue)).toEqual(["2029-01-01"]);
  expect(statelessAmong(["2028-01-01"], catalogue)).toEqual([]);
  expect(statelessAmong(["1999-01-01"], catalogue)).toEqual([]);
});
