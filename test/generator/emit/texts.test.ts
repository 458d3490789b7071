import { describe, expect, test } from "vitest";
import { digestText } from "../../../generator/emit/digest-text.ts";
import { docText, summaryText } from "../../../generator/emit/doc-text.ts";
import { methodSummary, paramsText, plainResultNames, resultText } from "../../../generator/emit/method-text.ts";
import { typeText } from "../../../generator/emit/type-text.ts";
import type { Doc, Method, Property, Shape } from "../../../generator/model.ts";

describe("comments", () => {
  test.each<[what: string, doc: Doc, text: string]>([
    ["tags without prose", { text: "", internal: true }, "/** @internal */\n"],
    ["a tag without text only", { text: "", deprecated: "" }, "/** @deprecated */\n"],
    ["prose and tags", { text: "A.", deprecated: "" }, "/**\n * A.\n *\n * @deprecated\n */\n"],
    ["nothing", { text: "" }, ""],
  ])("a comment has %s", (_what, doc, text) => {
    expect(docText(doc)).toBe(text);
  });

  test.each<[what: string, shape: Shape, text: string]>([
    ["a pattern", { kind: "string", pattern: "^a$" }, "/** @pattern ^a$ */\n"],
    ["bounds of a list", { kind: "array", items: { kind: "string" }, minItems: 1 }, "/** @minItems 1 */\n"],
    ["no bounds of a tuple", { kind: "array", items: { kind: "string" }, prefix: [{ kind: "null" }], minItems: 1 }, ""],
  ])("a comment has %s", (_what, shape, text) => {
    expect(docText(undefined, shape)).toBe(text);
  });

  test.each<[doc: Doc | undefined, summary: string]>([
    [undefined, ""],
    [{ text: "" }, ""],
    [{ text: "One line\nand another.\n\nMore." }, "One line and another."],
  ])("the summary of %j is %j", (doc, summary) => {
    expect(summaryText(doc)).toBe(summary);
  });
});

describe("types", () => {
  const a: Shape = { kind: "reference", name: "A" };
  const b: Shape = { kind: "reference", name: "B" };
  const property = (name: string, text = ""): Property => ({
    name,
    optional: false,
    shape: a,
    location: { line: 1, column: 1 },
    ...(text !== "" && { doc: { text } }),
  });

  test.each<[shape: Shape, text: string]>([
    [{ kind: "array", items: { kind: "intersection", of: [a, b] } }, "(A & B)[]"],
    [{ kind: "array", items: a }, "A[]"],
    [
      { kind: "array", items: { kind: "never" }, prefix: [a, { kind: "union", of: [a, b] }], minItems: 1, maxItems: 2 },
      "[A, (A | B)?]",
    ],
    [{ kind: "array", items: { kind: "union", of: [a, b] }, prefix: [a, b], minItems: 2 }, "[A, B, ...(A | B)[]]"],
    [{ kind: "array", items: a, prefix: [b] }, "[B?, ...A[]]"],
    [{ kind: "string", template: ["a", "`${b}\\", ""] }, "`a${string}\\`\\${b}\\\\${string}`"],
    [{ kind: "intersection", of: [a, { kind: "union", of: [a, b] }] }, "A & (A | B)"],
    [{ kind: "object", properties: [property("x"), property("y")] }, "{ x: A; y: A; }"],
    [{ kind: "object", properties: [property("x"), property("y", "Y.")] }, "{\nx: A;\n/** Y. */\ny: A;\n}"],
  ])("%j is written as %j", (shape, text) => {
    expect(typeText(shape)).toBe(text);
  });
});

describe("methods", () => {
  const method: Method = {
    name: "do/it",
    handler: "doIt",
    type: "DoRequest",
    kind: "request",
    senders: ["client"],
    alternatives: [],
    gates: {},
  };
  const named: Shape = { kind: "reference", name: "DoResult" };

  test("a method without params accepts any members", () => {
    expect(paramsText(method)).toBe("Record<string, unknown>");
  });

  test.each([
    [undefined, "A request of this revision."],
    [{ text: "" }, "A request of this revision."],
    [{ text: "Does it. Then ends." }, "Does it."],
  ])("a method with the comment %j is summarized as %j", (doc, summary) => {
    expect(methodSummary({ ...method, ...(doc && { doc }) })).toBe(summary);
  });

  test.each<[result: Shape | undefined, names: string[]]>([
    [undefined, []],
    [named, ["DoResult"]],
    [{ kind: "union", of: [named, { kind: "reference", name: "Other" }] }, ["DoResult", "Other"]],
    [{ kind: "unknown" }, []],
  ])("the results of %j are %j", (result, names) => {
    const described = { ...method, ...(result && { result }) };
    expect(plainResultNames(described)).toEqual(names);
    expect(resultText(described)).toBe(names.map((name) => `t.${name}`).join(" | "));
  });
});

test.each([
  [undefined, "sha256 012345678901"],
  ["abcdefabcdefabcdef", "sha256 012345678901, upstream abcdefabcdef"],
])("the source of the commit %s is described as %s", (commit, text) => {
  const source = { path: "schema.ts", sha256: "0123456789012345", ...(commit !== undefined && { commit }) };
  expect(digestText({ source })).toBe(text);
});
