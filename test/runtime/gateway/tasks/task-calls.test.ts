import { expect, test } from "vitest";
import { extension } from "../../../../generated/extensions/tasks/index.ts";
import { knownExtensions, withExtensions } from "../../../../runtime/gateway/extensions.ts";
import { extensionUpstreamTasks } from "../../../../runtime/gateway/tasks/upstream-tasks.ts";
import { createForwardedTasks } from "../../../../runtime/gateway/tasks/forwarded-tasks.ts";
import { TaskNotifications } from "../../../../runtime/gateway/tasks/task-notifications.ts";
import { MissingCapabilityError, PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { createCall, createSession } from "../../../kit/calls.ts";

/* Calls of tools that a server may run as tasks of its own, and clients that follow these. */

const [revision = statelessRevision] = withExtensions([statelessRevision], knownExtensions);
const ours = createServer({ name: "a", version: "1" }, [statelessRevision]);
const error = { code: -32021, message: "Missing capability" };

test.each<readonly [string, Error, boolean]>([
  ["that requires tasks", new MissingCapabilityError(error, { extensions: { [extension.id]: {} } }), true],
  ["that requires another extension", new MissingCapabilityError(error, { extensions: { "x/y": {} } }), false],
  ["that requires elicitation", new MissingCapabilityError(error, { elicitation: {} }), false],
  ["of the server", new PeerError({ code: -32602, message: "Unknown tool" }), false],
  ["of the connection", new Error("The connection was closed"), false],
])("a call is sent again with tasks after an error %s only if that may help", async (_what, reason, isAgain) => {
  const sent: string[] = [];
  const call = createCall(ours, revision, {});
  const given = {
    row: revision.clientRequests["tools/call"],
    upstream: { revision },
    signal: call.signal,
    requested: undefined,
    isTaskRequired: false,
    call: () => call,
    async complete() {
      sent.push("call");
      throw reason;
    },
    async completeWithTasks() {
      sent.push("call with tasks");
      return { upstream: { revision }, result: { content: [] } };
    },
  };
  const outcome = await extensionUpstreamTasks.callTool(Object.create(given)).catch((thrown: unknown) => thrown);
  expect(outcome).toEqual(isAgain ? { content: [] } : reason);
  expect(sent).toEqual(isAgain ? ["call", "call with tasks"] : ["call"]);
});

const declared = { extensions: { [extension.id]: {} } };

interface ListenOptions {
  /** Tasks that the server does not notify of. */
  readonly unknown?: readonly string[];
  /** Capabilities of the client. */
  readonly capabilities?: object;
}

/** Requests notifications of tasks. The client owns the tasks named after it, and the server notifies of most. */
async function listen(taskIds: unknown, { unknown = [], capabilities = declared }: ListenOptions = {}) {
  const watched: (readonly string[])[] = [];
  const { signal } = new AbortController();
  const tasks = createForwardedTasks(
    revision,
    Object.create({
      owners: { isOwn: (_call: unknown, id: string) => Promise.resolve(id.startsWith("own")) },
      notifications: {
        async watch(_call: unknown, ids: readonly string[]) {
          watched.push(ids);
          const honoured = ids.filter((id) => !unknown.includes(id));
          return { honoured, topic: "topic", ended: signal, leave() {} };
        },
      },
    }),
  );
  const call = createCall(ours, revision, { session: createSession(ours, revision, capabilities) });
  const { filter, topics } = await tasks.listen({ taskIds }, call);
  return { filter, topics, watched };
}

const none = { filter: {}, topics: [], watched: [] };

test.each<readonly [string, unknown, object]>([
  ["own tasks, once each", ["own 1", "own 2", "own 1"], ["own 1", "own 2"]],
  ["no tasks of others", ["other", "own 1"], ["own 1"]],
  ["no ids that are not text", [5, null, "own 1"], ["own 1"]],
])("a client is notified of %s", async (_what, taskIds, own) => {
  expect(await listen(taskIds)).toEqual({ filter: { taskIds: own }, topics: ["topic"], watched: [own] });
});

test.each<readonly [string, unknown]>([
  ["without tasks", undefined],
  ["with no tasks", []],
  ["with tasks of others only", ["other"]],
])("a filter %s reaches no server", async (_what, taskIds) => {
  expect(await listen(taskIds)).toEqual(none);
});

test("a filter with tasks that the server does not know has no topic", async () => {
  expect(await listen(["own 1"], { unknown: ["own 1"] })).toEqual({ ...none, watched: [["own 1"]] });
});

test("a client that does not declare tasks cannot request notifications of them", async () => {
  await expect(listen(["own 1"], { capabilities: {} })).rejects.toMatchObject({ code: -32021 });
});

test("a request of the server on the connection for notifications of tasks has no client", async () => {
  const notifications = new TaskNotifications({ open: () => Promise.reject(new Error("closed")), notify() {} });
  await expect(notifications.ask("sampling/createMessage")).rejects.toThrow(
    "The gateway has no client for the request sampling/createMessage",
  );
});
