import { describe, expect, test } from "vitest";
import { listText } from "../../../generator/emit/check-condition.ts";
import { createCheckWriter, pascal } from "../../../generator/emit/check-text.ts";
import type { Property, Shape } from "../../../generator/model.ts";

const text: Shape = { kind: "string" };
const list = (items: Shape): Shape => ({ kind: "array", items });
const named = { name: "a", shape: text, optional: false, location: { line: 1, column: 1 } };
const map = (index: Shape, properties: readonly Property[] = []): Shape => ({ kind: "object", properties, index });

describe("names of helpers", () => {
  test.each<[string, Shape, string]>([
    ["a list of strings", list(text), "checkStringArray"],
    ["a list of booleans", list({ kind: "boolean" }), "checkPlace"],
    ["a map of strings", map(text), "checkStringMap"],
    ["a map of objects", map({ kind: "anyObject" }), "checkObjectMap"],
    ["a map of numbers", map({ kind: "boolean" }), "checkPlace"],
    ["a map with a named member", map(text, [named]), "checkPlace"],
    ["an object without members", { kind: "object", properties: [] }, "checkPlace"],
  ])("%s", (_what, shape, name) => {
    expect(createCheckWriter({ declarations: [] }).writeShape(shape, "Place").name).toBe(name);
  });

  test("equal shapes share a helper", () => {
    const writer = createCheckWriter({ declarations: [] });
    writer.writeShape(list({ kind: "boolean" }), "First");
    expect(writer.writeShape(list({ kind: "boolean" }), "Second")).toEqual({ name: "checkFirst", functions: [] });
  });

  test("no words are an empty list", () => {
    expect(listText([])).toBe("");
  });

  test.each([
    ["io.modelcontextprotocol/logLevel", "LogLevel"],
    ["_meta", "Meta"],
    ["x--note", "XNote"],
  ])("the name %s becomes %s", (name, expected) => {
    expect(pascal(name)).toBe(expected);
  });
});
