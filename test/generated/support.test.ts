import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { isStringOf } from "../../generated/support.ts";

const texts = [
  "",
  "a",
  "ab",
  "abc",
  "abcd",
  "é",
  "e\u0301",
  "\u{1F600}",
  "\u{1F600}\u{1F600}",
  "a\u{1F600}b",
  "\uD83D",
  "\uDE00\uD83D",
];

test.each([
  [0, 0],
  [0, 1],
  [0, 2],
  [1, 2],
  [1, Infinity],
  [2, 3],
  [3, Infinity],
])("the characters of a string are counted as ajv counts them, from %s to %s", (minLength, maxLength) => {
  const most = maxLength === Infinity ? {} : { maxLength };
  const validate = new Ajv().compile({ type: "string", minLength, ...most });
  for (const value of [...texts, "a".repeat(9), 1, null, ["a"]])
    expect([value, isStringOf(value, minLength, maxLength)]).toEqual([value, validate(value)]);
});
