import { describe, expect, test } from "vitest";
import { decode, encode } from "../../../runtime/framing/json.ts";
import { scan, toByteRange } from "../../../runtime/framing/json-scan.ts";
import type { FramingProblem } from "../../../runtime/jsonrpc/channel.ts";
import { StaticResult } from "../../../runtime/jsonrpc/message.ts";

const limits = { maxDepth: 64, maxValues: 200_000 };

function read(
  text: string,
  given: Partial<typeof limits> = {},
): { readonly value?: unknown; readonly problem?: FramingProblem } {
  let outcome: { readonly value?: unknown; readonly problem?: FramingProblem } = {};
  decode(
    text,
    { ...limits, ...given },
    {
      message: (value) => void (outcome = { value }),
      problem: (problem) => void (outcome = { problem }),
    },
  );
  return outcome;
}

describe("duplicate protocol members (R8)", () => {
  test.each([
    ["twice", '{"id":1,"id":2}', "id"],
    ["with blanks", '{ "method" : "a" , "params" : {} , "method" : "b" }', "method"],
    ["escaped", '{"method":"a","\\u006dethod":"b"}', "method"],
    ["in a batch", '[{"id":1},{"id":2,"id":3}]', "id"],
    ["after nested objects", '{"result":{"result":{}},"x":[{"result":1}],"result":{}}', "result"],
    ["after an escaped quote", '{"id":"a\\"","id":2}', "id"],
    ["after an escaped backslash", '{"id":"a\\\\","id":2}', "id"],
    ["after a byte order mark", '\ufeff[{"id":1,"id":2}]', "id"],
    ["after characters of several bytes", '{"id":"é€😀","id":2}', "id"],
    ["after a long string with escapes", `{"id":"${"x".repeat(100)}\\\\\\"","id":2}`, "id"],
  ])("a duplicate protocol member is found in %s", (_, text, member) => {
    expect(scan(toByteRange(text), limits)).toEqual({ kind: "repeated", member });
  });

  test.each([
    ["once", '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}'],
    ["as a value", '{"id":"id","method":"id"}'],
    ["at another depth", '{"id":1,"params":{"id":2,"method":"x"},"method":"y"}'],
    ["in another member of a batch", '[{"id":1},{"id":2}]'],
    ["inside a string", '{"id":"\\"id\\":","method":"a"}'],
    ["another name", '{"other":1,"other":2}'],
    ["a name of the prototype", '{"__proto__":1,"constructor":2}'],
    ["nothing", ""],
    ["a longer name", '{"id":1,"ids":1,"i":1}'],
    ["an open string", '{"id'],
    ["an open string that ends in a backslash", '{"id\\'],
  ])("no duplicate protocol member is found in %s", (_, text) => {
    expect(scan(toByteRange(text), limits)).toBeUndefined();
  });
});

describe("the depth of a message (R10)", () => {
  test.each([
    ["[[[]]]", 3],
    ['{"a":{"b":[]}}', 3],
    ['{"a":"[[[[","b":[]}', 2],
    ["1", 0],
  ])("the message %s has depth %i, counted before it is parsed", (text, depth) => {
    expect(scan(toByteRange(text), { ...limits, maxDepth: depth })).toBeUndefined();
    if (depth > 0) expect(scan(toByteRange(text), { ...limits, maxDepth: depth - 1 })).toEqual({ kind: "depth" });
  });

  test.each([
    ['{"id":7,"params":{"a":[[]]},"method":"m"}', { id: 7, params: {}, method: "m" }],
    ['{"result":[[[]]],"id":"]}"}', { result: [], id: "]}" }],
    ['{"id":7,"params":[[[', undefined],
    ["[[[]]]", [[]]],
  ])("the envelope of %s is read nevertheless", (text, value) => {
    expect(read(text, { maxDepth: 2 }).problem).toMatchObject({ kind: "depth" });
    expect(read(text, { maxDepth: 2 }).problem?.value).toEqual(value);
  });
});

describe("the number of values of a message (R10)", () => {
  test.each([
    ["[1,2,3]", 3],
    ['{"a":1,"b":[true,null]}', 4],
    ['{"a":"1,2,3,[{","b":{}}', 3],
    ["[{},{},{}]", 6],
    ["1", 0],
  ])("the message %s has at most %i values, counted before it is parsed", (text, count) => {
    expect(scan(toByteRange(text), { ...limits, maxValues: count })).toBeUndefined();
    if (count > 0) expect(scan(toByteRange(text), { ...limits, maxValues: count - 1 })).toEqual({ kind: "values" });
  });

  test("a message with too many values is a problem with its envelope, and the limit", () => {
    const text = `{"jsonrpc":"2.0","id":7,"method":"m","params":{"items":[${"{},".repeat(200_000)}{}]}}`;
    const { problem } = read(text);
    expect(problem).toMatchObject({ kind: "values", value: { jsonrpc: "2.0", id: 7, method: "m", params: {} } });
    expect(problem?.message).toContain("more than 200000 values");
  });

  test("a list of 190,000 numbers is accepted", () => {
    expect(
      read(JSON.stringify({ items: Array.from({ length: 190_000 }, (_, index) => index) })).problem,
    ).toBeUndefined();
  });
});

describe("messages with two ids (R8)", () => {
  test.each([
    ["two ids", '{"id":1,"method":"m","id":2}', "repeated"],
    ["another member first", '{"method":"m","method":"m","id":1,"id":2}', "repeated"],
    ["too deep first", '{"id":1,"params":[[[]]],"id":2}', "depth"],
    ["too deep, spelled with an escape", '{"id":1,"params":[[[]]],"\\u0069d":2}', "depth"],
  ])("a message with two ids has no id, whatever else is wrong with it: %s", (_, text, kind) => {
    expect(read(text, { maxDepth: 2 }).problem).toMatchObject({ kind, value: undefined });
  });
});

test("a text that is not JSON is a problem, never an exception", () => {
  for (const text of ["", "{", "undefined", "{'a':1}", "NaN", '{"a":1}}', "\u0000"]) {
    expect(read(text).problem?.kind).toBe("syntax");
  }
});

test("a member named __proto__ is a member (R9)", () => {
  const { value } = read('{"__proto__":{"polluted":true}}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(Object(value))).toEqual(["__proto__"]);
});

describe("encoding", () => {
  test.each([
    [
      "a request",
      { jsonrpc: "2.0", id: 1, method: "m", params: undefined } as const,
      '{"jsonrpc":"2.0","id":1,"method":"m"}',
    ],
    [
      "a result",
      { jsonrpc: "2.0", id: "a\n", result: { b: undefined } } as const,
      '{"jsonrpc":"2.0","id":"a\\n","result":{}}',
    ],
    [
      "an error",
      { jsonrpc: "2.0", error: { code: 1, message: "x" } } as const,
      '{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}',
    ],
    [
      "a static result",
      { jsonrpc: "2.0", id: 0, result: new StaticResult({ a: [] }) } as const,
      '{"jsonrpc":"2.0","id":0,"result":{"a":[]}}',
    ],
  ])("the encoding of %s is one line (T-03)", (_, message, text) => {
    expect(encode(message)).toBe(text);
  });

  test("the encoding of a batch is an array", () => {
    const reply = { jsonrpc: "2.0", id: 1, result: new StaticResult({}) } as const;
    expect(encode([reply, reply])).toBe('[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":1,"result":{}}]');
  });

  test("the encoding escapes line breaks and unpaired surrogates inside strings (T-03, R11, TS-01)", () => {
    const text = encode({ jsonrpc: "2.0", id: 1, result: { a: "x\r\ny\ud800" } });
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":"x\\r\\ny\\ud800"}}');
  });

  test("the encoding of other values throws", () => {
    expect(() => encode({ jsonrpc: "2.0", id: 1, result: { big: 1n } })).toThrow(TypeError);
  });
});
