import { expect, test } from "vitest";
import { ConnectionLimit } from "../../../runtime/gateway/upstream/connection-limit.ts";

const { signal } = new AbortController();

test("sessions leave a quarter of the connections to calls, and are rejected beyond that", async () => {
  const limit = new ConnectionLimit(4);
  const leave = await limit.enterSession(signal);
  await limit.enterSession(signal);
  expect([limit.takesSessions, limit.shareOfCalls]).toEqual([true, 2]);
  await limit.enterSession(signal);
  expect([limit.takesSessions, limit.shareOfCalls]).toEqual([false, 1]);
  await expect(limit.enterSession(signal)).rejects.toMatchObject({ code: 429, data: { retryAfter: 30 } });
  await limit.enterCall(signal);
  expect(() => limit.enterBeside()).toThrow("Too many connections to the server");
  leave();
  expect([limit.takesSessions, limit.shareOfCalls]).toEqual([true, 2]);
});

test("a call waits for a connection, and is rejected when none is released in time", async () => {
  const limit = new ConnectionLimit(2, 50);
  let full = 0;
  limit.onFull = () => void (full += 1);
  const leave = await limit.enterCall(signal);
  await limit.enterCall(signal);
  expect(full).toBe(0);
  const waiting = limit.enterCall(signal);
  leave();
  await waiting;
  await expect(limit.enterCall(signal)).rejects.toMatchObject({ code: 429 });
  expect(full).toBe(2);
});

test("a caller that disconnects while it waits takes no connection", async () => {
  const limit = new ConnectionLimit(2);
  const leave = await limit.enterCall(signal);
  await limit.enterCall(signal);
  const gone = new AbortController();
  const waiting = limit.enterCall(gone.signal);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  leave();
  await limit.enterCall(signal);
});
