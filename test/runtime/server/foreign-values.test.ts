import { expect, test } from "vitest";
import { findForeign } from "../../../runtime/server/foreign-values.ts";

test.each([
  ["JSON", { a: [1, { b: null }] }, undefined],
  ["a date", new Date(0), "Date"],
  ["a map in a member", { a: [1, new Map()] }, "Map at a/1"],
  ["a set after other members", { a: { b: 1 }, c: new Set() }, "Set at c"],
])("%s is foreign by its class", (_what, value, found) => expect(findForeign(value)).toBe(found));

test("a value that contains itself is left to the encoder", () => {
  const tree: { readonly children: object[] } = { children: [] };
  for (const name of ["a", "b"]) tree.children.push({ name, parent: tree });
  expect(findForeign(tree)).toBeUndefined();
});

test("the members of a shared value are read once", () => {
  let reads = 0;
  let shared: object = {
    get a() {
      reads += 1;
      return 1;
    },
  };
  for (let i = 0; i < 20; i++) shared = { left: shared, right: shared };
  expect(findForeign(shared)).toBeUndefined();
  expect(reads).toBe(1);
});
