import { afterEach, expect, test, vi } from "vitest";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import { ConnectionLimit } from "../../../../runtime/gateway/upstream/connection-limit.ts";
import type { Lease } from "../../../../runtime/gateway/upstream/lease.ts";
import type { Owner } from "../../../../runtime/gateway/upstream/owners.ts";
import { SharedPool } from "../../../../runtime/gateway/upstream/shared-pool.ts";
import type { Listener } from "../../../../runtime/gateway/upstream/upstream.ts";
import type { Principal } from "../../../../runtime/gateway/principal.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { complete, createScripted, type Script, unlimited } from "./scripted-server.ts";

/* Connections to a program with stateless requests, each of which serves all calls of an owner at the same time. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

const principal: Principal = { info: { name: "test", version: "1" }, capabilities: {} };
const everyone: Owner = { key: "everyone", principal: undefined, client: "a", sharesSessions: true, isOver: false };
const silent: Listener = { ask: () => Promise.reject(new Error("No client")), notify() {} };
const { signal } = new AbortController();

const lists: Script = ({ method }) => (method === "tools/list" ? { ...complete, tools: [] } : undefined);

function create({ revision = statelessRevision, most = 40 } = {}) {
  const errors: string[] = [];
  const ended = new AbortController();
  const { open, received } = createScripted({ revision, capabilities: { tools: {}, logging: {} } }, lists);
  const connections: ClientConnection[] = [];
  const limit = new ConnectionLimit(most);
  const pool = new SharedPool(
    {
      async open(given) {
        const connection = await open(given);
        connections.push(connection);
        return connection;
      },
      ...unlimited,
      onError: ({ kind, error }) => void errors.push(`${kind}: ${error.message}`),
      signal: ended.signal,
    },
    limit,
  );
  ends.push(() => pool.close());
  const take = async (owner: Partial<Owner> = {}, listener = silent): Promise<Lease> => {
    const lease = await pool.take({ principal, owner: { ...everyone, ...owner }, listener, signal });
    return lease ?? expect.unreachable("the program has no sessions");
  };
  return { pool, take, limit, errors, ended, received, connections };
}

const isClosed = ({ upstream }: Lease): boolean => upstream.connection.state === "DISCONNECTED";

test("calls of an owner share a connection at the same time, and those of another owner have their own", async () => {
  const { take, limit } = create();
  const [first, second, other] = [await take(), await take(), await take({ key: "other" })];
  expect(second.upstream).toBe(first.upstream);
  expect(other.upstream).not.toBe(first.upstream);
  expect(limit.held(undefined)).toBe(3);
  for (const lease of [first, first, second, other]) lease.release();
  expect(limit.held(undefined)).toBe(0);
  expect((await take()).upstream).toBe(first.upstream);
});

test("a program that needs sessions is not shared, and its connection is closed", async () => {
  const { pool, limit, connections } = create({ revision: newest });
  expect(pool.needsSessions).toBe(false);
  expect(await pool.take({ principal, owner: everyone, listener: silent, signal })).toBeUndefined();
  expect(pool.needsSessions).toBe(true);
  expect(limit.held(undefined)).toBe(0);
  expect(connections.map(({ state }) => state)).toEqual(["DISCONNECTED"]);
});

test.each<readonly [string, string | undefined, object]>([
  ["a level", "debug", { [meta.logLevel]: "debug" }],
  ["no level", undefined, {}],
])("a call names its client in the metadata, and %s", async (_what, level, more) => {
  const { take } = create();
  const { requestLogs } = await take();
  expect(await requestLogs(level, signal)).toEqual({
    [meta.version]: statelessRevision.id,
    [meta.clientInfo]: principal.info,
    [meta.capabilities]: {},
    ...more,
  });
});

/** Calls with their client, and whether each requests log messages. */
type Calls = readonly (readonly [name: string, client: string, level: string | undefined])[];

test.each<readonly [string, Calls, readonly string[]]>([
  [
    "the latest call that requests them",
    [
      ["1", "a", "info"],
      ["2", "a", "info"],
      ["3", "a", undefined],
    ],
    ["2"],
  ],
  [
    "the call that requests them, beside calls of others that do not",
    [
      ["1", "a", "info"],
      ["2", "b", undefined],
    ],
    ["1"],
  ],
  [
    "no call, if those of several clients request them",
    [
      ["1", "a", "info"],
      ["2", "b", "info"],
    ],
    [],
  ],
  ["no call, if none requests them", [["1", "a", undefined]], []],
])("log messages of a shared connection go to %s", async (_whom, calls, expected) => {
  const { take, errors, received } = create();
  const notified: string[] = [];
  for (const [name, client, level] of calls) {
    const notify = (handler: string): void => void notified.push(`${name} ${handler}`);
    const lease = await take({ client }, { ...silent, notify });
    await lease.requestLogs(level, signal);
  }
  const [connection] = received("server/discover");
  connection?.notify("notifications/message", { level: "info", data: "a" });
  await settle();
  expect(notified).toEqual(expected.map((name) => `${name} loggingMessage`));
  notified.length = 0;
  connection?.acknowledge({});
  await settle();
  expect(notified).toEqual(calls.map(([name]) => `${name} subscriptionsAcknowledged`));
  expect(errors).toEqual([]);
});

test("a call that no longer requests log messages receives none, and messages go to its latest listener", async () => {
  const { take, received } = create();
  const notified: string[] = [];
  const receive = (name: string): Listener => ({ ...silent, notify: () => void notified.push(name) });
  const lease = await take({}, receive("call"));
  const log = async (): Promise<void> => {
    received("server/discover")[0]?.notify("notifications/message", { level: "info", data: "a" });
    await settle();
  };
  await log();
  await lease.requestLogs("info", signal);
  await log();
  lease.listen(receive("task"));
  await log();
  await lease.requestLogs(undefined, signal);
  await log();
  await lease.requestLogs("info", signal);
  lease.release();
  await log();
  expect(notified).toEqual(["call", "task"]);
});

test.each<readonly [string, { end: "close" | "lose"; isEnding: boolean; errors: readonly string[] }]>([
  ["is lost", { end: "lose", isEnding: false, errors: ["transport: The network is away"] }],
  ["is lost while the gateway ends", { end: "lose", isEnding: true, errors: [] }],
  ["is closed by the server", { end: "close", isEnding: false, errors: [] }],
])("a shared connection that %s is reported only if that is a failure, and opened again", async (_how, given) => {
  const { take, errors, ended, received } = create();
  const first = await take();
  if (given.isEnding) ended.abort();
  const [opened] = received("server/discover");
  if (given.end === "lose") opened?.lose(new Error("The network is away"));
  else opened?.close();
  await first.upstream.connection.closed;
  await settle();
  expect(errors).toEqual(given.errors);
  if (!given.isEnding) expect((await take()).upstream).not.toBe(first.upstream);
});

test("a connection that cannot be opened is an error of its call, which takes no place, and is opened again", async () => {
  const { take, limit, ended } = create();
  ended.abort(new Error("The gateway is closing"));
  await expect(take()).rejects.toThrow("The gateway is closing");
  expect(limit.held(undefined)).toBe(0);
});

/** Uses as many owners, one after the other. Returns the numbers of those whose connections were closed. */
async function useOwners(count: number, { most = 40, keptMs = [] }: { most?: number; keptMs?: readonly number[] }) {
  const { take } = create({ most });
  const leases: Lease[] = [];
  for (let index = 0; index < count; index += 1) {
    const lease = await take({ key: `owner ${index}` });
    lease.keep(keptMs[index] ?? 0);
    lease.release();
    leases.push(lease);
  }
  await settle();
  return { leases, take, closed: leases.flatMap((lease, index) => (isClosed(lease) ? [index] : [])) };
}

test("eight unused connections are kept, the latest ones", async () => {
  expect((await useOwners(10, {})).closed).toEqual([0, 1]);
});

test("the connection of an owner that calls again is a late one", async () => {
  const { leases, take } = await useOwners(8, {});
  (await take({ key: "owner 0" })).release();
  (await take({ key: "owner 8" })).release();
  await settle();
  expect(leases.flatMap((lease, index) => (isClosed(lease) ? [index] : []))).toEqual([1]);
});

test("a call that comes while a connection of its owner is being closed opens another, which is kept", async () => {
  const { leases, take } = await useOwners(8, {});
  const last = await take({ key: "owner 8" });
  last.release();
  const again = await take({ key: "owner 0" });
  expect(again.upstream).not.toBe(leases[0]?.upstream);
  await settle();
  again.release();
  expect((await take({ key: "owner 0" })).upstream).toBe(again.upstream);
});

test("a connection that later requests need is kept beside the unused ones, until its time is over", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { leases, take, closed } = await useOwners(10, { keptMs: [60_000, 0, 30_000] });
  expect(closed).toEqual([]);
  vi.advanceTimersByTime(30_000);
  (await take({ key: "owner 9" })).release();
  await settle();
  expect(leases.flatMap((lease, index) => (isClosed(lease) ? [index] : []))).toEqual([1]);
});

test("a connection is kept for the longest time that was wanted", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { take } = create();
  const kept = await take({ key: "kept" });
  kept.keep(60_000);
  kept.keep(0);
  kept.release();
  for (let index = 0; index < 9; index += 1) (await take({ key: `owner ${index}` })).release();
  await settle();
  expect(isClosed(kept)).toBe(false);
});

test("connections beyond the limit of the gateway are closed although later requests need them", async () => {
  const keptMs = Array.from({ length: 6 }, () => 60_000);
  expect((await useOwners(6, { most: 4, keptMs })).closed).toEqual([0, 1]);
});

test("a connection in use is not closed, however many others there are", async () => {
  const { take } = create({ most: 4 });
  const used = await take({ key: "used" });
  for (let index = 0; index < 10; index += 1) (await take({ key: `owner ${index}` })).release();
  await settle();
  expect(isClosed(used)).toBe(false);
});

test("subscriptions are rejected, not delayed, when the limit is reached", async () => {
  const { pool, take } = create({ most: 2 });
  const lease = await pool.subscribe(everyone, silent);
  const call = await take();
  expect(call.upstream).toBe(lease?.upstream);
  await expect(pool.subscribe(everyone, silent)).rejects.toThrow("Too many connections");
  lease?.release();
  expect(await pool.subscribe(everyone, silent)).toBeDefined();
});

test("a pool is closed although a connection is being opened that fails", async () => {
  const { pool, take, ended } = create();
  const taken = expect(take()).rejects.toThrow("enough");
  const closed = pool.close();
  ended.abort(new Error("enough"));
  await closed;
  await taken;
});

test("a pool that is closed closes the shared connections, used or not", async () => {
  const { pool, take } = create();
  const leases = [await take(), await take({ key: "other" })];
  leases[1]?.release();
  await pool.close();
  expect(leases.map(isClosed)).toEqual([true, true]);
});
