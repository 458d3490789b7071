import { describe, expect, test, vi } from "vitest";
import { isObject, type Revision } from "../../generated/support.ts";
import { revisions } from "../../generated/revisions.ts";
import { createUntypedClient } from "../../runtime/client/create-client.ts";
import { isCapabilityError } from "../../runtime/jsonrpc/errors.ts";
import { ToolError } from "../../runtime/server/errors.ts";
import { fromJsonSchema } from "../../runtime/server/json-schema.ts";
import { createHttpHandler, type ServeHttpOptions } from "../../runtime/server/run/http-handler.ts";
import { createServer, type Server } from "../../runtime/server/create-server.ts";
import { serve } from "../../runtime/server/run/acceptor.ts";
import type { AnyPrompt, AnyServerDefinition, AnyTool } from "../../runtime/server/any-definition.ts";
import { connectInMemory } from "../../runtime/testing/connect-to.ts";
import { handshakeRevisions, newest, revisionOf } from "../kit/revisions.ts";
import { ManualClock, settle } from "../../runtime/testing/manual-clock.ts";
import { createGate } from "../kit/time.ts";
import { Wire } from "../../runtime/testing/wire.ts";
import { initialize, initialized } from "../kit/messages.ts";
import { serveWire } from "../kit/wire.ts";

/* Rules that hold for a server or a client as a whole. */

const everyRevision = handshakeRevisions.map((revision) => [revision.id, revision] as const);

function define(source: Partial<AnyServerDefinition>): Server {
  return createServer({ name: "test", version: "1", onError() {}, ...source }, handshakeRevisions);
}

async function openWire(server: Server, revision: Revision = newest, capabilities: object = {}): Promise<Wire> {
  const wire = new Wire();
  serve(server, wire);
  wire.post(initialize(revision.id, capabilities));
  await settle();
  wire.post(initialized);
  wire.sent.length = 0;
  return wire;
}

/** The last message that comes back. */
async function send(wire: Wire, method: string, params: object, id: string | number = 7): Promise<RpcResponse> {
  wire.post({ jsonrpc: "2.0", id, method, params });
  await settle();
  const response = wire.sent.splice(0).at(-1);
  return isObject(response) ? response : {};
}

interface RpcResponse {
  readonly result?: unknown;
  readonly error?: unknown;
}

const everything: Partial<AnyServerDefinition> = {
  subscribe: true,
  tools: [
    { name: "fine", execute: () => "fine" },
    { name: "broken", execute: () => ({ content: "no list" }) },
    { name: "wrong", execute: () => Promise.reject(new ToolError("The account is empty.")) },
  ],
  resources: [{ uri: "a://b", name: "b", read: () => 7 }],
  prompts: [{ name: "p", arguments: { a: { required: true, complete: () => ["x"] } }, get: () => "" }],
};

describe.each(everyRevision)("at revision %s", (id, revision) => {
  test.each<readonly [string, object]>([
    ["no/such", {}],
    ["tools/call", {}],
    ["tools/call", { name: "none" }],
    ["tools/call", { name: "broken" }],
    ["resources/read", { uri: "a://none" }],
    ["resources/read", { uri: "a://b" }],
    ["prompts/get", { name: "p" }],
    ["prompts/get", { name: "none" }],
    ["tools/list", { cursor: "made up" }],
    ["logging/setLevel", { level: "loud" }],
    ["completion/complete", { ref: { type: "ref/tool", name: "fine" }, argument: { name: "a", value: "" } }],
    ["initialize", {}],
  ])("the error of %s %j is a number and one short sentence (J-09, S-004)", async (method, params) => {
    const { error } = await send(await openWire(define(everything), revision), method, params);
    const { code, message } = isObject(error) ? error : {};
    expect(code).toSatisfy(Number.isInteger);
    expect(message).toMatch(/^[A-Z-][^\n]{3,119}$/);
    expect(message).not.toMatch(/\. [A-Z]/);
  });

  test("text is UTF-8 in both directions, wherever the bytes are split (J-17, B-001)", async () => {
    const word = "žluťoučký 🐎 \u2028 中文";
    const echo: AnyTool = {
      name: "echo",
      inputSchema: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }), ...textSchema } },
      execute: (args) => String(Reflect.get(Object(args), "text")),
    };
    const wire = await openWire(define({ tools: [echo] }), revision);
    const params = { name: "echo", arguments: { text: word } };
    const bytes = new TextEncoder().encode(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`,
    );
    for (const byte of bytes) wire.write(Uint8Array.of(byte));
    await settle();
    expect(wire.sent).toEqual([{ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: word }] } }]);
  });

  test("bytes that are not UTF-8 are rejected (J-17, R2)", async () => {
    const wire = await openWire(define(everything), revision);
    wire.write(Uint8Array.of(0x22, 0xc3, 0x28, 0x22, 0x0a));
    await settle();
    expect(wire.sent).toMatchObject([{ error: { code: -32700 } }]);
  });

  test("a call that reaches no tool is a protocol error, a failure of a tool is a result (TL-07)", async () => {
    const wire = await openWire(define(everything), revision);
    expect(await send(wire, "tools/call", { name: "none" })).toMatchObject({ error: { code: -32602 } });
    expect(await send(wire, "tools/call", {})).toMatchObject({ error: { code: -32602 } });
    expect(await send(wire, "tools/call", { name: "broken" })).toMatchObject({ error: { code: -32603 } });
    expect(await send(wire, "tools/call", { name: "wrong" })).toMatchObject({
      result: { isError: true, content: [{ type: "text", text: "The account is empty." }] },
    });
  });

  test.each(["ref/tool", "ref/file", ""])(
    "completion accepts prompts and resources, and not %j (K-03)",
    async (type) => {
      const params = { ref: { type, name: "p", uri: "a://b" }, argument: { name: "a", value: "" } };
      const response = await send(await openWire(define(everything), revision), "completion/complete", params);
      expect(response).toMatchObject({ error: { code: -32602 } });
    },
  );

  test("a tool may embed a resource that no list has (TL-14)", async () => {
    const resource = { uri: "memo://1", mimeType: "text/plain", text: "Buy milk" };
    const run = (): object => ({ content: [{ type: "resource", resource }] });
    const wire = await openWire(define({ tools: [{ name: "memo", execute: run }] }), revision);
    expect(await send(wire, "tools/call", { name: "memo" })).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: { content: [{ type: "resource", resource }] },
    });
  });

  test.each<readonly [string, object]>([
    ["bytes that are not base64", { type: "image", data: "a b", mimeType: "image/png" }],
    ["base64 without padding", { type: "image", data: "QQ", mimeType: "image/png" }],
    ["no media type", { type: "image", data: "QUJD", mimeType: "png" }],
  ])("a prompt with %s is not sent (Q-02)", async (_what, content) => {
    const wire = await openWire(define({ prompts: [withContent(content)] }), revision);
    expect(await send(wire, "prompts/get", { name: "p" })).toMatchObject({ error: { code: -32603 } });
  });

  test.each<readonly [string, object]>([
    ["no URI", { uri: "memo", mimeType: "text/plain", text: "" }],
    ["a bad media type", { uri: "memo://1", mimeType: "text", text: "" }],
    ["bytes that are not base64", { uri: "memo://1", mimeType: "text/plain", blob: "%%%%" }],
    ["neither text nor bytes", { uri: "memo://1", mimeType: "text/plain" }],
  ])("a prompt whose embedded resource has %s is not sent (Q-03)", async (_what, resource) => {
    const wire = await openWire(define({ prompts: [withContent({ type: "resource", resource })] }), revision);
    expect(await send(wire, "prompts/get", { name: "p" })).toMatchObject({ error: { code: -32603 } });
  });

  test("a prompt whose content is well-formed is sent unchanged (Q-02, Q-03)", async () => {
    const contents = [
      { type: "image", data: "QUJD", mimeType: "image/svg+xml" },
      { type: "resource", resource: { uri: "memo://1", mimeType: "text/plain; charset=utf-8", text: "x" } },
      { type: "resource", resource: { uri: "memo://1", blob: "" } },
    ];
    for (const content of contents) {
      const wire = await openWire(define({ prompts: [withContent(content)] }), revision);
      const response = await send(wire, "prompts/get", { name: "p" });
      expect(response).toMatchObject({ result: { messages: [{ role: "user", content }] } });
    }
  });

  test("progress may have fractions, no total, or be missing, and ends with the response (G-02, G-05)", async () => {
    let late: (() => Promise<void>) | undefined;
    const run: AnyTool["execute"] = async (_args, { progress }) => {
      await progress(0.25);
      await progress(0.5);
      late = () => progress(0.75);
      return "done";
    };
    const wire = await openWire(define({ tools: [{ name: "slow", execute: run }] }), revision);
    const requested = { name: "slow", _meta: { progressToken: 0 } };
    wire.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: requested });
    await settle();
    await late?.();
    wire.post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "slow" } });
    await settle();
    await late?.();
    expect(wire.sent.map((message) => Reflect.get(Object(message), "params") ?? "answer")).toEqual([
      { progressToken: 0, progress: 0.25 },
      { progressToken: 0, progress: 0.5 },
      "answer",
      "answer",
    ]);
  });

  test("lists of prompts are read page by page (Q-05)", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const server = define({ pageSize: 2, prompts: names.map((name) => ({ name, get: () => "" })) });
    const client = await connectInMemory(server, { revisions: [revision] });
    expect(await client.listPrompts()).toMatchObject(names.map((name) => ({ name })));
    await client.close();
  });

  test("a client handles another version, a missing capability and a time-out (L-18)", async () => {
    const clock = new ManualClock();
    const start = (): { wire: Wire; connecting: Promise<unknown> } => {
      const wire = new Wire();
      const client = createUntypedClient({
        info: { name: "client", version: "1" },
        revisions: [revision],
        clock,
      });
      return { wire, connecting: client.connect(wire) };
    };
    const toResponse = (version: string): object => ({
      protocolVersion: version,
      capabilities: { tools: {} },
      serverInfo: { name: "server", version: "1" },
    });

    const other = start();
    await settle();
    other.wire.post({ jsonrpc: "2.0", id: idOf(other.wire.sent[0]), result: toResponse("1999-01-01") });
    await expect(other.connecting).rejects.toMatchObject({ name: "VersionError" });

    const silent = expect(start().connecting).rejects.toMatchObject({ name: "TimeoutError" });
    await clock.pass(60_000);
    await silent;

    const { wire, connecting } = start();
    await settle();
    wire.post({ jsonrpc: "2.0", id: idOf(wire.sent[0]), result: toResponse(id) });
    const session = Object(await connecting);
    await expect(session.listPrompts()).rejects.toMatchObject({ name: "CapabilityError" });
    const unanswered = expect(session.listTools()).rejects.toMatchObject({ name: "TimeoutError" });
    await clock.pass(60_000);
    await unanswered;
    wire.end();
  });
});

test.each(everyRevision.filter(([id]) => id >= "2025-06-18"))(
  "a tool may link to a resource that no list has, at %s (TL-13)",
  async (_id, revision) => {
    const link = { type: "resource_link", uri: "memo://1", name: "memo" };
    const wire = await openWire(define({ tools: [{ name: "memo", execute: () => ({ content: [link] }) }] }), revision);
    expect(await send(wire, "tools/call", { name: "memo" })).toMatchObject({ result: { content: [link] } });
  },
);

describe("requests to a client and its capabilities", () => {
  const form = { message: "m", requestedSchema: { type: "object", properties: {} } };
  const page = { mode: "url", message: "m", url: "https://example.com", elicitationId: "1" };
  const prompt = { messages: [], maxTokens: 1 };

  test.each<readonly [string, object, "elicit" | "sample", object, string | undefined]>([
    ["a form", { elicitation: {} }, "elicit", form, undefined],
    ["a form", { elicitation: { form: {}, url: {} } }, "elicit", form, undefined],
    ["a form", { elicitation: { url: {} } }, "elicit", form, "elicitation.form"],
    ["a page", { elicitation: { url: {} } }, "elicit", page, undefined],
    ["a page", { elicitation: {} }, "elicit", page, "elicitation.url"],
    ["a page", {}, "elicit", page, "elicitation.url"],
    ["a message", { sampling: {} }, "sample", prompt, undefined],
    ["a message with tools", { sampling: { tools: {} } }, "sample", { ...prompt, tools: [] }, undefined],
    ["a message with tools", { sampling: {} }, "sample", { ...prompt, tools: [] }, "sampling.tools"],
    ["a message with a choice of tools", { sampling: {} }, "sample", { ...prompt, toolChoice: {} }, "sampling.tools"],
  ])(
    "a server sends %s, where the client declares %j (E-05, S-08)",
    async (_what, capabilities, kind, params, missing) => {
      const { response, missed } = await requestWith(newest, capabilities, kind, params);
      if (missing === undefined) {
        expect(response).toMatchObject({
          method: kind === "sample" ? "sampling/createMessage" : "elicitation/create",
        });
      } else {
        const text = `The tool requires the client capability ${missing}`;
        expect(response).toMatchObject({ result: { isError: true, content: [{ text }] } });
        expect(missed).toEqual([missing]);
      }
    },
  );

  test.each<readonly [string, object, "elicit" | "sample", object, string | undefined]>([
    ["a form", { elicitation: { url: {} } }, "elicit", form, undefined],
    ["a page", { elicitation: { url: {} } }, "elicit", page, "elicitation.url"],
    ["a message with tools", { sampling: { tools: {} } }, "sample", { ...prompt, tools: [] }, "sampling.tools"],
  ])(
    "a server does not send %s where a client declares %j at a revision without it",
    async (_what, declared, kind, params, missing) => {
      const { response, missed } = await requestWith(revisionOf("2025-06-18"), declared, kind, params);
      const isSent = missing === undefined;
      expect(response).toMatchObject(isSent ? { method: "elicitation/create" } : { result: { isError: true } });
      expect(missed).toEqual(isSent ? [] : [missing]);
    },
  );

  const contextOf: readonly (readonly [string, object, boolean])[] = [
    ["2025-11-25", {}, false],
    ["2025-11-25", { tools: {} }, false],
    ["2025-11-25", { context: {} }, true],
    ["2025-06-18", {}, true],
    ["2025-03-26", {}, true],
    ["2024-11-05", {}, true],
  ];

  test.each(contextOf)(
    "a server does not request context of servers at %s, where sampling is %j (S-07)",
    async (id, sampling, isRequested) => {
      for (const includeContext of ["thisServer", "allServers"]) {
        const { response, missed } = await requestWith(revisionOf(id), { sampling }, "sample", {
          ...prompt,
          includeContext,
        });
        const sent = { method: "sampling/createMessage", params: { ...prompt, includeContext } };
        expect(response).toMatchObject(isRequested ? sent : { result: { isError: true } });
        expect(missed).toEqual(isRequested ? [] : ["sampling.context"]);
      }
    },
  );

  test.each(everyRevision)(
    "a server requests context of no server at %s, whatever the client declares (S-07)",
    async (_id, revision) => {
      for (const none of [{}, { includeContext: "none" }]) {
        const { response } = await requestWith(revision, { sampling: {} }, "sample", { ...prompt, ...none });
        expect(response).toMatchObject({ method: "sampling/createMessage", params: { ...prompt, ...none } });
      }
    },
  );

  const use = (id: string): object => ({ type: "tool_use", id, name: "t", input: {}, _meta: { "com.example/a": id } });
  const result = (toolUseId: string): object => ({ type: "tool_result", toolUseId, content: [], _meta: { b: 1 } });
  const words = { type: "text", text: "hi" };
  const said = (role: "user" | "assistant", ...content: readonly object[]): object => ({ role, content });
  const withTools = (...messages: readonly object[]): object => ({ messages, maxTokens: 1, tools: [] });

  test.each<readonly [string, object, string]>([
    ["results beside other content", withTools(said("assistant", use("a")), said("user", result("a"), words)), "1"],
    ["a use without its result", withTools(said("assistant", use("a"), use("b")), said("user", result("a"))), "1"],
    ["a use whose result comes too late", withTools(said("assistant", use("a")), said("user", words)), "1"],
    ["a result without its use", withTools(said("user", result("a"))), "0"],
    ["a use with two results", withTools(said("assistant", use("a")), said("user", result("a"), result("a"))), "1"],
    [
      "two uses of one id",
      withTools(said("assistant", use("a"), use("a")), said("user", result("a"), result("a"))),
      "0",
    ],
    ["a use by the user", withTools(said("user", use("a")), said("user", result("a"))), "0"],
    ["a result by the model", withTools(said("assistant", use("a")), said("assistant", result("a"))), "1"],
    ["a use at the end", withTools(said("user", words), said("assistant", use("a"))), "2"],
  ])("a server rejects sampling with %s (S-150, S-09, S-10)", async (_what, params, place) => {
    const { response, thrown } = await requestWith(newest, { sampling: { tools: {} } }, "sample", params);
    expect(response).toMatchObject({ result: { isError: true } });
    expect(thrown).toEqual([
      expect.stringContaining(`The params of sampling/createMessage at messages/${place} must be`),
    ]);
  });

  test("a conversation with tools arrives unchanged, metadata of its blocks included (S-14, S-150)", async () => {
    const messages = [said("user", words), said("assistant", words, use("a")), said("user", result("a"))];
    const { response } = await requestWith(newest, { sampling: { tools: {} } }, "sample", withTools(...messages));
    expect(response).toMatchObject({ method: "sampling/createMessage" });
    expect(Reflect.get(Object(Reflect.get(Object(response), "params")), "messages")).toEqual(messages);
  });

  /** Returns the result of a tool that requests this input, and the capabilities that are missing. */
  async function requestWith(
    revision: Revision,
    capabilities: object,
    kind: "elicit" | "sample",
    params: object,
  ): Promise<{
    readonly response: RpcResponse;
    readonly missed: readonly string[];
    readonly thrown: readonly string[];
  }> {
    const missed: string[] = [];
    const thrown: string[] = [];
    const run: AnyTool["execute"] = async (_args, context) => {
      const put: unknown = Reflect.get(context, kind);
      if (typeof put !== "function") throw new Error("no such question");
      await Promise.resolve(put(params)).catch((error: unknown) => {
        if (isCapabilityError(error)) missed.push(error.gate.path.join("."));
        else thrown.push(String(error instanceof Error && error.message));
        throw error;
      });
      return "";
    };
    const wire = await openWire(define({ tools: [{ name: "ask", execute: run }] }), revision, capabilities);
    const response = await send(wire, "tools/call", { name: "ask" });
    wire.end();
    return { response, missed, thrown };
  }
});

describe("keys of _meta", () => {
  test.each<readonly [string, Partial<AnyServerDefinition>]>([
    ["tool", { tools: [{ name: "t", execute: () => "", ...bad() }] }],
    ["resource", { resources: [{ name: "r", uri: "a://b", read: () => "", ...bad() }] }],
    ["resource template", { resourceTemplates: [{ name: "r", uriTemplate: "a://{b}", read: () => "", ...bad() }] }],
    ["prompt", { prompts: [{ name: "p", get: () => "", ...bad() }] }],
  ])("the definition of a %s with an invalid _meta key is rejected (M-03)", (_what, source) => {
    expect(() => define(source)).toThrow(/"mcp.dev\/a" of _meta is not valid/);
  });

  test.each(everyRevision)("reserved _meta keys with any value at %s cause no error (M-02)", async (_id, revision) => {
    const wire = await openWire(define(everything), revision);
    const strange: readonly unknown[] = [null, 7, -1, "", [], [{}], {}, { taskId: 7 }, true, "x".repeat(10_000)];
    const keys = [...revision.reservedMeta.map(({ key }) => key), "io.modelcontextprotocol/none", "dev.mcp/a"];
    for (const key of keys)
      for (const value of strange) {
        const response = await send(wire, "tools/call", { name: "fine", _meta: { [key]: value } });
        const code: unknown = Reflect.get(Object(response.error), "code");
        expect([undefined, -32602], `${key}: ${JSON.stringify(value)}`).toContain(code);
      }
    expect(await send(wire, "tools/call", { name: "fine" })).toMatchObject({
      result: { content: [{ text: "fine" }] },
    });
  });

  test("defined _meta keys are in the tables of the revision (M-08)", () => {
    const keys = (id: string): readonly string[] => revisionOf(id).reservedMeta.map(({ key }) => key);
    for (const { id, lifecycle } of revisions)
      if (lifecycle === "handshake") expect(keys(id)).toContain("progressToken");
    expect(keys("2025-11-25")).toEqual([
      "progressToken",
      "io.modelcontextprotocol/related-task",
      "io.modelcontextprotocol/model-immediate-response",
    ]);
    for (const id of ["2025-06-18", "2025-03-26", "2024-11-05"]) expect(keys(id)).toEqual(["progressToken"]);
  });
});

test.each(everyRevision)("a file:// URI may lead to no file (R-06), at %s", async (_id, revision) => {
  const uri = "file:///no/such/folder/";
  const server = define({ resources: [{ uri, name: "x", mimeType: "inode/directory", read: () => "" }] });
  const wire = await openWire(server, revision);
  expect(await send(wire, "resources/list", {})).toMatchObject({ result: { resources: [{ uri }] } });
  expect(await send(wire, "resources/read", { uri })).toMatchObject({ result: { contents: [{ uri, text: "" }] } });
});

test("one line is one message, or a batch where the revision has them (T-04)", async () => {
  for (const revision of handshakeRevisions) {
    const { wire } = await serveWire({}, revision.id);
    wire.post([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
    wire.post({ jsonrpc: "2.0", id: 2, method: "ping" });
    await settle();
    const single = { jsonrpc: "2.0", id: 2, result: {} };
    expect(wire.sent).toMatchObject(
      revision.batching ? [[{ jsonrpc: "2.0", id: 1, result: {} }], single] : [{ error: { code: -32600 } }, single],
    );
  }
});

test.each<readonly [string, unknown, string]>([
  ["a date", { when: new Date(0) }, "Date at when"],
  ["a map", { list: [new Map([["a", 1]])] }, "Map at list/0"],
  ["a set", { list: [{ inner: new Set() }] }, "Set at list/0/inner"],
])("structured output is checked as it is sent: %s is rejected (TL-11)", async (_what, output, where) => {
  const errors: string[] = [];
  const schema = { type: "object", properties: { when: {}, list: {} } } as const;
  const server = define({
    onError: ({ error }) => void errors.push(error.message),
    tools: [
      { name: "t", outputSchema: fromJsonSchema<unknown>(schema, { validate: () => [] }), execute: () => output },
    ],
  });
  const wire = await openWire(server);
  expect(await send(wire, "tools/call", { name: "t" })).toMatchObject({ error: { code: -32603 } });
  expect(errors).toEqual([expect.stringContaining(where)]);
});

describe("a server without sessions", () => {
  const server = createServer(
    {
      name: "test",
      version: "1",
      listChanged: true,
      subscribe: true,
      tools: [{ name: "t", execute: () => "" }],
      resources: [{ uri: "a://b", name: "b", read: () => "" }],
    },
    handshakeRevisions,
  );
  const post = async (options: ServeHttpOptions, message: object): Promise<unknown> => {
    const handler = createHttpHandler(server, options);
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify(message);
    const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
    const result: unknown = await response.json();
    await handler.close();
    return result;
  };

  test.each(everyRevision)(
    "a server without sessions declares no notifications that it could not send, at %s (trap 32)",
    async (id) => {
      const capabilities = { logging: {}, tools: {}, resources: {}, prompts: {} };
      const { completions: _c, ...declared } = Object(
        Reflect.get(
          Object(Reflect.get(Object(await post({ sessions: false }, initialize(id))), "result")),
          "capabilities",
        ),
      );
      expect(declared).toEqual(capabilities);
      expect(await post({}, initialize(id))).toMatchObject({
        result: { capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } } },
      });
    },
  );

  test("a server without sessions rejects subscriptions", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "a://b" } };
    expect(await post({ sessions: false }, message)).toMatchObject({ error: { code: -32601 } });
  });
});

describe("a tool whose call is cancelled before the tool runs", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: { text: "a" } } };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

  test.each<readonly [string, (waiting: Promise<void>) => Partial<AnyServerDefinition> & { readonly schema?: object }]>(
    [
      [
        "middleware waits",
        (waiting) => ({ middleware: [({ method }, next) => (method === "tools/call" ? waiting.then(next) : next())] }),
      ],
      [
        "arguments are checked",
        (waiting) => ({ schema: { validate: (value: unknown) => waiting.then(() => ({ value })) } }),
      ],
    ],
  )("a tool does not run if its call is cancelled while %s", async (_what, toDefinition) => {
    const gate = createGate();
    const { schema, ...definition } = toDefinition(gate.opened);
    const execute = vi.fn(() => "done");
    const standard = {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => ({ value }),
      ...textSchema,
      ...schema,
    } as const;
    const onError = vi.fn();
    const tools = [{ name: "t", inputSchema: { "~standard": standard }, execute }];
    const wire = await openWire(define({ tools, onError, ...definition }));
    wire.post(call);
    await settle();
    wire.post(cancelled);
    gate.open();
    await settle();
    expect([execute.mock.calls, onError.mock.calls, wire.sent]).toEqual([[], [], []]);
    wire.post({ ...call, id: 2 });
    await settle();
    expect(execute).toHaveBeenCalledTimes(1);
  });
});

const textSchema = {
  jsonSchema: {
    input: () => ({ type: "object", properties: { text: { type: "string" } } }),
    output: () => ({ type: "object", properties: { text: { type: "string" } } }),
  },
};

function withContent(content: object): AnyPrompt {
  return { name: "p", get: () => [{ role: "user", content }] };
}

function bad(): object {
  return { _meta: { "mcp.dev/a": 1 } };
}

function idOf(message: unknown): unknown {
  return isObject(message) ? message.id : undefined;
}
