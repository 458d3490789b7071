import { expect, test } from "vitest";
import { escapeJson, jsonText } from "../../../generator/internal/json-text.ts";

test("characters that are not seen, or change the order of others, are escaped in JSON", () => {
  const value = { text: "a\u202eb\u2066c\u200bd\ufeff\u2028\u{e0041}", plain: "äöü 取引先 👍", list: ["a", "b"] };
  const json = escapeJson(jsonText(value));
  expect(json).not.toMatch(/[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u);
  expect(json).toContain("a\\u202eb\\u2066c\\u200bd\\ufeff\\u2028\\udb40\\udc41");
  expect(json).toContain("äöü 取引先 👍");
  expect(json.split("\n")).toHaveLength(5);
  expect(JSON.parse(json)).toEqual(value);
});
