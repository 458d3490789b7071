import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createServiceHandler } from "../../../../runtime/transport/http-server/handler.ts";
import type { ListenOptions } from "../../../../runtime/transport/http-server/listen.ts";
import type { HttpOptions } from "../../../../runtime/transport/http-server/settings.ts";
import { initialized, request } from "../../../kit/messages.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { acceptBoth, call, initialize, textOf, type HttpResponse, type Stream } from "../../../kit/http-exchange.ts";
import { requestRoots, createService, log, start, type Rig } from "../../../kit/http-server.ts";
import { revisionOf } from "../../../kit/revisions.ts";
import { until } from "../../../kit/time.ts";

let rig: Rig;

beforeAll(async () => {
  const tools = {
    echo: (_: unknown, args: Record<string, unknown>) => args.text,
    chatty: async (context: Parameters<typeof log>[0]) => {
      await log(context, "one");
      return JSON.stringify(await requestRoots(context));
    },
  };
  const authenticate = (head: { header(name: string): string | undefined }): { principal: string } => ({
    principal: head.header("authorization") ?? "nobody",
  });
  rig = await start(tools, { sse: {}, authenticate, limits: { maxMessageBytes: 4_096 } });
});

afterAll(() => rig.close());

interface OldSession {
  readonly stream: Stream;
  readonly endpoint: string;
  post(body: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
}

async function connect(): Promise<OldSession> {
  const stream = await rig.stream({ method: "GET", path: "/sse", headers: { accept: "text/event-stream" } });
  const { data } = await stream.next();
  return {
    stream,
    endpoint: data,
    post: (body, headers) => rig.send({ path: data, body, headers: headers ?? {}, without: ["accept"] }),
  };
}

describe("HTTP with SSE of 2024-11-05", () => {
  it("a stream of HTTP with SSE begins with the endpoint event (T-10, T-11)", async () => {
    const { stream, endpoint } = await connect();
    expect(stream.status).toBe(200);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    expect(stream.events[0]?.type).toBe("endpoint");
    expect(endpoint).toMatch(/^\/messages\?sessionId=[\x21-\x7e]{32,}$/);
    stream.cut();
  });

  it("a stream of HTTP with SSE carries every message as a message event, also responses, without ids (T-12, T-13, T-15)", async () => {
    const { stream, post } = await connect();
    expect(await post(initialize("2024-11-05", { roots: {} }))).toMatchObject({ status: 202, text: "" });
    expect(await stream.message()).toMatchObject({ id: "init", result: { protocolVersion: "2024-11-05" } });
    await post(initialized);
    await post(call(1, "chatty"));
    expect(await stream.message()).toMatchObject({ method: "notifications/message" });
    const { id } = await stream.message();
    await post({ jsonrpc: "2.0", id, result: { roots: [] } });
    expect(textOf(await stream.message())).toBe('{"roots":[]}');
    expect(stream.events.slice(1).every(({ type }) => type === "message")).toBe(true);
    expect(stream.text).not.toMatch(/^id:/m);
    stream.cut();
  });

  it("a session of HTTP with SSE ends with its stream (T-15)", async () => {
    const { stream, endpoint } = await connect();
    expect(rig.listener.handler.sessions.has(endpoint.split("=")[1] ?? "")).toBe(true);
    stream.cut();
    await until(() => rig.listener.handler.sessions.size === 0);
    expect((await rig.send({ path: endpoint, body: initialize("2024-11-05") })).status).toBe(404);
  });

  it.each([
    ["an unknown session", "/messages?sessionId=x", {}, 404],
    ["no session", "/messages", {}, 400],
    ["another type", "/messages?sessionId=x", { "content-type": "text/plain" }, 415],
    ["a foreign page (T-14)", "/messages?sessionId=x", { origin: "https://evil.example" }, 403],
    ["a foreign host", "/messages?sessionId=x", { host: "evil.example" }, 403],
    ["a page of another port", "/messages?sessionId=x", { origin: "http://localhost:1" }, 403],
    ["two types", "/messages?sessionId=x", { "content-type": ["application/json", "text/plain"] }, 400],
    ["a coding", "/messages?sessionId=x", { "content-encoding": "gzip" }, 415],
  ])("a server of HTTP with SSE rejects %s", async (_, path, headers, status) => {
    expect((await rig.send({ path, headers, body: initialize("2024-11-05") })).status).toBe(status);
  });

  it("a server of HTTP with SSE rejects invalid and long bodies, and other methods", async () => {
    const { stream, post, endpoint } = await connect();
    expect(await post("{")).toMatchObject({ status: 400, json: { error: { code: -32700 } } });
    for (const body of ['{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":1,"result":{},"result":{}}']) {
      const rejected = await post(body);
      expect(rejected).toMatchObject({ status: 400, json: { error: { code: -32600 } } });
      expect(rejected.json).not.toHaveProperty("id");
    }
    expect((await post("x".repeat(5_000))).status).toBe(413);
    expect((await rig.send({ path: "/sse", body: "{}" })).headers.allow).toBe("GET");
    expect((await rig.send({ method: "GET", path: endpoint })).headers.allow).toBe("POST");
    expect((await rig.send({ method: "GET", path: "/sse", headers: { accept: "application/json" } })).status).toBe(406);
    stream.cut();
  });

  it("a server of HTTP with SSE rejects messages of other principals to a session (R38)", async () => {
    const { stream, post } = await connect();
    expect((await post(initialize("2024-11-05"), { authorization: "somebody" })).status).toBe(404);
    stream.cut();
  });

  it("HTTP with SSE is served beside Streamable HTTP (4.10)", async () => {
    const session = await rig.open();
    expect(textOf((await session.post(call(1, "echo", { text: "a" }))).json)).toBe("a");
  });

  it("a server of HTTP with SSE counts its sessions among all, and reports a rejection behind a proxy", async () => {
    const small = await start(
      {},
      { sse: { path: "/old", endpoint: "/prefix/messages" }, sessions: { maxSessions: 1 } },
    );
    const stream = await small.stream({ method: "GET", path: "/old" });
    expect((await stream.next()).data).toMatch(/^\/prefix\/messages\?sessionId=/);
    const second = await small.stream({ method: "GET", path: "/old" });
    expect(second.status).toBe(503);
    second.cut();
    await small.close();
    await stream.end();
  });

  it("a session of HTTP with SSE whose client only listens counts as long as its stream is open", async () => {
    const clock = new ManualClock();
    const small = await start({}, { sse: {}, clock, keepAlive: 15_000, sessions: { ttl: 60_000, maxSessions: 1 } });
    const stream = await small.stream({ method: "GET", path: "/sse" });
    const { data: path } = await stream.next();
    await small.send({ path, body: initialize("2024-11-05") });
    await small.send({ path, body: initialized });
    for (let passed = 0; passed < 150_000; passed += 15_000) await clock.pass(15_000);
    const second = await small.stream({ method: "GET", path: "/sse" });
    expect(second.status).toBe(503);
    expect(stream.isEnded).toBe(false);
    await small.close();
  });

  it("the URL for messages keeps the query of the option", async () => {
    const small = await start({}, { sse: { endpoint: "/prefix/messages?tenant=a" } });
    const stream = await small.stream({ method: "GET", path: "/sse" });
    expect((await stream.next()).data).toMatch(/^\/prefix\/messages\?tenant=a&sessionId=[^?&]+$/);
    await small.close();
  });

  it("a server of HTTP with SSE replaces the session of a client that sends nothing", async () => {
    const clock = new ManualClock();
    const small = await start({}, { sse: { handshakeTimeout: 50 }, clock, sessions: { maxSessions: 1 } });
    const silent = await small.stream({ method: "GET", path: "/sse" });
    await clock.pass(50);
    await silent.end();
    const next = await small.stream({ method: "GET", path: "/sse" });
    expect(next.status).toBe(200);
    const { data: path } = await next.next();
    expect((await small.send({ path, body: initialize("2024-11-05") })).status).toBe(202);
    expect(await next.message()).toMatchObject({ id: "init", result: {} });
    await clock.pass(150);
    expect((await small.send({ path, body: { jsonrpc: "2.0", id: 2, method: "ping" } })).status).toBe(202);
    expect(await next.message()).toMatchObject({ id: 2, result: {} });
    next.cut();
    await small.close();
  });
});

describe("the endpoints of HTTP with SSE", () => {
  const get = { method: "GET", path: "/sse", headers: { accept: "text/event-stream" } } as const;
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function serve(options?: Omit<ListenOptions, "port">): Promise<Rig> {
    const served = await start({}, options);
    closers.push(() => served.close());
    return served;
  }

  /** Status of the stream of a handler for these revisions, over the web platform. */
  async function statusOf(names: readonly string[], options?: HttpOptions): Promise<number> {
    const handler = createServiceHandler(
      { ...createService({}), revisions: names.map(revisionOf) },
      { path: "/mcp", ...options },
    );
    closers.push(() => handler.close());
    const response = await handler.fetch(new Request("http://localhost/sse", { headers: get.headers }));
    await response.body?.cancel();
    return response.status;
  }

  it("the endpoints of HTTP with SSE are served by default", async () => {
    const served = await serve();
    const stream = await served.stream(get);
    const { data: path } = await stream.next();
    expect((await served.send({ path, body: initialize("2024-11-05") })).status).toBe(202);
    expect(await stream.message()).toMatchObject({ id: "init", result: { protocolVersion: "2024-11-05" } });
    stream.cut();
  });

  it.each([
    ["where a revision is served that has no other transport over HTTP", ["2025-11-25", "2024-11-05"], {}, 200],
    ["not where every revision has another", ["2025-11-25", "2025-03-26"], {}, 404],
    ["there, too, when they are asked for", ["2025-11-25"], { sse: {} }, 200],
    ["not without sessions", ["2024-11-05"], { sessions: false }, 404],
    ["not when they are switched off", ["2024-11-05"], { sse: false }, 404],
  ] as const)("the endpoints of HTTP with SSE are served %s", async (_, names, options, status) => {
    expect(await statusOf(names, options)).toBe(status);
  });

  it("the endpoints of HTTP with SSE authenticate, as the other endpoint does (R38, T-72)", async () => {
    const served = await serve({ authenticate: () => ({ status: 401 }) });
    const rejected = await served.stream(get);
    expect(rejected.status).toBe(401);
    rejected.cut();
    expect((await served.send({ path: "/messages?sessionId=x", body: "{" })).status).toBe(401);
  });

  it("a stateless request over HTTP with SSE gets its response on the stream, as one of the session", async () => {
    const served = await serve();
    const stream = await served.stream(get);
    const { data: path } = await stream.next();
    const post = async (body: object): Promise<unknown> => {
      expect(await served.send({ path, body })).toMatchObject({ status: 202, text: "" });
      return stream.message();
    };
    const uninitialized = { code: -32600, message: "The session is not initialized; send initialize first" };
    expect(await post(request(1, "server/discover"))).toMatchObject({ id: 1, error: uninitialized });
    expect(await post(request(2, "tools/list"))).toMatchObject({ id: 2, error: uninitialized });
    expect(await post(initialize("2024-11-05"))).toMatchObject({ id: "init", result: {} });
    expect(await post(request(3, "server/discover"))).toMatchObject({ id: 3, error: { code: -32601 } });
    expect(await post(request(4, "tools/list"))).toMatchObject({ id: 4, result: { tools: [] } });
    stream.cut();
  });

  it("the endpoints of HTTP with SSE leave Streamable HTTP to its handler where paths are shared", async () => {
    const handler = createServiceHandler(createService({}));
    closers.push(() => handler.close());
    const send = (path: string, init: RequestInit): Promise<Response> =>
      handler.fetch(
        new Request(`http://localhost${path}`, {
          ...init,
          headers: { accept: acceptBoth, "content-type": "application/json", ...init.headers },
        }),
      );
    for (const path of ["/sse", "/messages"]) {
      const opened = await send(path, { method: "POST", body: JSON.stringify(initialize("2025-11-25")) });
      const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
      expect([path, opened.status]).toEqual([path, 200]);
      const stream = await send(path, { headers });
      expect([path, stream.status]).toEqual([path, 200]);
      await stream.body?.cancel();
      expect([path, (await send(path, { method: "DELETE", headers })).status]).toEqual([path, 204]);
    }
    const old = await send("/sse", {});
    expect(
      await old.body
        ?.getReader()
        .read()
        .then(({ value }) => new TextDecoder().decode(value)),
    ).toContain("event: endpoint");
  });
});
