import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import type { Gateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import type { ListenOptions } from "../../../runtime/transport/http-server/listen.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { requireApiKey } from "../../../runtime/auth/server/api-key.ts";
import { createProgram } from "../../kit/programs.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { joinGateway, openGateway } from "./connect-client.ts";
import { openOdd, readText } from "./invalid-server-gateway.ts";

/* How many connections a gateway has to its server, and whose calls may use the same one. Each is a process here. */

const script = await createProgram(new URL("./invalid-server.ts", import.meta.url));
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const call = (name: string, given: object = {}): object => ({ name, arguments: given });

async function listen(gateway: Gateway, options: ListenOptions = {}): Promise<string> {
  const listener = await serveGatewayHttp(gateway, { port: 0, ...options });
  ends.push(() => listener.close());
  return listener.url;
}

const opening = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: newest.id, capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const jsonHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Opens a session and calls a tool in it. Returns both statuses, and the response to the call. */
async function openSession(
  url: string,
): Promise<{ readonly response: Response; call(name: string): Promise<unknown> }> {
  const response = await fetch(url, { method: "POST", headers: jsonHeaders, body: JSON.stringify(opening) });
  await response.text();
  const session = { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
  return {
    response,
    async call(name) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call(name) });
      const headers = { ...jsonHeaders, ...session, "mcp-protocol-version": newest.id };
      const response = await fetch(url, { method: "POST", headers, body });
      const text = await response.text();
      return JSON.parse(/(?<=^data: )\{.*$/m.exec(text)?.[0] ?? text);
    },
  };
}

async function join(url: string, headers: Record<string, string> = {}): Promise<ClientConnection> {
  const transport = createHttpClientTransport(url, { headers: () => headers });
  const info = { name: "test", version: "1" };
  const connection = await connect(transport, { info, revisions: [statelessRevision] });
  ends.push(() => connection.close());
  return connection;
}

describe("processes of a server behind a gateway over HTTP", () => {
  test("processes of a server are not started by sessions without requests", async () => {
    const { gateway, started } = await openOdd({ script, ends });
    const url = await listen(gateway);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(url)));
    expect(sessions.map(({ response }) => response.status)).toEqual(sessions.map(() => 200));
    expect(started()).toBe(1);
  });

  test("processes of a server are at most maxConnections: further sessions are rejected with 503 and Retry-After", async () => {
    const { gateway, started } = await openOdd({ script, ends, maxConnections: 4 });
    const url = await listen(gateway);
    const waiting = await openSession(url);
    for (let count = 0; count < 3; count += 1)
      expect(await (await openSession(url)).call("pid")).toMatchObject({ result: {} });
    const { response } = await openSession(url);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await waiting.call("pid")).toMatchObject({ error: { code: 429, data: { retryAfter: 30 } } });
    // Those of the sessions, and that of the gateway itself.
    expect(started()).toBe(4);
    const client = await join(url);
    expect(readText(await client.request("tools/call", call("get")))).toBe("nothing");
  });

  test("processes of a server are at most maxConnections for stateless requests: others wait", async () => {
    const { gateway, started } = await openOdd({ script, ends, maxConnections: 2 });
    const url = await listen(gateway, { sessions: false });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call("pid") });
    const headers = { ...jsonHeaders, "mcp-protocol-version": newest.id };
    const posts = Array.from({ length: 6 }, () => fetch(url, { method: "POST", headers, body }));
    for (const response of await Promise.all(posts)) expect(await response.text()).toContain('"result"');
    expect(started()).toBe(7);
  });

  test("processes of a server end with their session, and make room for another", async () => {
    const { gateway } = await openOdd({ script, ends, maxConnections: 2 });
    const client = await joinGateway(gateway, newest);
    await client.request("tools/call", call("pid"));
    const url = await listen(gateway);
    expect((await openSession(url)).response.status).toBe(503);
    await client.close();
    await expect.poll(async () => (await openSession(url)).response.status).toBe(200);
  });
});

describe("a stateless request with large capabilities", () => {
  const joinWith = (gateway: Gateway, length: number): Promise<ClientConnection> =>
    joinGateway(gateway, statelessRevision, { experimental: { x: { text: "x".repeat(length) } } });

  test("a stateless request with capabilities of up to 64 KiB is served", async () => {
    const { gateway } = await openOdd({ script, ends });
    const client = await joinWith(gateway, 65_000);
    expect(readText(await client.request("tools/call", call("get")))).toBe("nothing");
  });

  test("a stateless request with larger capabilities is rejected, takes no connection, and others are served", async () => {
    const { gateway, started } = await openOdd({ script, ends, maxConnections: 2 });
    const client = await joinWith(gateway, 70_000);
    const message = expect.stringMatching(
      /^Invalid params: clientInfo and capabilities have more than 65536 characters/,
    );
    for (let count = 0; count < 3; count += 1) {
      const rejected = client.request("tools/call", call("get"));
      await expect(rejected).rejects.toMatchObject({ code: -32602, message, data: { limit: 65_536 } });
    }
    expect(started()).toBe(1);
    const other = await joinGateway(gateway, statelessRevision);
    expect(readText(await other.request("tools/call", call("get")))).toBe("nothing");
  });
});

describe("state that a server keeps for its connection", () => {
  test("state of a connection is visible to calls of the principal that has set it, and of no other", async () => {
    const { gateway } = await openOdd({ script, ends });
    const keys = ["alice", "mallory"].map((principal) => ({ principal, key: `${principal}-`.repeat(8) }));
    const url = await listen(gateway, { authenticate: requireApiKey({ keys }) });
    const [alice, mallory] = await Promise.all(keys.map(({ key }) => join(url, { "x-api-key": key })));
    await alice?.request("tools/call", call("set", { value: "secret" }));
    expect(readText(await mallory?.request("tools/call", call("get")))).toBe("nothing");
    expect(readText(await alice?.request("tools/call", call("get")))).toBe("secret");
  });

  test("state of a connection is visible to no other call where callers are not authenticated", async () => {
    const { gateway, started } = await openOdd({ script, ends });
    const client = await join(await listen(gateway));
    await client.request("tools/call", call("set", { value: "secret" }));
    expect(readText(await client.request("tools/call", call("get")))).toBe("nothing");
    expect(started()).toBeGreaterThan(2);
  });

  test("state of a connection is visible to the calls of one connection such as stdio", async () => {
    const { gateway } = await openOdd({ script, ends });
    const [one, other] = [await joinGateway(gateway, statelessRevision), await joinGateway(gateway, statelessRevision)];
    await one.request("tools/call", call("set", { value: "secret" }));
    expect(readText(await one.request("tools/call", call("get")))).toBe("secret");
    expect(readText(await other.request("tools/call", call("get")))).toBe("nothing");
  });

  test("state of a connection is shared by all calls without a session with the option", async () => {
    const { gateway, started } = await openOdd({ script, ends, shareConnections: true });
    const url = await listen(gateway);
    const [one, other] = [await join(url), await join(url)];
    await one.request("tools/call", call("set", { value: "secret" }));
    expect(readText(await other.request("tools/call", call("get")))).toBe("secret");
    expect(started()).toBe(2);
  });

  test("calls to stateless servers share connections", async () => {
    const { gateway, started } = await openOdd({ script, era: "alone", ends });
    const client = await join(await listen(gateway));
    for (let count = 0; count < 3; count += 1) await client.request("tools/call", call("get"));
    expect(started()).toBe(2);
  });
});

test("a session without requests gets one list-changed notification, as one with requests does", async () => {
  const servers: Server[] = [];
  const gateway = await openGateway(
    () => {
      const server = new Server({ name: "changing", version: "1" }, { capabilities: { tools: { listChanged: true } } });
      server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
      servers.push(server);
      return server;
    },
    { ends },
  );
  const received: string[] = [];
  const open = (name: string): Promise<ClientConnection> => {
    const [near, far] = createInMemoryTransports();
    gateway.accept(far);
    const handlers = { toolListChanged: () => void received.push(name) };
    return connect(near, { info: { name: "test", version: "1" }, revisions: [newest], handlers });
  };
  const [idle, busy] = [await open("idle"), await open("busy")];
  await busy.request("tools/list", {});
  await Promise.all(servers.map((server) => server.sendToolListChanged().catch(() => {})));
  await expect.poll(() => received.toSorted()).toEqual(["busy", "idle"]);
  await idle.request("tools/list", {});
  expect(received).toHaveLength(2);
});
