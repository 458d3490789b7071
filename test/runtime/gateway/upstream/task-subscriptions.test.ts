import { afterEach, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { meta } from "../../../kit/messages.ts";
import { joinGateway } from "../connect-client.ts";
import { complete, openScripted, type Received } from "./scripted-server.ts";

/* Subscriptions to tasks of a server that ends the stream of their notifications. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const extensions = { "io.modelcontextprotocol/tasks": {} };
const capabilities = { tools: {}, extensions };

/** Subscribes to a task through a gateway, and ends the stream of the server when that is acknowledged. */
async function loseStream(again: (listen: Received) => void, status: string) {
  const createdAt = "2026-07-28T00:00:00Z";
  const task = {
    taskId: "task-of-the-server",
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: 60_000,
    pollIntervalMs: 1_000,
  };
  const listens: Received[] = [];
  const { gateway } = await openScripted({ revision: statelessRevision, capabilities, ends }, (message) => {
    const { method, params } = message;
    if (method === "tools/list") return { ...complete, tools: [{ name: "t", inputSchema: { type: "object" } }] };
    if (method === "tools/call") return { ...task, status: "working", resultType: "task" };
    if (method === "tasks/get")
      return { ...complete, ...task, status, ...(status === "completed" && { result: { content: [] } }) };
    if (method !== "subscriptions/listen" || !isObject(params.notifications) || !params.notifications.taskIds)
      return undefined;
    listens.push(message);
    if (listens.length === 1) message.acknowledge();
    else again(message);
    return undefined;
  });
  const statuses: string[] = [];
  let isAcknowledged = false;
  const handlers = {
    subscriptionsAcknowledged: () => void (isAcknowledged = true),
    taskStatus: (state: { readonly status: string }) => void statuses.push(state.status),
  };
  const [revision = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
  const client = await joinGateway(gateway, revision, { handlers, extensions });
  ends.push(() => client.close());
  await client.request("tools/call", { name: "t", arguments: {} });
  const params = { notifications: { taskIds: [task.taskId] } };
  const over = client.request("subscriptions/listen", params).catch(String);
  await expect.poll(() => isAcknowledged).toBe(true);
  const [first] = listens;
  first?.respond({ resultType: "complete", _meta: { [meta.subscription]: first.id } });
  return { listens, statuses, over };
}

test("a subscription to a task is opened again at the server, and the client receives the current state", async () => {
  const { listens, statuses } = await loseStream((listen) => listen.acknowledge(), "working");
  await expect.poll(() => statuses).toEqual(["working"]);
  expect(listens).toHaveLength(2);
});

test("a subscription ends when its tasks have ended", async () => {
  const { statuses, over } = await loseStream((listen) => listen.acknowledge(), "completed");
  expect(await over).toMatchObject({ resultType: "complete" });
  expect(statuses).toEqual(["completed"]);
});

test("a subscription to a task ends when the server rejects it", async () => {
  const { over } = await loseStream((listen) => listen.reject("Unknown task"), "working");
  expect(await over).toMatchObject({ resultType: "complete" });
});
