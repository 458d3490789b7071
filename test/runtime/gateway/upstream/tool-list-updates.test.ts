import { afterEach, expect, test, vi } from "vitest";
import { ToolListUpdates } from "../../../../runtime/gateway/upstream/tool-list-updates.ts";
import { RetryDelay } from "../../../../runtime/gateway/upstream/retry-delay.ts";
import type { OnError } from "../../../../runtime/jsonrpc/error-report.ts";
import { PeerError, RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { newest } from "../../../kit/revisions.ts";
import { openScripted, type Received } from "./scripted-server.ts";

/* Requests that a gateway repeats on its own behalf. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

const server = { revision: newest, capabilities: { tools: { listChanged: true } }, ends };

test("a gateway reads the list of tools once at a time, however often it changes", async () => {
  const held: Received[] = [];
  let isOpen = false;
  const { received } = await openScripted(server, (message) => {
    if (message.method !== "tools/list") return undefined;
    if (!isOpen) return { tools: [] };
    held.push(message);
    return undefined;
  });
  isOpen = true;
  const [connection] = received("notifications/initialized");
  for (let count = 0; count < 50; count += 1) connection?.notify("notifications/tools/list_changed", {});
  await expect.poll(() => held).toHaveLength(1);
  for (let count = 0; count < 50; count += 1) connection?.notify("notifications/tools/list_changed", {});
  held[0]?.respond({ tools: [] });
  await expect.poll(() => held).toHaveLength(2);
  held[1]?.respond({ tools: [] });
  connection?.notify("notifications/tools/list_changed", {});
  await expect.poll(() => held).toHaveLength(3);
  expect(received("tools/list")).toHaveLength(4);
});

test("a gateway whose `onError` throws reads the list of tools again all the same", async () => {
  let attempts = 0;
  const onError = (): never => {
    throw new Error("the log is closed");
  };
  const { received } = await openScripted({ ...server, onError }, ({ method }) => {
    if (method !== "tools/list") return undefined;
    attempts += 1;
    if (attempts < 2) throw new RpcError(-32603, "The database is starting");
    return { tools: [] };
  });
  await expect.poll(() => received("tools/list").length).toBe(2);
});

test("a list of tools that could not be read is read again, and the failure is reported once", async () => {
  let attempts = 0;
  const { errors, received } = await openScripted(server, ({ method }) => {
    if (method !== "tools/list") return undefined;
    attempts += 1;
    if (attempts < 3) throw new RpcError(-32603, `The database is starting (${attempts})`);
    return { tools: [] };
  });
  await expect.poll(() => received("tools/list").length).toBe(3);
  expect(errors).toEqual([expect.stringContaining("The database is starting (1)")]);
});

/** Reads a list of tools, each time with the next outcome, and then without a failure. */
function update(...outcomes: readonly (Error | undefined)[]) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const errors: string[] = [];
  const ended = new AbortController();
  let reads = 0;
  let duringRead = (): void => {};
  const tools = {
    async read() {
      const outcome = outcomes[reads];
      reads += 1;
      duringRead();
      if (outcome) throw outcome;
    },
  };
  const onError: OnError = ({ kind, error }) => void errors.push(`${kind}: ${error.message}`);
  const updates = new ToolListUpdates(Object.create(tools), { onError, signal: ended.signal });
  return { updates, errors, ended, reads: () => reads, during: (run: () => void) => void (duringRead = run) };
}

const failed = new PeerError({ code: -32603, message: "The database is starting" });
const missing = new PeerError({ code: -32601, message: "Method not found" });

test.each<readonly [string, readonly Error[], number]>([
  ["does not have the method", [missing], 1],
  ["fails once", [failed], 2],
  ["fails, and then does not have the method", [failed, missing], 2],
])("the list of tools of a server that %s is read until that has no prospect", async (_what, outcomes, expected) => {
  const { updates, reads, errors } = update(...outcomes);
  updates.start();
  await updates.firstAttempt;
  expect([reads(), errors]).toEqual([1, [`protocol: ${outcomes[0]?.message}`]]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([reads(), errors.length]).toEqual([expected, 1]);
});

test("a list that changes before it is read again is read at once, and once", async () => {
  const { updates, reads } = update(failed);
  updates.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(reads()).toBe(1);
  updates.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads()).toBe(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(2);
});

test("a list that changes while it cannot be read is read again at once", async () => {
  const { updates, reads, during } = update(failed);
  during(() => reads() === 1 && updates.start());
  updates.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads()).toBe(2);
});

test("a list is not read again after the end of the gateway, and its failure is not reported", async () => {
  const { updates, reads, errors, ended, during } = update(failed, failed);
  updates.start();
  await vi.advanceTimersByTimeAsync(100);
  during(() => ended.abort());
  await vi.advanceTimersByTimeAsync(60_000);
  expect([reads(), errors.length]).toEqual([2, 1]);
  updates.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reads()).toBe(2);
});

test("the end of the gateway ends the wait before another attempt", async () => {
  const { updates, reads, ended } = update(failed);
  updates.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(vi.getTimerCount()).toBe(1);
  ended.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect([reads(), vi.getTimerCount()]).toEqual([1, 0]);
});

test("updates that begin after the end of the gateway do not read the list", async () => {
  const { updates, reads, ended } = update();
  ended.abort();
  updates.start();
  await updates.firstAttempt;
  expect(reads()).toBe(0);
});

test("delays between attempts go on growing unless what was opened has lasted", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const delay = new RetryDelay();
  const reopenAfter = (lasted: number): number => {
    delay.opened();
    vi.advanceTimersByTime(lasted);
    delay.lost();
    return delay.next();
  };
  expect([100, 100, 100].map(reopenAfter)).toEqual([500, 1_000, 2_000]);
  expect(delay.next()).toBe(4_000);
  expect([10_000, 100].map(reopenAfter)).toEqual([500, 1_000]);
});
