import { describe, expect, test } from "vitest";
import { OutlineReader } from "../../../runtime/framing/json-outline-reader.ts";

function read(text: string, size = Infinity): unknown {
  const reader = new OutlineReader();
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
  return reader.finish();
}

const long = "x".repeat(10_000);
const nested = `{"a":["${long}\\"]}\\\\",{"id":9}],"id":8}`;

describe("the outline of a long message", () => {
  test.each([1, 7, Infinity])("the outline of a long message keeps its first level, in chunks of %d bytes", (size) => {
    expect(read(`{"jsonrpc":"2.0","id":1,"result":${nested}}`, size)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(read(` {"result" : ${nested},"id":"ä\\u0041" } `, size)).toEqual({ id: "äA", result: {} });
    expect(read(`[{"id":1,"result":${nested}},{"id":2}]`, size)).toEqual([{}, {}]);
  });
});

test.each([1, 2, 3, Infinity])("the outline in chunks of %d bytes is that of the whole text", (size) => {
  const texts = [
    '{"a":"\\"","b":["\\\\",{"c":"]"}],"d":"\\\\"}',
    '{"a":[[],{}],"b":{"c":[1]}}',
    '[["a"],{"b":1},"c"]',
    '{"a":{"b":"x\\"}"},"c":1}',
    '"text"',
    "7",
  ];
  const outlines = [{ a: '"', b: [], d: "\\" }, { a: [], b: {} }, [[], {}, "c"], { a: {}, c: 1 }, "text", 7];
  expect(texts.map((text) => read(text, size))).toEqual(outlines);
});

test.each([1, Infinity])("escapes in what is replaced end no string, in chunks of %d bytes", (size) => {
  expect(read('{"":1,"a":["\\n","]"],"id":2}', size)).toEqual({ "": 1, a: [], id: 2 });
  expect(read('{"a":["\\\\","\\"]"],"id":2}', size)).toEqual({ a: [], id: 2 });
});

test("brackets in what is replaced do not count as the envelope", () => {
  expect(read(`{"a":[${"[{}],".repeat(9_000)}1],"id":2}`)).toEqual({ a: [], id: 2 });
});

test("an envelope of less than 8 KiB is read, however long its content is", () => {
  const envelope = (length: number): string => `{"a":[${"1,".repeat(9_000)}1],"b":"${"x".repeat(length - 15)}"}`;
  expect(read(envelope(8 * 1024 - 1))).toMatchObject({ a: [] });
  expect(read(envelope(8 * 1024))).toBeUndefined();
});

test("an outline has no value where the envelope cannot be read", () => {
  expect(read(`{"id":1,"result":${nested},"id":2}`)).toBeUndefined();
  expect(read(`{"id":1,"method":"${long}"}`)).toBeUndefined();
  expect(read(`{"id":1,"result":${nested}`)).toBeUndefined();
  expect(read(`}}}]]${long}`)).toBeUndefined();
  expect(read("")).toBeUndefined();
});
