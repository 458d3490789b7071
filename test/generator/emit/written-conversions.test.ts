import { expect, test } from "vitest";
import { readConversions } from "../../../generator/conversions/conversions.ts";
import { writeAllConversions, writeConversions } from "../../../generator/emit/written-conversions.ts";
import { readToy } from "../conversions/toy-revisions.ts";
import { convertToys } from "./conversion-functions.ts";

test("a method whose result stays has a conversion of its params only", () => {
  const { methods } = convertToys("a: 1", "a: 1; b?: 1", [{ rule: "drop", at: ["Params.b"] }]);
  expect(methods).toStrictEqual([{ type: "DoRequest", params: "toParams" }]);
});

test("a method whose values stay has no conversions", () => {
  const { methods, functions } = convertToys("a: 1", "a: 1; b?: 1", [{ rule: "keep", at: ["Params.b"] }]);
  expect(methods).toStrictEqual([{ type: "DoRequest" }]);
  expect(functions).toEqual([]);
});

test("a function lists the conversions that it calls, and no values that stay", () => {
  const rules = [
    { rule: "drop", at: ["Params.a.y"] },
    { rule: "keep", at: ["Params.b.z"] },
  ] as const;
  const { functions } = convertToys("a: { x: 1 }; b: { x: 1 }", "a: { x: 1; y?: 1 }; b: { x: 1; z?: 1 }", rules);
  expect(functions.map(({ name, calls }) => [name, calls])).toEqual([
    ["toParams", ["toParamsA"]],
    ["toParamsA", []],
  ]);
});

test("a function tells whether it converts what peers of the older revision send", () => {
  const rules = [{ rule: "default", at: ["Params.b"], value: 1 }] as const;
  const { functions, received } = convertToys("a: 1", "a: 1; b: number", [
    ...rules,
    { rule: "drop", at: ["Params.b"] },
  ]);
  const told = [functions, ...received.map((each) => each.functions)].map((all) =>
    all.map((one) => [one.name, one.isReceived]),
  );
  expect(told).toEqual([[["toParams", undefined]], [["fromParams", true]]]);
});

test("the conversions of some revisions are written, each to the newest one", () => {
  const drop = [{ rule: "drop", at: ["Params.b"], reason: "No." }] as const;
  const declarations = "export interface Params { a: 1 }";
  const models = [
    readToy("2001-01-01", declarations),
    readToy("2002-01-01", declarations, drop),
    readToy("2003-01-01", "export interface Params { a: 1; b?: 1 }"),
  ];
  const written = writeAllConversions(models, ["2001-01-01", "2003-01-01"]);
  expect([...written].map(([id, { functions }]) => [id, functions.map(({ name }) => name)])).toEqual([
    ["2001-01-01", ["toParams"]],
    ["2003-01-01", []],
  ]);
});

test.each([
  [
    "other numbers beside known integers",
    "number | string",
    "number | string",
    'typeof v === "number" && !Number.isInteger(v)',
  ],
  ["a string beside known integers", "number", "number | string", 'typeof v === "string"'],
  ["anything but an integer", "number", "unknown", "v !== undefined && !Number.isInteger(v)"],
])("a revision with integers rejects %s", (_what, older, newer, condition) => {
  const params = (type: string): string => `export interface Params { x: ${type} }`;
  const rules = [{ rule: "error", at: ["Params.x"], reason: "No." }] as const;
  const model = readToy("2001-01-01", params(older), rules, ["Params.x"]);
  const { functions } = writeConversions(readConversions([model, readToy("2002-01-01", params(newer))], model));
  expect(functions.map(({ text }) => text).join("\n")).toContain(`if (${condition}) throw`);
});
