import { describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Revision } from "../../../generated/support.ts";
import { connect, type ClientConnection, type ConnectOptions } from "../../../runtime/client/connect.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { ManualClock, settle } from "../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../kit/revisions.ts";
import { meta } from "../../kit/messages.ts";

const info = { name: "test", version: "1" };

function create(served: readonly Revision[] = revisions): Server {
  return createServer(
    {
      name: "demo",
      version: "1.0.0",
      instructions: "Add.",
      tools: [
        {
          name: "chat",
          async execute(_args, { log, progress, meta: given }) {
            await progress(1);
            await log("info", "hello");
            return JSON.stringify(given);
          },
        },
      ],
      onError: () => {},
    },
    served,
  );
}

function connectInMemory(server: Server, options: Partial<ConnectOptions> = {}): Promise<ClientConnection> {
  const [near, far] = createInMemoryTransports();
  createServerAcceptor(server)(far);
  return connect(near, { info, revisions, ...options });
}

interface Raw {
  readonly wire: Wire;
  readonly client: Promise<ClientConnection>;
  readonly reports: ErrorReport[];
  readonly clock: ManualClock;
}

/** A client whose server is played by the test; it has sent its first request. */
async function start(options: Partial<ConnectOptions> = {}): Promise<Raw> {
  const wire = new Wire();
  const reports: ErrorReport[] = [];
  const clock = new ManualClock();
  const onError = (report: ErrorReport): void => void reports.push(report);
  const client = connect(wire, { info, revisions, clock, onError, ...options });
  client.catch(() => {});
  await settle();
  return { wire, client, reports, clock };
}

const discovered = {
  supportedVersions: [statelessRevision.id],
  capabilities: { tools: {} },
  resultType: "complete",
  ttlMs: 0,
};

describe("a client and a server without sessions", () => {
  test("a client and a server without sessions agree on a revision (TS-11, S-013, C-014)", async () => {
    const client = await connectInMemory(create());
    expect(client.revision).toBe(statelessRevision);
    expect(client.serverInfo).toEqual({ name: "demo", version: "1.0.0" });
    expect(client.serverCapabilities).toEqual({ tools: {}, logging: {} });
    expect(client.instructions).toBe("Add.");
    expect(client.state).toBe("INITIALIZED");
    expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "chat" }] });
    await client.close();
  });

  test.each([
    ["speaks both, with a server of sessions", revisions, handshakeRevisions, newest],
    ["speaks both, with a server without", revisions, [statelessRevision], statelessRevision],
    ["knows sessions only, with a server of both", handshakeRevisions, revisions, newest],
    ["knows none, with a server of both", [statelessRevision], revisions, statelessRevision],
  ] as const)("a client that %s agrees on a common revision (3.1)", async (_what, spoken, served, agreed) => {
    const client = await connectInMemory(create(served), { revisions: spoken });
    expect(client.revision).toBe(agreed);
    expect(await client.request("tools/list")).toMatchObject({ tools: [{ name: "chat" }] });
    await client.close();
  });

  test.each([
    ["no sessions", [statelessRevision], handshakeRevisions],
    ["sessions only", handshakeRevisions, [statelessRevision]],
  ] as const)("a client with %s and a server of the other era cannot connect (3.1)", async (_what, spoken, served) => {
    await expect(connectInMemory(create(served), { revisions: spoken })).rejects.toThrow();
  });
});

test("lists are read every time where the server declares no list changes (TL-01, L-15)", async () => {
  const server = createServer({ name: "demo", version: "1", tools: [], listChanged: ["tools"] }, [statelessRevision]);
  const [near, far] = createInMemoryTransports();
  createServerAcceptor(server)(far);
  const client = createClient<Declarations>({ info, revisions: [statelessRevision] });
  const session = await client.connect(near);
  expect(session.serverCapabilities.tools).toEqual({ listChanged: true });
  expect(await session.listTools()).toEqual([]);
  server.tools.add({ name: "new", execute: () => "" });
  expect(await session.listTools()).toMatchObject([{ name: "new" }]);
  await client.close();
});

describe("trace context", () => {
  const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  async function send(_meta: object): Promise<{ readonly sent: unknown; readonly problem: unknown }> {
    const { wire, client } = await start();
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const connection = await client;
    wire.sent.length = 0;
    const pending = connection.request("tools/call", { name: "a", _meta }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : error),
    );
    await settle();
    wire.end();
    return { sent: wire.sent[0], problem: wire.sent.length === 0 ? await pending : undefined };
  }

  test.each<object>([
    { traceparent: parent },
    { traceparent: parent, tracestate: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7, ,v@x=1" },
    { baggage: "userId=alice,serverNode=DF%2028;ttl=5, isProduction = false" },
  ])("the trace context %j is sent unchanged (C-015)", async (context) => {
    expect((await send(context)).sent).toMatchObject({ params: { _meta: context } });
  });

  test.each<readonly [string, unknown]>([
    ["traceparent", "garbage"],
    ["traceparent", 7],
    ["traceparent", parent.toUpperCase()],
    ["traceparent", parent.replace("00-", "ff-")],
    ["traceparent", parent.replace(/4bf\w+/, "0".repeat(32))],
    ["traceparent", parent.replace(/00f\w+/, "0".repeat(16))],
    ["traceparent", `${parent}\n`],
    ["tracestate", ""],
    ["tracestate", "a=b,UPPER=c"],
    ["tracestate", Array.from({ length: 33 }, (_, index) => `k${index}=v`).join(",")],
    ["baggage", "no value"],
    ["baggage", ["a=b"]],
    ["baggage", `a=${"x".repeat(8_192)}`],
  ])("the trace context %s %j is not sent (C-015)", async (key, value) => {
    const { sent, problem } = await send({ [key]: value });
    expect(sent).toBeUndefined();
    expect(problem).toMatch(`The params of tools/call at _meta/${key} must be`);
  });
});

describe("requests of a stateless client", () => {
  test("a stateless client sends its revision, info and capabilities in every request (C-002, C-003)", async () => {
    const { wire, client } = await start();
    const [probe] = wire.sent;
    const _meta = { [meta.version]: statelessRevision.id, [meta.capabilities]: {}, [meta.clientInfo]: info };
    expect(probe).toEqual({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } });
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const connection = await client;
    void connection.request("tools/list").catch(() => {});
    void connection.request("tools/call", { name: "a", _meta: { "example.com/a": 1 } }).catch(() => {});
    expect(wire.sent.slice(1)).toMatchObject([
      { id: 2, method: "tools/list", params: { _meta } },
      { id: 3, params: { name: "a", _meta: { ..._meta, "example.com/a": 1, progressToken: 3 } } },
    ]);
    expect(wire.sent).toHaveLength(3);
    wire.end();
  });

  test("a stateless client requests log messages in each request with a log level (2.14)", async () => {
    const logged: unknown[] = [];
    const client = createClient<Declarations>({
      info,
      revisions,
      logLevel: "info",
      onLog: (entry) => void logged.push(entry),
    });
    const [near, far] = createInMemoryTransports();
    createServerAcceptor(create())(far);
    const session = await client.connect(near);
    const { content } = await session.callTool("chat");
    expect(content).toMatchObject([{ text: expect.stringContaining(`"${meta.logLevel}":"info"`) }]);
    expect(logged).toMatchObject([{ level: "info", data: "hello" }]);
    await session.close();
  });

  test("a stateless client cancels by a notification (C-021, TS-05)", async () => {
    const { wire, client } = await start();
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const connection = await client;
    const stop = new AbortController();
    const call = connection.request("tools/call", { name: "a" }, { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(wire.sent[2]).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: 2, reason: "enough" },
    });
    wire.end();
  });

  test("a stateless client never sends a response (C-004, TS-03)", async () => {
    const { wire, client, reports } = await start();
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    await client;
    wire.post({ jsonrpc: "2.0", id: 5, method: "roots/list" }, { jsonrpc: "2.0", id: 6, method: "ping" });
    await settle();
    expect(wire.sent).toHaveLength(1);
    expect(reports).toMatchObject([{ kind: "protocol" }, { kind: "protocol" }]);
    wire.end();
  });
});

describe("the result of server/discover", () => {
  test.each([
    ["an unknown method", -32601],
    ["invalid params", -32602],
    ["that it is not initialized", -32600],
    ["an error of its own", -32000],
    ["the code of a mismatch without its data", -32020],
    ["the code of a version without its data", -32022],
  ])("a response of %s to server/discover leads to a session (TS-12, 3.4)", async (_what, code) => {
    const { wire, client } = await start();
    wire.post({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } });
    await settle();
    expect(wire.sent[1]).toMatchObject({ method: "initialize", params: { protocolVersion: newest.id } });
    const result = { protocolVersion: newest.id, capabilities: {}, serverInfo: { name: "old", version: "1" } };
    wire.post({ jsonrpc: "2.0", id: 2, result });
    expect((await client).revision).toBe(newest);
    wire.end();
  });

  test("a time-out of server/discover leads to a session; a late response is ignored (TS-11, C-023)", async () => {
    const { wire, client, clock } = await start();
    await clock.pass(5_000);
    expect(wire.sent.at(-1)).toMatchObject({ method: "initialize" });
    wire.post({ jsonrpc: "2.0", id: 1, result: discovered });
    const result = { protocolVersion: newest.id, capabilities: {}, serverInfo: { name: "old", version: "1" } };
    wire.post({ jsonrpc: "2.0", id: 2, result });
    expect((await client).revision).toBe(newest);
    wire.end();
  });

  test("an invalid response to server/discover leads to a session (3.4)", async () => {
    const { wire } = await start();
    wire.post({ jsonrpc: "2.0", id: 1, result: { tools: [] } });
    await settle();
    expect(wire.sent[1]).toMatchObject({ method: "initialize" });
    wire.end();
  });

  const rejection = (...supported: string[]): object => {
    const data = { supported, requested: statelessRevision.id };
    return { jsonrpc: "2.0", id: 1, error: { code: -32022, message: "no", data } };
  };

  test("other stateless revisions are tried, and no session is opened (C-009, TS-13)", async () => {
    const other: Revision = { ...statelessRevision, id: "3000-01-01" };
    const { wire, client } = await start({ revisions: [statelessRevision, other, newest] });
    wire.post(rejection(other.id, newest.id));
    await settle();
    expect(wire.sent[1]).toMatchObject({ method: "server/discover", params: { _meta: { [meta.version]: other.id } } });
    wire.post({ jsonrpc: "2.0", id: 2, result: { ...discovered, supportedVersions: [other.id] } });
    expect((await client).revision).toBe(other);
    wire.end();
  });

  test("the rejected revision is tried once more when the server names it (C-009)", async () => {
    const { wire, client } = await start();
    wire.post(rejection(statelessRevision.id));
    await settle();
    expect(wire.sent[1]).toMatchObject({
      method: "server/discover",
      params: { _meta: { [meta.version]: statelessRevision.id } },
    });
    wire.post({ ...rejection(statelessRevision.id), id: 2 });
    await expect(client).rejects.toMatchObject({ code: -32022 });
    expect(wire.sent).toHaveLength(2);
  });

  test("revisions without a common one are reported, and no session is opened (C-009, TS-13)", async () => {
    const { wire, client } = await start();
    wire.post(rejection("3000-01-01"));
    await expect(client).rejects.toThrow(/Unsupported protocol version.*3000-01-01/);
    expect(wire.sent).toHaveLength(1);
  });

  test("a common revision with sessions leads to one (3.4)", async () => {
    const { wire } = await start();
    wire.post(rejection(newest.id));
    await settle();
    expect(wire.sent[1]).toMatchObject({ method: "initialize" });
    wire.end();
  });

  test("a connection that breaks at server/discover is an error", async () => {
    const { wire, client } = await start();
    wire.end(new Error("gone"));
    await expect(client).rejects.toThrow(/closed/);
  });
});
