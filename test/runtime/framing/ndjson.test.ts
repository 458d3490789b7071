import { describe, expect, test } from "vitest";
import { LineDecoder } from "../../../runtime/framing/ndjson.ts";
import type { FramingProblem } from "../../../runtime/jsonrpc/channel.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function decoder(limits: { maxMessageBytes?: number; maxDepth?: number } = {}): {
  readonly lines: LineDecoder;
  readonly values: unknown[];
  readonly problems: FramingProblem["kind"][];
} {
  const values: unknown[] = [];
  const problems: FramingProblem["kind"][] = [];
  const sink = {
    message: (value: unknown): void => void values.push(value),
    problem: ({ kind }: FramingProblem): void => void problems.push(kind),
  };
  return {
    lines: new LineDecoder({ maxMessageBytes: 1_000, maxDepth: 64, maxValues: 1_000, ...limits }, sink),
    values,
    problems,
  };
}

describe("lines in any chunks (R23, TS-01)", () => {
  const text = '{"a":"é€😀"}\n\n{"b":"x\\ny"}\r\n\r\n[1,"ü"]\n"last"\n';
  const expected = [{ a: "é€😀" }, { b: "x\ny" }, [1, "ü"], "last"];

  test.each([1, 2, 3, 5, 7, 11, 1_000])("lines are split the same in chunks of %i bytes", (size) => {
    const { lines, values, problems } = decoder();
    const all = bytes(text);
    for (let start = 0; start < all.length; start += size) lines.push(all.subarray(start, start + size));
    expect(values).toEqual(expected);
    expect(problems).toEqual([]);
  });

  test("lines are split the same in every pair of chunks", () => {
    const all = bytes(text);
    for (let at = 0; at <= all.length; at += 1) {
      const { lines, values } = decoder();
      lines.push(all.subarray(0, at));
      lines.push(all.subarray(at));
      expect(values).toEqual(expected);
    }
  });
});

test("a chunk may be overwritten after it was pushed", () => {
  const { lines, values } = decoder();
  const chunk = bytes('{"a":');
  lines.push(chunk);
  chunk.fill(0);
  lines.push(bytes("1}\n"));
  expect(values).toEqual([{ a: 1 }]);
});

test("a last line without line break counts when the stream ends", () => {
  const { lines, values } = decoder();
  lines.push(bytes('{"a":1}'));
  expect(values).toEqual([]);
  lines.end();
  lines.end();
  expect(values).toEqual([{ a: 1 }]);
});

test("one byte order mark before a message is dropped (R2)", () => {
  const { lines, values } = decoder();
  lines.push(bytes('\ufeff{"a":1}\n\ufeff\n'));
  expect(values).toEqual([{ a: 1 }]);
});

test("a second byte order mark is no JSON (R2)", () => {
  const { lines, values, problems } = decoder();
  lines.push(bytes('\ufeff\ufeff{"a":1}\n2\n'));
  expect([values, problems]).toEqual([[2], ["syntax"]]);
});

test("members that appear twice are found in each of several lines, whatever their characters (R8)", () => {
  const { lines, values, problems } = decoder();
  const twice = '{"id":1,"id":2}';
  lines.push(bytes(`{"a":"é€😀"}\n${twice}\n"ü"\n${twice}\n{"id":"é","id":2}\n{"id":1}\n`));
  expect([values, problems]).toEqual([
    [{ a: "é€😀" }, "ü", { id: 1 }],
    ["repeated", "repeated", "repeated"],
  ]);
});

test("problems of lines have texts that may be shown", () => {
  const problems: FramingProblem[] = [];
  const limits = { maxMessageBytes: 10, maxDepth: 64, maxValues: 1_000 };
  const lines = new LineDecoder(limits, { message: () => {}, problem: (problem) => void problems.push(problem) });
  lines.push(Uint8Array.of(0xff, 0x0a));
  lines.push(bytes('{"id":1234567}\n'));
  expect(problems).toEqual([
    { kind: "encoding", message: "The message is not valid UTF-8" },
    { kind: "size", message: "The message is longer than 10 bytes", value: { id: 1_234_567 } },
  ]);
});

test("bytes that are not UTF-8 affect only their line (R2)", () => {
  const { lines, values, problems } = decoder();
  const broken = bytes('{"a":"?"}\n').map((byte) => (byte === 0x3f ? 0xff : byte));
  lines.push(new Uint8Array([...bytes("1\n"), ...broken, ...bytes("2\n")]));
  expect([values, problems]).toEqual([[1, 2], ["encoding"]]);
});

test("a text that is not JSON affects only its line", () => {
  const { lines, values, problems } = decoder();
  lines.push(bytes("1\n{oops\n2\n"));
  expect([values, problems]).toEqual([[1, 2], ["syntax"]]);
});

describe("a line over the limit (R24)", () => {
  test.each([1, 3, 8, 100])("a line over the limit is reported once and skipped, in chunks of %i bytes", (size) => {
    const { lines, values, problems } = decoder({ maxMessageBytes: 10 });
    const all = bytes(`1\n"${"x".repeat(30)}"\n"12345678"\n"123456789"\n2\n`);
    for (let start = 0; start < all.length; start += size) lines.push(all.subarray(start, start + size));
    expect(values).toEqual([1, "12345678", 2]);
    expect(problems).toEqual(["size", "size"]);
  });

  test("a line over the limit is measured in bytes, not characters", () => {
    const { lines, values, problems } = decoder({ maxMessageBytes: 10 });
    lines.push(bytes('"€€"\n"€€€"\n'));
    expect([values, problems]).toEqual([["€€"], ["size"]]);
  });

  test("a line over the limit is reported without its end", () => {
    const { lines, values, problems } = decoder({ maxMessageBytes: 10 });
    lines.push(bytes("x".repeat(30)));
    lines.end();
    expect([values, problems]).toEqual([[], ["size"]]);
  });
});
