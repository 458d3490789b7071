import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { FramingProblem } from "../../../runtime/jsonrpc/channel.ts";
import { decode, type Sink } from "../../../runtime/framing/json.ts";
import { LineDecoder } from "../../../runtime/framing/ndjson.ts";
import { EventDecoder, type ServerEvent } from "../../../runtime/framing/sse-events.ts";
import { expectLinear } from "../../kit/expect-linear.ts";

/* Time and memory that long inputs take. These tests need seconds, so that mutation testing leaves this file out. */

const limits = { maxDepth: 64, maxValues: 200_000, maxMessageBytes: 16 * 1024 * 1024 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Sink that lists problems and values. */
function collect(): Sink & { readonly problems: FramingProblem[]; readonly values: unknown[] } {
  const problems: FramingProblem[] = [];
  const values: unknown[] = [];
  return {
    problems,
    values,
    message: (value) => void values.push(value),
    problem: (problem) => void problems.push(problem),
  };
}

test("millions of brackets neither overflow nor are slow (R10)", () => {
  const sink = collect();
  // Squared, it would take hours: the test would not end.
  decode("[".repeat(8_000_000), limits, sink);
  decode("[".repeat(4_000_000) + "]".repeat(4_000_000), limits, sink);
  expect(sink.problems.map(({ kind }) => kind)).toEqual(["depth", "depth"]);
});

test("a list with half a megabyte of brackets is read in linear time", () => {
  const sink = collect();
  const deep = `{"name":"x","s":${"[".repeat(250_000)}${"]".repeat(250_000)}}`;
  decode(`{"id":1,"result":{"tools":[${deep},{"name":"a"}]}}`, limits, sink);
  expect(sink.values).toEqual([{ id: 1, result: { tools: [{ name: "a" }] } }]);
});

test("a message with too many values is a problem with its envelope (R10)", () => {
  const sink = collect();
  decode(`{"jsonrpc":"2.0","id":7,"method":"m","params":{"items":[${"{},".repeat(200_000)}{}]}}`, limits, sink);
  expect(sink.problems).toEqual([
    {
      kind: "values",
      message: "The message has more than 200000 values; send smaller messages",
      value: { jsonrpc: "2.0", id: 7, method: "m", params: {} },
    },
  ]);
});

test("a list of 190,000 numbers is accepted (R10)", () => {
  const sink = collect();
  decode(JSON.stringify({ items: Array.from({ length: 190_000 }, (_, index) => index) }), limits, sink);
  expect([sink.values.length, sink.problems]).toEqual([1, []]);
});

test("a large message in small chunks takes linear time and memory (R23, trap 27)", () => {
  const chunk = bytes("x".repeat(64));
  expectLinear(8 * 1024 * 16, (count) => {
    const sink = collect();
    const lines = new LineDecoder(limits, sink);
    lines.push(bytes('"'));
    for (let index = 0; index < count; index += 1) lines.push(chunk);
    lines.push(bytes('"\n'));
    expect(sink.values).toHaveLength(1);
  });
});

test("a long event in many pieces is read in linear time", () => {
  const piece = new Uint8Array(1_024).fill(0x61);
  expectLinear(8 * 1_024, (count) => {
    const events: ServerEvent[] = [];
    const decoder = new EventDecoder(limits, { event: (event) => void events.push(event), problem: () => {} });
    decoder.push(bytes("data: "));
    for (let index = 0; index < count; index += 1) decoder.push(piece);
    decoder.push(bytes("\n\n"));
    expect(events).toHaveLength(1);
  });
});

describe("the memory of an event (R50)", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: unknown = runInNewContext("gc");
  const heap = (): number => {
    if (typeof collectGarbage === "function") collectGarbage();
    return process.memoryUsage().heapUsed;
  };

  test.each([
    ["however small its pieces are", "data: ", 1_000_000, (): Uint8Array => one],
    ["however many lines it has", "data: ", 1_200_000, (): Uint8Array => line],
    ["however much its lines are cut out of", "data: x\n", 1_000, (): Uint8Array => aside],
  ])("an event takes the memory of its text: %s", (_, begin, count, piece) => {
    const events: ServerEvent[] = [];
    const problems: unknown[] = [];
    const decoder = new EventDecoder(limits, {
      event: (event) => void events.push(event),
      problem: (problem) => void problems.push(problem),
    });
    decoder.push(bytes(begin));
    const before = heap();
    for (let index = 0; index < count; index += 1) decoder.push(piece());
    expect(heap() - before).toBeLessThan(25_000_000);
    decoder.push(bytes("\n\n"));
    expect([events.length, problems]).toEqual([1, []]);
    expect(events[0]?.data.length).toBeGreaterThanOrEqual(count);
  });

  const one = Uint8Array.of(0x78);
  const line = bytes("\ndata:");
  const aside = bytes(`data: ${"x".repeat(20)}\n:${"c".repeat(64 * 1024)}\n`);
});
