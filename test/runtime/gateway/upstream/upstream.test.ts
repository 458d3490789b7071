import { expect, test, vi } from "vitest";
import type { Listener } from "../../../../runtime/gateway/upstream/upstream.ts";
import { PeerError, RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import type { MessageMiddleware } from "../../../../runtime/protocol/peer/message-middleware.ts";
import type { Telemetry } from "../../../../runtime/protocol/session/telemetry.ts";
import { HttpError } from "../../../../runtime/transport/http-client/errors.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { relatedKey } from "../../tasks/task-wire.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { lists, openSession, openUpstream, principal, silent, usual } from "./open-upstream.ts";
import { complete, createScripted, urisOf, type Received } from "./scripted-server.ts";

/* One connection to the server: what becomes of its messages, its errors and its end. */

test.each([newest, statelessRevision])(
  "messages of a server of $id for no client are dropped without an error",
  async (revision) => {
    const { errors, received } = await openUpstream(revision);
    const [opened] = received(revision === statelessRevision ? "server/discover" : "initialize");
    opened?.notify("notifications/message", { level: "info", data: "a" });
    opened?.notify("notifications/cancelled", { requestId: 99 });
    if (revision === statelessRevision)
      opened?.notify("notifications/subscriptions/acknowledged", {
        notifications: {},
        _meta: { [meta.subscription]: 99 },
      });
    await settle();
    expect(errors).toEqual([]);
  },
);

test("messages of a server are passed on in their order, and those of a task to its listener", async () => {
  const notified: string[] = [];
  const receive = (name: string): Listener => ({
    ...silent,
    async ask(method, params) {
      notified.push(`${name} ${method} ${String(Reflect.get(params, "message"))}`);
      return { action: "decline" };
    },
    notify(handler, params) {
      const data: unknown = Reflect.get(params, "data");
      notified.push(`${name} ${handler} ${String(data)}`);
      // The response that starts the task may be in the same chunk as its first request.
      if (data === "6") upstream.hearTask("b", receive("task b"));
    },
  });
  const { upstream, received } = await openUpstream(newest, lists, { listener: receive("call") });
  const [opened = expect.unreachable("the connection is open")] = received("initialize");
  const elicit = (message: string, taskId?: string): void =>
    opened.request("elicitation/create", {
      message,
      requestedSchema: { type: "object", properties: {} },
      ...(taskId !== undefined && { _meta: { [relatedKey]: { taskId } } }),
    });
  const log = (data: string): void => opened.notify("notifications/message", { level: "info", data });
  upstream.hearTask("a", receive("task a"));
  elicit("1");
  log("2");
  elicit("3", "a");
  log("4");
  elicit("5", "b");
  log("6");
  await expect.poll(() => notified).toHaveLength(6);
  expect(notified).toEqual([
    "call elicitation/create 1",
    "call loggingMessage 2",
    "task a elicitation/create 3",
    "call loggingMessage 4",
    "call loggingMessage 6",
    "task b elicitation/create 5",
  ]);
});

test("a ping of the server gets a response from the gateway, not from a client", async () => {
  const asked: string[] = [];
  const listener: Listener = { ...silent, ask: async (method) => (asked.push(method), {}) };
  const { received, errors } = await openUpstream(newest, lists, { listener });
  received("initialize")[0]?.request("ping", {});
  await settle();
  expect([asked, errors]).toEqual([[], []]);
});

test("a connection gets the options of the gateway, and waits for clients for as long as they take", async () => {
  const server = createScripted({ revision: newest, capabilities: usual }, lists);
  const seen: unknown[] = [];
  const telemetry: Telemetry = { observe: (channel) => channel };
  const middleware: readonly MessageMiddleware[] = [{}];
  await openUpstream(newest, lists, {
    telemetry,
    middleware,
    open(options) {
      seen.push(options);
      return server.open(options);
    },
  });
  const timeouts = { request: 30_000, total: Infinity, handler: Infinity };
  expect(seen).toMatchObject([{ info: principal.info, timeouts }]);
  expect(Object(seen[0])).toHaveProperty("telemetry", telemetry);
  expect(Object(seen[0])).toHaveProperty("middleware", middleware);
});

test("members of input-required results are removed where they have another meaning, and nothing else is", async () => {
  const result = { content: [], tools: [{ name: "a" }] };
  const { upstream, errors } = await openUpstream(newest, () => ({ ...result, requestState: "s", inputRequests: {} }));
  expect(await upstream.request("tools/call", { name: "t" }, {})).toEqual(result);
  expect(errors).toEqual([]);
});

const rejected = (status: number): Error => new HttpError(`The server responded with ${status}`, { status, body: "" });
const failed = new PeerError({ code: -32602, message: "no" });

test.each<readonly [string, typeof newest, Error, boolean]>([
  ["an HTTP status of servers with sessions", statelessRevision, rejected(400), true],
  ["another HTTP status", statelessRevision, rejected(503), false],
  ["an error response", statelessRevision, failed, false],
  ["an HTTP status in a session", newest, rejected(400), false],
])("a request that fails by %s lets the gateway check the revision only if it may be another", async (...row) => {
  const [, revision, error, isChecked] = row;
  const { upstream, onMismatch, received } = await openUpstream(revision);
  vi.spyOn(upstream.connection, "request").mockRejectedValueOnce(error);
  await expect(upstream.request("tools/list", {}, {})).rejects.toBe(error);
  await settle();
  expect(onMismatch).toHaveBeenCalledTimes(isChecked ? 1 : 0);
  expect(received("server/discover")).toHaveLength(isChecked ? 2 : 1);
});

test.each<readonly [string, Error | undefined, boolean]>([
  ["by an HTTP status of servers with sessions", rejected(404), true],
  ["by another HTTP status", rejected(503), false],
  ["by an error response", failed, false],
  ["not at all", undefined, false],
])("a connection whose discovery the server rejects %s is closed only if it has sessions now", async (...row) => {
  const [, error, isClosed] = row;
  const { upstream } = await openUpstream(statelessRevision);
  const request = vi.spyOn(upstream.connection, "request");
  request.mockImplementation(() => (error ? Promise.reject(error) : Promise.resolve({})));
  const checks = [upstream.check(), upstream.check()];
  expect(upstream.isChecking).toBe(true);
  await Promise.all(checks);
  expect(upstream.isChecking).toBe(false);
  expect(request).toHaveBeenCalledOnce();
  expect(upstream.connection.state === "DISCONNECTED").toBe(isClosed);
});

test("a connection with a session is not checked: its revision does not change", async () => {
  const { upstream } = await openUpstream();
  const request = vi.spyOn(upstream.connection, "request");
  await upstream.check();
  expect(request).not.toHaveBeenCalled();
  expect(upstream.connection.state).not.toBe("DISCONNECTED");
});

test("the end of a connection is reported to the listeners of its tasks that have not left", async () => {
  const { upstream } = await openUpstream();
  const received: string[] = [];
  const receive = (taskId: string): (() => void) =>
    upstream.hearTask(taskId, { ...silent, closed: () => void received.push(taskId) });
  receive("a");
  receive("b")();
  receive("c");
  upstream.hearTask("d", silent);
  await upstream.close();
  await settle();
  expect(received).toEqual(["a", "c"]);
});

test("a server whose tools cannot be listed is connected to all the same, and the failure is reported", async () => {
  const { upstream, errors } = await openUpstream(statelessRevision, ({ method }) => {
    if (method === "tools/list") throw new RpcError(-32603, "The database is starting");
    return { ...complete, content: [] };
  });
  expect(errors).toEqual(["protocol: The database is starting"]);
  expect(await upstream.request("tools/call", { name: "t" }, {})).toMatchObject({ content: [] });
});

test("a server that closes the connection instead of listing its tools is not connected to", async () => {
  const opening = openUpstream(statelessRevision, (message) => {
    if (message.method === "tools/list") message.close();
    return undefined;
  });
  await expect(opening).rejects.toMatchObject({ name: "ClosedError" });
});

test("a new session with the server gets the level and the subscriptions of the last one, and all is reported as changed", async () => {
  const { upstream, notified, uris, levels } = await openSession();
  await upstream.setLevel("info", {});
  for (const uri of ["x://a", "x://b", "x://c"]) await upstream.subscriptions.subscribe(uri, {});
  await upstream.subscriptions.unsubscribe("x://b", {});
  await upstream.renew();
  expect(levels()).toEqual(["info", "info"]);
  expect(uris().slice(3)).toEqual(["x://a", "x://c"]);
  const updated = (uri: string): readonly unknown[] => ["resourceUpdated", { uri }];
  expect(notified).toEqual([["toolListChanged", {}], updated("x://a"), updated("x://c")]);
});

test("a new session gets the rest of the state of the last one, although the server rejects a part", async () => {
  let isNew = false;
  const rejected = new Set(["logging/setLevel", "resources/subscribe"]);
  const { upstream, notified, uris, levels } = await openSession((method) => isNew && rejected.has(method));
  await upstream.setLevel("info", {});
  for (const uri of ["x://a", "x://b"]) await upstream.subscriptions.subscribe(uri, {});
  isNew = true;
  await upstream.renew();
  expect(levels()).toEqual(["info", "info"]);
  expect(uris()).toEqual(["x://a", "x://b", "x://a", "x://b"]);
  expect(notified).toHaveLength(3);
  isNew = false;
  await upstream.setLevel("info", {});
  expect(levels()).toEqual(["info", "info", "info"]);
});

test("a session without a level and subscriptions is renewed without a request", async () => {
  const { upstream, notified, uris, levels } = await openSession();
  await upstream.renew();
  expect([uris(), levels(), notified]).toEqual([[], [], [["toolListChanged", {}]]]);
});

test("a connection subscribes to as many resources as permitted, and to a known one again", async () => {
  const { upstream, uris } = await openSession(() => false, { maxSubscriptions: 2 });
  const subscribe = (uri: string): Promise<unknown> => upstream.subscriptions.subscribe(uri, {});
  for (const uri of ["x://a", "x://b", "x://a"]) await subscribe(uri);
  await expect(subscribe("x://c")).rejects.toMatchObject({ code: 429, message: expect.stringContaining("2") });
  await upstream.subscriptions.unsubscribe("x://a", {});
  await subscribe("x://c");
  expect(uris()).toEqual(["x://a", "x://b", "x://a", "x://c"]);
});

test("a resource that the server rejects takes no room, and is not subscribed to in a new session", async () => {
  let isRejected = true;
  const { upstream, uris } = await openSession((method) => isRejected && method === "resources/subscribe", {
    maxSubscriptions: 1,
  });
  await expect(upstream.subscriptions.subscribe("x://a", {})).rejects.toMatchObject({ code: -32602 });
  isRejected = false;
  await upstream.subscriptions.subscribe("x://b", {});
  await upstream.renew();
  expect(uris()).toEqual(["x://a", "x://b", "x://b"]);
});

test("a resource that is unsubscribed from before the server has agreed is not subscribed to in a new session", async () => {
  const { upstream, received } = await openUpstream(
    newest,
    ({ method }) => (method === "resources/subscribe" ? undefined : {}),
    {
      capabilities: { resources: { subscribe: true } },
    },
  );
  const subscribed = upstream.subscriptions.subscribe("x://a", {});
  await settle();
  await upstream.subscriptions.unsubscribe("x://a", {});
  received("resources/subscribe")[0]?.respond({});
  expect(await subscribed).toEqual({});
  await upstream.renew();
  expect(received("resources/subscribe")).toHaveLength(1);
});

test("a request of the server for no client gets the error of a method that the client does not have", async () => {
  const failures: unknown[] = [];
  const request: NonNullable<MessageMiddleware["receive"]>["request"] = async (_message, next) => {
    try {
      return await next();
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const { received } = await openUpstream(newest, lists, { middleware: [{ receive: { request } }] });
  const requestedSchema = { type: "object", properties: {} };
  received("initialize")[0]?.request("elicitation/create", { message: "Name?", requestedSchema });
  await expect.poll(() => failures).toMatchObject([{ code: -32601 }]);
});

test.each([
  ["a call of a tool", "tools/call", 2],
  ["another request", "prompts/get", 1],
])(
  "%s whose headers the server rejects is sent again only if a new list of tools may help",
  async (_what, method, times) => {
    const code = statelessRevision.errors.headerMismatch?.code ?? expect.unreachable("the revision has headers");
    const { upstream, received } = await openUpstream(
      statelessRevision,
      (message) => {
        if (message.method === method) throw new RpcError(code, "Header mismatch");
        return lists(message);
      },
      { capabilities: { ...usual, prompts: {} } },
    );
    await expect(upstream.request(method, { name: "a" }, {})).rejects.toMatchObject({ code });
    expect([received(method).length, received("tools/list").length]).toEqual([times, times]);
  },
);

test("the list of tools of a connection that is being opened is given up when the gateway ends", async () => {
  const ended = new AbortController();
  const { open, received } = createScripted({ revision: statelessRevision, capabilities: usual }, () => undefined);
  const opening = openUpstream(statelessRevision, lists, { open, signal: ended.signal });
  await expect.poll(() => received("tools/list")).toHaveLength(1);
  ended.abort(new Error("The gateway is closing"));
  await expect.poll(() => received("notifications/cancelled")).toHaveLength(1);
  await opening;
});

test("a resource that is subscribed to again waits for no other one", async () => {
  const { upstream, received } = await openUpstream(
    statelessRevision,
    (message) => {
      const isHeld = urisOf(message).includes("x://b");
      if (message.method === "subscriptions/listen" && !isHeld) message.acknowledge();
      return lists(message);
    },
    { capabilities: { ...usual, resources: { subscribe: true } } },
  );
  const subscribe = (uri: string): Promise<unknown> => upstream.subscriptions.subscribe(uri, {});
  const last = (): Received | undefined => received("subscriptions/listen").at(-1);
  await subscribe("x://a");
  const other = subscribe("x://b");
  await expect.poll(() => last()?.params["notifications"]).toMatchObject({ resourceSubscriptions: ["x://a", "x://b"] });
  expect(await subscribe("x://a")).toEqual({});
  last()?.acknowledge();
  expect(await other).toEqual({});
});
