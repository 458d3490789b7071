import { expect, test } from "vitest";
import { CallConnections } from "../../../../runtime/gateway/upstream/call-connections.ts";
import { ConnectionLimit } from "../../../../runtime/gateway/upstream/connection-limit.ts";
import { OwnerNotifications } from "../../../../runtime/gateway/tasks/task-notifications.ts";
import type { Owner } from "../../../../runtime/gateway/upstream/owners.ts";
import type { UpstreamOptions } from "../../../../runtime/gateway/upstream/upstream.ts";
import { createProgramOf } from "./programs.ts";
import { unlimited } from "./scripted-server.ts";

/* Connections of subscriptions to tasks, which count against the limit of connections. */

const owner: Owner = { key: "everyone", principal: undefined, client: undefined, sharesSessions: true, isOver: false };
const listener = { ask: () => Promise.reject(new Error("No client")), notify() {} };

function createConnections(limit: ConnectionLimit): CallConnections {
  const { open } = createProgramOf(() => ({}));
  const { signal } = new AbortController();
  const options: UpstreamOptions = { ...unlimited, onError() {}, open, signal };
  return new CallConnections(options, { limit, areShared: true });
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
