import { describe, expect, test } from "vitest";
import { findNotJson } from "../../../runtime/internal/not-json.ts";

test.each([
  ["JSON", { a: [1, "x", true, null, { b: undefined }] }],
  ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
  ["64 levels", nest(64)],
])("%s has no problem", (_what, value) => expect(findNotJson(value)).toBeUndefined());

test.each([
  ["a number that is not finite", { a: [1, NaN] }, "at a/1 the value is NaN"],
  ["undefined in an array", [undefined], "at 0 the value is a undefined"],
  ["a bigint", 1n, "the value is a bigint"],
  ["an instance of a class", { day: new Date(0) }, "at day the value is an instance of a class"],
  ["the first of several problems", { a: NaN, b: 1n }, "at a the value is NaN"],
  ["65 levels", { a: nest(64) }, expect.stringContaining("is nested too deeply")],
])("%s is described with its path", (_what, value, problem) => expect(findNotJson(value)).toEqual(problem));

describe("references", () => {
  test("a value that contains itself is described", () => {
    const tree: { readonly children: object[] } = { children: [] };
    for (const name of ["a", "b"]) tree.children.push({ name, parent: tree });
    expect(findNotJson(tree)).toBe("at children/0/parent the value contains itself");
  });

  test("a shared value is no problem, and its members are read once", () => {
    const leaf = countReads();
    let shared: object = leaf.object;
    for (let i = 0; i < 20; i++) shared = { left: shared, right: shared };
    expect(findNotJson(shared)).toBeUndefined();
    expect(leaf.reads()).toBe(1);
  });

  test("a shared value is nested too deeply if it is at one of its places", () => {
    const shared = nest(40);
    const deep = Array.from({ length: 30 }).reduce<unknown>((value) => [value], shared);
    expect(findNotJson([shared, deep])).toMatch(/is nested too deeply$/);
  });

  test("members after the first problem are not read", () => {
    const leaf = countReads();
    expect(findNotJson([1n, leaf.object])).toBe("at 0 the value is a bigint");
    expect(leaf.reads()).toBe(0);
  });
});

function nest(levels: number): unknown {
  return Array.from({ length: levels }).reduce<unknown>((value) => [value], 1);
}

/** Returns an object that counts how often its member is read. */
function countReads(): { readonly object: object; reads(): number } {
  let count = 0;
  const object = {
    get a() {
      count += 1;
      return 1;
    },
  };
  return { object, reads: () => count };
}
