import { expect, test } from "vitest";
import { diffByKey } from "../../../generator/internal/diff-by-key.ts";

interface Entry {
  readonly key: string;
  readonly value?: number;
}

function diff(older: readonly Entry[], newer: readonly Entry[]): string[] {
  return diffByKey(older, newer, {
    keyOf: ({ key }) => key,
    whole: (kind, { key }) => `${kind} ${key}`,
    compare: (before, after) =>
      before.value === after.value ? [] : [`${after.key} ${before.value}-${after.value}`, "and more"],
  });
}

const a = { key: "a", value: 1 };
const b = { key: "b" };
const c = { key: "c" };

test.each<readonly [string, readonly Entry[], readonly Entry[], readonly string[]]>([
  ["nothing", [], [], []],
  ["equal lists in another order", [a, b], [b, a], []],
  ["added and removed entries", [a, b], [c, b], ["removed a", "added c"]],
  ["removed entries, before all others", [b, a], [c], ["removed b", "removed a", "added c"]],
  [
    "changes, in the order of the newer list",
    [a, b],
    [c, { key: "a", value: 2 }],
    ["removed b", "added c", "a 1-2", "and more"],
  ],
  ["a repeated key once, by its last entry", [a, a], [c, { key: "a", value: 3 }, a], ["added c"]],
])("a comparison by key reports %s", (_what, older, newer, changes) => {
  expect(diff(older, newer)).toEqual(changes);
});
