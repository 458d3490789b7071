import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import { isObject, type Revision } from "../../../generated/support.ts";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { createGateway, type Gateway } from "../../../runtime/gateway/gateway.ts";
import type { AnyTool } from "../../../runtime/server/any-definition.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import { fromJsonSchema } from "../../../runtime/server/json-schema.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createInMemoryTransports } from "../../../runtime/transport/memory.ts";
import { serveSdk } from "../../interop/sdk1/http-server.ts";
import { serveSdk2 } from "../../interop/sdk2/server.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { openGateway } from "./connect-client.ts";
import { text } from "../../kit/messages.ts";

/* Servers of the official SDKs, which know handshakes only, behind a gateway that speaks everything. */

interface Official {
  readonly url: string;
  close(): Promise<void>;
}

const sdks: readonly (readonly [name: string, serve: () => Promise<Official>, server: string])[] = [
  ["the official server of the first generation", () => serveSdk(), "sdk"],
  ["the official server of the second generation", () => serveSdk2(), "sdk2"],
];

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Client {
  readonly connection: ClientConnection;
  readonly received: readonly string[];
}

async function join(gateway: Gateway, revision: Revision): Promise<Client> {
  const [near, far] = createInMemoryTransports();
  gateway.accept(far);
  const received: string[] = [];
  const connection = await connect(near, {
    info: { name: "test", version: "1" },
    revisions: [revision],
    capabilities: {
      roots: {},
      sampling: {},
      ...((revision === statelessRevision || "elicitation/create" in revision.serverRequests) && { elicitation: {} }),
    },
    logLevel: () => "debug",
    handlers: {
      ...responders,
      loggingMessage: ({ level }: { level: string }) => void received.push(level),
      toolListChanged: () => void received.push("tools"),
    },
  });
  open.push(() => connection.close());
  return { connection, received };
}

const responders = {
  createMessage: () => ({ role: "assistant", content: { type: "text", text: "42" }, model: "m" }),
  elicit: () => ({ action: "accept", content: { age: 42 } }),
};

interface RespondingOptions {
  readonly result: unknown;
  readonly rounds: number;
}

/** Calls a tool, and again with input responses for as long as the result requires input. */
async function call({ connection }: Client, name: string, args: object = {}): Promise<RespondingOptions> {
  const params = { name, arguments: args };
  let result = await connection.request("tools/call", params);
  for (let rounds = 1; ; rounds += 1) {
    if (!isObject(result) || result.resultType !== "input_required") return { result, rounds };
    const inputRequests = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : [];
    const inputResponses = inputRequests.map(([key, inputRequest]) => [
      key,
      isObject(inputRequest) && inputRequest.method === "elicitation/create"
        ? responders.elicit()
        : responders.createMessage(),
    ]);
    const { requestState } = result;
    const retried = { ...params, inputResponses: Object.fromEntries(inputResponses), requestState };
    result = await connection.request("tools/call", retried);
  }
}

describe.each(sdks)("%s behind a gateway", (_name, serve, server) => {
  let official: Official;
  let gateway: Gateway;

  beforeAll(async () => {
    official = await serve();
    gateway = await createGateway({ kind: "url", url: official.url }, { revisions });
  });

  afterAll(async () => {
    await gateway.close();
    await official.close();
  });

  describe.each(revisions.map((revision) => [revision.id, revision] as const))("at %s", (_id, revision) => {
    const isStateless = revision === statelessRevision;

    test("a server is reachable, and responds", async () => {
      const client = await join(gateway, revision);
      expect(client.connection.revision).toBe(revision);
      expect(client.connection.serverInfo.name).toBe(server);
      expect(client.connection.serverCapabilities.tools).toEqual({ listChanged: true });
      expect(client.connection.serverCapabilities.tasks).toBeUndefined();
      expect(await client.connection.request("tools/list", {})).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: "echo" })]),
        ...(isStateless && { resultType: "complete", ttlMs: 0, cacheScope: "private" }),
      });
      expect((await call(client, "echo", { text: "ä€😀\u2028\n" })).result).toMatchObject(text("ä€😀\u2028\n"));
    });

    test("a server requests input of the client: by a request, or inside of a result", async () => {
      const client = await join(gateway, revision);
      const { result, rounds } = await call(client, "sample");
      expect(JSON.stringify(result)).toContain("42");
      expect(rounds).toBe(isStateless ? 2 : 1);
    });

    test("a server reports progress, and notifies changes", async () => {
      const client = await join(gateway, revision);
      const seen: number[] = [];
      const params = { name: "progress", arguments: {} };
      await client.connection.request("tools/call", params, { onProgress: ({ progress }) => seen.push(progress) });
      expect(seen).toEqual([1, 2, 3]);
    });

    test("a server stops cancelled calls, and continues", async () => {
      const client = await join(gateway, revision);
      const stop = new AbortController();
      const name = server === "sdk" ? "hang" : "wait";
      const waiting = client.connection.request("tools/call", { name, arguments: {} }, { signal: stop.signal });
      setTimeout(() => stop.abort(new Error("enough")), 30);
      await expect(waiting).rejects.toThrow("enough");
      expect((await call(client, "echo", { text: "on" })).result).toMatchObject(text("on"));
    });
  });

  test("many clients without a session get responses concurrently, each its own", async () => {
    const client = await join(gateway, statelessRevision);
    const texts = Array.from({ length: 6 }, (_, index) => `text ${index}`);
    const results = await Promise.all(texts.map((value) => call(client, "echo", { text: value })));
    expect(results.map(({ result }) => result)).toMatchObject(texts.map(text));
    const sampled = await Promise.all(texts.slice(0, 3).map(() => call(client, "sample")));
    expect(sampled.map(({ rounds }) => rounds)).toEqual([2, 2, 2]);
  });

  test.each([
    ["a state that was changed", (state: string) => `${state}-TAMPERED`, { name: "sample" }],
    ["the state of a call with other arguments", (state: string) => state, { name: "sample", arguments: { a: 1 } }],
    ["the state of another tool", (state: string) => state, { name: "echo" }],
  ])("the request state %s is rejected", async (_what, change, other) => {
    const { connection } = await join(gateway, statelessRevision);
    const requested = await connection.request("tools/call", { name: "sample", arguments: {} });
    const state = isObject(requested) && typeof requested.requestState === "string" ? requested.requestState : "";
    expect(state).not.toBe("");
    const params = { arguments: {}, ...other, requestState: change(state), inputResponses: {} };
    await expect(connection.request("tools/call", params)).rejects.toMatchObject({ code: -32602 });
  });

  test("invalid input responses are rejected, missing ones are requested again, and a state is valid once", async () => {
    const { connection } = await join(gateway, statelessRevision);
    const params = { name: "sample", arguments: {} };
    const read = (result: unknown): { key: string; requestState: unknown } => {
      const { inputRequests, requestState } = isObject(result) ? result : {};
      const [key = ""] = isObject(inputRequests) ? Object.keys(inputRequests) : [];
      return { key, requestState };
    };
    const first = read(await connection.request("tools/call", params));
    const wrong = {
      ...params,
      requestState: first.requestState,
      inputResponses: { [first.key]: { action: "decline" } },
    };
    await expect(connection.request("tools/call", wrong)).rejects.toMatchObject({ code: -32602 });
    const missing = { ...params, requestState: first.requestState, inputResponses: { other: { action: "cancel" } } };
    const second = read(await connection.request("tools/call", missing));
    expect(second.key).toBe(first.key);
    const right = {
      ...params,
      requestState: second.requestState,
      inputResponses: { [second.key]: responders.createMessage() },
    };
    expect(JSON.stringify(await connection.request("tools/call", right))).toContain("42");
    await expect(connection.request("tools/call", right)).rejects.toMatchObject({ code: -32602 });
  });
});

test("a tool with invalid param headers does not hide the others (TH-22)", async () => {
  const wrong = { type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } } as const;
  const create = (): Server => {
    const server = new Server({ name: "odd", version: "1" }, { capabilities: { tools: {} } });
    const tools = [
      { name: "wrong", inputSchema: wrong },
      { name: "right", inputSchema: { type: "object" as const } },
    ];
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, () => ({ content: [{ type: "text", text: "m" }] }));
    return server;
  };
  const gateway = await openGateway(create, { ends: open });
  const { connection } = await join(gateway, statelessRevision);
  expect(await connection.request("tools/call", { name: "right" })).toMatchObject(text("m"));
});

test("a tool with param headers is called wherever it is in the list, and when it is added later (TH-20)", async () => {
  const properties = { region: { type: "string", "x-mcp-header": "Region" } };
  const inputSchema = fromJsonSchema({ type: "object", properties }, { validate: () => [] });
  const toTool = (name: string): AnyTool => ({ name, inputSchema, execute: () => name });
  const tools = ["first", "second"].map(toTool);
  const server = createServer({ name: "paged", version: "1", tools, pageSize: 1, listChanged: true }, [
    statelessRevision,
  ]);
  const listener = await serveHttp(server, { port: 0 });
  open.push(() => listener.close());
  const gateway = await createGateway({ kind: "url", url: listener.url }, { revisions });
  open.push(() => gateway.close());
  const [session, stateless] = [await join(gateway, newest), await join(gateway, statelessRevision)];
  const callByAll = async (name: string): Promise<void> => {
    const params = { name, arguments: { region: "eu" } };
    for (const { connection } of [session, stateless])
      expect(await connection.request("tools/call", params)).toMatchObject(text(name));
  };
  await callByAll("second");
  server.tools.add(toTool("third"));
  await callByAll("third");
});

test("a request of the server during a list, whose result cannot require input, is rejected", async () => {
  const create = (): Server => {
    const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: {} } });
    // The official file server requests the roots when the session begins, which is during the first list.
    server.setRequestHandler(ListToolsRequestSchema, async () => {
      const description = await server.listRoots().then(() => "listed", String);
      return { tools: [{ name: "a", description, inputSchema: { type: "object" as const } }] };
    });
    return server;
  };
  const { connection } = await join(await openGateway(create, { ends: open }), statelessRevision);
  const listed = await connection.request("tools/list", {});
  expect(listed).toMatchObject({ tools: [{ name: "a", description: expect.stringContaining("-32601") }] });
});

test("a request of the server is rejected when the client does not return with a response", async () => {
  const rejected: unknown[] = [];
  const create = (): Server => {
    const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
    // It waits for the response, whatever happens to the call.
    server.setRequestHandler(CallToolRequestSchema, async () => {
      await server.createMessage({ messages: [], maxTokens: 1 }).catch(({ code }: { code: unknown }) => {
        rejected.push(code);
      });
      return { content: [] };
    });
    return server;
  };
  const { connection } = await join(await openGateway(create, { ends: open, inputTimeout: 5 }), statelessRevision);
  expect(await connection.request("tools/call", { name: "a" })).toMatchObject({ resultType: "input_required" });
  await expect.poll(() => rejected).toEqual([-32_603]);
});

describe("the state of a call that waits for input", () => {
  const create = (): Server => {
    const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: {}, prompts: {} } });
    const request = async (): Promise<string> => {
      const { model } = await server.createMessage({ messages: [], maxTokens: 1 });
      return model;
    };
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
    server.setRequestHandler(CallToolRequestSchema, async () => ({
      content: [{ type: "text", text: await request() }],
    }));
    server.setRequestHandler(GetPromptRequestSchema, async () => ({
      messages: [{ role: "user", content: { type: "text", text: await request() } }],
    }));
    return server;
  };

  async function suspend(): Promise<{ connection: ClientConnection; retry: object }> {
    const { connection } = await join(await openGateway(create, { ends: open }), statelessRevision);
    const requested = await connection.request("tools/call", { name: "x", arguments: { a: "1", b: "2" } });
    const { requestState } = isObject(requested) ? requested : {};
    return { connection, retry: { requestState, inputResponses: { "createMessage-1": responders.createMessage() } } };
  }

  test("the state of a tool call is rejected for a prompt of the same name (S-046)", async () => {
    const { connection, retry } = await suspend();
    const params = { name: "x", arguments: { a: "1", b: "2" }, ...retry };
    await expect(connection.request("prompts/get", params)).rejects.toMatchObject({ code: -32602 });
    expect(await connection.request("tools/call", params)).toMatchObject(text("m"));
  });

  test("the state of a call is valid for arguments in any order", async () => {
    const { connection, retry } = await suspend();
    const params = { name: "x", arguments: { b: "2", a: "1" }, ...retry };
    expect(await connection.request("tools/call", params)).toMatchObject(text("m"));
  });
});

describe("the official server of the second generation behind a gateway", () => {
  test.each(revisions.map((revision) => [revision.id, revision] as const))(
    "the official server shows forms and logs at %s, and notifies changed lists",
    async (_id, revision) => {
      const official = await serveSdk2();
      const gateway = await createGateway({ kind: "url", url: official.url }, { revisions });
      const client = await join(gateway, revision);
      const form = await call(client, "form");
      const canElicit = revision === statelessRevision || "elicitation/create" in revision.serverRequests;
      if (canElicit) expect(form.result).toMatchObject(text('{"action":"accept","content":{"age":42}}'));
      else expect(form.result).toMatchObject({ isError: true });
      if (revision !== statelessRevision) await client.connection.request("logging/setLevel", { level: "error" });
      const stop = new AbortController();
      const listening =
        revision === statelessRevision &&
        client.connection
          .request("subscriptions/listen", { notifications: { toolsListChanged: true } }, { signal: stop.signal })
          .catch(() => {});
      await sleep(50);
      await call(client, "log");
      await expect.poll(() => client.received).toContain("error");
      if (!listening) await expect.poll(() => client.received).toContain("tools");
      expect(await client.connection.request("resources/read", { uri: "test://a" })).toMatchObject({
        contents: [{ text: "text of a" }],
      });
      const code = revision === statelessRevision ? -32602 : -32002;
      await expect(client.connection.request("resources/read", { uri: "test://none" })).rejects.toMatchObject({ code });
      stop.abort();
      await client.connection.close();
      await gateway.close();
      await official.close();
    },
  );
});
