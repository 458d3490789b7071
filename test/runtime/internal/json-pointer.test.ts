import { expect, test } from "vitest";
import { escapeKey, unescapeKey, valueAt, valueAtFragment } from "../../../runtime/internal/json-pointer.ts";

test.each([
  ["", ""],
  ["a/b", "a~1b"],
  ["m~n", "m~0n"],
  // A replacement in the wrong order would read `~1` as a slash.
  ["~1", "~01"],
  ["c%d", "c%d"],
])("the key %j is written as %j, and read again", (key, escaped) => {
  expect(escapeKey(key)).toBe(escaped);
  expect(unescapeKey(escaped)).toBe(key);
});

test.each([
  ["c%25d", "c%d"],
  ["a%7E1b", "a/b"],
  ["50%", "50%"],
  ["%E0%A4", "%E0%A4"],
  ["50%~1", "50%/"],
])("the key %j of a fragment is read as %j", (escaped, key) => {
  expect(valueAtFragment({ [key]: 1 }, `#/${escaped}`)).toBe(1);
});

// Examples of RFC 6901, section 5.
const document = { foo: ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "m~n": 8 };
test.each<readonly [string, unknown]>([
  ["", document],
  ["/foo", ["bar", "baz"]],
  ["/foo/0", "bar"],
  ["/", 0],
  ["/a~1b", 1],
  ["/c%d", 2],
  ["/e^f", 3],
  ["/m~0n", 8],
  ["/foo/2", undefined],
  ["/foo/length/0", undefined],
  ["/constructor", undefined],
])("the pointer %j leads to its value", (pointer, value) => {
  expect(valueAt(document, pointer)).toEqual(value);
});

// Examples of RFC 6901, section 6, and references that are no pointers.
test.each<readonly [unknown, unknown]>([
  ["#", document],
  ["#/foo/0", "bar"],
  ["#/", 0],
  ["#/a~1b", 1],
  ["#/c%25d", 2],
  ["#/e%5Ef", 3],
  ["#/m~0n", 8],
  ["#/none", undefined],
  ["#/constructor", undefined],
  ["#foo", undefined],
  ["/foo", undefined],
  ["other#/foo", undefined],
  ["", undefined],
  [1, undefined],
  [undefined, undefined],
])("the reference %j leads to its value", (reference, value) => {
  expect(valueAtFragment(document, reference)).toEqual(value);
});
