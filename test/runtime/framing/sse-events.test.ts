import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { EventDecoder, encodeEvent, isEventId, type ServerEvent } from "../../../runtime/framing/sse-events.ts";

function decode(chunks: readonly (string | Uint8Array)[], maxMessageBytes = 1_000): readonly unknown[] {
  const seen: unknown[] = [];
  const decoder = new EventDecoder(
    { maxMessageBytes },
    { event: (event) => void seen.push(event), problem: ({ kind }) => void seen.push(kind) },
  );
  for (const chunk of chunks) decoder.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  return seen;
}

const message = (data: string, more: Partial<ServerEvent> = {}): ServerEvent => ({
  type: "message",
  data,
  id: undefined,
  retry: undefined,
  ...more,
});

describe("the event decoder reads", () => {
  it.each([
    ["a message", "data: {}\n\n", [message("{}")]],
    ["a value without the space", "data:{}\n\n", [message("{}")]],
    ["CR LF", "data: 1\r\n\r\n", [message("1")]],
    ["CR alone", "data: 1\r\rdata: 2\r\r", [message("1"), message("2")]],
    ["a byte order mark", "\uFEFFdata: 1\n\n", [message("1")]],
    ["several data lines", "data: 1\ndata: 2\n\n", [message("1\n2")]],
    ["an event of another type", "event: endpoint\ndata: /m\n\n", [message("/m", { type: "endpoint" })]],
    ["nothing in comments", ": hello\n\n:\n\ndata: 1\n\n", [message("1")]],
    ["nothing in unknown fields", "colour: red\ndata: 1\n\n", [message("1")]],
    [
      "an id that holds for what follows",
      "id: 7\ndata: 1\n\ndata: 2\n\n",
      [message("1", { id: "7" }), message("2", { id: "7" })],
    ],
    [
      "an event that only carries id and delay (T-40)",
      "id: 1\nretry: 500\ndata:\n\n",
      [message("", { id: "1", retry: 500 })],
    ],
    [
      "an empty id that clears the cursor",
      "id: 7\ndata: 1\n\nid\ndata: 2\n\n",
      [message("1", { id: "7" }), message("2", { id: "" })],
    ],
    ["no id with NUL", "id: a\0b\ndata: 1\n\n", [message("1")]],
    ["no delay that is not a number", "retry: soon\ndata: 1\n\n", [message("1")]],
    ["nothing of an event that breaks off", "data: 1\n\ndata: 2\n", [message("1")]],
  ])("the event decoder reads %s", (_, text, events) => {
    expect(decode([text])).toEqual(events);
  });

  it("the event decoder reads the same events in any chunks", () => {
    const bytes = new TextEncoder().encode('id: é\r\nretry: 5\r\ndata: {"a":"ü😀"}\r\n\r\n:\r\rdata: 2\n\n');
    const whole = decode([bytes]);
    expect(whole).toHaveLength(2);
    for (let first = 0; first <= bytes.length; first += 1) {
      for (let second = first; second <= bytes.length; second += 1) {
        const parts = [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)];
        expect(decode(parts)).toEqual(whole);
      }
    }
  });

  it("the event decoder skips an event over the limit, which it reports once (R50)", () => {
    const long = "x".repeat(60);
    const text = `data: ${long}\ndata: ${long}\n\nid: 9\ndata: ok\n\n`;
    expect(decode([text], 100)).toEqual(["size", message("ok", { id: "9" })]);
    expect(decode([...text], 100)).toEqual(["size", message("ok", { id: "9" })]);
  });

  it("the event decoder reads a long event in many pieces in linear time", () => {
    const piece = new Uint8Array(1_024).fill(0x61);
    const start = performance.now();
    const events = decode(["data: ", ...Array.from({ length: 8 * 1_024 }, () => piece), "\n\n"], 16 * 1024 * 1024);
    expect(events).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(8_000);
  });
});

describe("the memory of an event (R50)", () => {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  const heap = (): number => {
    if (typeof collect === "function") collect();
    return process.memoryUsage().heapUsed;
  };

  it.each([
    ["however small its pieces are", "data: ", 1_000_000, (): Uint8Array => one],
    ["however many lines it has", "data: ", 1_200_000, (): Uint8Array => line],
    ["however much its lines are cut out of", "data: x\n", 1_000, (): Uint8Array => aside],
  ])("an event takes the memory of its text: %s", (_, begin, count, piece) => {
    const events: ServerEvent[] = [];
    const problems: unknown[] = [];
    const limits = { maxMessageBytes: 16 * 1024 * 1024 };
    const decoder = new EventDecoder(limits, {
      event: (event) => void events.push(event),
      problem: (problem) => void problems.push(problem),
    });
    decoder.push(new TextEncoder().encode(begin));
    const before = heap();
    for (let index = 0; index < count; index += 1) decoder.push(piece());
    expect(heap() - before).toBeLessThan(25_000_000);
    decoder.push(new TextEncoder().encode("\n\n"));
    expect([events.length, problems]).toEqual([1, []]);
    expect(events[0]?.data.length).toBeGreaterThanOrEqual(count);
  });

  const one = Uint8Array.of(0x78);
  const line = new TextEncoder().encode("\ndata:");
  const aside = new TextEncoder().encode(`data: ${"x".repeat(20)}\n:${"c".repeat(64 * 1024)}\n`);
});

describe("an encoded event", () => {
  it.each([
    [{ data: "{}" }, "data: {}\n\n"],
    [{ type: "message", id: "a-1", data: "{}" }, "event: message\nid: a-1\ndata: {}\n\n"],
    [{ id: "a-0", retry: 500, data: "" }, "id: a-0\nretry: 500\ndata: \n\n"],
    [{ data: "1\r\n2\n3" }, "data: 1\ndata: 2\ndata: 3\n\n"],
  ])("an encoded event of %o is %j", (parts, text) => {
    expect(encodeEvent(parts)).toBe(text);
  });

  it("an encoded event is decoded to itself", () => {
    const [event] = decode([encodeEvent({ type: "message", id: "s-3", data: '{"a":"\\n"}' })]);
    expect(event).toEqual(message('{"a":"\\n"}', { id: "s-3" }));
  });

  it("an encoded event never has an id that would end its line (R40)", () => {
    expect(["a-1", "a\nb", "a\rb", "a\0b"].map(isEventId)).toEqual([true, false, false, false]);
  });
});
