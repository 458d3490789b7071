import { expect, test } from "vitest";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import { Wire, initialize, initialized, settle } from "../wire.ts";
import { handshakeRevisions, newest } from "../fixture-revision.ts";
import { Foreigner, defineTool } from "./task-wire.ts";

/** Wire of a user who is authenticated. */
class UserWire extends Wire {
  override post(...messages: readonly unknown[]): void {
    for (const message of messages) this.receiver?.message(message, { identity: { principal: "ada" } });
  }
}

const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;

/** Three processes that share their tasks, and a client of each. The client of the first has left a task, which waits for input. */
async function leaveTask(): Promise<{
  readonly second: Foreigner;
  readonly third: Foreigner;
  readonly taskId: string;
}> {
  const store = new MemoryTaskStore();
  const asks = defineTool({
    name: "asks",
    task: { pollInterval: 5 },
    async execute(_args, { elicit }) {
      await elicit(form);
      return (await elicit({ ...form, message: "Once more?" })).action;
    },
  });
  const connect = async (): Promise<Foreigner> => {
    const source = { name: "server", version: "1", tools: [asks], tasks: { store }, onError: () => {} };
    const wire = new UserWire();
    createServerAcceptor(createServer(source, handshakeRevisions))(wire);
    wire.post(initialize(newest.id, { elicitation: {} }), initialized);
    await settle();
    wire.sent.length = 0;
    return new Foreigner(wire);
  };
  const [first, second, third] = [await connect(), await connect(), await connect()];
  const taskId = await first.start("asks");
  await first.hearMethod("elicitation/create");
  first.wire.end();
  await second.until(taskId, "input_required");
  return { second, third, taskId };
}

test("an input request that another process has sent is cancelled with its task, before the response (TK-21)", async () => {
  const { second, taskId } = await leaveTask();
  const waiting = second.post("tasks/result", { taskId });
  const question = await second.hearMethod("elicitation/create");
  await second.call("tasks/cancel", { taskId });
  expect(await second.hear(({ method, id }) => method === "notifications/cancelled" || id === waiting)).toMatchObject({
    params: { requestId: question.id },
  });
  expect(await second.hear(({ id }) => id === waiting)).toMatchObject({ error: { code: -32602 } });
});

test("an input request that two other processes have sent is cancelled at one when the other has the response", async () => {
  const { second, third, taskId } = await leaveTask();
  second.post("tasks/result", { taskId });
  const waiting = third.post("tasks/result", { taskId });
  const question = await second.hearMethod("elicitation/create");
  third.answer(await third.hearMethod("elicitation/create"), { action: "accept", content: {} });
  expect(await second.hearMethod("notifications/cancelled")).toMatchObject({ params: { requestId: question.id } });
  const next = await third.hearMethod("elicitation/create");
  expect(next.params).toMatchObject({ message: "Once more?" });
  third.answer(next, { action: "decline" });
  const result = await third.hear(({ id, method }) => id === waiting && method === undefined);
  expect(result).toMatchObject({ result: { content: [{ text: "decline" }] } });
});
