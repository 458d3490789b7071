import { describe, expect, test } from "vitest";
import type { RequestRow } from "../../../generated/support.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createStoredCall } from "../../../runtime/server/tasks/tool-tasks.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { TaskRecord, TaskStore } from "../../../runtime/stores/task-store.ts";
import { InputRelay } from "../../../runtime/tasks/session-channel.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { initialize, initialized } from "../../kit/messages.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { RawPeer, defineTool, findTask } from "./task-wire.ts";

/** Wire of a user who is authenticated. */
class UserWire extends Wire {
  override post(...messages: readonly unknown[]): void {
    for (const message of messages) this.receiver?.message(message, { identity: { principal: "ada" } });
  }
}

const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;

/** A client of a process of its own. All processes share their tasks. */
async function connect(store: TaskStore, pollInterval = 5): Promise<RawPeer> {
  const asks = defineTool({
    name: "asks",
    task: { pollInterval },
    async execute(_args, { elicit }) {
      try {
        const first = await elicit(form);
        const second = await elicit({ ...form, message: "Once more?" });
        return `${first.action}, ${second.action}`;
      } catch (error) {
        const { code, message, data } = Object(error);
        return JSON.stringify({ code, message, data });
      }
    },
  });
  const source = { name: "server", version: "1", tools: [asks], tasks: { store }, onError: () => {} };
  const wire = new UserWire();
  createServerAcceptor(createServer(source, handshakeRevisions))(wire);
  wire.post(initialize(newest.id, { elicitation: {} }), initialized);
  await settle();
  wire.sent.length = 0;
  return new RawPeer(wire);
}

/** Three processes that share their tasks, and a client of each. The client of the first has left a task, which waits for input. */
async function leaveTask(pollInterval?: number): Promise<{
  readonly store: MemoryTaskStore;
  readonly second: RawPeer;
  readonly third: RawPeer;
  readonly taskId: string;
}> {
  const store = new MemoryTaskStore();
  const open = (): Promise<RawPeer> => connect(store, pollInterval);
  const [first, second, third] = [await open(), await open(), await open()];
  const taskId = await first.start("asks");
  await first.receiveRequest("elicitation/create");
  first.wire.end();
  await second.until(taskId, "input_required");
  return { store, second, third, taskId };
}

test("an input request that another process has sent is cancelled with its task, before the response (TK-21)", async () => {
  const { second, taskId } = await leaveTask();
  const waiting = second.post("tasks/result", { taskId });
  const request = await second.receiveRequest("elicitation/create");
  await second.call("tasks/cancel", { taskId });
  expect(
    await second.receive(({ method, id }) => method === "notifications/cancelled" || id === waiting),
  ).toMatchObject({
    params: { requestId: request.id },
  });
  expect(await second.receive(({ id }) => id === waiting)).toMatchObject({ error: { code: -32602 } });
});

test("an input request that two other processes have sent is cancelled at one when the other has the response", async () => {
  const { second, third, taskId } = await leaveTask();
  second.post("tasks/result", { taskId });
  const waiting = third.post("tasks/result", { taskId });
  const request = await second.receiveRequest("elicitation/create");
  third.respond(await third.receiveRequest("elicitation/create"), { action: "accept", content: {} });
  expect(await second.receiveRequest("notifications/cancelled")).toMatchObject({ params: { requestId: request.id } });
  const next = await third.receiveRequest("elicitation/create");
  expect(next.params).toMatchObject({ message: "Once more?" });
  third.respond(next, { action: "decline" });
  const result = await third.receive(({ id, method }) => id === waiting && method === undefined);
  expect(result).toMatchObject({ result: { content: [{ text: "accept, decline" }] } });
});

test("a task of another process is read at its poll interval where the store has no leases", async () => {
  const memory = new MemoryTaskStore();
  const store: TaskStore = {
    add: (record) => memory.add(record),
    find: (key) => memory.find(key),
    change: (key, change) => memory.change(key, change),
    list: (owner, range) => memory.list(owner, range),
    remove: (key) => memory.remove(key),
    removeAll: (owner) => memory.removeAll(owner),
  };
  const [first, second] = [await connect(store), await connect(store)];
  const taskId = await first.start("asks");
  const waiting = second.post("tasks/result", { taskId });
  for (let count = 0; count < 2; count += 1)
    first.respond(await first.receiveRequest("elicitation/create"), { action: "decline" });
  expect(await second.receive(({ id }) => id === waiting)).toMatchObject({
    result: { content: [{ text: "decline, decline" }] },
  });
});

/** A process that shares its tasks, whose client has started one. */
async function startTask(): Promise<{ readonly second: RawPeer; readonly taskId: string }> {
  const second = await connect(new MemoryTaskStore());
  return { second, taskId: await second.start("asks") };
}

test.each([
  ["the process that runs it", "first"],
  ["another process", "second"],
] as const)("an error of the client reaches a task through %s", async (_name, at) => {
  const { second, taskId } = at === "second" ? await leaveTask() : await startTask();
  const waiting = second.post("tasks/result", { taskId });
  const { id } = await second.receiveRequest("elicitation/create");
  const error = { code: -32000, message: "Not now", data: { retry: false } };
  second.wire.post({ jsonrpc: "2.0", id, error });
  const response = await second.receive((message) => message.id === waiting && message.method === undefined);
  expect(response).toMatchObject({ result: { content: [{ text: JSON.stringify(error) }] } });
});

test("an input request whose client goes away before its response reaches the next client that waits", async () => {
  const { second, third, taskId } = await leaveTask();
  second.post("tasks/result", { taskId });
  await second.receiveRequest("elicitation/create");
  second.wire.end();
  const waiting = third.post("tasks/result", { taskId });
  for (const action of ["accept", "decline"])
    third.respond(await third.receiveRequest("elicitation/create"), {
      action,
      ...(action === "accept" && { content: {} }),
    });
  const result = await third.receive(({ id, method }) => id === waiting && method === undefined);
  expect(result).toMatchObject({ result: { content: [{ text: "accept, decline" }] } });
});

describe("a call that waits for a task of another process", () => {
  const times = { createdAt: "", updatedAt: "", ttl: null, pollInterval: 1_000 };
  const record: TaskRecord = {
    ...{ id: "a", owner: "ada", status: "input_required", ...times },
    inputRequests: {
      unknown: { method: "unknown/request" },
      "elicit-1": { method: "elicitation/create", params: form },
    },
  };

  /** A relay, whose first requests fail. */
  function createRelay(failures = 0): { readonly relay: InputRelay; readonly sent: string[] } {
    const sent: string[] = [];
    const retry = { revision: newest.id, params: {}, client: { info: undefined, capabilities: {} } };
    const call = createStoredCall("b", retry, { revision: newest });
    const request = ({ method }: RequestRow): Promise<never> => {
      sent.push(method);
      return sent.length > failures ? new Promise(() => {}) : Promise.reject(new Error("unreachable"));
    };
    return { relay: new InputRelay({ ...call, request }, async () => {}), sent };
  }

  test("a call sends an input request once, and none that its revision does not have", async () => {
    const { relay, sent } = createRelay();
    for (let read = 1; read <= 3; read += 1) {
      relay.send(record);
      await settle();
    }
    expect(sent).toEqual(["elicitation/create"]);
  });

  test("a call sends an input request again after it could not be sent", async () => {
    const { relay, sent } = createRelay(1);
    for (let read = 1; read <= 3; read += 1) {
      relay.send(record);
      await settle();
    }
    expect(sent).toEqual(["elicitation/create", "elicitation/create"]);
  });
});

test("a response to an input request that has one already is not stored", async () => {
  const { second, third, taskId, store } = await leaveTask(60_000);
  const stored = async (): Promise<object | undefined> =>
    (await findTask(store, { id: taskId, owner: "principal:ada" }))?.inputResponses;
  for (const client of [second, third]) client.post("tasks/result", { taskId });
  const [one, other] = [
    await second.receiveRequest("elicitation/create"),
    await third.receiveRequest("elicitation/create"),
  ];
  const first = { action: "accept", content: {} };
  second.respond(one, first);
  const responses = { "elicit-1": { result: first } };
  await expect.poll(stored).toEqual(responses);
  third.respond(other, { action: "cancel" });
  await third.call("tasks/get", { taskId });
  await settle();
  expect(await stored()).toEqual(responses);
});
