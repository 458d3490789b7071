import { Client as OfficialClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { extension } from "../../../generated/extensions/tasks/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { createUntypedClient } from "../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../runtime/client/session/default-session.ts";
import type { AnyClientOptions } from "../../../runtime/client/options.ts";
import { createGateway, type Gateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import { extendRevisions } from "../../../runtime/protocol/revision/extend-revisions.ts";
import { RpcError } from "../../../runtime/jsonrpc/errors.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import type { AnyContext } from "../../../runtime/server/protocol-types.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import type { TaskHandle } from "../../../runtime/tasks/task-handle.ts";
import type { Connection } from "../../../runtime/protocol/session/connection.ts";
import type { TaskState } from "../../../runtime/tasks/task.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { createSdkTaskServer } from "../../interop/sdk1/task-server.ts";
import { statelessRevision, newest as core } from "../../kit/revisions.ts";
import { meta, request } from "../../kit/messages.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { declaring, receive } from "../tasks/extension-wire.ts";
import { createGate, type Gate, inTime } from "../../kit/time.ts";
import type { Message } from "../tasks/task-wire.ts";
import { joinGateway } from "./connect-client.ts";

/* Tasks of a server behind a gateway, for clients that have tasks of the same kind, of another kind, or none. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const form = { message: "Go on?", requestedSchema: { type: "object", properties: {} } };

interface Upstream {
  readonly url: string;
  close(): Promise<void>;
}

/** Events that a test controls and observes in its server. */
interface Gates {
  readonly begun: Gate;
  readonly aborted: Gate;
  /** Point before the server has decided that a call becomes a task. */
  readonly preparing: Gate;
  readonly prepared: Gate;
}

function serveOurs(served: Revision, { begun, aborted, preparing, prepared }: Gates): Promise<Upstream> {
  const optional = { pollInterval: 5 };
  const task = { ...optional, support: "required" } as const;
  const tools: readonly AnyTool[] = [
    { name: "quick", task, execute: () => "done" },
    { name: "plain", execute: () => "done" },
    { name: "asks", task, execute: (_args, context) => elicitForm(context) },
    { name: "fails", task, execute: () => Promise.reject(new RpcError(-32000, "stop")) },
    { name: "faulty", task, execute: () => ({ content: [{ type: "text", text: "no" }], isError: true }) },
    {
      name: "steps",
      task,
      async execute(_args: object, { progress, task: own }: AnyContext) {
        await explain(own, "half");
        await progress(1, 2);
        await begun.opened;
        return "done";
      },
    },
    {
      name: "prepared",
      task: {
        ...optional,
        async prepare(args: unknown) {
          preparing.open();
          await prepared.opened;
          return args;
        },
      },
      execute: (_args: object, { signal }: AnyContext) =>
        new Promise((_, reject) => {
          if (signal.aborted) aborted.open();
          signal.addEventListener("abort", () => {
            aborted.open();
            reject(signal.reason);
          });
        }),
    },
    {
      name: "endless",
      task: optional,
      execute: (_args: object, { signal }: AnyContext) =>
        new Promise((_, reject) => {
          begun.open();
          signal.addEventListener("abort", () => {
            aborted.open();
            reject(signal.reason);
          });
        }),
    },
  ];
  return serveHttp(createServer({ name: "ours", version: "1", tools, onError: () => {} }, [served]), { port: 0 });
}

async function open(upstream: Upstream): Promise<Gateway> {
  const gateway = await createGateway({ kind: "url", url: upstream.url }, { revisions, tasks: { pollInterval: 5 } });
  ends.push(
    () => upstream.close(),
    () => gateway.close(),
  );
  return gateway;
}

async function join(
  gateway: Gateway,
  revision: Revision,
  more: Partial<AnyClientOptions> = {},
): Promise<DefaultClientSession> {
  const [near, far] = createInMemoryTransports();
  gateway.accept(far);
  const client = createUntypedClient({
    info: { name: "test", version: "1" },
    revisions: [revision],
    extensions: [extension],
    elicitation: { form: () => ({ action: "accept", content: {} }) },
    ...more,
  });
  ends.push(() => client.close());
  return client.connect((options) => connect(near, options));
}

async function start(client: DefaultClientSession, name: string, onProgress?: () => void): Promise<TaskHandle<object>> {
  const task = await client.callTool(name, {}, { task: true, ...(onProgress && { onProgress }) });
  if (!isHandle(task)) throw new Error("not a task");
  return task;
}

function isHandle(value: object): value is TaskHandle<object> {
  return "taskId" in value && "updates" in value;
}

const gates = (): Gates => ({
  begun: createGate(),
  aborted: createGate(),
  preparing: createGate(),
  prepared: createGate(),
});
const content = (text: string): object => ({ content: [{ type: "text", text }] });

const kinds: readonly (readonly [string, Revision])[] = [
  ["of the core", core],
  ["of the extension", statelessRevision],
];
const pairs = kinds.flatMap(([servers, served]) =>
  kinds.map(([clients, revision]) => [servers, clients, served, revision] as const),
);

describe.each(pairs)("a server with tasks %s and a client with tasks %s", (_servers, _clients, served, revision) => {
  test("a task is declared, and a call becomes a task with a result", async () => {
    const client = await join(await open(await serveOurs(served, gates())), revision);
    if (revision === core) {
      expect(client.serverCapabilities.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    } else {
      expect(client.serverCapabilities).toMatchObject({ extensions: { [extension.id]: {} } });
      expect(client.serverCapabilities.tasks).toBeUndefined();
    }
    const task = await start(client, "quick");
    const seen: TaskState[] = [];
    for await (const update of task.updates) seen.push(update);
    expect(seen.at(-1)?.status).toBe("completed");
    expect(await task.result()).toMatchObject(content("done"));
    expect(await client.callTool("quick")).toMatchObject(content("done"));
  });

  test("a task may require input, by the handlers of plain requests (TK-14, XT-21)", async () => {
    const requested: object[] = [];
    const elicitation = {
      form: (params: object) => (requested.push(params), { action: "accept", content: {} } as const),
    };
    const client = await join(await open(await serveOurs(served, gates())), revision, { elicitation });
    const task = await start(client, "asks");
    expect(await task.result()).toMatchObject(content("accept"));
    expect(requested).toMatchObject([form]);
  });

  test("a task may fail by an error or by a result (XT-13)", async () => {
    const client = await join(await open(await serveOurs(served, gates())), revision);
    const failing = await start(client, "fails");
    await expect(failing.result()).rejects.toMatchObject({ code: -32000, message: "stop" });
    expect((await failing.status()).status).toBe("failed");
    const faulty = await start(client, "faulty");
    expect(await faulty.result()).toMatchObject({ isError: true });
    expect((await faulty.status()).status).toBe(revision === core ? "failed" : "completed");
  });

  test("a task reports its progress", async () => {
    const waits = gates();
    const client = await join(await open(await serveOurs(served, waits)), revision);
    const task = await start(client, "steps");
    for await (const { statusMessage } of task.updates) if (statusMessage === "half") break;
    waits.begun.open();
    expect(await task.result()).toMatchObject(content("done"));
  });

  test("a task is cancelled at the server too (TK-21)", async () => {
    const waits = gates();
    const client = await join(await open(await serveOurs(served, waits)), revision);
    const task = await start(client, "endless");
    await waits.begun.opened;
    expect((await task.cancel()).status).toBe("cancelled");
    await waits.aborted.opened;
  });

  test("an unknown task is rejected", async () => {
    const client = await join(await open(await serveOurs(served, gates())), revision);
    await expect(client.request("tasks/get", { taskId: "none" })).rejects.toMatchObject({ code: -32602 });
  });
});

describe("tasks on request of clients", () => {
  test.each(kinds)(
    "progress continues after the response to the call, by a server with tasks %s",
    async (_kind, served) => {
      const waits = gates();
      const client = await join(await open(await serveOurs(served, waits)), core);
      const received = createGate();
      const task = await start(client, "steps", received.open);
      // The extension reports no progress of tasks.
      if (served === core) await inTime(received.opened, "The progress");
      waits.begun.open();
      expect(await task.result()).toMatchObject(content("done"));
    },
  );

  test.each(kinds)("a client has its own tasks only, of a server with tasks %s (TK-24)", async (_kind, served) => {
    const gateway = await open(await serveOurs(served, gates()));
    const [mine, other] = [await join(gateway, core), await join(gateway, core)];
    const task = await start(mine, "quick");
    await task.result();
    expect(await mine.listTasks()).toMatchObject([{ taskId: task.taskId, status: "completed" }]);
    expect(await other.listTasks()).toEqual([]);
    await expect(other.request("tasks/get", { taskId: task.taskId })).rejects.toMatchObject({ code: -32602 });
    await expect(other.request("tasks/cancel", { taskId: task.taskId })).rejects.toMatchObject({ code: -32602 });
  });

  test("a tool without task support is rejected as the server rejects it (TK-06)", async () => {
    const client = await join(await open(await serveOurs(core, gates())), core);
    const params = { name: "plain", arguments: {}, task: {} };
    await expect(client.request("tools/call", params)).rejects.toMatchObject({ code: -32601 });
  });

  test("a task that begins after its client has disconnected is cancelled (TK-21)", async () => {
    const waits = gates();
    const client = await join(await open(await serveOurs(statelessRevision, waits)), core);
    const task = await start(client, "prepared");
    await waits.preparing.opened;
    await task.cancel();
    waits.prepared.open();
    await inTime(waits.aborted.opened, "The cancellation");
    expect(await task.status()).toMatchObject({ status: "cancelled" });
  });

  test("every tool can be a task where the server decides by itself", async () => {
    const client = await join(await open(await serveOurs(statelessRevision, gates())), core);
    expect(await client.listTools()).toMatchObject(
      Array.from({ length: 8 }, () => ({ execution: { taskSupport: "optional" } })),
    );
    expect(await (await start(client, "plain")).result()).toMatchObject(content("done"));
  });
});

describe("tasks on decision of servers", () => {
  test.each(kinds)(
    "a client that listens for a task gets its notifications, of a server with tasks %s (XT-16)",
    async (_kind, served) => {
      const gateway = await open(await serveOurs(served, gates()));
      const [revision = statelessRevision] = extendRevisions([statelessRevision], [extension], "client");
      const acknowledged: object[] = [];
      const told: object[] = [];
      const handlers = {
        subscriptionsAcknowledged: (params: object) => void acknowledged.push(params),
        taskStatus: (params: object) => void told.push(params),
      };
      const client = await joinGateway(gateway, revision, { extensions: { [extension.id]: {} }, handlers });
      ends.push(() => client.close());
      const started = await client.request("tools/call", { name: "endless", arguments: {} });
      const taskId = isObject(started) ? started.taskId : undefined;
      client.request("subscriptions/listen", { notifications: { taskIds: [taskId, "none"] } }).catch(() => {});
      await expect.poll(() => acknowledged).toMatchObject([{ notifications: { taskIds: [taskId] } }]);
      await client.request("tasks/cancel", { taskId });
      await expect.poll(() => told.at(-1)).toMatchObject({ taskId, status: "cancelled" });
    },
  );

  test("a client that does not declare tasks gets the missing capability of a tool (XT-03)", async () => {
    const client = await join(await open(await serveOurs(core, gates())), statelessRevision, { extensions: [] });
    await expect(client.callTool("quick")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [extension.id]: {} } } },
    });
    expect(await client.callTool("plain")).toMatchObject(content("done"));
  });
});

const without = revisions.filter((revision) => revision !== statelessRevision && revision !== core);

describe.each(without.map((revision) => [revision.id, revision] as const))(
  "revision %s without tasks",
  (_id, revision) => {
    test.each(kinds)(
      "a gateway declares no tasks, and waits for tools, of a server with tasks %s",
      async (_kind, served) => {
        const client = await join(await open(await serveOurs(served, gates())), revision);
        expect(client.serverCapabilities.tasks).toBeUndefined();
        expect(JSON.stringify(client.serverCapabilities)).not.toContain(extension.id);
        expect(await client.callTool("quick")).toMatchObject(content("done"));
        if ("elicitation/create" in revision.serverRequests)
          expect(await client.callTool("asks")).toMatchObject(content("accept"));
      },
    );

    test.each(kinds)(
      "a client that cancels the call cancels the task, of a server with tasks %s",
      async (_kind, served) => {
        const waits = gates();
        const client = await join(await open(await serveOurs(served, waits)), revision);
        const stop = new AbortController();
        const calling = client.callTool("endless", {}, { signal: stop.signal });
        calling.catch(() => {});
        await waits.begun.opened;
        stop.abort(new Error("enough"));
        await expect(calling).rejects.toThrow("enough");
        await waits.aborted.opened;
      },
    );
  },
);

test("a server without tasks has none behind a gateway", async () => {
  const server = createServer({ name: "ours", version: "1", tools: [{ name: "a", execute: () => "b" }] }, [
    statelessRevision,
  ]);
  const gateway = await open(await serveHttp(server, { port: 0 }));
  for (const revision of revisions) {
    const { serverCapabilities } = await join(gateway, revision);
    expect(serverCapabilities.tasks).toBeUndefined();
    expect(serverCapabilities.extensions).toBeUndefined();
  }
});

describe.each(revisions.map((revision) => [revision.id, revision] as const))(
  "the official server with tasks behind a gateway at %s",
  (_id, revision) => {
    test("the official server runs tools that only run as tasks, and requests input meanwhile", async () => {
      const client = await join(await open(await serveSdk({ create: createSdkTaskServer })), revision);
      await client.listTools();
      expect(await client.callTool("quick")).toMatchObject(content("done"));
      if (revision === statelessRevision || "elicitation/create" in revision.serverRequests)
        expect(await client.callTool("asks")).toMatchObject(content("accept"));
      if (revision !== statelessRevision && revision !== core) return;
      const task = await start(client, "endless");
      expect((await task.cancel()).status).toBe("cancelled");
    });
  },
);

describe.each(kinds)("over HTTP, a client with tasks %s", (_kind, revision) => {
  test.each(kinds)(
    "a client over HTTP names tasks in headers, and gets input requests, by a server with tasks %s (XT-17)",
    async (_server, served) => {
      const gateway = await open(await serveOurs(served, gates()));
      const listener = await serveGatewayHttp(gateway, { port: 0 });
      const client = createUntypedClient({
        info: { name: "test", version: "1" },
        revisions: [revision],
        extensions: [extension],
        elicitation: { form: () => ({ action: "decline" }) },
      });
      ends.push(
        () => listener.close(),
        () => client.close(),
      );
      const session = await client.connect((options) => connectHttp(listener.url, options));
      const task = await start(session, "asks");
      expect(await task.result()).toMatchObject(content("decline"));
    },
  );
});

test.each(kinds)("a principal has its own tasks only, of a server with tasks %s (XT-19)", async (_kind, served) => {
  const gateway = await open(await serveOurs(served, gates()));
  const wire = new Wire();
  gateway.accept(wire);
  const send = async (principal: string | undefined, method: string, params: object): Promise<Message> => {
    const id = `${method} of ${principal}`;
    const origin = principal === undefined ? undefined : { identity: { principal } };
    wire.receiver?.message(request(id, method, params, { [meta.capabilities]: declaring }), origin);
    return receive(wire, (message) => message.id === id);
  };
  const { result } = await send("ada", "tools/call", { name: "quick", arguments: {} });
  const taskId = isObject(result) ? result.taskId : undefined;
  expect(taskId).toEqual(expect.any(String));
  expect(await send("ada", "tasks/get", { taskId })).toMatchObject({ result: { taskId } });
  for (const other of ["bob", undefined]) {
    for (const method of ["tasks/get", "tasks/cancel"])
      expect(await send(other, method, { taskId })).toMatchObject({ error: { code: -32602 } });
    const inputResponses = {};
    expect(await send(other, "tasks/update", { taskId, inputResponses })).toMatchObject({ error: { code: -32602 } });
  }
});

test.each(kinds)(
  "a gateway over HTTP without sessions declares no tasks that would end with them, of a server with tasks %s (TK-03)",
  async (_kind, served) => {
    const gateway = await open(await serveOurs(served, gates()));
    const listener = await serveGatewayHttp(gateway, { port: 0, sessions: false });
    ends.push(() => listener.close());
    const join = async (revision: Revision): Promise<DefaultClientSession> => {
      const info = { name: "test", version: "1" };
      const client = createUntypedClient({ info, revisions: [revision], extensions: [extension] });
      ends.push(() => client.close());
      return client.connect((options) => connectHttp(listener.url, options));
    };
    const brief = await join(core);
    expect(brief.serverCapabilities.tasks).toBeUndefined();
    expect(await brief.callTool("quick")).toMatchObject(content("done"));
    expect(await (await start(await join(statelessRevision), "quick")).result()).toMatchObject(content("done"));
  },
);

describe.each(kinds)("the official client with tasks, at a server with tasks %s", (_kind, served) => {
  test("the official client follows a task through the gateway, responds to its input requests, and lists and cancels it", async () => {
    const gateway = await open(await serveOurs(served, gates()));
    const listener = await serveGatewayHttp(gateway, { port: 0 });
    const client = new OfficialClient({ name: "sdk", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: {} }));
    ends.push(
      () => listener.close(),
      () => client.close(),
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(listener.url)));
    await client.listTools();
    const { tasks } = client.experimental;
    const seen: string[] = [];
    for await (const message of tasks.callToolStream({ name: "asks", arguments: {} }, undefined, { task: {} })) {
      seen.push(message.type);
      if (message.type === "result") expect(message.result).toMatchObject(content("accept"));
    }
    expect(seen.at(0)).toBe("taskCreated");
    expect(seen.at(-1)).toBe("result");
    const running = tasks.callToolStream({ name: "endless", arguments: {} }, undefined, { task: {} });
    const created = (await running.next()).value;
    const taskId = created?.type === "taskCreated" ? created.task.taskId : "";
    expect((await tasks.listTasks()).tasks.map((task) => task.taskId)).toContain(taskId);
    expect((await tasks.cancelTask(taskId)).status).toBe("cancelled");
  });
});

test("a client that disconnects while its connection to the server is opened leaves no task and no connection", async () => {
  const served = extendRevisions([statelessRevision], [extension], "server")[0] ?? statelessRevision;
  const begun: string[] = [];
  const tool = { name: "a", task: { support: "optional" } as const, execute: () => String(begun.push("a")) };
  const server = createServer({ name: "slow", version: "1", tools: [tool] }, [served]);
  const [requested, ready] = [createGate(), createGate()];
  let count = 0;
  let openCount = 0;
  const gateway = await createGateway(
    async (options) => {
      count += 1;
      if (count > 1) {
        requested.open();
        await ready.opened;
      }
      const [near, far] = createInMemoryTransports();
      serve(server, far);
      const connection = await connect(near, options);
      openCount += 1;
      void connection.closed.then(() => (openCount -= 1));
      return connection;
    },
    { revisions },
  );
  ends.push(() => gateway.close());
  const client = await joinGateway(gateway, core);
  const call = client.request("tools/call", { name: "a", arguments: {}, task: {} });
  call.catch(() => {});
  await requested.opened;
  await client.close();
  ready.open();
  // The connections of the gateway itself, of the client that has left, and of another one.
  const other = await joinGateway(gateway, core);
  ends.push(() => other.close());
  await other.request("tools/list", {});
  await expect.poll(() => openCount).toBe(2);
  expect(count).toBe(3);
  expect(begun).toEqual([]);
  await gateway.close();
  await expect.poll(() => openCount).toBe(0);
});

test("a task fails at once when the connection to its server ends, and not only at the next poll", async () => {
  const begun = createGate();
  const execute = (): Promise<unknown> => (begun.open(), new Promise(() => {}));
  const tool = { name: "a", task: { pollInterval: 300_000 }, execute };
  const server = createServer({ name: "slow", version: "1", tools: [tool], onError: () => {} }, [core]);
  const connections: Connection[] = [];
  const gateway = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      connections.push(serve(server, far));
      return connect(near, options);
    },
    { revisions, tasks: { pollInterval: 5 }, onError: () => {} },
  );
  ends.push(() => gateway.close());
  const task = await start(await join(gateway, statelessRevision), "a");
  await begun.opened;
  await expect.poll(async () => (await task.status()).status).toBe("working");
  for (const connection of connections) void connection.close({ drain: 0 });
  await expect(task.result()).rejects.toThrow("closed");
});

test.each([
  [0, 10],
  [-5, 10],
  [1e21, 300_000],
])("a poll interval of %d that a server suggests has bounds", async (suggested, pollInterval) => {
  const tool = { name: "a", task: { pollInterval: 7_777 }, execute: () => new Promise(() => {}) };
  const server = createServer({ name: "odd", version: "1", tools: [tool], onError: () => {} }, [core]);
  const gateway = await createGateway(
    (options) => {
      const [near, far] = createInMemoryTransports();
      const send = far.send.bind(far);
      const replace = (text: string): string => text.replace('"pollInterval":7777', `"pollInterval":${suggested}`);
      Object.assign(far, {
        send: (...[message, related]: Parameters<typeof send>) =>
          send(JSON.parse(replace(JSON.stringify(message))), related),
      });
      serve(server, far);
      return connect(near, options);
    },
    { revisions, onError: () => {} },
  );
  ends.push(() => gateway.close());
  const task = await start(await join(gateway, statelessRevision), "a");
  expect((await task.status()).pollInterval).toBe(pollInterval);
});

/** Requests a form, and returns the action of the user. */
async function elicitForm({ elicit }: AnyContext): Promise<string> {
  const result: unknown = typeof elicit === "function" ? await elicit(form) : undefined;
  return String(Reflect.get(Object(result), "action"));
}

async function explain(task: unknown, status: string): Promise<void> {
  const say: unknown = Reflect.get(Object(task), "status");
  if (typeof say === "function") await say.call(task, status);
}
