import { expect, test } from "vitest";
import { defaultLimits } from "../../../runtime/jsonrpc/limits.ts";
import { hasLogRoom } from "../../../runtime/jsonrpc/log-buffer.ts";

test.each([
  { data: "" },
  { data: "text" },
  { data: '"\\\n\u0000' },
  { data: "\u{1f600}" },
  { data: "\ud800" },
  { data: ["text"] },
  { data: 5 },
  { data: { length: 5_000 } },
])("a log message that fits exactly is sent, and a longer one is not: $data", ({ data }) => {
  const message = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } } as const;
  const { length } = JSON.stringify(message);
  const hasRoom = (buffered: number): boolean => hasLogRoom(message, { buffered, maxBuffered: 2_000 }, defaultLimits);
  expect([hasRoom(1_000 - length), hasRoom(1_001 - length)]).toEqual([true, false]);
});

test.each([
  ["half of what may wait before the connection is ended", { buffered: 0, maxBuffered: 2_000 }, 1_000],
  ["half of the limit where the channel has none", { buffered: 0 }, 2_000],
  ["8 MiB, if that is less", { buffered: 0, maxBuffered: Infinity }, 8 * 1024 * 1024],
  ["all of it where the channel does not know what waits", { maxBuffered: 2_000 }, 1_000],
])("log messages have room for %s", (_, channel, room) => {
  const logOf = (length: number): { jsonrpc: "2.0"; method: string; params: object } => {
    const rest = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: [""] } }).length;
    return { jsonrpc: "2.0", method: "notifications/message", params: { data: ["x".repeat(length - rest)] } };
  };
  const limits = { ...defaultLimits, maxBufferedBytes: 4_000 };
  expect(hasLogRoom(logOf(room), channel, limits)).toBe(true);
  expect(hasLogRoom(logOf(room + 1), channel, limits)).toBe(false);
});

test.each([
  { jsonrpc: "2.0", method: "notifications/progress", params: {} } as const,
  { jsonrpc: "2.0", id: 1, result: {} } as const,
  [{ jsonrpc: "2.0", method: "notifications/message", params: {} } as const],
])("every other message has room, however much waits: %j", (message) => {
  expect(hasLogRoom(message, { buffered: 2_000, maxBuffered: 2_000 }, defaultLimits)).toBe(true);
});

test("a log message without params has room", () => {
  expect(hasLogRoom({ jsonrpc: "2.0", method: "notifications/message" }, {}, defaultLimits)).toBe(true);
});
