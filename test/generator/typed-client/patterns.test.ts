import { expect, test } from "vitest";
import { isEnforceable, needsRe2 } from "../../../generator/typed-client/tool-schema/patterns.ts";

/* Engines that match the patterns of a schema in linear time. */

const [linear, slow, inexpressible] = ["^[a-z]+$", "^(a+)+$", "^(?=a)(a+)+$"];

test.each([
  [linear, true],
  [slow, true],
  [inexpressible, false],
  ["(", false],
])("the pattern %s can be enforced: %j", (pattern, expected) => {
  expect(isEnforceable(pattern)).toBe(expected);
});

test.each<[schema: unknown, expected: boolean]>([
  [{ pattern: slow }, true],
  [{ type: "object", properties: { a: { items: { pattern: slow } } } }, true],
  [{ allOf: [{ pattern: linear }, { pattern: slow }] }, true],
  [{ pattern: linear }, false],
  [{ pattern: inexpressible }, false],
  [{ pattern: 1 }, false],
  // Keys by pattern are not checked.
  [{ patternProperties: { [slow]: {} } }, false],
  [{}, false],
  [true, false],
  [undefined, false],
])("the schema %j needs another engine than that of the platform: %j", (schema, expected) => {
  expect(needsRe2(schema)).toBe(expected);
});
