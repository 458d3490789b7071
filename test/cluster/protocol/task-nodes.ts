import { onTestFinished } from "vitest";
import { extension } from "../../../generated/extensions/tasks/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import { joinCluster } from "../../../cluster/cluster.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import type { TaskOptions } from "../../../runtime/tasks/task-options.ts";
import type { Engine } from "../../../cluster/stores/engine.ts";
import type { HttpHandler } from "../../../runtime/transport/http-server/handler.ts";
import { initialize, meta, request } from "../../kit/messages.ts";
import { lease, startEngines } from "./nodes.ts";

/** Node with a server, as in a process of its own. */
export interface TaskNode {
  readonly engine: Engine;
  readonly server: Server;
  readonly handler: HttpHandler;
}

export type Message = Readonly<Record<string, unknown>>;

/** Starts nodes of one cluster, which end with the test. `toolsOf` returns the tools of a node; `leaseTime` is how long a node may be silent. */
export async function startTaskNodes(
  count: number,
  toolsOf: (node: number) => readonly AnyTool[],
  tasks: TaskOptions = { pollInterval },
  leaseTime = lease,
): Promise<readonly TaskNode[]> {
  const engines = await startEngines(count);
  const nodes: TaskNode[] = [];
  onTestFinished(async () => {
    await Promise.all(nodes.map(({ handler }) => handler.close({ drain: 0 })));
    await Promise.all(nodes.map(({ server }) => server.close({ drain: 0 })));
    await Promise.all(engines.all.map((engine) => engine.close()));
    await engines.stop();
  });
  for (const engine of engines.all) {
    const cluster = await joinCluster(engine, { lease: leaseTime, onError: () => {} });
    const tools = toolsOf(nodes.length);
    const server = createServer({ name: "server", version: "1", tools, tasks, onError: () => {} }, revisions);
    const handler = createHttpHandler(server, {
      cluster,
      allowedHosts: ["mcp.example"],
      onError: () => {},
      authenticate: (head) => {
        return { principal: String(head.header("x-user")), scopes: ["orders"] };
      },
    });
    nodes.push({ engine, server, handler });
  }
  return nodes;
}

/** Interval at which nodes and clients poll: longer than messages between nodes take. */
export const pollInterval = 5_000;

/** Client of stateless requests that declares the tasks extension. */
export class StatelessClient {
  readonly #user: string;
  #lastId = 0;

  constructor(user = "ada") {
    this.#user = user;
  }

  async request({ handler }: TaskNode, method: string, params: object = {}): Promise<Message> {
    this.#lastId += 1;
    const capabilities = { extensions: { [extension.id]: {} }, elicitation: { form: {} } };
    const body = request(this.#lastId, method, params, { [meta.capabilities]: capabilities });
    const name = "name" in params ? String(params.name) : "taskId" in params ? String(params.taskId) : undefined;
    const response = await handler.fetch(
      toRequest("POST", body, {
        "x-user": this.#user,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        ...(name !== undefined && { "mcp-name": name }),
      }),
    );
    return readResult(await response.text());
  }

  async start(node: TaskNode, name: string, args: object = {}): Promise<string> {
    const { taskId } = await this.request(node, "tools/call", { name, arguments: args });
    if (typeof taskId !== "string") throw new Error("No task was created");
    return taskId;
  }

  /** Requests a task until it has this status. */
  async until(node: TaskNode, taskId: string, status: string, time = 60_000): Promise<Message> {
    let task: Message = {};
    for (const end = performance.now() + time; performance.now() < end;) {
      task = await this.request(node, "tasks/get", { taskId });
      if (task.status === status) return task;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The task never was ${status}: ${JSON.stringify(task)}`);
  }
}

/** Client with a session at 2025-11-25. */
export class SessionClient {
  readonly #headers: Readonly<Record<string, string>>;
  #lastId = 0;

  private constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
  }

  static async open({ handler }: TaskNode): Promise<SessionClient> {
    const user = { "x-user": "ada" };
    const opening = initialize("2025-11-25", { elicitation: { form: {} } });
    const response = await handler.fetch(toRequest("POST", opening, user));
    await response.text();
    const id = response.headers.get("mcp-session-id") ?? "";
    const client = new SessionClient({ ...user, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" });
    await client.post({ handler }, { method: "notifications/initialized" });
    return client;
  }

  post({ handler }: Pick<TaskNode, "handler">, message: object): Promise<Response> {
    return handler.fetch(toRequest("POST", { jsonrpc: "2.0", ...message }, this.#headers));
  }

  /** Requests a task until it has this status. */
  async until(node: TaskNode, taskId: string, status: string): Promise<void> {
    for (const end = performance.now() + 60_000; performance.now() < end;) {
      if ((await this.request(node, "tasks/get", { taskId })).status === status) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The task never was ${status}`);
  }

  /** Sends a request. `respond` returns the results of requests that arrive before its response. */
  async request(
    node: TaskNode,
    method: string,
    params: object = {},
    respond?: (requested: Message) => object,
  ): Promise<Message> {
    this.#lastId += 1;
    const response = await this.post(node, { id: this.#lastId, method, params });
    if (!respond) return readResult(await response.text());
    for await (const message of readEvents(response)) {
      if (typeof message.method !== "string") return readResult(JSON.stringify(message));
      if (message.id !== undefined) await this.post(node, { id: message.id, result: respond(message) });
    }
    throw new Error(`${method} has no response`);
  }

  async start(node: TaskNode, name: string, args: object = {}): Promise<string> {
    const { task } = await this.request(node, "tools/call", { name, arguments: args, task: {} });
    return String(Object(task).taskId);
  }
}

async function* readEvents(response: Response): AsyncGenerator<Message> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const message = readMessage(event);
      if (message) yield message;
    }
  }
}

function readMessage(event: string): Message | undefined {
  const [, data = ""] = /^data:(.*)$/m.exec(event) ?? [];
  if (data.trim() === "") return undefined;
  const value: unknown = JSON.parse(data);
  return isObject(value) ? value : undefined;
}

function readResult(text: string): Message {
  const message = text.startsWith("{")
    ? Object(JSON.parse(text))
    : text.split("\n\n").map(readMessage).findLast(Boolean);
  const { result, error } = Object(message);
  if (isObject(error)) return { error };
  if (!isObject(result)) throw new Error(`No result: ${text}`);
  return result;
}

function toRequest(method: string, body: object, more: Record<string, string>): Request {
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json", ...more };
  return new Request("https://mcp.example/", { method, headers, body: JSON.stringify(body) });
}
