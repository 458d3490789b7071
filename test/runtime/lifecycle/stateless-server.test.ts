import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createServer, type Server } from "../../../runtime/server/create-server.ts";
import { Wire } from "../../../runtime/testing/wire.ts";
import { requestMetadata, initialize, initialized, meta, request } from "../../kit/messages.ts";
import { serveWire } from "../../kit/wire.ts";
import { settle } from "../../../runtime/testing/manual-clock.ts";
import { statelessRevision, handshakeRevisions, newest } from "../../kit/revisions.ts";

const { defineTool, defineServer } = forRevisions<Declarations>(revisions);

const add = defineTool({
  name: "add",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});

const ask = defineTool({
  name: "ask",
  execute: async (_args, { sample }) => (await sample({ messages: [], maxTokens: 1 })).model,
});

const chat = defineTool({
  name: "chat",
  execute: async (_args, { log, progress }) => {
    await progress(1, 2, "half");
    await log("debug", "fine");
    await log("error", "bad");
    return "done";
  },
});

function create(): Server {
  return defineServer({
    name: "demo",
    version: "1.0.0",
    instructions: "Add.",
    tools: [add, ask, chat],
    onError: () => {},
  });
}

/** Sends messages to a new server, and returns its responses. */
async function say(messages: readonly unknown[], server = create()): Promise<readonly unknown[]> {
  const wire = new Wire();
  const connection = createServerAcceptor(server)(wire);
  for (const message of messages) {
    wire.post(message);
    await settle();
  }
  await connection.close();
  return wire.sent;
}

async function respond(message: unknown, server?: Server): Promise<unknown> {
  const [first] = await say([message], server);
  return first;
}

const identity = { [meta.serverInfo]: { name: "demo", version: "1.0.0" } };

describe("a stateless request", () => {
  test("a stateless request gets a response without a handshake, with its type and the server's info (S-002, S-003, S-013, DE-02)", async () => {
    expect(await respond(request("a", "tools/call", { name: "add", arguments: { a: 1, b: 2 } }))).toEqual({
      jsonrpc: "2.0",
      id: "a",
      result: {
        resultType: "complete",
        content: [{ type: "text", text: '{"sum":3}' }],
        structuredContent: { sum: 3 },
        _meta: identity,
      },
    });
  });

  test("a stateless list has cache hints (S-060)", async () => {
    expect(await respond(request(1, "tools/list"))).toMatchObject({
      result: { resultType: "complete", ttlMs: 0, cacheScope: "private", _meta: identity },
    });
  });

  test("server/discover names only stateless revisions (S-016, S-018, trap 15)", async () => {
    expect(await respond(request(1, "server/discover"))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        resultType: "complete",
        supportedVersions: [statelessRevision.id],
        capabilities: { tools: {}, logging: {} },
        instructions: "Add.",
        ttlMs: 0,
        cacheScope: "private",
        _meta: identity,
      },
    });
  });

  test("a stateless request may have no client info (S-012)", async () => {
    expect(await respond(request(1, "tools/list", {}, { [meta.clientInfo]: undefined }))).toHaveProperty("result");
  });

  test("a stateless request gets the same response for any client info (S-015)", async () => {
    const send = (name: string): Promise<unknown> =>
      respond(request(1, "tools/list", {}, { [meta.clientInfo]: { name, version: "1" } }));
    const [one, other, none] = [
      await send("official"),
      await send("__proto__"),
      await respond(request(1, "tools/list")),
    ];
    expect(one).toMatchObject({ result: { tools: [{ name: "add" }, { name: "ask" }, { name: "chat" }] } });
    expect([other, none]).toEqual([one, one]);
  });

  test("a stateless request gets the same list on every connection, in the order of the definition (S-021, S-022)", async () => {
    const list = request(9, "tools/list");
    const server = create();
    const [first] = await say([list], server);
    const call = request(1, "tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    const later = await say([call, request(2, "tools/call", { name: "none" }), list], server);
    expect(later.at(-1)).toEqual(first);
  });

  test("a stateless result keeps its metadata beside the server's info", async () => {
    const run = (): object => ({ content: [], _meta: { "example.com/a": 1 } });
    const server = createServer({ name: "demo", version: "1.0.0", tools: [{ name: "a", execute: run }] }, revisions);
    expect(await respond(request(1, "tools/call", { name: "a" }), server)).toMatchObject({
      result: { _meta: { ...identity, "example.com/a": 1 } },
    });
  });

  test.each([
    ["a capability that was not declared", "tools/call", { name: "ask" }, -32021],
    ["an unknown tool", "tools/call", { name: "none" }, -32602],
    ["a method of a capability that is not offered", "prompts/list", {}, -32601],
    ["an unknown method", "unknown/method", {}, -32601],
    ["initialize", "initialize", { protocolVersion: newest.id, capabilities: {} }, -32601],
    ["ping", "ping", {}, -32601],
    ["logging/setLevel", "logging/setLevel", { level: "info" }, -32601],
    ["resources/subscribe", "resources/subscribe", { uri: "a:b" }, -32601],
    ["resources/unsubscribe", "resources/unsubscribe", { uri: "a:b" }, -32601],
    ["the name of an object's member", "constructor", {}, -32601],
  ])("a stateless request with %s is rejected (S-005, S-014, S-020, R20)", async (_what, method, params, code) => {
    expect(await respond(request(7, method, params))).toMatchObject({ id: 7, error: { code } });
  });

  test("the error of a missing capability names it as an object (S-014, R22)", async () => {
    expect(await respond(request(1, "tools/call", { name: "ask" }))).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
  });

  test("a stateless server never sends a request to the client (S-001, S-040)", async () => {
    const sent = await say([request(1, "tools/call", { name: "ask" }, { [meta.capabilities]: { sampling: {} } })]);
    const params = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
    expect(sent).toMatchObject([{ id: 1, result: { inputRequests: { "createMessage-1": params } } }]);
  });
});

describe("request metadata", () => {
  test.each([
    ["no version", { [meta.version]: undefined }],
    ["a version that is no string", { [meta.version]: 1 }],
    ["no capabilities", { [meta.capabilities]: undefined }],
    ["capabilities that are no object", { [meta.capabilities]: [] }],
    ["capabilities of a wrong shape", { [meta.capabilities]: { roots: 1 } }],
    ["a client that has no name", { [meta.clientInfo]: { version: "1" } }],
    ["an unknown log level", { [meta.logLevel]: "loud" }],
  ])("request metadata with %s is rejected (S-011, S-082, R18)", async (_what, changes) => {
    expect(await respond(request(1, "tools/list", {}, changes))).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  test("request metadata is required where the method needs it (S-011)", async () => {
    for (const params of [undefined, {}, { _meta: {} }]) {
      expect(await respond({ jsonrpc: "2.0", id: 1, method: "server/discover", params })).toMatchObject({
        error: { code: -32602, data: { path: "_meta/io.modelcontextprotocol~1protocolVersion" } },
      });
    }
  });

  test.each(["v999.0.0", ...handshakeRevisions.map(({ id }) => id)])(
    "request metadata with version %s is rejected, with the stateless revisions (S-017)",
    async (requested) => {
      expect(await respond(request(1, "tools/list", {}, { [meta.version]: requested }))).toMatchObject({
        id: 1,
        error: { code: -32022, data: { supported: [statelessRevision.id], requested } },
      });
    },
  );
});

describe("notifications of a stateless request", () => {
  const run = (changes: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> =>
    say([request(1, "tools/call", { name: "chat" }, changes)]);

  test("a stateless request gets no log messages without a level (S-080)", async () => {
    expect(await run({})).toMatchObject([{ id: 1 }]);
  });

  test("a stateless request gets log messages from its level on (S-080)", async () => {
    expect(await run({ [meta.logLevel]: "error" })).toMatchObject([
      { method: "notifications/message", params: { level: "error", data: "bad" } },
      { id: 1 },
    ]);
  });

  test("progress carries the token of the stateless request (S-070)", async () => {
    expect(await run({ progressToken: "t" })).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "t", progress: 1, total: 2 } },
      { id: 1 },
    ]);
  });

  test("capabilities of one request do not apply to the next (S-008)", async () => {
    const sampling = { [meta.capabilities]: { sampling: {} } };
    const call = { name: "ask" };
    const sent = await say([request(1, "tools/call", call, sampling), request(2, "tools/call", call)]);
    expect(sent).toMatchObject([
      { id: 2, error: { code: -32021 } },
      { id: 1, result: { resultType: "input_required" } },
    ]);
  });

  test("a cancelled stateless request gets no response, and no other message is sent for it (S-072, S-073, TS-06)", async () => {
    let reason: unknown;
    const stop = defineTool({
      name: "stop",
      async execute(_args, { signal, log, progress }) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        ({ reason } = signal);
        await log("error", "late");
        await progress(1);
        return "late";
      },
    });
    const server = defineServer({ name: "demo", version: "1.0.0", tools: [stop] });
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } };
    const changes = { [meta.logLevel]: "debug", progressToken: 1 };
    const sent = await say([request(1, "tools/call", { name: "stop" }, changes), cancelled], server);
    expect(reason).toMatchObject({ name: "AbortError", message: "enough" });
    expect(sent).toEqual([]);
  });

  test("cancelling an unknown request has no effect (S-072)", async () => {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } };
    expect(await say([cancelled, request(1, "tools/list")])).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe("both eras on one connection", () => {
  test("a session and stateless requests on one connection are independent (DE-01, DE-02, DE-05, R19)", async () => {
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const sent = await say([initialize(newest.id), initialized, list, request(3, "tools/list"), { ...list, id: 4 }]);
    expect(sent).toMatchObject([
      { id: 0, result: { protocolVersion: newest.id } },
      { id: 2 },
      { id: 3, result: { resultType: "complete" } },
      { id: 4 },
    ]);
    for (const response of [sent[1], sent[3]]) {
      expect(response).not.toHaveProperty("result.resultType");
      expect(response).not.toHaveProperty("result._meta");
      expect(response).not.toHaveProperty("result.ttlMs");
    }
  });

  test("stateless requests may come before the handshake (DE-02, R19)", async () => {
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const sent = await say([request(1, "tools/list"), initialize(newest.id), initialized, list]);
    expect(sent).toMatchObject([
      { id: 1, result: {} },
      { id: 0, result: {} },
      { id: 2, result: {} },
    ]);
  });

  test("a ping may come before either era, and other messages have to wait", async () => {
    const sent = await say([
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
    ]);
    expect(sent).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32600 } },
    ]);
  });

  test.each(handshakeRevisions.map(({ id }) => id))(
    "sessions at %s get no members of stateless revisions (DE-04, DE-05)",
    async (id) => {
      const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "ask" } };
      const [, response] = await say([initialize(id), initialized, call]);
      expect(response).toMatchObject({ id: 2, result: { isError: true } });
      expect(response).not.toHaveProperty("result.resultType");
    },
  );

  test("a batch with a stateless request is rejected (2.1)", async () => {
    const old = "2025-03-26";
    const sent = await say([
      initialize(old),
      initialized,
      [request(1, "tools/list"), { jsonrpc: "2.0", id: 2, method: "ping" }],
    ]);
    expect(sent[1]).toMatchObject([
      { id: 1, error: { code: -32600 } },
      { id: 2, result: {} },
    ]);
  });
});

describe("a server without sessions", () => {
  const only = (): Server => createServer({ name: "demo", version: "1.0.0", tools: [add] }, [statelessRevision]);

  test("a server without sessions responds to a stateless request (S-016)", async () => {
    expect(await respond(request(1, "tools/list"), only())).toMatchObject({ result: { tools: [{ name: "add" }] } });
  });

  test("a server without sessions rejects initialize with its versions (S-019)", async () => {
    expect(await respond(initialize(newest.id), only())).toMatchObject({
      id: 0,
      error: { code: -32022, data: { supported: [statelessRevision.id], requested: newest.id } },
    });
  });

  test("a server without sessions requires the request metadata (S-011)", async () => {
    for (const method of ["tools/list", "ping", "unknown/method"]) {
      expect(await respond({ jsonrpc: "2.0", id: 1, method }, only())).toMatchObject({ error: { code: -32602 } });
    }
  });
});

test("results of plain handlers are completed, and encoded ones only once (S-003, S-013)", async () => {
  const { wire } = await serveWire({
    revisions: [statelessRevision],
    capabilities: { tools: {} },
    handlers: { listTools: () => ({ tools: [], ttlMs: 0, cacheScope: "public" }) },
  });
  wire.post(request(1, "tools/list"), {
    jsonrpc: "2.0",
    method: "notifications/initialized",
    params: { _meta: requestMetadata() },
  });
  await settle();
  expect(wire.sent).toMatchObject([
    { result: { resultType: "complete", cacheScope: "public", _meta: { [meta.serverInfo]: { name: "server" } } } },
  ]);
});

test("info of the server has the members of the revision that a request names", async () => {
  const { descriptionMembers } = statelessRevision;
  const named = { ...descriptionMembers, Implementation: [...(descriptionMembers.Implementation ?? []), "owner"] };
  const later: Revision = { ...statelessRevision, id: "3000-01-01", descriptionMembers: named };
  const withoutOwner = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === "owner" ? undefined : part)));
  const tables = newest.conversions ?? expect.unreachable("the newest revision with a handshake has conversions");
  const conversions = { ...tables, clientRequests: { "server/discover": { result: withoutOwner } } };
  const source = { name: "demo", version: "1.0.0", owner: "us", tools: [add] };
  const server = createServer(source, [later, { ...statelessRevision, conversions }]);
  const infoAt = async (id: string, method: string): Promise<unknown> => {
    const response = await respond(request(1, method, {}, { [meta.version]: id }), server);
    return isObject(response) && isObject(response.result) ? response.result._meta : response;
  };
  for (const method of ["server/discover", "tools/list"]) {
    expect(await infoAt(later.id, method)).toEqual({
      [meta.serverInfo]: { name: "demo", version: "1.0.0", owner: "us" },
    });
    expect(await infoAt(statelessRevision.id, method)).toEqual(identity);
  }
});

describe("a transport that has parsed a request", () => {
  const whoami = defineTool({
    name: "whoami",
    execute: (_args, { client }) => JSON.stringify(client.info),
  });

  test.each([
    ["of one lifecycle", [statelessRevision]],
    ["of both", [statelessRevision, ...handshakeRevisions]],
  ])("a request that the transport has parsed is not parsed again by a server %s", async (_, served) => {
    const server = createServer({ name: "demo", version: "1.0.0", tools: [whoami] }, served);
    const wire = new Wire();
    const client = { info: { name: "from the transport", version: "1" }, capabilities: {} };
    const connection = createServerAcceptor(server)(wire, { revision: statelessRevision, client });
    const { id, method, params } = request(1, "tools/call", { name: "whoami" });
    wire.receiver?.classified({ kind: "request", id, method, params });
    await settle();
    expect(wire.sent).toMatchObject([{ id: 1, result: { content: [{ text: JSON.stringify(client.info) }] } }]);
    expect(connection.session).toBeUndefined();
    await connection.close();
  });
});
