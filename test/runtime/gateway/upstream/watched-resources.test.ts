import { afterEach, expect, test, vi } from "vitest";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import type { ConnectionFactory } from "../../../../runtime/client/connection-factory.ts";
import { UpstreamWatcher } from "../../../../runtime/gateway/upstream/upstream-watcher.ts";
import { WatchedResources } from "../../../../runtime/gateway/upstream/watched-resources.ts";
import type { RequestOptions } from "../../../../runtime/protocol/session/request-options.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { complete, createScripted, unlimited } from "./scripted-server.ts";

/* Resources with watching clients, and the connection that notifies of them: what the server is told, and what clients hear. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0).reverse()) await end();
});

const { signal } = new AbortController();

/** Creates the resources of a server that agrees to all but some URIs, and notes what it is told. */
function create(rejected: readonly string[] = []) {
  const told: string[] = [];
  const given: RequestOptions[] = [];
  const connection = { state: "INITIALIZED" };
  const subscriptions = {
    takesBatches: false,
    async subscribe(uri: string, options: RequestOptions) {
      told.push(`+ ${uri}`);
      given.push(options);
      if (rejected.includes(uri)) throw new Error("No such resource");
    },
    async unsubscribe(uri: string) {
      told.push(`- ${uri}`);
    },
  };
  const resources = new WatchedResources(() => Object.create({ connection, subscriptions }));
  const watch = (...uris: readonly string[]): ReturnType<WatchedResources["watch"]> =>
    resources.watch(new Set(uris), signal, undefined);
  return { told, given, connection, resources, watch, reject: (uri: string) => (rejected = [...rejected, uri]) };
}

test("a resource is unsubscribed from when its last client leaves, however often others do", async () => {
  const { told, watch } = create();
  const [first, second] = [await watch("x://a", "x://b"), await watch("x://a")];
  expect(told.splice(0)).toEqual(["+ x://a", "+ x://b"]);
  first.leave();
  first.leave();
  await settle();
  expect(told.splice(0)).toEqual(["- x://b"]);
  second.leave();
  await settle();
  expect(told).toEqual(["- x://a"]);
});

test("a resource that the server rejects is not honoured, and is requested again by the next client", async () => {
  const { told, resources, watch } = create(["x://gone"]);
  expect((await watch("x://gone", "x://a")).honoured).toEqual(["x://a"]);
  expect(resources.above("x://gone")).toEqual([]);
  await watch("x://gone");
  expect(told.filter((line) => line === "+ x://gone")).toHaveLength(2);
});

test("a resource that is not subscribed to because the connection has ended is honoured: the next one subscribes", async () => {
  const { connection, watch } = create(["x://a"]);
  connection.state = "DISCONNECTED";
  expect((await watch("x://a")).honoured).toEqual(["x://a"]);
});

test("a client that leaves while the server decides watches nothing, and its resources are unsubscribed from", async () => {
  const { told, given, resources, watch } = create();
  await watch("x://a");
  const left = new AbortController();
  const watching = expect(resources.watch(new Set(["x://a", "x://b"]), left.signal, undefined)).rejects.toThrow("gone");
  left.abort(new Error("gone"));
  await watching;
  await settle();
  expect(told).toEqual(["+ x://a", "+ x://b", "- x://b"]);
  expect(given).toMatchObject([false, true].map((aborted) => ({ timeout: 30_000, signal: { aborted } })));
  expect(resources.above("x://b")).toEqual([]);
});

const many = Array.from({ length: 33 }, (_, index) => `x://${index}`);

test("a resource that another client watches before its turn to be unsubscribed from stays subscribed to", async () => {
  const { told, resources, watch } = create();
  const first = await watch(...many);
  told.length = 0;
  first.leave();
  await watch("x://32");
  await settle();
  expect(told.filter((line) => line.endsWith("x://32"))).toEqual(["+ x://32"]);
  expect(told.filter((line) => line.startsWith("-"))).toHaveLength(32);
  expect(resources.above("x://32")).toEqual(["x://32"]);
});

test("a client whose resources no longer fit when their turn comes is rejected, and gives its other resources up", async () => {
  const { told, watch } = create();
  const long = (name: string): string => `x://${name}/${"a".repeat(600_000)}`;
  const watching = expect(watch(...many.slice(1), long("a"))).rejects.toMatchObject({ code: 429 });
  expect((await watch(long("b"))).honoured).toEqual([long("b")]);
  await watching;
  await settle();
  expect(told.filter((line) => line.startsWith("+"))).toHaveLength(33);
  expect(told.filter((line) => line.startsWith("-"))).toEqual(many.slice(1).map((uri) => `- ${uri}`));
});

test("watched resources are subscribed to on another connection, and rejected ones are lost", async () => {
  const { told, resources, watch, reject } = create();
  const [kept, lost, left] = [await watch("x://a"), await watch("x://b"), await watch("x://c")];
  left.leave();
  await settle();
  told.length = 0;
  reject("x://b");
  expect(await resources.restore()).toEqual(["x://a", "x://b"]);
  expect(told).toEqual(["+ x://a", "+ x://b"]);
  expect([kept, lost].map((watched) => watched.lost.aborted)).toEqual([false, true]);
});

test("a changed resource belongs to the watched ones above it", async () => {
  const { resources, watch } = create();
  await watch("file:///dir", "file:///dir/a", "file:///other");
  expect(resources.above("file:///dir/a")).toEqual(["file:///dir", "file:///dir/a"]);
  expect(resources.above("file:///none")).toEqual([]);
});

test.each([newest, statelessRevision])(
  "a connection to a server of $id that is lost is opened again, and everything is reported as changed",
  async (revision) => {
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const { open, received } = createScripted({ revision, capabilities }, (message) => {
      if (message.method === "subscriptions/listen") message.acknowledge();
      if (message.method === "tools/list") return { ...complete, tools: [] };
      return message.method.startsWith("resources/") ? {} : undefined;
    });
    const notified: unknown[] = [];
    const errors: string[] = [];
    const ended = new AbortController();
    const watcher = await UpstreamWatcher.open(
      {
        open,
        ...unlimited,
        onError: ({ kind, error }) => void errors.push(`${kind}: ${error.message}`),
        signal: ended.signal,
      },
      { notify: (handler) => void notified.push(handler), notifyUpdated: (uris) => void notified.push(uris) },
    );
    ends.push(async () => {
      ended.abort();
      await watcher.close();
    });
    const { honoured } = await watcher.subscribe(new Set(["x://a"]), signal, undefined);
    expect(honoured).toEqual(["x://a"]);
    // What the gateway subscribes to is no news for clients.
    expect(notified).toEqual([]);
    const first = watcher.connection;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    received(revision === statelessRevision ? "server/discover" : "initialize")[0]?.lose(
      new Error("The network is away"),
    );
    await vi.advanceTimersByTimeAsync(499);
    expect(watcher.connection).toBe(first);
    expect(errors).toEqual(["transport: The network is away"]);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await expect.poll(() => notified.length).toBeGreaterThanOrEqual(4);
    expect(watcher.connection).not.toBe(first);
    expect(notified.slice(-4)).toEqual([
      "toolListChanged",
      "promptListChanged",
      "resourceListChanged",
      ["x://a", "x://a"],
    ]);
    expect(errors).toHaveLength(1);
  },
);

/** Opens a watcher of a server whose connection is lost. Attempts to connect again wait until the test ends them. */
async function loseConnection() {
  const server = createScripted({ revision: newest, capabilities: { tools: {} } }, () => ({ tools: [] }));
  const attempts: { readonly succeed: () => void; readonly fail: (reason: Error) => void }[] = [];
  const opened: ClientConnection[] = [];
  const [errors, notified]: [string[], string[]] = [[], []];
  const ended = new AbortController();
  const open: ConnectionFactory = async (options) => {
    if (opened.length > 0) await new Promise<void>((succeed, fail) => attempts.push({ succeed, fail }));
    // A server that has responded before the end: the gateway learns it only then.
    const connection = await server.open({ ...options, signal });
    opened.push(connection);
    return connection;
  };
  const watcher = await UpstreamWatcher.open(
    {
      open,
      ...unlimited,
      onError: ({ kind, error }) => void errors.push(`${kind}: ${error.message}`),
      signal: ended.signal,
    },
    { notify: (handler) => void notified.push(handler), notifyUpdated() {} },
  );
  ends.push(async () => {
    ended.abort();
    await watcher.close();
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  server.received("initialize")[0]?.lose(new Error("The network is away"));
  await vi.advanceTimersByTimeAsync(500);
  return { watcher, attempts, opened, errors, notified, ended };
}

test("a connection that cannot be opened again is tried again later, and each failure is reported", async () => {
  const { watcher, attempts, opened, errors, notified } = await loseConnection();
  attempts[0]?.fail(new Error("The server is away"));
  await vi.advanceTimersByTimeAsync(999);
  expect(errors).toEqual(["transport: The network is away", "transport: The server is away"]);
  expect(attempts).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  attempts[1]?.succeed();
  await settle();
  expect(watcher.connection).toBe(opened[1]);
  expect(notified).toEqual(["toolListChanged", "promptListChanged", "resourceListChanged"]);
  expect([attempts.length, errors.length]).toEqual([2, 2]);
});

test.each([
  ["before", [2]],
  // With delays, the server responds only after the end, which is an error of its own.
  ["during", [1, 2]],
])("a connection that is lost %s the end of the gateway does not stay open", async (when, reported) => {
  const { attempts, opened, errors, notified, ended } = await loseConnection();
  if (when === "before") attempts[0]?.fail(new Error("The server is away"));
  await settle();
  ended.abort();
  if (when === "during") attempts[0]?.succeed();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toHaveLength(1);
  expect(opened.map(({ state }) => state)).toEqual(opened.map(() => "DISCONNECTED"));
  expect(reported).toContain(errors.length);
  expect(notified).toEqual([]);
});
