import { setTimeout as sleep } from "node:timers/promises";
import type { TestClient } from "../client/client.ts";
import { readBody } from "../client/http.ts";
import { parseMessage, type Message } from "../client/message.ts";
import { openSession, type Workload } from "./workload.ts";

/** A task that is watched by requests to all nodes until it has ended, and asked for by a stranger. */
export const task: Workload = async (context) => {
  const [client, stranger] = await Promise.all([openSession(context), openSession(context, "bob")]);
  const created = await client.call("slow", { milliseconds: 500 }, { params: { task: { ttl: 60_000 } } });
  const id = readTask(created);
  if (id === undefined) return;
  for (let poll = 0; poll < 100; poll++) {
    const status = await readStatus(client, id);
    if (status === "completed" || status === "failed" || status === "cancelled") break;
    if (poll === 1) await readStatus(stranger, id, "stranger");
    await sleep(150);
  }
};

/** Reads the status of a task, and writes it into the history. */
async function readStatus(
  client: TestClient,
  task: string,
  op: "task" | "stranger" = "task",
): Promise<string | undefined> {
  const id = op === "task" ? task : client.newConnection();
  client.write({ phase: "call", op, id, value: task });
  const request = { jsonrpc: "2.0", id: client.takeId(), method: "tasks/get", params: { taskId: task } };
  const response = await client.send({ method: "POST", message: request });
  const text = response ? await readBody(response) : "";
  const message = parseMessage(text);
  const status = message?.result?.["status"];
  // An internal error says that the engine was lost after the request had been accepted, and nothing about the task.
  const isInternal = message?.error?.code === -32603;
  const hasResponse = response !== undefined && message !== undefined && response.status < 500 && !isInternal;
  const outcome = typeof status === "string" ? "ok" : hasResponse ? "fail" : "unknown";
  const value = typeof status === "string" && op === "task" ? status : text;
  client.write({ phase: "return", op, id, outcome, value, ...(response && { status: response.status }) });
  return typeof status === "string" ? status : undefined;
}

function readTask(created: Message | undefined): string | undefined {
  const task = created?.result?.["task"];
  const id = typeof task === "object" && task !== null && "taskId" in task ? task.taskId : undefined;
  return typeof id === "string" ? id : undefined;
}
