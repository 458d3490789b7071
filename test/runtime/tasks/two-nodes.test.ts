import { describe, expect, onTestFinished, test } from "vitest";
import { isObject } from "../../../generated/support.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { createHttpHandler } from "../../../runtime/server/run/http-handler.ts";
import { MemorySessionStore } from "../../../runtime/stores/memory-session-store.ts";
import { MemoryTaskStore } from "../../../runtime/stores/memory-task-store.ts";
import type { SessionStore } from "../../../runtime/stores/session-store.ts";
import type { TaskKey } from "../../../runtime/stores/task-store.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import type { HttpHandler } from "../../../runtime/transport/http-server/handler.ts";
import { EngineError } from "../../../runtime/stores/engine-error.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../kit/revisions.ts";
import { initialize, meta, request } from "../../kit/messages.ts";
import { declaring } from "./extension-wire.ts";
import { defineTool, serveTasks, type Message } from "./task-wire.ts";

/** A server and its handler, as in a process of their own. */
interface Node {
  readonly server: Server;
  readonly handler: HttpHandler;
  /** Reasons for which the work of tasks was aborted here. */
  readonly aborted: string[];
}

interface Nodes {
  readonly clock: ManualClock;
  readonly tasks: MemoryTaskStore;
  readonly a: Node;
  readonly b: Node;
}

const sessionTtl = 60_000;
const pollInterval = 1_000;

/** Two nodes that share the stores of sessions and tasks. */
function openNodes(): Nodes {
  const clock = new ManualClock();
  const tasks = new MemoryTaskStore({ clock });
  const store = toSlow(new MemorySessionStore({ clock, ttl: sessionTtl }));
  const open = (): Node => {
    const aborted: string[] = [];
    const held = defineTool({
      name: "held",
      task: { ttl: 10 * sessionTtl },
      execute: (_args, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push(String(Object(signal.reason).message));
            reject(new Error("aborted"));
          });
        }),
    });
    const quick = defineTool({ name: "quick", task: true, execute: () => "done" });
    const source = {
      name: "node",
      version: "1",
      tools: [held, quick],
      tasks: { store: tasks, clock, pollInterval },
      onError: () => {},
    };
    const server = createServer(source, handshakeRevisions);
    const sessions = { store, ttl: sessionTtl };
    const handler = createHttpHandler(server, { allowedHosts: ["mcp.example"], sessions, clock });
    onTestFinished(() => handler.close({ drain: 0 }));
    return { server, handler, aborted };
  };
  return { clock, tasks, a: open(), b: open() };
}

/** Makes a store respond later, as a database does. */
function toSlow(store: MemorySessionStore): SessionStore {
  return {
    add: async (record) => (await settle(), store.add(record)),
    find: async (key) => (await settle(), store.find(key)),
    remove: async (key) => (await settle(), store.remove(key)),
  };
}

/** A session of a client that reaches either node. */
class Client {
  readonly id: string;
  #lastId = 0;

  constructor(id: string) {
    this.id = id;
  }

  static async open({ handler }: Node): Promise<Client> {
    const welcome = await handler.fetch(toRequest("POST", initialize(newest.id, {})));
    await welcome.text();
    const client = new Client(welcome.headers.get("mcp-session-id") ?? "");
    await client.send(handler, "POST", { method: "notifications/initialized" });
    return client;
  }

  send(handler: HttpHandler, method: string, message?: object): Promise<Response> {
    const headers = { "mcp-session-id": this.id, "mcp-protocol-version": newest.id };
    return handler.fetch(toRequest(method, message && { jsonrpc: "2.0", ...message }, headers));
  }

  async request({ handler }: Node, method: string, params?: object): Promise<Message> {
    this.#lastId += 1;
    const response = await this.send(handler, "POST", { id: this.#lastId, method, ...(params && { params }) });
    return JSON.parse(await response.text());
  }

  async call(node: Node, method: string, params?: object): Promise<Message> {
    const { result, error } = await this.request(node, method, params);
    if (!isObject(result)) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
    return result;
  }

  async start(node: Node, name: string): Promise<string> {
    const { task } = await this.call(node, "tools/call", { name, task: {} });
    // The work begins after the response.
    await new Promise((resolve) => setTimeout(resolve, 5));
    return String(Object(task).taskId);
  }

  /** Ends the session. */
  async leave({ handler }: Node): Promise<void> {
    expect((await this.send(handler, "DELETE")).status).toBe(204);
    await settle();
    await settle();
  }
}

function toRequest(method: string, body?: object, more: Record<string, string> = {}): Request {
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json", ...more };
  return new Request("https://mcp.example/", { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

describe("the owner of a task without a principal", () => {
  test("a task is found at each node that serves its session (TK-24)", async () => {
    const { a, b } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "quick");
    expect(await client.call(b, "tasks/get", { taskId })).toMatchObject({ taskId, status: "completed" });
    expect(await client.call(b, "tasks/list")).toMatchObject({ tasks: [{ taskId }] });
    expect(await client.call(b, "tasks/result", { taskId })).toMatchObject({ content: [{ text: "done" }] });
  });

  test("a task of another session is unknown at each node (TK-24, R48)", async () => {
    const { a, b } = openNodes();
    const taskId = await (await Client.open(a)).start(a, "quick");
    const stranger = await Client.open(b);
    for (const node of [a, b]) {
      expect(await stranger.request(node, "tasks/get", { taskId })).toMatchObject({ error: { code: -32602 } });
      expect(await stranger.call(node, "tasks/list")).toEqual({ tasks: [] });
    }
  });

  test("a task store never receives the id of a session (R48)", async () => {
    const { a, tasks } = openNodes();
    const seen: unknown[] = [];
    const add = tasks.add.bind(tasks);
    tasks.add = (record) => (seen.push(record), add(record));
    const client = await Client.open(a);
    await client.start(a, "quick");
    expect(seen).toMatchObject([{ owner: expect.stringMatching(/^session:[\da-f]{64}$/) }]);
    expect(JSON.stringify(seen)).not.toContain(client.id);
  });
});

describe("the end of a session", () => {
  test("a task stays when its node closes, and other nodes serve its session", async () => {
    const { a, b, tasks } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "quick");
    await a.handler.close({ drain: 0 });
    await settle();
    expect(tasks.size).toBe(1);
    expect(await client.call(b, "tasks/result", { taskId })).toMatchObject({ content: [{ text: "done" }] });
  });

  test("a task continues when its node no longer receives requests of a session that another node serves", async () => {
    const { a, b, clock } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "held");
    for (let time = 0; time < 5; time += 1) {
      await clock.pass(sessionTtl / 2);
      expect(await client.call(b, "tasks/get", { taskId })).toMatchObject({ status: "working" });
    }
    expect(a.handler.sessions.size).toBe(0);
    expect(a.aborted).toEqual([]);
  });

  test("the tasks of a session are removed with it at any node, and their work is aborted (R48)", async () => {
    const { a, b, clock, tasks } = openNodes();
    const client = await Client.open(a);
    await client.start(a, "held");
    await client.start(a, "quick");
    expect(tasks.size).toBe(2);
    await client.leave(b);
    await expect.poll(() => tasks.size).toBe(0);
    await clock.pass(5 * pollInterval);
    expect(a.aborted).toEqual(["The task was removed"]);
  });

  test("the tasks of a session are removed when it expires (R48)", async () => {
    const { a, clock, tasks } = openNodes();
    await (await Client.open(a)).start(a, "held");
    await clock.pass(sessionTtl * 2);
    await settle();
    expect(tasks.size).toBe(0);
    expect(a.aborted).toEqual(["The session has ended"]);
    expect(a.handler.sessions.size).toBe(0);
  });
});

describe("a task that another node has ended", () => {
  test("the work of a task is aborted within five poll intervals after another node has cancelled it (TK-21)", async () => {
    const { a, b, clock } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "held");
    expect(await client.call(b, "tasks/cancel", { taskId })).toMatchObject({ status: "cancelled" });
    expect(a.aborted).toEqual([]);
    await clock.pass(5 * pollInterval);
    expect(a.aborted).toEqual(["The task is cancelled"]);
    expect(await client.call(a, "tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  });

  test("a node reads the records of many tasks with one timer, some at a time", async () => {
    const { a, clock, tasks } = openNodes();
    const client = await Client.open(a);
    await client.start(a, "held");
    const { active } = clock;
    for (let count = 1; count < 50; count += 1) await client.start(a, "held");
    expect(clock.active).toBe(active);
    const find = tasks.find.bind(tasks);
    let reading = 0;
    let most = 0;
    let reads = 0;
    Object.assign(tasks, {
      find: async (key: Parameters<typeof find>[0]) => {
        reads += 1;
        most = Math.max(most, (reading += 1));
        await settle();
        reading -= 1;
        return find(key);
      },
    });
    await clock.pass(5 * pollInterval);
    await expect.poll(() => reads).toBe(50);
    expect(most).toBe(20);
    expect(a.aborted).toEqual([]);
  });

  test("the client is notified by the node that runs a task when another node has cancelled it (TK-19)", async () => {
    const { tasks, clock } = openNodes();
    const keys: TaskKey[] = [];
    const add = tasks.add.bind(tasks);
    tasks.add = (record) => (keys.push(record), add(record));
    const waits = defineTool({ name: "waits", task: true, execute: () => new Promise<string>(() => {}) });
    const { client } = await serveTasks({ tools: [waits], tasks: { store: tasks, clock, pollInterval } });
    const taskId = await client.start("waits");
    for (const key of keys) tasks.change(key, { status: "cancelled", updatedAt: new Date().toISOString() });
    await clock.pass(5 * pollInterval);
    expect(client.notificationsOf("notifications/tasks/status")).toMatchObject([{ taskId, status: "cancelled" }]);
  });

  test("a node tries again after a failure of the store", async () => {
    const { a, b, clock, tasks } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "held");
    await client.call(b, "tasks/cancel", { taskId });
    const find = tasks.find.bind(tasks);
    tasks.find = () => {
      throw new Error("lost");
    };
    await clock.pass(5 * pollInterval);
    expect(a.aborted).toEqual([]);
    tasks.find = find;
    await clock.pass(5 * pollInterval);
    expect(a.aborted).toEqual(["The task is cancelled"]);
  });
});

describe("a server that closes", () => {
  test("a server that closes waits for its tasks until the time is up, and then they fail with the reason", async () => {
    const { a, b, clock } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "held");
    let isClosed = false;
    const closing = a.server.close({ drain: 5_000 }).then(() => (isClosed = true));
    await clock.pass(4_900);
    expect(isClosed).toBe(false);
    expect(await client.call(b, "tasks/get", { taskId })).toMatchObject({ status: "working" });
    await clock.pass(100);
    await closing;
    expect(a.aborted).toEqual(["The task is failed"]);
    expect(await client.call(b, "tasks/get", { taskId })).toMatchObject({
      status: "failed",
      statusMessage: "The server that ran the task has ended",
    });
  });

  test("a server that closes waits until the tasks of ended sessions are removed (R48)", async () => {
    const { tasks } = openNodes();
    const quick = defineTool({ name: "quick", task: true, execute: () => "done" });
    const removeAll = tasks.removeAll.bind(tasks);
    const slow = Object.assign(tasks, {
      removeAll: async (owner: string) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return removeAll(owner);
      },
    });
    const { client, server } = await serveTasks({ tools: [quick], tasks: { store: slow } });
    await client.start("quick");
    client.wire.end();
    await settle();
    expect(tasks.size).toBe(1);
    await server.close();
    expect(tasks.size).toBe(0);
  });

  test("a server that closes does not wait longer than its tasks run", async () => {
    const { a, clock } = openNodes();
    const client = await Client.open(a);
    const taskId = await client.start(a, "held");
    const closing = a.server.close({ drain: 60_000 });
    await settle();
    await client.call(a, "tasks/cancel", { taskId });
    await closing;
    expect(clock.now()).toBe(0);
    expect(await client.call(a, "tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
  });
});

/** A store of tasks whose engine cannot be reached. */
class LostTaskStore extends MemoryTaskStore {
  override find(): never {
    throw new EngineError("Redis is not connected; try again later");
  }
  override change(): never {
    throw new EngineError("Redis is not connected; try again later");
  }
}

test.each<[string, object]>([
  ["tasks/get", { taskId: "a" }],
  ["tasks/cancel", { taskId: "a" }],
  ["tasks/update", { taskId: "a", inputResponses: {} }],
])("%s is rejected with 503 and a time while the store of tasks cannot be reached", async (method, params) => {
  const source = { name: "node", version: "1", tasks: { store: new LostTaskStore() }, onError: () => {} };
  const tool = defineTool({ name: "quick", task: true, execute: () => "done" });
  const handler = createHttpHandler(createServer({ ...source, tools: [tool] }, [statelessRevision]), {
    allowedHosts: ["mcp.example"],
  });
  onTestFinished(() => handler.close({ drain: 0 }));
  const body = request(1, method, params, { [meta.capabilities]: declaring });
  const headers = { "mcp-protocol-version": statelessRevision.id, "mcp-method": method, "mcp-name": "a" };
  const response = await handler.fetch(toRequest("POST", body, headers));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await response.json()).toMatchObject({
    id: 1,
    error: { code: 503, message: "The task store cannot be reached; retry later", data: { retryAfter: 1 } },
  });
});
