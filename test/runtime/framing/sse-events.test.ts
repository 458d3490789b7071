import { describe, expect, it } from "vitest";
import {
  EventDecoder,
  encodeEvent,
  isEventId,
  keepAliveComment,
  type ServerEvent,
} from "../../../runtime/framing/sse-events.ts";

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
    ["no delay that begins with a number", "retry: 5s\ndata: 1\n\n", [message("1")]],
    ["no delay that ends with a number", "retry: -5\ndata: 1\n\n", [message("1")]],
    ["no delay of more than 15 digits", "retry: 1234567890123456\ndata: 1\n\n", [message("1")]],
    ["a delay of 15 digits", "retry: 123456789012345\ndata: 1\n\n", [message("1", { retry: 123456789012345 })]],
    ["nothing of an event that breaks off", "data: 1\n\ndata: 2\n", [message("1")]],
  ])("the event decoder reads %s", (_, text, events) => {
    expect(decode([text])).toEqual(events);
  });

  it("the event decoder reads the same events in any chunks", () => {
    const bytes = new TextEncoder().encode('id: é\r\nretry: 5\r\ndata: {"a":"ü😀"}\r\n\r\n:\r\rdata: 2\n\n');
    const whole = decode([bytes]);
    expect(whole).toHaveLength(2);
    for (let first = 0; first <= bytes.length; first += 1) {
      // In two chunks, or in three of which the second has up to four bytes.
      for (let second = first; second <= Math.min(first + 4, bytes.length); second += 1) {
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

  it.each([
    ["data: 12345\n\n", [message("12345")]],
    ["data: 123456\n\ndata: 1\n\n", ["size", message("1")]],
    ["data: 123456", ["size"]],
    ["data: 123456\ndata: 123456\n\ndata: 1\n\n", ["size", message("1")]],
    ["data: 1\ndata: 2\n\n", [message("1\n2")]],
    ["data: 1\ndata: 2\ndata: 345\n\ndata: 1\n\n", ["size", message("1")]],
    ["id: 7\ndata: 123456\nid: 8\n\ndata: 1\n\n", ["size", message("1", { id: "7" })]],
  ])("the event decoder counts what it has and the line that arrives: %j", (text, events) => {
    expect(decode([text], 11)).toEqual(events);
    expect(decode([...text], 11)).toEqual(events);
  });

  it("the problem of an event over the limit names the limit", () => {
    const problems: unknown[] = [];
    const sink = { event: () => {}, problem: (problem: unknown) => void problems.push(problem) };
    new EventDecoder({ maxMessageBytes: 5 }, sink).push(new TextEncoder().encode("data: 1\n\n"));
    expect(problems).toEqual([{ kind: "size", message: "The event is longer than 5 bytes" }]);
  });

  it("the event decoder reads nothing in the comment that keeps a stream open", () => {
    expect(keepAliveComment).toBe(":\n\n");
    expect(decode([keepAliveComment, "data: 1\n\n"])).toEqual([message("1")]);
  });
});

describe("an encoded event", () => {
  it.each([
    [{ data: "{}" }, "data: {}\n\n"],
    [{ type: "message", id: "a-1", data: "{}" }, "event: message\nid: a-1\ndata: {}\n\n"],
    [{ id: "a-0", retry: 500, data: "" }, "id: a-0\nretry: 500\ndata: \n\n"],
    [{ data: "1\r\n2\n3" }, "data: 1\ndata: 2\ndata: 3\n\n"],
    [{ data: "1\r2" }, "data: 1\ndata: 2\n\n"],
    [{ data: "1\n2" }, "data: 1\ndata: 2\n\n"],
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
