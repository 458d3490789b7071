import { afterEach, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import type { ConnectionFactory } from "../../../runtime/client/connection-factory.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import type { TrafficEntry } from "../../../runtime/gateway/index.ts";
import type { ErrorReport } from "../../../runtime/jsonrpc/error-report.ts";
import type { AnyServerDefinition } from "../../../runtime/server/any-definition.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { serve } from "../../../runtime/server/run/acceptor.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import type { Transport } from "../../../runtime/transport/transport.ts";
import { statelessRevision, newest as handshake, revisionOf } from "../../kit/revisions.ts";
import { initialize, initialized, request } from "../../kit/messages.ts";

/* The messages of a gateway on both sides, as `onTraffic` receives them, compared with the messages on the wire. */

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Observed {
  readonly gateway: Gateway;
  readonly entries: TrafficEntry[];
  readonly reports: ErrorReport[];
}

/** Opens a gateway whose traffic is noted. */
async function observe(server: ConnectionFactory, options: Partial<GatewayOptions> = {}): Promise<Observed> {
  const entries: TrafficEntry[] = [];
  const reports: ErrorReport[] = [];
  const gateway = await createGateway(server, {
    revisions,
    onTraffic: (entry) => entries.push(entry),
    onError: (report) => reports.push(report),
    ...options,
  });
  ends.push(() => gateway.close());
  return { gateway, entries, reports };
}

/** A server of this package, in the same process. */
function serveDefinition(definition: Partial<AnyServerDefinition>, served: readonly Revision[]): ConnectionFactory {
  const server = createServer({ name: "ours", version: "1", onError: () => {}, ...definition }, served);
  return (options) => {
    const [near, far] = createInMemoryTransports();
    serve(server, far);
    return connect(near, options);
  };
}

/** The end of a connection on which messages are sent and noted as they are. */
interface RawEnd {
  readonly sent: unknown[];
  readonly received: unknown[];
  send(message: object): void;
  /** Sends a request, and returns its response. */
  request(message: object): Promise<Record<string, unknown>>;
}

function openRaw(
  transport: Transport,
  respond: (message: Record<string, unknown>) => object | undefined = () => undefined,
): RawEnd {
  const sent: unknown[] = [];
  const received: unknown[] = [];
  const waiting = new Map<unknown, (message: Record<string, unknown>) => void>();
  const send = (message: object): void => {
    sent.push(message);
    const given: unknown = JSON.parse(JSON.stringify(message));
    Reflect.apply(transport.send, transport, [given]);
  };
  transport.start({
    message(value) {
      received.push(value);
      if (!isObject(value)) return;
      if (!("method" in value)) waiting.get(value.id)?.(value);
      const response = respond(value);
      if (response) send(response);
    },
    classified() {},
    problem() {},
    ended() {},
    disconnected() {},
  });
  return {
    sent,
    received,
    send,
    request: (message) =>
      new Promise((resolve) => {
        waiting.set(Reflect.get(message, "id"), resolve);
        send(message);
      }),
  };
}

/** A client of a gateway on a raw connection. */
function joinRaw({ gateway }: Observed, respond?: (message: Record<string, unknown>) => object | undefined): RawEnd {
  const [near, far] = createInMemoryTransports();
  gateway.accept(far);
  return openRaw(near, respond);
}

const add = { name: "add", title: "Addition", execute: () => "3" };
const fail = { name: "fail", execute: () => Promise.reject(new Error("never")) };

/** A raw server with a handshake, whose further messages `respond` returns. */
function serveRaw(respond: (message: Record<string, unknown>) => object | undefined): ConnectionFactory {
  const opened = {
    protocolVersion: handshake.id,
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1" },
  };
  return (options) => {
    const [near, far] = createInMemoryTransports();
    openRaw(far, (message) => {
      const response = respond(message);
      const { id, method } = message;
      if (response || id === undefined || method === undefined) return response;
      if (method === "initialize") return { jsonrpc: "2.0", id, result: opened };
      if (method === "tools/list") return { jsonrpc: "2.0", id, result: { tools: [] } };
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
    });
    return connect(near, options);
  };
}

describe("traffic of a client with a session", () => {
  test("the messages of both sides are those of the wire, in their order", async () => {
    const observed = await observe(serveDefinition({ tools: [add, fail] }, revisions));
    const client = joinRaw(observed);
    await client.request(initialize(handshake.id));
    client.send(initialized);
    await client.request({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: {} } });
    await client.request({ jsonrpc: "2.0", id: 2, method: "no/such" });
    const { entries } = observed;
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
    const own = entries.filter(({ side }) => side === "client");
    expect(new Set(own.map(({ connection }) => connection))).toEqual(new Set(["client-1"]));
    expect(own.filter(({ direction }) => direction === "to-server").map(({ message }) => message)).toEqual(client.sent);
    expect(own.filter(({ direction }) => direction === "to-client").map(({ message }) => message)).toEqual(
      client.received,
    );
    expect(own.map(({ protocol }) => protocol)).toEqual([
      undefined,
      ...Array.from({ length: 6 }, () => handshake.id).slice(0, own.length - 1),
    ]);
    const server = entries.filter(({ side }) => side === "server");
    expect(new Set(server.map(({ connection }) => connection))).toEqual(new Set(["server-1", "server-2"]));
    expect(new Set(server.map(({ protocol }) => protocol))).toEqual(new Set([statelessRevision.id]));
    expect(server.map(({ message }) => message)).toContainEqual(expect.objectContaining({ method: "tools/call" }));
  });

  test("an unknown method is the problem of its request", async () => {
    const observed = await observe(serveDefinition({ tools: [add] }, revisions));
    const client = joinRaw(observed);
    await client.request(initialize(handshake.id));
    client.send(initialized);
    await client.request({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 1 } });
    await client.request({ jsonrpc: "2.0", id: 2, method: "no/such" });
    client.send({ jsonrpc: "2.0", method: "notifications/none" });
    await client.request({ jsonrpc: "2.0", id: 3 });
    const problems = observed.entries.flatMap(({ side, problem }) => (side === "client" && problem ? [problem] : []));
    expect(problems).toEqual([
      { path: "params/name", message: "expected string" },
      { path: "method", message: `"no/such" is not a method of revision ${handshake.id}` },
      { path: "method", message: `"notifications/none" is not a method of revision ${handshake.id}` },
      { path: "", message: "A message requires a method, a result or an error" },
    ]);
  });

  test("a result has the values that its older client does not get", async () => {
    const observed = await observe(serveDefinition({ tools: [add] }, revisions));
    const client = joinRaw(observed);
    await client.request(initialize("2024-11-05"));
    client.send(initialized);
    const { result } = await client.request({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(JSON.stringify(result)).not.toContain("Addition");
    const entry = observed.entries.findLast(({ side, losses }) => side === "client" && losses !== undefined);
    expect(entry).toMatchObject({ direction: "to-client", protocol: "2024-11-05", message: { id: 1, result } });
    expect(entry?.losses).toEqual([{ path: "Tool.title", reason: "omitted: the revision does not have it" }]);
    expect(observed.entries.filter(({ side, losses }) => side === "server" && losses)).toEqual([]);
  });

  test("a request of the server has its losses, although it is sent as a copy", async () => {
    const message = { role: "user", content: { type: "text", text: "2+2" } };
    const params = { messages: [message], maxTokens: 9, toolChoice: { mode: "none" } };
    const observed = await observe(
      serveRaw(({ id, method }) => {
        if (method === "tools/call")
          return { jsonrpc: "2.0", id: "question", method: "sampling/createMessage", params: params };
        return id === "question" ? { jsonrpc: "2.0", id: 3, result: { content: [] } } : undefined;
      }),
    );
    const sampled = { role: "assistant", content: { type: "text", text: "4" }, model: "m" };
    const client = joinRaw(observed, ({ id, method }) =>
      method === "sampling/createMessage" ? { jsonrpc: "2.0", id, result: sampled } : undefined,
    );
    await client.request(initialize("2025-06-18", { sampling: {} }));
    client.send(initialized);
    await client.request({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } });
    const sent = observed.entries.find(
      ({ side, message: one }) => side === "client" && isObject(one) && one.method === "sampling/createMessage",
    );
    expect(sent?.message).toHaveProperty(["params", "_meta", "progressToken"]);
    expect(sent?.losses?.map(({ path }) => path)).toEqual(["CreateMessageRequestParams.toolChoice"]);
  });
});

describe("traffic of stateless clients", () => {
  test("over HTTP each request has a connection of its own, and the revision that it names", async () => {
    const observed = await observe(serveDefinition({ tools: [add] }, [handshake]));
    const { url, close } = await serveGatewayHttp(observed.gateway);
    ends.push(close);
    for (const id of [1, 2]) {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": statelessRevision.id,
          "mcp-method": "tools/list",
        },
        body: JSON.stringify(request(id, "tools/list")),
      });
      expect(response.status).toBe(200);
      await response.text();
    }
    const own = observed.entries.filter(({ side }) => side === "client");
    expect(own.map(({ connection, direction, protocol }) => [connection, direction, protocol])).toEqual([
      ["client-1", "to-server", statelessRevision.id],
      ["client-1", "to-client", statelessRevision.id],
      ["client-2", "to-server", statelessRevision.id],
      ["client-2", "to-client", statelessRevision.id],
    ]);
    expect(own.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("on one connection the revision of each request is that of its response", async () => {
    const observed = await observe(serveDefinition({ tools: [add] }, revisions));
    const client = joinRaw(observed);
    await client.request(request("a", "tools/list"));
    const own = observed.entries.filter(({ side }) => side === "client");
    expect(own.map(({ protocol }) => protocol)).toEqual([statelessRevision.id, statelessRevision.id]);
    expect(own.map(({ message }) => message)).toEqual([...client.sent, ...client.received]);
  });
});

describe("traffic of a server that is not valid", () => {
  test("a problem has the path of the first wrong value in the message", async () => {
    const observed = await observe(
      serveRaw(({ id, method }) => {
        if (method === "tools/list") return { jsonrpc: "2.0", id, result: { tools: [{ name: "a", inputSchema: 1 }] } };
        return method === "tools/call" ? { jsonrpc: "2.0", id, result: { content: [{ type: "text" }] } } : undefined;
      }),
    );
    const client = joinRaw(observed);
    await client.request(initialize(revisionOf("2025-06-18").id));
    client.send(initialized);
    await client.request({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" } });
    const problems = observed.entries.flatMap(({ side, message, problem }) =>
      side === "server" && problem ? [{ message, problem }] : [],
    );
    expect(problems).toEqual([
      {
        message: expect.objectContaining({ result: { tools: [{ name: "a", inputSchema: 1 }] } }),
        problem: expect.objectContaining({ path: "result/tools/0/inputSchema" }),
      },
      {
        message: expect.objectContaining({ result: { content: [{ type: "text" }] } }),
        problem: expect.objectContaining({ path: expect.stringMatching(/^result\/content\/0/) }),
      },
    ]);
  });

  test("input that cannot be read is a problem of its own", async () => {
    const observed = await observe(serveDefinition({ tools: [add] }, revisions));
    const client = joinRaw(observed);
    const deep = Array.from({ length: 100 }).reduce<object>((inner) => ({ inner }), {});
    await client.request({ jsonrpc: "2.0", id: 7, method: "tools/call", params: deep });
    const [entry] = observed.entries.filter(({ side }) => side === "client");
    expect(entry?.problem).toEqual({ path: "", message: expect.stringContaining("nested deeper") });
  });
});

test("an error of the callback is reported, and messages pass nevertheless", async () => {
  const observed = await observe(serveDefinition({ tools: [add] }, revisions), {
    onTraffic() {
      throw new Error("full");
    },
  });
  const client = joinRaw(observed);
  expect(await client.request(initialize(handshake.id))).toHaveProperty("result");
  expect(observed.reports).toContainEqual({ kind: "callback", error: expect.objectContaining({ message: "full" }) });
});
