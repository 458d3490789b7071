import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpOrigin } from "../../../../runtime/transport/http-server/identity.ts";
import { requestRoots, changed, log, start, type Rig, type Session, type Tool } from "../../../kit/http-server.ts";
import { call, initialize, textOf } from "../../../kit/http-exchange.ts";
import { initialized } from "../../../kit/messages.ts";
import { handshakeRevisions as revisions } from "../../../kit/revisions.ts";
import { until } from "../../../kit/time.ts";

let rig: Rig;
/** Calls of the tool `gate` wait here. */
const gates = new Map<unknown, (value: string) => void>();
const aborted: unknown[] = [];
const origins: unknown[] = [];

const tools: Record<string, Tool> = {
  echo: (_, args) => args.text,
  chatty: async (context, args) => {
    await log(context, "one");
    await context.progress({ progress: 1 });
    await log(context, "two");
    return args.text;
  },
  roots: async (context) => JSON.stringify(await requestRoots(context)),
  origin: (context) => void origins.push(context.origin),
  gate: (context, args) => {
    context.signal.addEventListener("abort", () => aborted.push(args.key));
    return new Promise((resolve) => gates.set(args.key, resolve));
  },
};

beforeAll(async () => {
  rig = await start(tools);
});

afterAll(() => rig.close());

describe.each(revisions.map(({ id }) => id))("at %s", (revision) => {
  let session: Session;

  beforeAll(async () => {
    session = await rig.open(revision);
  });

  it("a request gets a JSON response when no message comes before it (T-20, T-26)", async () => {
    const response = await session.post(call(1, "echo", { text: "hä" }));
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(textOf(response.json)).toBe("hä");
  });

  it("a stream carries earlier messages, then the response, and ends (T-27, T-28, T-30)", async () => {
    const stream = await session.postStream(call("a", "chatty", { text: "done" }, { progressToken: 0 }));
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    await stream.end();
    expect(stream.messages).toMatchObject([
      { method: "notifications/message", params: { data: "one" } },
      { method: "notifications/progress", params: { progress: 1, progressToken: 0 } },
      { method: "notifications/message", params: { data: "two" } },
      { id: "a" },
    ]);
    expect(stream.events.every(({ type }) => type === "message")).toBe(true);
  });

  it("a server request goes on the stream of its call, its response comes by POST (T-21, T-28, A11, trap 5)", async () => {
    const stream = await session.postStream(call(2, "roots"));
    const request = await stream.message();
    expect(request.method).toBe("roots/list");
    const roots = [{ uri: "file:///a" }];
    const accepted = await session.post({ jsonrpc: "2.0", id: request.id, result: { roots } });
    expect(accepted).toMatchObject({ status: 202, text: "" });
    expect(textOf(await stream.message())).toBe(JSON.stringify({ roots }));
    await stream.end();
  });

  it.each([
    ["repeats a member", (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`],
    ["repeats a member in other letters", (id: string) => `{"jsonrpc":"2.0","id":${id},"params":1,"\\u0070arams":1}`],
    ["has an id only", (id: string) => `{"jsonrpc":"2.0","id":${id}}`],
    [
      "is nested too deeply",
      (id: string) => `{"jsonrpc":"2.0","id":${id},"result":${'{"a":'.repeat(70)}1${"}".repeat(70)}}`,
    ],
    ["has no result", (id: string) => `{"jsonrpc":"2.0","id":${id},"result":7}`],
  ])("a response that %s is rejected without its id, and its call fails at once (T-24)", async (_name, write) => {
    const stream = await session.postStream(call(2, "roots"));
    const request = await stream.message();
    const rejected = await rig.send({ body: write(JSON.stringify(request.id)), headers: session.headers });
    expect(rejected).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
    expect(rejected.json).not.toHaveProperty("id");
    expect(await stream.message()).toMatchObject({ id: 2, error: { code: -32603 } });
    await stream.end();
  });

  it("notifications and responses by themselves are accepted without a body (T-24)", async () => {
    const messages = [
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "2.0", method: "notifications/unknown" },
      { jsonrpc: "2.0", id: 99, result: {} },
      { jsonrpc: "2.0", id: 99, error: { code: 1, message: "no" } },
    ];
    for (const message of messages) {
      const response = await session.post(message);
      expect([response.status, response.text, response.headers["content-length"]]).toEqual([202, "", "0"]);
    }
  });

  it("a JSON-RPC error of a request has status 200 (4.9)", async () => {
    const response = await session.post({ jsonrpc: "2.0", id: 0, method: "nothing" });
    expect(response).toMatchObject({ status: 200, json: { id: 0, error: { code: -32601 } } });
  });

  it("an id that is in use is rejected, and the first call continues (R13)", async () => {
    const first = session.post(call("busy", "gate", { key: `busy ${revision}` }));
    await until(() => gates.has(`busy ${revision}`));
    const second = await session.post(call("busy", "echo", { text: "x" }));
    expect(second).toMatchObject({ status: 400, json: { id: "busy", error: { code: -32600 } } });
    gates.get(`busy ${revision}`)?.("first");
    expect(textOf((await first).json)).toBe("first");
  });

  it("ids of different types are different (trap 9)", async () => {
    const number = session.post(call(5, "gate", { key: `5 ${revision}` }));
    await until(() => gates.has(`5 ${revision}`));
    expect(textOf((await session.post(call("5", "echo", { text: "text" }))).json)).toBe("text");
    gates.get(`5 ${revision}`)?.("number");
    expect(textOf((await number).json)).toBe("number");
  });

  it("a client that disconnects has not cancelled (T-31, trap 24)", async () => {
    const key = `gone ${revision}`;
    const agent = session.postStream(call(6, "gate", { key }));
    agent.catch(() => {});
    await until(() => gates.has(key));
    const controller = new AbortController();
    const body = JSON.stringify(call(7, "gate", { key: `${key} 2` }));
    const headers = { ...session.headers, accept: "*/*", "content-type": "application/json" };
    const lost = fetch(rig.url, { method: "POST", headers, body, signal: controller.signal });
    await until(() => gates.has(`${key} 2`));
    controller.abort();
    await expect(lost).rejects.toThrow();
    await delay(20);
    expect(aborted).not.toContain(`${key} 2`);
    gates.get(`${key} 2`)?.("nobody reads this");
    gates.get(key)?.("read");
    await agent;
    expect((await session.post({ jsonrpc: "2.0", id: 8, method: "ping" })).status).toBe(200);
  });

  it("a cancelled call with a JSON response ends with 202 (B-18)", async () => {
    const key = `cancel ${revision}`;
    const waiting = session.post(call("c", "gate", { key }));
    await until(() => gates.has(key));
    const params = { requestId: "c", reason: "enough" };
    const cancelled = await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    expect(cancelled.status).toBe(202);
    expect(await waiting).toMatchObject({ status: 202, text: "" });
    expect(aborted).toContain(key);
  });

  it("a cancelled call that streams ends its stream without a response (C-08, trap 23)", async () => {
    const stream = await session.postStream(call("s", "roots"));
    const request = await stream.message();
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s" } });
    await stream.end();
    const methods = stream.messages.map((message) => Reflect.get(Object(message), "method"));
    expect(methods).toEqual(["roots/list", "notifications/cancelled"].slice(0, methods.length));
    expect(request.method).toBe("roots/list");
  });

  it("messages without a request go to the GET stream, and no others do (T-33, T-34, T-35, T-36)", async () => {
    const own = await rig.open(revision);
    const stream = await own.listen();
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    const connection = rig.listener.handler.sessions.get(own.id)?.connection;
    if (!connection) throw new Error("no session");
    await changed(connection);
    await own.post(call(1, "echo", { text: "a" }));
    await (await own.postStream(call(2, "chatty", {}))).end();
    await changed(connection);
    await until(() => stream.messages.length >= 2);
    await delay(10);
    expect(stream.messages).toMatchObject(Array(2).fill({ method: "notifications/tools/list_changed" }));
    stream.cut();
  });
});

describe("the first request", () => {
  it.each(["2024-11-05", "2025-11-25"])(
    "the first request opens a session at %s whose id is visible ASCII (T-50, T-51)",
    async (id) => {
      const responses = await Promise.all([1, 2].map(() => rig.send({ body: initialize(id) })));
      const ids = responses.map(({ headers }) => String(headers["mcp-session-id"]));
      expect(responses[0]).toMatchObject({ status: 200, json: { id: "init", result: { protocolVersion: id } } });
      expect(ids[0]).toMatch(/^[\x21-\x7e]{32,}$/);
      expect(new Set(ids).size).toBe(2);
    },
  );

  it("the first request gets another revision when it names an unknown one (L-08)", async () => {
    const response = await rig.send({ body: initialize("1999-01-01") });
    expect(response).toMatchObject({ status: 200, json: { result: { protocolVersion: "2025-11-25" } } });
  });

  it("an invalid first request opens no session", async () => {
    const before = rig.listener.handler.sessions.size;
    const response = await rig.send({ body: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} } });
    expect(response).toMatchObject({ status: 200, json: { error: { code: -32602 } } });
    expect(response.headers).not.toHaveProperty("mcp-session-id");
    expect(rig.listener.handler.sessions.size).toBe(before);
  });

  it("the first request may be followed by calls at once, before the initialized notification (trap 4)", async () => {
    const opened = await rig.send({ body: initialize("2025-11-25") });
    const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    expect((await rig.send({ headers, body: call(1, "echo", { text: "x" }) })).status).toBe(200);
    expect((await rig.send({ headers, body: initialized })).status).toBe(202);
  });

  it("the first request is rejected a second time in a session (4.9)", async () => {
    const session = await rig.open();
    const response = await session.post(initialize("2025-11-25"));
    expect(response).toMatchObject({ status: 400, json: { id: "init", error: { code: -32600 } } });
  });
});

describe("GET streams", () => {
  it("a session may have two GET streams; each message goes to exactly one (T-38, T-39)", async () => {
    const session = await rig.open();
    const first = await session.listen();
    const second = await session.listen();
    const connection = rig.listener.handler.sessions.get(session.id)?.connection;
    if (!connection) throw new Error("no session");
    for (let n = 0; n < 5; n += 1) await changed(connection);
    await until(() => first.messages.length + second.messages.length === 5);
    await delay(10);
    expect([first.messages.length, second.messages.length]).toEqual([0, 5]);
    second.cut();
    // The server learns of the cut in its own time; until then it takes the second for connected.
    while (first.messages.length === 0) {
      await changed(connection);
      await delay(5);
    }
    const third = await session.listen();
    const fourth = await session.listen();
    await first.end();
    expect(third.isEnded).toBe(false);
    fourth.cut();
    third.cut();
  });

  it("a server request without a stream fails at once (trap 5)", async () => {
    const session = await rig.open();
    const connection = rig.listener.handler.sessions.get(session.id)?.connection;
    const ping = connection?.session?.revision.serverRequests.ping;
    if (!connection || !ping) throw new Error("no session");
    await expect(connection.request(ping, undefined)).rejects.toThrow("no open stream");
    const stream = await session.listen();
    const pending = connection.request(ping, undefined);
    const { id } = await stream.message();
    await session.post({ jsonrpc: "2.0", id, result: {} });
    await expect(pending).resolves.toEqual({});
    stream.cut();
  });
});

describe("batches of 2025-03-26", () => {
  let session: Session;

  beforeAll(async () => {
    session = await rig.open("2025-03-26");
  });

  it("batches have one array as the response, in any order (T-23, J-13, J-15, B-16)", async () => {
    const response = await session.post([
      call(1, "echo", { text: "a" }),
      initialized,
      call("1", "echo", { text: "b" }),
    ]);
    expect(response.status).toBe(200);
    expect(response.json).toHaveLength(2);
    expect(response.json).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 1 }), expect.objectContaining({ id: "1" })]),
    );
  });

  it("batches without a request are accepted without a body (T-24, J-15)", async () => {
    const response = await session.post([initialized, { jsonrpc: "2.0", id: 50, result: {} }]);
    expect(response).toMatchObject({ status: 202, text: "" });
  });

  it("batches have one error for each invalid member (J-15)", async () => {
    const response = await session.post([1, { jsonrpc: "2.0", id: 3, method: 5 }, call(4, "echo", { text: "ok" })]);
    expect(response.json).toEqual([
      { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: "2.0", id: 3, error: { code: -32600, message: expect.any(String) } },
      expect.objectContaining({ id: 4 }),
    ]);
  });

  it("a member with nothing but an id gets an error without it, and fails the request that waits for a response", async () => {
    const stream = await session.postStream(call(9, "roots"));
    const request = await stream.message();
    const error = { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } };
    for (const id of [3, request.id]) {
      const response = await session.post([{ jsonrpc: "2.0", id }, call(10, "echo", { text: "ok" })]);
      expect(response.json).toEqual([error, expect.objectContaining({ id: 10 })]);
    }
    expect(await stream.message()).toMatchObject({ id: 9, error: { code: -32603 } });
    expect((await session.post([{ jsonrpc: "2.0", id: 3 }])).json).toEqual([error]);
    await stream.end();
  });

  it("a batch of which no message is accepted is rejected, as a single message is (T-25)", async () => {
    const malformed = { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "" } };
    const single = await session.post(malformed);
    const batch = await session.post([malformed, malformed]);
    expect([single.status, batch.status]).toEqual([400, 400]);
    expect(batch.json).toEqual(single.json);
    expect((await session.post([malformed, initialized])).status).toBe(202);
  });

  it("batches of invalid members only have a response too", async () => {
    expect((await session.post([1])).json).toEqual([
      { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } },
    ]);
  });

  it("batches never open a session (J-14)", async () => {
    const response = await session.post([initialize("2025-03-26")]);
    expect(response.json).toMatchObject([{ id: "init", error: { code: -32600 } }]);
    expect((await rig.send({ body: [initialize("2025-03-26")] })).status).toBe(400);
  });

  it("batches that are empty or too long are rejected (J-15, R7)", async () => {
    for (const body of [[], Array(101).fill(initialized)]) {
      expect(await session.post(body)).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
    }
  });

  it("batches with the same id twice have responses to both members, the second with an error (R13)", async () => {
    const waiting = session.post([call(7, "gate", { key: "twice" }), call(7, "echo", { text: "no" })]);
    await until(() => gates.has("twice"));
    gates.get("twice")?.("yes");
    const responses = (await waiting).json;
    expect(responses).toEqual([
      expect.objectContaining({ id: 7, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({ id: 7, result: expect.anything() }),
    ]);
  });

  it("batches stream when one of their calls does (T-27, T-28)", async () => {
    const stream = await session.postStream([
      call(1, "echo", { text: "a" }),
      call(2, "chatty", { text: "b" }),
      call(3, "echo", { text: "c" }),
    ]);
    await stream.end();
    const ids = stream.messages.flatMap((message) => message).map((message) => Reflect.get(Object(message), "id"));
    expect(ids.filter((id) => id !== undefined).toSorted()).toEqual([1, 2, 3]);
  });

  it("batches may lose a member to cancellation", async () => {
    const waiting = session.post([call("x", "gate", { key: "x" }), call("y", "gate", { key: "y" })]);
    await until(() => gates.has("y"));
    gates.get("y")?.("kept");
    await session.post([{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } }]);
    expect((await waiting).json).toMatchObject([{ id: "y" }]);
  });

  it("batches without a remaining member end with 202 (B-18)", async () => {
    const waiting = session.post([call("z", "gate", { key: "z" })]);
    await until(() => gates.has("z"));
    await session.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "z" } });
    expect(await waiting).toMatchObject({ status: 202, text: "" });
  });
});

describe("the origin of a request", () => {
  it("handlers receive the origin of a request", async () => {
    const session = await rig.open();
    await session.post(call(1, "origin"));
    const origin = origins.at(-1);
    expect(isHttpOrigin(origin) && origin.identity).toBe(undefined);
    expect(isHttpOrigin(origin) && origin.releaseConnection()).toBe(false);
  });

  function isHttpOrigin(value: unknown): value is HttpOrigin {
    return typeof value === "object" && value !== null && "releaseConnection" in value;
  }
});

describe("the response style", () => {
  it("the response style sse streams responses to calls, and not to the handshake", async () => {
    const streaming = await start(tools, { responseMode: "sse" });
    const session = await streaming.open();
    const quick = await session.postStream(call(1, "echo", { text: "a" }));
    await quick.end();
    expect(quick.headers["content-type"]).toBe("text/event-stream");
    expect(quick.messages).toMatchObject([{ id: 1 }]);
    const slow = await session.postStream(call(2, "gate", { key: "sse" }));
    expect(slow.status).toBe(200);
    gates.get("sse")?.("late");
    await slow.end();
    expect(slow.messages).toMatchObject([{ id: 2 }]);
    await streaming.close();
  });

  it("the response style json drops notifications, and fails requests for input", async () => {
    const plain = await start(tools, { responseMode: "json" });
    const session = await plain.open();
    expect(textOf((await session.post(call(1, "chatty", { text: "x" }))).json)).toBe("x");
    const stream = await session.postStream(call(2, "roots"));
    const { id } = await stream.message();
    await session.post({ jsonrpc: "2.0", id, result: { roots: [] } });
    await stream.end();
    await plain.close();
  });

  it("the response style auto turns a long call into a stream that is kept alive (R40)", async () => {
    const patient = await start(tools, { keepAlive: 20 });
    const session = await patient.open();
    const listener = await session.listen();
    const stream = await session.postStream(call(1, "gate", { key: "long" }));
    await until(() => stream.text.includes(":\n\n") && listener.text.includes(":\n\n"));
    gates.get("long")?.("at last");
    await stream.end();
    expect(stream.messages).toMatchObject([{ id: 1 }]);
    listener.cut();
    await patient.close();
  });
});
