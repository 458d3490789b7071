import { isObject } from "../../../../generated/support.ts";
import { rateLimit } from "../../../../runtime/server/middleware/rate-limit.ts";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import { MemoryTaskStore, type MemoryTaskStoreOptions } from "../../../../runtime/stores/memory-task-store.ts";
import { newest } from "../../../kit/revisions.ts";
import { initialize } from "../../../kit/messages.ts";
import type { LimitCase } from "../limit-case.ts";
import {
  callTool,
  openHttpSession,
  openRawTcp,
  openSession,
  openSocket,
  post,
  readOutcome,
  receive,
  toOutcome,
  toStatus,
  type RawClient,
} from "../raw-client.ts";
import { openHttpRig, openTcpRig, type LimitRig } from "../rig.ts";

/** Limits of what a server keeps for clients. */
export const stateCases: readonly LimitCase[] = [
  {
    ...{ limit: "SessionOptions.maxSessions", over: "http", action: "one more session", outcome: "503 error -32603" },
    // The other client has a session.
    open: () => openHttpRig({ listen: { sessions: { maxSessions: 2 } } }),
    reach: openOneMore,
  },
  {
    ...{ limit: "MemorySessionStoreOptions.maxSessions", over: "http", action: "one more session" },
    outcome: "503 error -32603",
    open: () => openHttpRig({ listen: { sessions: { store: new MemorySessionStore({ maxSessions: 2 }) } } }),
    reach: openOneMore,
  },
  {
    ...{
      limit: "MemorySessionStoreOptions.maxSessionsPerOwner",
      over: "http",
      action: "one more session of a principal",
    },
    outcome: "503 error -32603",
    open: () =>
      openHttpRig({
        listen: {
          sessions: { store: new MemorySessionStore({ maxSessionsPerOwner: 2 }) },
          authenticate: (head) => ({ principal: head.header("x-user") ?? "other" }),
        },
      }),
    async reach({ url }) {
      const user = { "x-user": "ann" };
      for (const _session of ["first", "second"])
        await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, await openHttpSession(url, user));
      return toStatus(await post(url, initialize(newest.id), user));
    },
  },
  {
    ...{ limit: "ServerOptions.maxSubscriptions", over: "tcp", action: "a third subscription", outcome: "error 429" },
    open: () => openTcpRig({ server: { maxSubscriptions: 2 } }),
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      for (const [id, name] of ["a", "b", "c"].entries())
        client.send({ jsonrpc: "2.0", id: id + 1, method: "resources/subscribe", params: { uri: `file:///${name}` } });
      return readOutcome(client, 3);
    },
  },
  ...(
    [
      ["maxTasks", { maxTasks: 2 }],
      ["maxTasksPerOwner", { maxTasksPerOwner: 2 }],
    ] as const
  ).map(([key, options]): LimitCase => ({
    ...{ limit: `MemoryTaskStoreOptions.${key}`, over: "tcp", action: "a third task", outcome: "error 429" },
    open: () => openTaskRig(options),
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      for (const id of [1, 2]) {
        client.send(startTask(id, 1));
        await readOutcome(client, id);
      }
      client.send(startTask(3, 1));
      return readOutcome(client, 3);
    },
  })),
  {
    ...{ limit: "MemoryTaskStoreOptions.maxSize", over: "tcp", action: "a result without room", outcome: "failed" },
    open: () => openTaskRig({ maxSize: 1_000 }),
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      client.send(startTask(1, 5_000));
      await readOutcome(client, 1);
      return awaitTask(client);
    },
  },
  {
    ...{ limit: "TaskOptions.maxTtl", over: "tcp", action: "a task for ever", outcome: "1000 ms" },
    open: () => openTcpRig({ server: { tasks: { maxTtl: 1_000 } } }),
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      client.send(startTask(1, 1, 999_999_999));
      return `${String(readTask(await receive(client, ({ id }) => id === 1))?.ttl)} ms`;
    },
  },
  ...(
    [
      ["maxEvents", { maxEvents: 3 }],
      ["maxStreamSize", { maxStreamSize: 500 }],
      ["maxSize", { maxSize: 1_500 }],
    ] as const
  ).map(([key, options]): LimitCase => ({
    ...{ limit: `MemoryEventStoreOptions.${key}`, over: "http", action: "a stream that resumes at a removed event" },
    outcome: "400 error -32600",
    open: () => openHttpRig({ listen: { events: new MemoryEventStore(options) } }),
    async reach({ url }) {
      const session = await openHttpSession(url);
      const { text } = await post(url, callTool(1, "log", { count: 50 }), session);
      const [first = ""] = [...text.matchAll(/^id: ?(.+)$/gm)].map((match) => match[1] ?? "");
      const headers = { ...session, accept: "text/event-stream", "last-event-id": first };
      const response = await fetch(url, { headers });
      return `${response.status} ${toOutcome(await response.json())}`;
    },
  })),
  {
    ...{ limit: "StreamOptions.maxStreamBytes", over: "http", action: "a reader that stops" },
    outcome: "closed before the end",
    open: () => openHttpRig({ listen: { maxStreamBytes: 64 * 1024, events: false } }),
    async reach({ url }) {
      const session = await openHttpSession(url);
      const socket = await openSocket(url);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const call = callTool(1, "flood", { count: 100, length: 400_000 });
      const body = JSON.stringify({ ...call, params: { ...Object(call.params), _meta: { progressToken: 1 } } });
      const fields = { ...session, accept: "application/json, text/event-stream", "content-type": "application/json" };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
      socket.pause();
      const { host } = new URL(url);
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: ${host}\r\n${lines.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      setTimeout(() => socket.resume(), 1_000);
      await closed;
      return socket.bytesRead < 100 * 400_000 ? "closed before the end" : "closed after the end";
    },
  },
  {
    ...{
      limit: "ServerOptions.logRate",
      over: "tcp",
      action: "10 log messages at a rate of 3",
      outcome: "3 of 10, and a notice",
    },
    open: () => openTcpRig({ server: { logRate: { burst: 3, perSecond: 0.001 } } }),
    async reach(rig) {
      const { count, last } = await countNotifications(rig, "log", "notifications/message");
      return `${count - 1} of 10${JSON.stringify(last).includes("dropped") ? ", and a notice" : ""}`;
    },
  },
  {
    ...{ limit: "ServerOptions.progressRate", over: "tcp", action: "10 reports at a rate of 3" },
    outcome: "4 of 10, with the last one",
    open: () => openTcpRig({ server: { progressRate: { burst: 3, perSecond: 0.001 } } }),
    async reach(rig) {
      const { count, last } = await countNotifications(rig, "progress", "notifications/progress");
      return `${count} of 10${JSON.stringify(last).includes('"progress":10') ? ", with the last one" : ""}`;
    },
  },
  {
    ...{ limit: "rateLimit: burst", over: "tcp", action: "one more request than the burst", outcome: "error 429" },
    open: () =>
      openTcpRig({
        server: {
          middleware: [rateLimit({ burst: 2, perSecond: 0.001, methods: ["prompts/list", "resources/list"] })],
        },
      }),
    async reach({ url }) {
      const client = await openSession(await openRawTcp(url));
      for (const id of [1, 2, 3]) client.send({ jsonrpc: "2.0", id, method: "resources/list" });
      return readOutcome(client, 3);
    },
  },
];

async function openOneMore({ url }: LimitRig): Promise<string> {
  // A session that was used is not replaced.
  const session = await openHttpSession(url);
  await post(url, { jsonrpc: "2.0", id: 1, method: "ping" }, session);
  return toStatus(await post(url, initialize(newest.id)));
}

function openTaskRig(options: MemoryTaskStoreOptions): Promise<LimitRig> {
  return openTcpRig({ server: { tasks: { store: new MemoryTaskStore(options) } } });
}

function startTask(id: number, length: number, ttl = 60_000): object {
  const params = { name: "task", arguments: { length }, task: { ttl } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

function readTask(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const { result } = message;
  return isObject(result) && isObject(result.task) ? result.task : undefined;
}

/** Waits until the first task has ended. Returns its status. */
async function awaitTask(client: RawClient): Promise<string> {
  const task = readTask(await receive(client, ({ id }) => id === 1));
  for (let id = 100; ; id += 1) {
    client.send({ jsonrpc: "2.0", id, method: "tasks/get", params: { taskId: task?.taskId } });
    const { result } = await receive(client, (message) => message.id === id);
    if (isObject(result) && result.status !== "working") return String(result.status);
  }
}

/** Calls a tool that sends notifications. */
async function countNotifications(
  { url }: LimitRig,
  tool: string,
  method: string,
): Promise<{ readonly count: number; readonly last: unknown }> {
  const client = await openSession(await openRawTcp(url));
  const params = { name: tool, arguments: { count: 10 }, _meta: { progressToken: 1 } };
  client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await readOutcome(client, 1);
  const notifications = client.received.filter((message) => message.method === method);
  return { count: notifications.length, last: notifications.at(-1) };
}
