import { expect, test } from "vitest";
import { chooseNamed, type Choosable } from "../../../generator/openapi/choose.ts";
import { compareOperations, type OperationRecord } from "../../../generator/openapi/compare-operations.ts";

/* Parts of a document that are chosen, and how they differ from those of an earlier one. */

const item = (tags: readonly string[], ...names: string[]): Choosable => ({ names, tags });
const items = [
  item(["Read"], "listPets", "GET /pets", "/pets"),
  item(["Read"], "showPet", "GET /pets/{id}", "/pets/{id}"),
  item(["Write", "a*b"], "createPet", "POST /pets", "/pets"),
];
const words = { origin: "a.yaml", kind: "operation" };
const choose = (only: string, more: object = {}): readonly unknown[] =>
  chooseNamed(items, only, { ...words, ...more }).map(({ names: [name] }) => name);

test.each<[only: string, names: string[]]>([
  ["read", ["listPets", "showPet"]],
  ["LISTPETS", ["listPets"]],
  ["listPet", []],
  [" createPet , ,listPets,", ["listPets", "createPet"]],
  ["get /pets", ["listPets"]],
  ["/pets", ["listPets", "createPet"]],
  ["/pets*", ["listPets", "showPet", "createPet"]],
  ["*pet", ["showPet", "createPet"]],
  ["*", ["listPets", "showPet", "createPet"]],
  ["get*{*}", ["showPet"]],
  ["g*pets*pets*", []],
  ["list*pets*", ["listPets"]],
  ["list*tpets", []],
  ["a*b", ["createPet"]],
  // Parts must not overlap.
  ["listpe*pets", []],
  ["*pets*s", []],
])("the words %j choose %j", (only, names) => {
  if (names.length > 0) expect(choose(only)).toEqual(names);
  else expect(() => choose(only)).toThrow("--only: a.yaml has no operation");
});

test("words that choose nothing are an error, unless the caller accepts some of them", () => {
  const known = 'It has the tags "Read", "Write", "a*b", and "listPets", "showPet", "createPet".';
  expect(() => choose("read,none,x*")).toThrow(`--only: a.yaml has no operation "none". ${known}`);
  expect(choose("none,createPet,x*", { acceptsIdle: true })).toEqual(["createPet"]);
  expect(() => choose("none,x*", { acceptsIdle: true })).toThrow('has no operation "none"');
  for (const only of ["", " , "]) expect(() => choose(only, { acceptsIdle: true })).toThrow('has no operation ""');
});

test.each([
  [20, '"n18", "n19".'],
  [21, '"n18", "n19" and 1 more.'],
])("an error lists at most 20 of %i names", (count, end) => {
  const many = Array.from({ length: count }, (_, at) => item([], `n${at}`));
  expect(() => chooseNamed(many, "x", words)).toThrow(`It has "n0", "n1"`);
  expect(() => chooseNamed(many, "x", words)).toThrow(end);
});

const record: OperationRecord = { tool: "read", parameters: "1", result: "2", access: "3" };

test.each<[what: string, before: Partial<OperationRecord>, change: object | undefined]>([
  ["nothing", {}, undefined],
  ["the parameters", { parameters: "0" }, { parts: ["parameters"] }],
  ["the result and the access", { result: "0", access: "0" }, { parts: ["result", "access"] }],
  ["the name", { tool: "get" }, { parts: ["name"], formerTool: "get" }],
  ["the name and the access", { tool: "get", access: "0" }, { parts: ["name", "access"], formerTool: "get" }],
])("an operation that is there before and after differs in %s", (_what, before, change) => {
  const found = compareOperations({ "GET /a": { ...record, ...before } }, { "GET /a": record });
  expect(found).toEqual(change ? [{ kind: "changed", operation: "GET /a", tool: "read", ...change }] : []);
});

test("operations are listed as new, changed and gone, also those named like members of every object", () => {
  const before = { constructor: record, "GET /b": { ...record, result: "0" } };
  const after = { "GET /b": record, toString: { ...record, tool: "new" } };
  expect(compareOperations(before, after)).toEqual([
    { kind: "new", operation: "toString", tool: "new", parts: [] },
    { kind: "changed", operation: "GET /b", tool: "read", parts: ["result"] },
    { kind: "gone", operation: "constructor", tool: "read", parts: [] },
  ]);
});
