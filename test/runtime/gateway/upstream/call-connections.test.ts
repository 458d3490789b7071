import { afterEach, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { createGateway } from "../../../../runtime/gateway/gateway.ts";
import { CallConnections } from "../../../../runtime/gateway/upstream/call-connections.ts";
import { ConnectionLimit } from "../../../../runtime/gateway/upstream/connection-limit.ts";
import { OwnerNotifications } from "../../../../runtime/gateway/tasks/task-notifications.ts";
import type { Owner } from "../../../../runtime/gateway/upstream/owners.ts";
import type { UpstreamOptions } from "../../../../runtime/gateway/upstream/upstream.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import type { AnyContext } from "../../../../runtime/server/protocol-types.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { statelessRevision, newest } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { createGate } from "../../../kit/time.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { createProgramOf, joinStateless, openProgram, type Ends } from "./programs.ts";
import { unlimited } from "./scripted-server.ts";

/* Connections for calls without a session, and for subscriptions to tasks, which count against the limit of connections. */

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const owner: Owner = { key: "everyone", principal: undefined, client: undefined, sharesSessions: true, isOver: false };
const listener = { ask: () => Promise.reject(new Error("No client")), notify() {} };

function createConnections(
  limit: ConnectionLimit,
  areShared = true,
  revision = areShared ? statelessRevision : newest,
): CallConnections {
  const { open } = createProgramOf(() => ({}), revision);
  const { signal } = new AbortController();
  const options: UpstreamOptions = { ...unlimited, onError() {}, open, signal };
  return new CallConnections(options, { limit, areShared });
}

test("a program that ends releases the connection of subscriptions to its tasks", async () => {
  const limit = new ConnectionLimit(2);
  const { connection } = await createConnections(limit).taskConnectionOf(owner).open(listener);
  expect(limit.held(undefined)).toBe(1);
  await connection.close();
  await expect.poll(() => limit.held(undefined)).toBe(0);
});

test("a subscription to tasks that the server does not know releases its connection, although its request goes on", async () => {
  const limit = new ConnectionLimit(2);
  const connections = createConnections(limit);
  const notifications = new OwnerNotifications({
    notify() {},
    connectionOf: () => connections.taskConnectionOf(owner),
  });
  const call = Object.create({ signal: new AbortController().signal });
  expect(await notifications.watch(call, ["unknown"])).toMatchObject({ honoured: [] });
  await expect.poll(() => limit.held(undefined)).toBe(0);
  await connections.close();
});

test("tasks of a program that needs sessions after all are not subscribed to on a connection that others share", async () => {
  const limit = new ConnectionLimit(2);
  const connections = createConnections(limit, true, newest);
  const shared = connections.taskConnectionOf(owner);
  expect(shared).toMatchObject({ key: owner.key, isKept: false });
  await expect(shared.open(listener)).rejects.toMatchObject({
    name: "ClosedError",
    message: "The server needs sessions; its tasks are not known to others",
  });
  expect(limit.held(undefined)).toBe(0);
  expect(connections.taskConnectionOf(owner)).toMatchObject({ key: "", isKept: true });
  await connections.close();
});

test("the idle connection of an owner that is forgotten is closed", async () => {
  const connections = createConnections(new ConnectionLimit(2), false);
  const { signal } = new AbortController();
  const principal = { info: { name: "test", version: "1" }, capabilities: {} };
  const { upstream, release } = await connections.take({ owner, listener, principal, signal });
  release();
  connections.forget(owner);
  await settle();
  expect(upstream.connection.state).toBe("DISCONNECTED");
  await connections.close();
});

/** Creates a server with a tool that logs as soon as two calls of it are running. */
function createLogging(): Partial<AnyServerDefinition> {
  const both = createGate();
  let running = 0;
  const execute = async (_args: object, { log }: AnyContext): Promise<string> => {
    running += 1;
    if (running === 2) both.open();
    await both.opened;
    await log("info", "message");
    return "logged";
  };
  return { tools: [{ name: "logs", execute }] };
}

const logs = { name: "logs", arguments: {}, _meta: { [meta.logLevel]: "info" } };

test.each([
  ["one process of a program with stateless requests", statelessRevision, 1],
  ["each a process of a program with sessions", newest, 2],
])("calls at the same time use %s", async (_what, revision, processes) => {
  let started = 0;
  const logging = createLogging();
  const { open, running } = createProgramOf(() => logging, revision);
  const program = {
    running,
    open: (options: Parameters<typeof open>[0]): ReturnType<typeof open> => {
      started += 1;
      return open(options);
    },
  };
  const client = await joinStateless(await openProgram(program, { ends }), ends);
  expect(started).toBe(1);
  await Promise.all([client.request("tools/call", logs), client.request("tools/call", logs)]);
  expect(started).toBe(1 + processes);
});

test.each<readonly [object, number]>([
  [{}, 3],
  [{ shareConnections: false }, 3],
  [{ shareConnections: true }, 2],
])("calls of clients that are not authenticated use a process of each, except with the option: %j", async (...row) => {
  const [options, processes] = row;
  const program = createProgramOf(() => ({ tools: [{ name: "t", execute: () => "done" }] }), newest);
  const gateway = await openProgram(program, { ends, ...options });
  const clients = [await joinStateless(gateway, ends), await joinStateless(gateway, ends)];
  for (const client of clients) await client.request("tools/call", { name: "t", arguments: {} });
  // One of them is that of the gateway itself.
  expect(program.running()).toBe(processes);
});

test("calls at the same time have connections of their own to a URL: each client gets its log messages", async () => {
  const server = createServer({ name: "logging", version: "1", ...createLogging() }, [statelessRevision]);
  const { url, close } = await serveHttp(server, { port: 0 });
  ends.push(close);
  const gateway = await createGateway({ kind: "url", url }, { revisions });
  ends.push(() => gateway.close());
  const received: string[] = [];
  const join = (name: string): ReturnType<typeof joinStateless> =>
    joinStateless(gateway, ends, { loggingMessage: () => void received.push(name) });
  const clients = [await join("one"), await join("other")];
  await Promise.all(clients.map((client) => client.request("tools/call", logs)));
  expect(received.sort()).toEqual(["one", "other"]);
});
