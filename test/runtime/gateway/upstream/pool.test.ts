import { afterEach, expect, test, vi } from "vitest";
import { ConnectionLimit } from "../../../../runtime/gateway/upstream/connection-limit.ts";
import type { Lease } from "../../../../runtime/gateway/upstream/lease.ts";
import type { Owner } from "../../../../runtime/gateway/upstream/owners.ts";
import { Pool } from "../../../../runtime/gateway/upstream/pool.ts";
import type { Listener } from "../../../../runtime/gateway/upstream/upstream.ts";
import type { Principal } from "../../../../runtime/gateway/principal.ts";
import { HttpError } from "../../../../runtime/transport/http-client/errors.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { complete, createScripted, type Script, unlimited } from "./scripted-server.ts";

/* Connections for calls without a session: which call gets which one, and what the server sends on it. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const principal: Principal = { info: { name: "test", version: "1" }, capabilities: {} };
const alice: Owner = { key: "alice", principal: "alice", client: "alice", sharesSessions: true, isOver: false };
const bob: Owner = { ...alice, key: "bob", principal: "bob", client: "bob" };
const silent: Listener = { ask: () => Promise.reject(new Error("No client")), notify() {} };
const { signal } = new AbortController();

interface Wanted {
  readonly owner?: Owner;
  readonly principal?: Principal;
  readonly listener?: Listener;
}

const lists: Script = ({ method }) => (method === "tools/list" ? { ...complete, tools: [] } : undefined);

function create(revision = newest, script = lists) {
  const errors: string[] = [];
  const ended = new AbortController();
  const server = createScripted({ revision, capabilities: { tools: {}, logging: {} } }, script);
  const limit = new ConnectionLimit(20);
  const options = {
    open: server.open,
    ...unlimited,
    onError: ({ kind, error }: { kind: string; error: Error }) => void errors.push(`${kind}: ${error.message}`),
    signal: ended.signal,
  };
  const pool = new Pool(options, limit);
  ends.push(() => pool.close());
  const take = (wanted: Wanted = {}): Promise<Lease> =>
    pool.take({ principal, owner: alice, listener: silent, signal, ...wanted });
  return { pool, take, limit, errors, ended, received: server.received };
}

/** Takes a connection, releases it, and takes one again. */
async function takeTwice({ take }: ReturnType<typeof create>, first: Wanted, second: Wanted) {
  const before = await take(first);
  before.release();
  const after = await take(second);
  return { isSame: before.upstream === after.upstream, before: before.upstream.connection };
}

const bound: Owner = { ...alice, sharesSessions: false };

test.each<
  readonly [string, { revision?: typeof newest; first?: Wanted; second?: Wanted; isSame: boolean; isKept: boolean }]
>([
  ["of the same owner", { isSame: true, isKept: true }],
  ["of another owner", { second: { owner: bob }, isSame: false, isKept: true }],
  [
    "for a client with other capabilities",
    { second: { principal: { ...principal, capabilities: { roots: {} } } }, isSame: false, isKept: true },
  ],
  [
    "after one of an owner whose calls are over",
    { first: { owner: { ...alice, isOver: true } }, isSame: false, isKept: false },
  ],
  [
    "of an owner that shares no sessions",
    { first: { owner: bound }, second: { owner: bound }, isSame: false, isKept: false },
  ],
  [
    "of such an owner at a server without sessions",
    { revision: statelessRevision, first: { owner: bound }, second: { owner: bound }, isSame: true, isKept: true },
  ],
])("the next call %s gets the connection of the last one only if it may", async (_call, given) => {
  const { revision, first = {}, second = {}, isSame, isKept } = given;
  const found = await takeTwice(create(revision), first, second);
  await settle();
  expect(found.isSame).toBe(isSame);
  expect(found.before.state === "DISCONNECTED").toBe(!isKept);
});

test("calls at the same time have connections of their own, and the latest one is used again first", async () => {
  const { take } = create();
  const [first, second] = [await take(), await take()];
  expect(first.upstream).not.toBe(second.upstream);
  first.release();
  second.release();
  expect((await take()).upstream).toBe(second.upstream);
  expect((await take()).upstream).toBe(first.upstream);
});

test("a connection that ended during its call is not used again", async () => {
  const { take, limit, received } = create();
  const first = await take();
  received("initialize")[0]?.close();
  await first.upstream.connection.closed;
  first.release();
  expect(limit.held("alice")).toBe(0);
  expect((await take()).upstream).not.toBe(first.upstream);
});

test("a connection that ended while it was idle is not used again", async () => {
  const { take, received } = create();
  const first = await take();
  first.release();
  received("initialize")[0]?.close();
  await first.upstream.connection.closed;
  expect((await take()).upstream).not.toBe(first.upstream);
});

test("a connection whose revision is being checked serves no further call", async () => {
  const { pool, take } = create(statelessRevision);
  const first = await take();
  first.release();
  vi.spyOn(first.upstream.connection, "request").mockReturnValue(new Promise(() => {}));
  void pool.check();
  expect((await take()).upstream).not.toBe(first.upstream);
});

test("a check closes all connections whose revision the server no longer serves, used or not", async () => {
  const { pool, take } = create(statelessRevision);
  const leases = [await take(), await take(), await take()];
  const [idle, used] = leases;
  idle?.release();
  const rejection = new HttpError("The server responded with 404", { status: 404, body: "" });
  for (const lease of [idle, used])
    if (lease) vi.spyOn(lease.upstream.connection, "request").mockRejectedValue(rejection);
  await pool.check();
  expect(leases.map(({ upstream }) => upstream.connection.state === "DISCONNECTED")).toEqual([true, true, false]);
});

test("a message that arrives while a connection is opened is for no call, and no error", async () => {
  const { take, errors } = create(statelessRevision, (message) => {
    if (message.method === "tools/list") message.notify("notifications/message", { level: "info", data: "early" });
    return lists(message);
  });
  const received: string[] = [];
  await take({ listener: { ...silent, notify: (handler) => void received.push(handler) } });
  await settle();
  expect([received, errors]).toEqual([[], []]);
});

test("eight idle connections are kept, the latest ones", async () => {
  const { take, limit } = create();
  const all = await Promise.all(Array.from({ length: 10 }, () => take()));
  expect(limit.held("alice")).toBe(10);
  for (const { release } of all) release();
  await settle();
  expect(all.map(({ upstream }) => upstream.connection.state === "DISCONNECTED")).toEqual(
    all.map((_, index) => index < 2),
  );
  expect(limit.held("alice")).toBe(0);
});

test("the idle connections of an owner are closed when it is forgotten, and no others", async () => {
  const { pool, take } = create();
  const [idle, used, other] = [await take(), await take(), await take({ owner: bob })];
  idle.release();
  other.release();
  pool.forget(alice);
  await settle();
  expect(idle.upstream.connection.state).toBe("DISCONNECTED");
  expect((await take({ owner: bob })).upstream).toBe(other.upstream);
  expect((await take()).upstream).not.toBe(idle.upstream);
  expect(used.upstream.connection.state).not.toBe("DISCONNECTED");
});

test("the messages of the server go to the listener of the call at that time", async () => {
  const notified: string[] = [];
  const receive = (name: string): Listener => ({
    ...silent,
    notify: (handler, params) => void notified.push(`${name} ${handler} ${JSON.stringify(params)}`),
  });
  const { take, received } = create();
  const log = async (data: string): Promise<void> => {
    received("initialize")[0]?.notify("notifications/message", { level: "info", data });
    await settle();
  };
  const first = await take({ listener: receive("first") });
  await log("a");
  first.listen(receive("task"));
  await log("b");
  first.release();
  await log("c");
  await take({ listener: receive("second") });
  await log("d");
  expect(notified).toEqual(
    [
      ["first", "a"],
      ["task", "b"],
      ["second", "d"],
    ].map(([name, data]) => `${name} loggingMessage {"level":"info","data":"${data}"}`),
  );
});

test("a log level is set on the connection of the call, which needs no further metadata", async () => {
  const { take, received } = create(newest, ({ method }) => (method === "logging/setLevel" ? {} : undefined));
  const { requestLogs } = await take();
  expect(await requestLogs("debug", signal)).toEqual({});
  expect(received("logging/setLevel")).toMatchObject([{ params: { level: "debug" } }]);
});

test("a log level without a response is given up with its call", async () => {
  const { take, received } = create();
  const { requestLogs } = await take();
  const stop = new AbortController();
  const requested = expect(requestLogs("debug", stop.signal)).rejects.toThrow("enough");
  await expect.poll(() => received("logging/setLevel")).toHaveLength(1);
  stop.abort(new Error("enough"));
  await requested;
});

test.each<readonly [string, { end: "close" | "lose"; isEnding: boolean; errors: readonly string[] }]>([
  ["is lost", { end: "lose", isEnding: false, errors: ["transport: The network is away"] }],
  ["is lost while the gateway ends", { end: "lose", isEnding: true, errors: [] }],
  ["is closed by the server", { end: "close", isEnding: false, errors: [] }],
])("a connection that %s is reported only if that is a failure", async (_how, { end, isEnding, errors: expected }) => {
  const { take, errors, ended, received } = create();
  const { upstream } = await take();
  if (isEnding) ended.abort();
  const [opened] = received("initialize");
  if (end === "lose") opened?.lose(new Error("The network is away"));
  else opened?.close();
  await upstream.connection.closed;
  await settle();
  expect(errors).toEqual(expected);
});

test("a call whose connection cannot be opened, or has too much to declare, takes no place", async () => {
  const { take, limit, ended } = create();
  const long = { ...principal, capabilities: { experimental: { text: "a".repeat(64 * 1024) } } };
  await expect(take({ principal: long })).rejects.toMatchObject({ code: -32602, data: { limit: 65536 } });
  ended.abort(new Error("The gateway is closing"));
  await expect(take()).rejects.toThrow("The gateway is closing");
  expect(limit.held("alice")).toBe(0);
});

test("a pool that is closed closes the connections that are used as well", async () => {
  const { pool, take } = create();
  const [idle, used] = [await take(), await take()];
  idle.release();
  await pool.close();
  expect([idle, used].map(({ upstream }) => upstream.connection.state)).toEqual(["DISCONNECTED", "DISCONNECTED"]);
});
