import { describe, expect, it, vi } from "vitest";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import type { TaskOptions } from "../../../runtime/tasks/task-options.ts";
import { fromJsonSchema } from "../../../runtime/server/json-schema.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import type { AnyContext } from "../../../runtime/server/protocol-types.ts";
import { until } from "../../kit/time.ts";
import { defineTool } from "../../runtime/tasks/task-wire.ts";
import { SessionClient, StatelessClient, startTaskNodes, type TaskNode } from "./task-nodes.ts";

const form = {
  message: "Which colour?",
  requestedSchema: { type: "object", properties: { a: { type: "string" } } },
} as const;

/** What the tools of all nodes have done, in order. */
interface Trace {
  readonly lines: string[];
  readonly tokens: string[];
  /** Lets steps that wait end. */
  open(): void;
  toolsOf(node: number): readonly AnyTool[];
}

function createTrace(): Trace {
  const lines: string[] = [];
  const tokens: string[] = [];
  let isOpen = false;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve)).then(() => void (isOpen = true));
  const hold = ({ signal }: Pick<AnyContext, "signal">, node: number): Promise<void> =>
    Promise.race([
      opened,
      new Promise<void>((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          if (!isOpen) lines.push(`${node} aborted`);
          reject(signal.reason);
        }),
      ),
    ]);
  const toolsOf = (node: number): readonly AnyTool[] => [
    defineTool({
      name: "plain",
      task: true,
      execute: async (_args, context) => {
        lines.push(`${node} plain`);
        await hold(context, node);
        return "done";
      },
    }),
    defineTool({
      name: "order",
      scopes: ["orders"],
      inputSchema: fromJsonSchema<{ readonly item?: string }>(
        { type: "object", properties: { item: { type: "string" } } },
        { validate: () => [] },
      ),
      task: { retryable: true },
      execute: async ({ item }, context) => {
        lines.push(`${node} order ${item} ${context.auth?.principal} ${context.auth?.scopes}`);
        const paid = await context.once("pay", ({ token }) => {
          lines.push(`${node} pay`);
          tokens.push(token);
          return "paid";
        });
        await context.once("ship", async ({ token }) => {
          lines.push(`${node} ship`);
          tokens.push(token);
          await hold(context, node);
        });
        return `${item} ${paid}`;
      },
    }),
    defineTool({
      name: "colour",
      task: { retryable: true },
      execute: async (_args, context) => {
        const first = await context.elicit(form);
        lines.push(`${node} first ${first.action}`);
        const second = await context.elicit({ ...form, message: "And then?" });
        lines.push(`${node} second ${second.action}`);
        await hold(context, node);
        return `${first.action} ${second.action}`;
      },
    }),
  ];
  return { lines, tokens, open: () => open(), toolsOf };
}

async function begin(
  count = 2,
  tasks?: TaskOptions,
  leaseTime?: number,
): Promise<Trace & { readonly nodes: readonly [TaskNode, TaskNode, ...TaskNode[]] }> {
  const trace = createTrace();
  const [first, second, ...others] = await startTaskNodes(count, trace.toolsOf, tasks, leaseTime);
  if (!first || !second) throw new Error("two nodes are needed");
  return { ...trace, nodes: [first, second, ...others] };
}

/** Starts two nodes that look into the store so rarely that only their messages can let a test end. */
function beginWithoutPolling(): ReturnType<typeof begin> {
  const hour = 3_600_000;
  return begin(2, { pollInterval: hour }, hour);
}

/** Cuts a node off from the others, as if it had stopped. */
async function cutOff({ engine }: TaskNode): Promise<void> {
  await engine.close();
}

/** Connects a node again. */
async function connect({ engine }: TaskNode): Promise<void> {
  await engine.open();
}

const accepted = (a: string): object => ({ action: "accept", content: { a } });

describe("tasks of a node that is gone", () => {
  it("a task of a tool that is not retryable fails within seconds, with a reason (E10)", async () => {
    const { nodes, lines } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "plain");
    await until(() => lines.includes("0 plain"), "the beginning");
    await cutOff(nodes[0]);
    const task = await client.until(nodes[1], taskId, "failed");
    const message = "The node that ran the task is gone; its effects are unknown";
    expect(task).toMatchObject({ statusMessage: message, error: { code: -32603, message } });
    expect(lines).toEqual(["0 plain"]);
  });

  it("a task fails though its end cannot be stored at first, and no third node is there (E10)", async () => {
    const { nodes, lines } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "plain");
    await until(() => lines.includes("0 plain"), "the beginning");
    vi.spyOn(nodes[1].engine.tasks, "change").mockRejectedValueOnce(new EngineError("The store gave no reply"));
    await cutOff(nodes[0]);
    await client.until(nodes[1], taskId, "failed");
  });

  it("a task of a retryable tool runs again for the same user, without its recorded steps (E10, E11)", async () => {
    const { nodes, lines, tokens, open } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "order", { item: "tea" });
    await until(() => lines.includes("0 ship"), "the second step");
    await cutOff(nodes[0]);
    await until(() => lines.includes("1 ship"), "the second attempt");
    open();
    const task = await client.until(nodes[1], taskId, "completed");
    expect(task).toMatchObject({ result: { content: [{ text: "tea paid" }] } });
    expect(lines).toEqual(["0 order tea ada orders", "0 pay", "0 ship", "1 order tea ada orders", "1 ship"]);
    const [, before, after] = tokens;
    expect(before).toBe(after);
  });

  it("a node that returns neither completes the task nor finishes a step, and its work is aborted (E9, E11)", async () => {
    const { nodes, lines, open } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "order", { item: "tea" });
    await until(() => lines.includes("0 ship"), "the second step");
    await cutOff(nodes[0]);
    await until(() => lines.includes("1 ship"), "the second attempt");
    await connect(nodes[0]);
    await until(() => lines.includes("0 aborted"), "the end of the first attempt");
    expect(await client.request(nodes[0], "tasks/get", { taskId })).toMatchObject({ status: "working" });
    open();
    await client.until(nodes[0], taskId, "completed");
    expect(lines.filter((line) => line.endsWith("pay"))).toEqual(["0 pay"]);
  });

  it("a task fails after three attempts", async () => {
    const { nodes, lines } = await begin(4);
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "order", { item: "tea" });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await until(() => lines.filter((line) => line.endsWith("ship")).length === attempt, `attempt ${attempt}`);
      const node = Number(lines.findLast((line) => line.endsWith("ship"))?.slice(0, 1));
      const running = nodes[node];
      if (!running) throw new Error(`no node ${node}`);
      await cutOff(running);
      expect(lines.filter((line) => line.endsWith("ship"))).toHaveLength(attempt);
    }
    const left = nodes.find(({ engine }) => engine.status().state === "ready");
    if (!left) throw new Error("no node is left");
    const task = await client.until(left, taskId, "failed");
    expect(task).toMatchObject({ statusMessage: "The 3 nodes that ran the task are gone; its effects are unknown" });
  });

  it("a task of a server that closes in order continues on another node, and that is no lost attempt", async () => {
    const { nodes, lines, open } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "order", { item: "tea" });
    await until(() => lines.includes("0 ship"), "the second step");
    await nodes[0].handler.close({ drain: 0 });
    await nodes[0].server.close({ drain: 0 });
    await until(() => lines.includes("1 ship"), "the second attempt");
    open();
    await client.until(nodes[1], taskId, "completed");
    expect(lines).toContain("0 aborted");
  });

  it("input responses that were given are not requested again (E9)", async () => {
    const { nodes, lines, open } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "colour");
    const { inputRequests } = await client.until(nodes[0], taskId, "input_required");
    const [key = ""] = Object.keys(Object(inputRequests));
    await client.request(nodes[0], "tasks/update", { taskId, inputResponses: { [key]: accepted("red") } });
    await until(() => lines.includes("0 first accept"), "the first response");
    await cutOff(nodes[0]);
    await until(() => lines.includes("1 first accept"), "the second attempt");
    const { inputRequests: open2 } = await client.until(nodes[1], taskId, "input_required");
    const [second = ""] = Object.keys(Object(open2));
    expect(Object(open2)[second]).toMatchObject({ params: { message: "And then?" } });
    expect(second).not.toBe(key);
    await client.request(nodes[1], "tasks/update", { taskId, inputResponses: { [second]: { action: "decline" } } });
    open();
    expect(await client.until(nodes[1], taskId, "completed")).toMatchObject({
      result: { content: [{ text: "accept decline" }] },
    });
  });

  it("a response that arrives while no node runs the task reaches the next attempt (E9)", async () => {
    const { nodes, lines, open } = await begin();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "colour");
    const { inputRequests } = await client.until(nodes[0], taskId, "input_required");
    const [key = ""] = Object.keys(Object(inputRequests));
    await cutOff(nodes[0]);
    await client.request(nodes[1], "tasks/update", { taskId, inputResponses: { [key]: accepted("red") } });
    const response = await client.request(nodes[1], "tasks/get", { taskId });
    expect(Object.keys(Object(response.inputRequests))).not.toContain(key);
    await until(() => lines.includes("1 first accept"), "the second attempt");
    open();
    expect(lines).toEqual(["1 first accept"]);
  });
});

describe("requests about a task of another node", () => {
  it("a cancellation reaches the node that runs the task at once", async () => {
    const { nodes, lines } = await beginWithoutPolling();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "plain");
    await until(() => lines.includes("0 plain"), "the beginning");
    await client.request(nodes[1], "tasks/cancel", { taskId });
    await until(() => lines.includes("0 aborted"), "the cancellation");
    expect(await client.request(nodes[0], "tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  });

  it("an input response reaches the node that runs the task at once", async () => {
    const { nodes, lines } = await beginWithoutPolling();
    const client = new StatelessClient();
    const taskId = await client.start(nodes[0], "colour");
    const { inputRequests } = await client.until(nodes[1], taskId, "input_required");
    const [key = ""] = Object.keys(Object(inputRequests));
    await client.request(nodes[1], "tasks/update", { taskId, inputResponses: { [key]: accepted("red") } });
    await until(() => lines.includes("0 first accept"), "the response");
  });

  it("a task of another user is unknown at every node (E8)", async () => {
    const { nodes } = await begin();
    const taskId = await new StatelessClient().start(nodes[0], "plain");
    const stranger = new StatelessClient("bob");
    for (const node of nodes) {
      for (const method of ["tasks/get", "tasks/cancel"]) {
        expect(await stranger.request(node, method, { taskId })).toMatchObject({ error: { code: -32602 } });
      }
    }
  });
});

describe("tasks of sessions at 2025-11-25", () => {
  it("the result of a task is returned by another node as soon as the task has ended", async () => {
    const { nodes, lines, open } = await beginWithoutPolling();
    const client = await SessionClient.open(nodes[0]);
    const taskId = await client.start(nodes[0], "plain");
    await until(() => lines.includes("0 plain"), "the beginning");
    const result = client.request(nodes[1], "tasks/result", { taskId });
    await new Promise((resolve) => setTimeout(resolve, 100));
    open();
    expect(await result).toMatchObject({ content: [{ text: "done" }] });
  });

  it("a call that waits for its result is woken by the node that runs the task, and does not poll the store", async () => {
    const { nodes, lines, open } = await begin(2, { pollInterval: 5 });
    const client = await SessionClient.open(nodes[0]);
    const taskId = await client.start(nodes[0], "plain");
    await until(() => lines.includes("0 plain"), "the beginning");
    const reads = vi.spyOn(nodes[1].engine.tasks, "find");
    const result = client.request(nodes[1], "tasks/result", { taskId });
    await new Promise((resolve) => setTimeout(resolve, 600));
    // Once for the call, once for the first message, and once in the duration of a lease, in case that a message was lost.
    expect(reads.mock.calls.length).toBeLessThan(10);
    open();
    expect(await result).toMatchObject({ content: [{ text: "done" }] });
  });

  it("a call whose task ends before the node that runs it knows of the call gets the result at once", async () => {
    const { nodes, lines, open } = await beginWithoutPolling();
    const client = await SessionClient.open(nodes[0]);
    const taskId = await client.start(nodes[0], "plain");
    await until(() => lines.includes("0 plain"), "the beginning");
    const { tasks } = nodes[1].engine;
    const find = tasks.find.bind(tasks);
    const reads = vi.spyOn(tasks, "find").mockImplementationOnce(async (key) => {
      const record = await find(key);
      open();
      await client.until(nodes[0], taskId, "completed");
      return record;
    });
    expect(await client.request(nodes[1], "tasks/result", { taskId })).toMatchObject({ content: [{ text: "done" }] });
    expect(reads.mock.calls.length).toBeGreaterThan(1);
  });

  it("input requests of a task arrive with the request for its result, at any node", async () => {
    const { nodes, open } = await begin();
    open();
    const client = await SessionClient.open(nodes[0]);
    const taskId = await client.start(nodes[0], "colour");
    const requested: unknown[] = [];
    const result = await client.request(nodes[1], "tasks/result", { taskId }, ({ params }) => {
      requested.push(Object(params).message);
      return accepted("red");
    });
    expect(requested).toEqual(["Which colour?", "And then?"]);
    expect(result).toMatchObject({ content: [{ text: "accept accept" }] });
  });

  it("a task that waits for its result on another node goes on there when its node is gone (E10)", async () => {
    const { nodes, lines, open } = await begin();
    const client = await SessionClient.open(nodes[0]);
    const taskId = await client.start(nodes[0], "colour");
    const requested: unknown[] = [];
    const result = client.request(nodes[1], "tasks/result", { taskId }, ({ params }) => {
      requested.push(Object(params).message);
      return accepted("red");
    });
    await until(() => lines.includes("0 second accept"), "both responses");
    await cutOff(nodes[0]);
    await until(() => lines.includes("1 second accept"), "the second attempt");
    open();
    expect(await result).toMatchObject({ content: [{ text: "accept accept" }] });
    expect(requested).toEqual(["Which colour?", "And then?"]);
  });

  it("a task of a session runs again without the connection of its client, and requests input through its result (E10)", async () => {
    const { nodes, lines, open } = await begin();
    open();
    const client = await SessionClient.open(nodes[0]);
    const taskId = await client.start(nodes[0], "colour");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await cutOff(nodes[0]);
    const result = await client.request(nodes[1], "tasks/result", { taskId }, () => accepted("red"));
    expect(result).toMatchObject({ content: [{ text: "accept accept" }] });
    expect(lines.every((line) => line.startsWith("1 "))).toBe(true);
  });
});
