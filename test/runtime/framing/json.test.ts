import { describe, expect, test } from "vitest";
import {
  createEncoder,
  decode,
  decodeEncoded,
  encode,
  tooLarge,
  type DecodingLimits,
  type Sink,
} from "../../../runtime/framing/json.ts";
import { outline, scan, toByteRange, type ByteRange } from "../../../runtime/framing/json-scan.ts";
import type { FramingProblem } from "../../../runtime/jsonrpc/channel.ts";
import { StaticResult } from "../../../runtime/jsonrpc/message.ts";

const limits = { maxDepth: 64, maxValues: 200_000 };

function read(
  text: string,
  given: Partial<DecodingLimits> = {},
  /** Text after it, in the same bytes. */
  after = "",
): { readonly value?: unknown; readonly problem?: FramingProblem; readonly problems: readonly FramingProblem[] } {
  let outcome: { readonly value?: unknown; readonly problem?: FramingProblem } = {};
  const problems: FramingProblem[] = [];
  const sink: Sink = {
    message: (value) => void (outcome = { value }),
    problem(problem) {
      outcome = { problem };
      problems.push(problem);
    },
  };
  if (after === "") decode(text, { ...limits, ...given }, sink);
  else decodeEncoded({ ...toByteRange(text + after), text, end: text.length }, { ...limits, ...given }, sink);
  return { ...outcome, problems };
}

/** Lists inside of each other. */
function nest(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

/** Places a text among others, which are not read. */
function inside(text: string): ByteRange {
  const [before, after] = ['\ufeff[{"id":1,"', ':"id":1,"id":"'].map((other) => new TextEncoder().encode(other));
  const own = new TextEncoder().encode(text);
  const bytes = new Uint8Array([...(before ?? []), ...own, ...(after ?? [])]);
  return { bytes, start: before?.length ?? 0, end: (before?.length ?? 0) + own.length };
}

describe("duplicate protocol members (R8)", () => {
  const repeated: readonly (readonly [string, string, string])[] = [
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
    ["after upper case letters and digits", '{"A":"X9","1":"B","id":"C","id":2}', "id"],
    ["before every kind of blank", '{"id" \t\r\n:1,"id"\t:2}', "id"],
    ["after blanks before the batch", ' \t\r\n[{"id":1,"id":2}]', "id"],
    ["after a byte order mark and blanks", '\ufeff \n[{"id":1,"id":2}]', "id"],
    ["after an object without a byte order mark", '\ufeff{"id":1,"id":2}', "id"],
    ["in the second message of a batch", '[{"params":{"id":1}},{"id":1,"method":"m","id":2}]', "id"],
    ...["jsonrpc", "id", "method", "params", "result", "error"].map(
      (name) => [`the member ${name}`, `{"${name}":1,"a":{},"${name}":2}`, name] as const,
    ),
    // Long strings are searched in another way than short ones.
    ...[46, 47, 48, 49, 50, 51].flatMap((length) =>
      ["", "\\\\", '\\"', '\\\\\\"'].map(
        (end) =>
          [`after ${length} characters and ${end}`, `{"id":"${"x".repeat(length)}${end}","id":2}`, "id"] as const,
      ),
    ),
  ];

  test.each(repeated)("a duplicate protocol member is found in %s", (_, text, member) => {
    expect(scan(toByteRange(text), limits)).toEqual({ kind: "repeated", member });
    expect(scan(inside(text), limits)).toEqual({ kind: "repeated", member });
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
    ["an open string that is long", `{"${"x".repeat(60)}`],
    ["an open key", '{"id":1,"id'],
    ["a key without a value", '{"id":1,"id"'],
    ["a key with blanks and without a value", '{"id":1,"id" '],
    ["a key that is not JSON", '{"id":1,"i\\x64":2}'],
    ["a key with other escapes", '{"id":1,"\\u0069e":2,"\\u0069e":3}'],
    ["a name that is not closed in the same way", '{"id":1,"id\\":2}'],
    ["strings in a list", '["id","id"]'],
    ["a message after the closing brace of another", '{"id":1}'],
  ])("no duplicate protocol member is found in %s", (_, text) => {
    expect(scan(toByteRange(text), limits)).toBeUndefined();
    expect(scan(inside(text), limits)).toBeUndefined();
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
});

describe("the outline of a message", () => {
  test.each([
    ["1", "1"],
    ["", ""],
    ['{"a":1}', '{"a":1}'],
    ['{"a":{"b":{}},"c":[1,[2]],"d":2}', '{"a":{},"c":[],"d":2}'],
    ['[{"id":1},[2],3]', "[{},[],3]"],
    ['{"a":"}]{[","b":{"c":"}]{["}}', '{"a":"}]{[","b":{}}'],
    ['{"a":"\\"}","b":[]}', '{"a":"\\"}","b":[]}'],
    ['{"a":{', '{"a":{}'],
    ['{"a":[{', '{"a":[]'],
    ["[[", "[[]"],
    ['{"é":"€😀","a":["é"]}', '{"é":"€😀","a":[]}'],
    ['{"id":1,"params":{"id":2}}', '{"id":1,"params":{}}'],
    ['{"id":1,"a":"id"}', '{"id":1,"a":"id"}'],
    ['[{"id":1},{"id":2}]', "[{},{}]"],
    ['{"id":1,"id":2}', undefined],
    ['{"id":1,"a":[1],"\\u0069d":2}', undefined],
  ])("the outline of %j is %j", (text, expected) => {
    expect(outline(toByteRange(text))).toBe(expected);
    expect(outline(inside(text))).toBe(expected);
  });

  test("bytes that are not UTF-8 have no outline", () => {
    expect(() => outline({ bytes: Uint8Array.of(0x22, 0xff, 0x22), start: 0, end: 3 })).toThrow(TypeError);
  });
});

describe("the problem of a message", () => {
  test.each([
    ["{", "syntax", "The message is not valid JSON"],
    ["[[[]]]", "depth", "The message is nested deeper than 2 levels"],
    ["[1,2,3,4]", "values", "The message has more than 3 values; send smaller messages"],
    ['{"id":1,"id":2}', "repeated", "The member id is duplicated"],
  ])("the problem of %s is of the kind %s: %s", (text, kind, message) => {
    expect(read(text, { maxDepth: 2, maxValues: 3 }).problem).toMatchObject({ kind, message });
  });

  test("a message that is too large names the limit", () => {
    expect(tooLarge(5, { id: 1 })).toEqual({
      kind: "size",
      message: "The message is longer than 5 bytes",
      value: { id: 1 },
    });
  });
});

describe("lists in results with items that are too deep", () => {
  const deep = nest(6);
  const listOf = (member: string, items: string, rest = ""): string =>
    `{"jsonrpc":"2.0","id":1,"result":{${rest}"${member}":[${items}]}}`;

  test.each([
    ["tools", `{"name":"a"}, {"name":"b","s":${deep}} ,{"name":"c"}`, [{ name: "a" }, { name: "c" }], ["b"]],
    ["tools", `{"s":${deep},"name":"\\u0062\\"]"}`, [], ['b"]']],
    ["tools", `{"name":"a","s":${deep}},{"name":"b"},{"s":${deep}}`, [{ name: "b" }], ["a", ""]],
    ["tools", `{"s":${nest(4)}},{"s":${nest(5)}}`, [{ s: [[[[]]]] }], [""]],
    ["tools", `{"id":1,"name":"a","id":2,"s":${deep}},${deep}`, [], ["", ""]],
    ["prompts", `{"name":"a","s":${deep}},{"name":"b"}`, [{ name: "b" }], ["a"]],
    ["resources", `{"uri":"x://a","s":${deep}},{"uri":"x://b"}`, [{ uri: "x://b" }], ["x://a"]],
    ["resourceTemplates", `{"uriTemplate":"x://{a}","s":${deep}}`, [], ["x://{a}"]],
    ["skills", `{"uri":"x://a","name":"a","s":${deep}}`, [], ["a"]],
  ])("%# a list of %s is read without them: %s", (member, items, kept, names) => {
    for (const rest of ["", '"_meta":{"tools":[[1]]},']) {
      const { value, problems } = read(listOf(member, items, rest), { maxDepth: 8 });
      expect(value).toMatchObject({ id: 1, result: { [member]: kept } });
      expect(problems).toEqual(
        names.map((name) => ({
          kind: "depth",
          message: `The item ${JSON.stringify(name)} is left out of the list; more than 8 levels of nesting`,
        })),
      );
    }
  });

  test("the names of ten items are reported, and the number of the others", () => {
    const items = Array.from({ length: 25 }, () => `{"name":"x","s":${deep}}`).join(",");
    const { problems } = read(listOf("tools", items), { maxDepth: 8 });
    expect(problems).toHaveLength(11);
    expect(problems.at(-1)?.message).toContain("15 more items");
    const ten = items.split("},").slice(0, 10).join("},");
    expect(read(listOf("tools", `${ten}}`), { maxDepth: 8 }).problems).toHaveLength(10);
  });

  test.each([
    ["content", listOf("content", `{"type":"text","s":${deep}}`)],
    ["params", `{"id":1,"method":"m","params":{"tools":[{"s":${deep}}]}}`],
    ["an object of tools", `{"id":1,"result":{"tools":{"a":{"s":${deep}}}}}`],
    ["lists without names", `[[[{"s":${deep}}]]]`],
    ["metadata", listOf("tools", `{"name":"a"}`, `"_meta":{"s":${nest(8)}},`)],
    ["two ids", `{"id":1,"result":{"tools":[{"s":${deep}}]},"id":2}`],
    ["a second list", listOf("tools", `{"s":${deep}}`, `"prompts":[{"s":${deep}}],`)],
  ])("a message is not read if something else is too deep, or its id is not clear: %s", (_, text) => {
    const { value, problems } = read(text, { maxDepth: 8 });
    expect(value).toBeUndefined();
    expect(problems.at(-1)?.kind).toMatch(/depth|repeated/);
  });

  test("an item that is too deep is not left out of a message with too many values", () => {
    const { problems } = read(listOf("tools", `{"n":[${"1,".repeat(20)}1],"s":${deep}}`), {
      maxDepth: 8,
      maxValues: 20,
    });
    expect(problems).toMatchObject([{ kind: "values" }]);
  });

  test("a list of items that are too deep ends before the next byte", () => {
    const open = `{"id":1,"result":{"tools":[{"s":${deep}}`;
    expect(read(open, { maxDepth: 8 }, "]").problems).toMatchObject([{ kind: "depth", value: undefined }]);
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
      "a notification",
      { jsonrpc: "2.0", method: "m", params: { a: 1 } } as const,
      '{"jsonrpc":"2.0","method":"m","params":{"a":1}}',
    ],
    [
      "a notification without params",
      { jsonrpc: "2.0", method: 'm"\n', params: undefined } as const,
      '{"jsonrpc":"2.0","method":"m\\"\\n"}',
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

  test("the encoding by the encoder of a server does not depend on the messages before", () => {
    const encodeNext = createEncoder();
    const messages = [
      { jsonrpc: "2.0", method: "a" },
      { jsonrpc: "2.0", method: "a", params: {} },
      { jsonrpc: "2.0", method: "a" },
      { jsonrpc: "2.0", id: 1, method: "a" },
      { jsonrpc: "2.0", method: "b" },
      { jsonrpc: "2.0", method: "b", params: undefined },
      [{ jsonrpc: "2.0", method: "b" }],
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", method: "b" },
      { jsonrpc: "2.0", method: "a" },
    ] as const;
    expect(messages.map((message) => encodeNext(message))).toEqual(messages.map((message) => encode(message)));
  });

  test("the encoding of other values throws", () => {
    expect(() => encode({ jsonrpc: "2.0", id: 1, result: [] })).toThrow(TypeError);
    expect(() => encode({ jsonrpc: "2.0", id: 1, result: { big: 1n } })).toThrow(TypeError);
  });
});

describe("numbers that a double does not hold", () => {
  const exact = { exactNumbers: true };
  const inexact = [
    ...["9007199254740993", "-9007199254740993", "18446744073709551615"],
    ...["1e400", "1E400", "1E+400", `1${"0".repeat(400)}1`],
  ];
  const held = [
    "9007199254740992",
    "1152921504606846976",
    "1e300",
    "0.12345678901234567890",
    '"9007199254740993"',
    "1E+22",
    "1e-300",
    String(BigInt(Number.MAX_VALUE)),
  ];

  test.each(inexact)("%s is rejected where it would be passed on, and rounded elsewhere", (number) => {
    for (const text of [`{"id":1,"params":{"n":${number}}}`, `{"id":1,"params":{"a":"x\\"",  "n":[0, ${number} ]}}`]) {
      const message = expect.stringContaining("send it as a string");
      expect(read(text, exact).problem).toMatchObject({ kind: "numbers", message, value: { id: 1, params: {} } });
      expect(read(text).problem).toBeUndefined();
    }
  });

  test.each(held)("%s is read", (number) => {
    const text = `{"id":1,"params":{"1234567890123456":"${"7".repeat(100)}","n":${number}}}`;
    expect(read(text, exact)).toMatchObject({ value: JSON.parse(text), problems: [] });
  });

  test("short numbers are read", () => {
    expect(read('{"id":1,"params":{"n":[0,-1.5,1e21]}}', exact).problems).toEqual([]);
  });

  test("a number ends before the next byte", () => {
    expect(read("9007199254740992", exact, "1")).toEqual({ value: 2 ** 53, problems: [] });
  });

  test("a list of definitions is read, and the number is reported", () => {
    const text = '{"id":1,"result":{"tools":[{"name":"a","maximum":18446744073709551615}]}}';
    const { value, problems } = read(text, exact);
    expect(value).toEqual(JSON.parse(text));
    expect(problems).toEqual([{ kind: "numbers", message: expect.stringContaining("rounded") }]);
  });
});
