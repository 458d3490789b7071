import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { extension } from "../../../generated/extensions/tasks/index.ts";
import { meta, request } from "../../kit/messages.ts";
import { endProcess, startNode, type NodeProcess } from "../processes/processes.ts";
import { startRedis } from "../processes/redis-process.ts";
import type { Message } from "./task-nodes.ts";

const program = join(import.meta.dirname, "../processes/task-server.ts");

/** Starts nodes in processes of their own, which share a Redis server. */
async function startProcesses(count: number): Promise<readonly NodeProcess[]> {
  const redis = await startRedis();
  const nodes: NodeProcess[] = [];
  onTestFinished(async () => {
    await Promise.all(nodes.map(endProcess));
    await redis.close();
  });
  for (let number = 1; number <= count; number += 1) {
    nodes.push(await startNode({ args: ["--import", "tsx", program, redis.url, `node ${number}`] }));
  }
  return nodes;
}

async function send(
  { url }: NodeProcess,
  method: string,
  params: { readonly name: string } | { readonly taskId: string },
): Promise<Message> {
  const capabilities = { extensions: { [extension.id]: {} } };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": "name" in params ? params.name : params.taskId,
    },
    body: JSON.stringify(request(1, method, params, { [meta.capabilities]: capabilities })),
  });
  const { result, error }: Record<string, unknown> = Object(await response.json());
  if (!result) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
  return Object(result);
}

async function until(node: NodeProcess, taskId: string, status: string): Promise<Message> {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const task = await send(node, "tasks/get", { taskId });
    if (task.status === status) return task;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The task never was ${status}`);
}

describe.runIf(process.env["SCALE_ENGINE"] === "redis")("tasks of processes that are killed", () => {
  it("a task goes on in another process, and no recorded step runs again (E10, E11)", async () => {
    const [first, second] = await startProcesses(2);
    if (!first || !second) throw new Error("two nodes are needed");
    const [work, plain] = [
      await send(first, "tools/call", { name: "work" }),
      await send(first, "tools/call", { name: "plain" }),
    ];
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    first.child.kill("SIGKILL");
    const failed = await until(second, String(plain.taskId), "failed");
    expect(failed).toMatchObject({ statusMessage: "The node that ran the task is gone; its effects are unknown" });
    const { result } = await until(second, String(work.taskId), "completed");
    const steps: readonly { readonly name: string; readonly token: string }[] = JSON.parse(
      Object(result).content[0].text,
    );
    const names = steps.map(({ name }) => name);
    expect(names).toHaveLength(10);
    expect(names).toEqual([...names].sort());
    expect(new Set(names)).toEqual(new Set(["node 1", "node 2"]));
    expect(new Set(steps.map(({ token }) => token)).size).toBe(10);
  });

  it("a process that was stopped for longer than the lease changes nothing when it continues (E9)", async () => {
    const [first, second] = await startProcesses(2);
    if (!first || !second) throw new Error("two nodes are needed");
    const { taskId } = await send(first, "tools/call", { name: "work" });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    first.child.kill("SIGSTOP");
    const { result } = await until(second, String(taskId), "completed");
    first.child.kill("SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    for (const node of [first, second])
      expect(await send(node, "tasks/get", { taskId: String(taskId) })).toMatchObject({ result });
  });
});
