import { expect, test } from "vitest";
import { ConnectionLimit } from "../../../runtime/gateway/upstream/connection-limit.ts";

const { signal } = new AbortController();

test("sessions leave a quarter of the connections to calls, and are rejected beyond that", async () => {
  const limit = new ConnectionLimit(4);
  const leave = await limit.enterSession(signal, undefined);
  await limit.enterSession(signal, undefined);
  expect([limit.takesSessions(undefined), limit.shareOfCalls]).toEqual([true, 2]);
  await limit.enterSession(signal, undefined);
  expect([limit.takesSessions(undefined), limit.shareOfCalls]).toEqual([false, 1]);
  await expect(limit.enterSession(signal, undefined)).rejects.toMatchObject({ code: 429, data: { retryAfter: 30 } });
  await limit.enterCall(signal, undefined);
  expect(() => limit.enterBeside(undefined)).toThrow("Too many connections to the server");
  leave();
  expect([limit.takesSessions(undefined), limit.shareOfCalls]).toEqual([true, 2]);
});

test("a call waits for a connection, and is rejected when none is released in time", async () => {
  let full = 0;
  const limit = new ConnectionLimit(2, { timeout: 50, onFull: () => void (full += 1) });
  const leave = await limit.enterCall(signal, undefined);
  await limit.enterCall(signal, undefined);
  expect(full).toBe(0);
  const waiting = limit.enterCall(signal, undefined);
  leave();
  await waiting;
  await expect(limit.enterCall(signal, undefined)).rejects.toMatchObject({ code: 429 });
  expect(full).toBe(2);
});

test("a caller that disconnects while it waits takes no connection", async () => {
  const limit = new ConnectionLimit(2);
  const leave = await limit.enterCall(signal, undefined);
  await limit.enterCall(signal, undefined);
  const gone = new AbortController();
  const waiting = limit.enterCall(gone.signal, undefined);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  leave();
  await limit.enterCall(signal, undefined);
});

test("a session that is given up while it waits leaves its place to others", async () => {
  const limit = new ConnectionLimit(2);
  await limit.enterCall(signal, undefined);
  await limit.enterCall(signal, undefined);
  const gone = new AbortController();
  const waiting = limit.enterSession(gone.signal, undefined);
  expect([limit.takesSessions(undefined), limit.shareOfCalls]).toEqual([false, 1]);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  expect([limit.takesSessions(undefined), limit.shareOfCalls]).toEqual([true, 2]);
  await expect(limit.enterSession(gone.signal, undefined)).rejects.toThrow("gone");
  expect([limit.takesSessions(undefined), limit.held(undefined)]).toEqual([true, 2]);
});

test("a principal leaves connections to others: its further calls wait, and theirs do not", async () => {
  const full: unknown[] = [];
  const limit = new ConnectionLimit(8, { onFull: (principal) => void full.push(principal) });
  const leaves = await Promise.all([1, 2, 3, 4].map(() => limit.enterCall(signal, "alice")));
  const waiting = limit.enterCall(signal, "alice");
  await limit.enterCall(signal, "bob");
  await limit.enterCall(signal, "bob");
  expect([full, limit.held("alice"), limit.held("bob")]).toEqual([["alice"], 4, 2]);
  leaves[0]?.();
  leaves[1]?.();
  await waiting;
  expect(limit.held("alice")).toBe(3);
});

test("a principal leaves sessions to others", async () => {
  const limit = new ConnectionLimit(8);
  for (let count = 0; count < 3; count += 1) await limit.enterSession(signal, "alice");
  expect([limit.takesSessions("alice"), limit.takesSessions("bob")]).toEqual([false, true]);
  await expect(limit.enterSession(signal, "alice")).rejects.toMatchObject({ code: 429 });
  await limit.enterSession(signal, "bob");
});
