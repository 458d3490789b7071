import { expect, test } from "vitest";
import { functionOf, helpersOf, runText, type RunView } from "../../../generator/openapi/emit-call.ts";
import type { Operation, OperationBody, Parameter } from "../../../generator/openapi/operation.ts";

/* The function of a tool: the request of its operation, and what its file imports for it. */

const operation: Operation = {
  name: "read",
  method: "GET",
  path: "/a/{b}",
  description: "Reads.",
  parameters: [],
  input: {},
  isOpen: false,
  access: [],
  unsupported: [],
  returnsFile: false,
};

const run = (more: Partial<Operation>, view: Partial<RunView> = {}): string =>
  runText("read", { operation: { ...operation, ...more }, hasInput: true, result: undefined, ...view });

const start = 'execute: (args, { signal }) => readApi({ method: "GET", path: "/a/{b}", ';

test("a tool without an operation has no implementation", () => {
  expect(runText('a"b', { operation: undefined, hasInput: true, result: undefined })).toBe(
    'execute: () => todo("a\\"b")',
  );
  expect(helpersOf(undefined, true)).toEqual(["todo"]);
});

test.each<[more: Partial<Operation>, hasOutput: boolean, name: string, helpers: string[]]>([
  [{}, false, "readApi", ["readApi"]],
  [{ output: {} }, false, "readApi", ["readApi"]],
  [{ returnsFile: true }, false, "readFile", ["readFile"]],
  [{ returnsFile: true, output: {} }, false, "readApi", ["readApi"]],
  [{ output: {} }, true, "callApi", ["callApi", "toOutput"]],
  [{ returnsFile: true, output: {} }, true, "callApi", ["callApi", "toOutput"]],
])("the operation %j with an output schema (%j) is called by %s", (more, hasOutput, name, helpers) => {
  expect(functionOf({ ...operation, ...more }, hasOutput)).toBe(name);
  expect(helpersOf({ ...operation, ...more }, hasOutput)).toEqual(helpers);
  const end = hasOutput ? ", response)" : ")";
  expect(run(more, { result: hasOutput ? "Result" : undefined })).toBe(
    `execute: (args, { signal }) => ${name}${hasOutput ? "<Result>" : ""}({ method: "GET", path: "/a/{b}", signal }${end}`,
  );
});

test("a tool without arguments does not name them", () => {
  expect(run({}, { hasInput: false })).toMatch(/^execute: \(_args, \{ signal \}\) => readApi\(/);
});

const parameter = (place: Parameter["place"], style: Parameter["style"], more: Partial<Parameter> = {}): Parameter => ({
  name: "b",
  argument: "b",
  place,
  style,
  ...more,
});

test.each<[parameters: Parameter[], text: string, writers: string[]]>([
  [[parameter("path", "comma")], 'parameters: { "b": args.b }', []],
  [[parameter("path", "named")], 'parameters: { "b": toNamed(args.b) }', ["toNamed"]],
  [[parameter("path", "json")], 'parameters: { "b": toJson(args.b) }', ["toJson"]],
  [[parameter("header", "comma")], 'headers: { "b": args.b }', []],
  [[parameter("cookie", "comma")], 'cookies: { "b": args.b }', []],
  [[parameter("query", "repeat")], 'query: { "b": args.b }', []],
  [[parameter("query", "comma")], 'query: { "b": toList(args.b, ",") }', ["toList"]],
  [[parameter("query", "pipe")], 'query: { "b": toList(args.b, "|") }', ["toList"]],
  [[parameter("query", "space")], 'query: { "b": toList(args.b, " ") }', ["toList"]],
  [[parameter("query", "deep")], 'query: { ...toDeep("b", args.b) }', ["toDeep"]],
  [[parameter("query", "json", { argument: "b-c" })], 'query: { "b": toJson(args["b-c"]) }', ["toJson"]],
  [[parameter("query", "repeat", { argument: "2b" })], 'query: { "b": args["2b"] }', []],
  [[parameter("query", "repeat", { name: "__proto__" })], 'query: { ["__proto__"]: args.b }', []],
  [
    [
      parameter("query", "deep"),
      parameter("path", "named", { name: "c" }),
      parameter("query", "pipe", { name: "d", argument: "d", keepsReserved: true }),
      parameter("query", "json", { name: "e", argument: "e", keepsReserved: true }),
    ],
    'parameters: { "c": toNamed(args.b) }, query: { ...toDeep("b", args.b), "d": toList(args.d, "|"), "e": toJson(args.e) }, reserved: ["d","e"]',
    ["toList", "toJson", "toDeep", "toNamed"],
  ],
])("the parameters %j are sent in their places", (parameters, text, writers) => {
  expect(run({ parameters })).toBe(`${start}${text}, signal })`);
  expect(helpersOf({ ...operation, parameters }, false)).toEqual(["readApi", ...writers]);
});

const body: OperationBody = { type: "application/json", isFile: false, files: {}, types: {} };

test.each<[more: Partial<OperationBody>, text: string]>([
  [{}, ""],
  [{ files: { a: "image/png" }, types: { b: "text/csv" } }, ', files: {"a":"image/png"}, types: {"b":"text/csv"}'],
  [{ isFile: true }, ", isFile: true"],
  [{ styles: { a: "deep" }, reserved: ["a"] }, ', styles: {"a":"deep"}, reserved: ["a"]'],
])("the body of a request is sent with %j", (more, text) => {
  const members = `type: "application/json", value: args.body${text}`;
  expect(run({ body: { ...body, ...more } })).toBe(`${start}body: { ${members} }, signal })`);
});

test.each<[more: Partial<Operation>, result: string | undefined, text: string]>([
  [{ address: "https://a.example" }, undefined, 'address: "https://a.example", '],
  [{ address: "" }, undefined, 'address: "", '],
  [{ access: ["A", "B"] }, undefined, 'access: ["A","B"], '],
  [{ others: ["text"] }, undefined, ""],
  [{ others: ["text", "empty"] }, "R", 'others: ["text","empty"], '],
])("a request of the operation %j with the result %s has the members %s", (more, result, text) => {
  expect(run(more, { result })).toContain(`path: "/a/{b}", ${text}signal }`);
});
