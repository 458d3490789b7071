import { afterEach, expect, test, vi } from "vitest";
import { RetryDelay } from "../../../../runtime/gateway/upstream/retry-delay.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
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
