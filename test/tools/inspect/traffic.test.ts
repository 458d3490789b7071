import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { TrafficEntry } from "../../../runtime/gateway/index.ts";
import {
  countHidden,
  filterTraffic,
  findCounterpart,
  findPartner,
  firstFilter,
} from "../../../tools/inspect/page/messages/traffic.ts";
import { TrafficLog } from "../../../tools/inspect/traffic-log.ts";

/** Adds messages to a log: side, direction, and the message. */
function fill(
  log: TrafficLog,
  ...lines: readonly (readonly ["client" | "server", "to-server" | "to-client", object])[]
): void {
  for (const [at, [side, direction, message]] of lines.entries())
    log.add({ ...base, sequence: at + 1, side, connection: `${side}-1`, direction, message });
}

const base: Omit<TrafficEntry, "side" | "connection" | "direction" | "message"> = {
  sequence: 1,
  time: 0,
  protocol: "2025-11-25",
};

describe("the log of messages", () => {
  test("the log keeps as many messages as it may, and drops the oldest first", () => {
    const log = new TrafficLog({ maxEntries: 10 });
    for (let at = 1; at <= 2_500; at += 1)
      log.add({
        ...base,
        sequence: at,
        side: "client",
        connection: "client-1",
        direction: "to-server",
        message: { jsonrpc: "2.0", id: at, method: "ping" },
      });
    expect(log.entries.map(({ sequence }) => sequence)).toEqual([...Array(10).keys()].map((at) => at + 2_491));
  });

  test("the log keeps no more characters than it may, but always the last message", () => {
    const log = new TrafficLog({ maxLength: 1_000 });
    const add = (sequence: number, length: number): void => {
      const message = { text: "x".repeat(length) };
      log.add({ ...base, sequence, side: "client", connection: "client-1", direction: "to-server", message });
    };
    for (let at = 1; at <= 10; at += 1) add(at, 400);
    expect(log.entries.map(({ sequence }) => sequence)).toEqual([9, 10]);
    add(11, 5_000);
    expect(log.entries.map(({ sequence }) => sequence)).toEqual([11]);
  });

  test("the log keeps no memory of messages that it has dropped", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const readHeap = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const log = new TrafficLog({ maxLength: 1024 * 1024 });
    const before = readHeap();
    for (let id = 1; id <= 200; id += 1)
      fill(log, ["client", "to-server", { id, method: "tools/call", params: { text: "x".repeat(256 * 1024) } }]);
    expect(readHeap() - before).toBeLessThan(8 * 1024 * 1024);
    expect(log.entries).toHaveLength(3);
  });

  test("the log keeps only the beginning of a huge message", () => {
    const log = new TrafficLog();
    fill(log, ["client", "to-client", { id: 1, result: "x".repeat(5 * 1024 * 1024) }]);
    expect(log.entries[0]?.json.length).toBe(4 * 1024 * 1024);
    expect(log.entries[0]?.length).toBeGreaterThan(5 * 1024 * 1024);
  });

  test("the log relates responses to requests of the other direction with the same id", () => {
    const log = new TrafficLog();
    fill(
      log,
      ["client", "to-server", { id: 1, method: "tools/call", params: { name: "a" } }],
      ["client", "to-client", { id: 1, method: "roots/list" }],
      ["client", "to-server", { id: 1, result: { roots: [] } }],
      ["client", "to-client", { id: 1, result: { content: [], isError: true } }],
      ["client", "to-client", { id: 7, error: { code: -32_600, message: "no" } }],
      ["client", "to-client", { method: "notifications/message" }],
    );
    expect(
      log.entries.map(({ kind, method, subject, request, isFailure }) => [kind, method, subject, request, isFailure]),
    ).toEqual([
      ["request", "tools/call", "a", undefined, undefined],
      ["request", "roots/list", undefined, undefined, undefined],
      ["result", "roots/list", undefined, 2, undefined],
      ["result", "tools/call", "a", 1, true],
      ["error", undefined, undefined, undefined, undefined],
      ["notification", "notifications/message", undefined, undefined, undefined],
    ]);
  });

  test("the log takes values that are no messages", () => {
    const log = new TrafficLog();
    for (const message of ["no JSON", null, 5, [], undefined])
      log.add({ ...base, side: "server", connection: "server-1", direction: "to-client", message });
    expect(log.entries.map(({ kind, json }) => [kind, json])).toEqual([
      ["other", "no JSON"],
      ["other", "null"],
      ["other", "5"],
      ["other", "[]"],
      ["other", "undefined"],
    ]);
  });
});

test("a message is found on the other side of the gateway", () => {
  const log = new TrafficLog();
  fill(
    log,
    ["client", "to-server", { id: 1, method: "tools/call", params: { name: "a" } }],
    ["client", "to-server", { id: 2, method: "tools/call", params: { name: "b" } }],
    ["server", "to-server", { id: 8, method: "tools/call", params: { name: "a" } }],
    ["server", "to-server", { id: 9, method: "tools/call", params: { name: "b" } }],
    ["server", "to-client", { id: 1, method: "sampling/createMessage" }],
    ["client", "to-client", { id: 1, method: "sampling/createMessage" }],
    ["server", "to-client", { id: 9, result: {} }],
    ["client", "to-client", { id: 2, result: {} }],
    ["client", "to-server", { id: 3, method: "ping" }],
  );
  const { entries } = log;
  const at = (sequence: number) => entries[sequence - 1] ?? expect.fail();
  const others = entries.map((entry) => findCounterpart(entries, entry)?.sequence);
  expect(others).toEqual([3, 4, 1, 2, 6, 5, 8, 7, undefined]);
  expect(findPartner(entries, at(2))?.sequence).toBe(8);
  expect(findPartner(entries, at(8))?.sequence).toBe(2);
  expect(findPartner(entries, at(1))).toBeUndefined();
});

test("messages of equal calls at the same time are found on the other side of the gateway", () => {
  const log = new TrafficLog();
  const add = (connection: string, direction: TrafficEntry["direction"], message: object): void => {
    const side = connection.startsWith("client") ? "client" : "server";
    log.add({ ...base, sequence: log.entries.length + 1, side, connection, direction, message });
  };
  const call = { method: "tools/call", params: { name: "a" } };
  add("client-2", "to-server", { id: 1, ...call });
  add("client-1", "to-server", { id: 1, ...call });
  add("server-1", "to-server", { id: 5, ...call });
  add("server-2", "to-server", { id: 5, ...call });
  add("server-1", "to-client", { id: 5, result: {} });
  add("client-1", "to-client", { id: 1, result: {} });
  add("server-2", "to-client", { id: 5, result: {} });
  add("client-2", "to-client", { id: 1, result: {} });
  // The gateway responds to a third one by itself.
  add("client-1", "to-server", { id: 2, ...call });
  add("client-1", "to-client", { id: 2, result: {} });
  const { entries } = log;
  const others = entries.map((entry) => findCounterpart(entries, entry)?.sequence);
  expect(others).toEqual([4, 3, 2, 1, 6, 5, 8, 7, undefined, undefined]);
});

test("the result of a call that was sent twice belongs to the second one", () => {
  const log = new TrafficLog();
  const call = { method: "tools/call", params: { name: "a" } };
  fill(
    log,
    ["client", "to-server", { id: 1, ...call }],
    ["server", "to-server", { id: 5, ...call }],
    ["server", "to-client", { id: 5, result: { resultType: "input_required" } }],
    ["server", "to-server", { id: 6, ...call }],
    ["server", "to-client", { id: 6, result: { resultType: "complete" } }],
    ["client", "to-client", { id: 1, result: {} }],
  );
  const { entries } = log;
  const others = entries.map((entry) => findCounterpart(entries, entry)?.sequence);
  expect(others).toEqual([2, 1, 6, 1, 6, 5]);
});

test("the timeline starts with the messages of the client's side, and counts those with a problem on the other side", () => {
  const log = new TrafficLog();
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "greet" } };
  const losses = [{ path: "title", reason: "is unknown" }];
  log.add({ ...base, sequence: 1, side: "client", connection: "client-1", direction: "to-server", message: call });
  log.add({ ...base, sequence: 2, side: "server", connection: "server-1", direction: "to-server", message: call });
  expect(filterTraffic(log.entries, firstFilter).map(({ side }) => side)).toEqual(["client"]);
  expect(countHidden(log.entries, firstFilter)).toBe(0);
  log.add({
    ...base,
    sequence: 3,
    side: "server",
    connection: "server-1",
    direction: "to-server",
    message: call,
    losses,
  });
  expect(countHidden(log.entries, firstFilter)).toBe(1);
  expect(countHidden(log.entries, { ...firstFilter, side: "" })).toBe(0);
});
