import { once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Authenticate } from "../../../../runtime/transport/http-server/identity.ts";
import { listenHttp } from "../../../../runtime/transport/http-server/listen.ts";
import { acceptBoth, call, codeOf, initialize, send, type HttpResponse } from "../../../kit/http-exchange.ts";
import { createService, start, type Rig, type Session } from "../../../kit/http-server.ts";
import { initialized } from "../../../kit/messages.ts";
import { until } from "../../../kit/time.ts";

let rig: Rig;
let session: Session;

beforeAll(async () => {
  rig = await start({ echo: (_, args) => args.text }, { limits: { maxMessageBytes: 4_096 } });
  session = await rig.open();
});

afterAll(() => rig.close());

/** Sends bytes as they are, and returns everything that comes back until the server closes. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(rig.url).port), "127.0.0.1");
    let response = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => (response += String(chunk)));
    socket.on("error", reject);
    socket.on("close", () => resolve(response));
    socket.write(text);
  });
}

function rawPost(lines: readonly string[]): Promise<string> {
  const body = JSON.stringify(initialize("2025-11-25"));
  const fixed = ["Content-Type: application/json", `Accept: ${acceptBoth}`, `Content-Length: ${body.length}`];
  return sendRaw(["POST /mcp HTTP/1.1", ...lines, ...fixed, "Connection: close", "", body].join("\r\n"));
}

describe("rejected bodies", () => {
  it.each([
    ["that is not JSON", "{", 400, -32700],
    ["that is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, -32700],
    ["that is empty", "", 400, -32700],
    ["that is no message", { jsonrpc: "2.0" }, 400, -32600],
    ["that is a scalar (J-12)", "5", 400, -32600],
    ["whose id is null (J-04)", { jsonrpc: "2.0", id: null, method: "ping" }, 400, -32600],
    ["with a repeated member (R8)", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32600],
    ["that is nested too deeply (R10)", `${"[".repeat(100)}${"]".repeat(100)}`, 400, -32600],
    ["that is an array (J-16)", [{ jsonrpc: "2.0", id: 1, method: "ping" }], 400, -32600],
    ["that is a broken response (T-25)", { jsonrpc: "2.0", id: 1, result: 5 }, 400, -32600],
    [
      "that is too long (R34)",
      { jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(5_000) } },
      413,
      -32600,
    ],
  ])("a body is rejected: %s", async (_, body, status, code) => {
    const response = await rig.send({ body, headers: session.headers });
    expect(response.status).toBe(status);
    expect(codeOf(response)).toBe(code);
    expect(response.json).not.toHaveProperty("id");
  });

  it("a body is rejected with the id of its request when that can be read (R3)", async () => {
    const response = await rig.send({ body: { jsonrpc: "1.0", id: 7, method: "ping" }, headers: session.headers });
    expect(response).toMatchObject({ status: 400, json: { id: 7, error: { code: -32600 } } });
  });

  it("a body is rejected that is too long although its length was not declared (R34)", async () => {
    const head = ["POST /mcp HTTP/1.1", `Host: ${new URL(rig.url).host}`, "Content-Type: application/json"];
    const chunks = Array.from({ length: 8 }, () => `400\r\n${"x".repeat(1_024)}\r\n`).join("");
    const text = [...head, `Accept: ${acceptBoth}`, "Transfer-Encoding: chunked", "", chunks].join("\r\n");
    expect(await sendRaw(text)).toMatch(/^HTTP\/1.1 413 /);
  });
});

it("a rejected body is discarded if it is short; otherwise the connection is closed (R34)", async () => {
  const headers = { origin: "https://evil.example" };
  const short = await rig.send({ headers, body: "x".repeat(1_000) });
  const long = await rig.send({ headers, body: "x".repeat(100_000) });
  expect([short.status, long.status]).toEqual([403, 403]);
  expect([short.headers.connection, long.headers.connection]).toEqual(["keep-alive", "close"]);
});

describe("a client that still sends the body of a rejected request (R34)", () => {
  /** Sends pieces of a body after the response, until there are enough or the server closes. Returns their number and the response. */
  async function sendMore(lines: readonly string[], most: number): Promise<{ sent: number; response: string }> {
    const socket = connect({ port: Number(new URL(rig.url).port), host: "127.0.0.1", allowHalfOpen: true });
    const received = once(socket, "data");
    socket.on("error", () => {});
    const { host } = new URL(rig.url);
    const fixed = [
      `Host: ${host}`,
      "Content-Type: application/json",
      `Accept: ${acceptBoth}`,
      "Content-Length: 1000000000",
    ];
    socket.write(["POST /mcp HTTP/1.1", ...fixed, ...lines, "", "x".repeat(5_000)].join("\r\n"));
    const [response]: unknown[] = await received;
    let sent = 0;
    for (; sent < most && socket.readable; sent += 1) {
      socket.write("x".repeat(1_000));
      await delay(1);
    }
    socket.destroy();
    return { sent, response: String(response) };
  }

  it.each([
    [413, "is too long", []],
    [403, "has another origin", ["Origin: https://evil.example"]],
  ])("a client that still sends can read the response %i to a body that %s", async (status, _, lines) => {
    const { sent, response } = await sendMore(lines, 20);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(sent).toBe(20);
  });

  it("a client that never stops is disconnected", async () => {
    expect((await sendMore([], Infinity)).sent).toBeGreaterThan(20);
  });
});

describe("a server with the default limits", () => {
  let byDefault: Rig;

  beforeAll(async () => {
    byDefault = await start();
  });

  afterAll(() => byDefault.close());

  const call = (args: object): object => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "x", arguments: args },
  });

  it("a server rejects a body of more than 4 MiB by default (R34)", async () => {
    const { headers } = await byDefault.open();
    const fits = await byDefault.send({ headers, body: call({ text: "x".repeat(4_000_000) }) });
    const response = await byDefault.send({ headers, body: call({ text: "x".repeat(4 * 1024 * 1024) }) });
    expect([fits.status, response.status]).toEqual([200, 413]);
    expect(response.json).toMatchObject({
      error: { code: -32600, message: "The message is longer than 4194304 bytes" },
    });
  });

  it("a server rejects a body of more than 200,000 values by default (R10)", async () => {
    const { headers } = await byDefault.open();
    const response = await byDefault.send({ headers, body: call({ items: Array.from({ length: 200_001 }, () => 0) }) });
    expect(response).toMatchObject({ status: 400, json: { id: 1, error: { code: -32600 } } });
    expect(response.text).toContain("more than 200000 values");
  });
});

describe("media types (R32)", () => {
  it.each([
    ["POST needs JSON", "POST", { "content-type": "text/plain" }, 415],
    ["POST needs a type", "POST", {}, 415],
    ["other character sets", "POST", { "content-type": "application/json; charset=latin1" }, 415],
    ["compressed bodies", "POST", { "content-type": "application/json", "content-encoding": "gzip" }, 415],
    ["only JSON is acceptable (T-22)", "POST", { "content-type": "application/json", accept: "application/json" }, 406],
    [
      "only streams are acceptable (T-22)",
      "POST",
      { "content-type": "application/json", accept: "text/event-stream" },
      406,
    ],
    [
      "a type is ruled out",
      "POST",
      { "content-type": "application/json", accept: "application/json, text/event-stream;q=0" },
      406,
    ],
    ["GET needs a stream (T-33)", "GET", { accept: "application/json" }, 406],
  ])("media types are rejected: %s", async (_, method, headers, status) => {
    const { accept = acceptBoth, ...rest } = { accept: undefined, ...headers };
    const body = method === "POST" ? JSON.stringify(call(1, "echo", { text: "a" })) : undefined;
    const response = await rig.send({
      method,
      body,
      without: ["content-type"].filter((name) => !(name in headers)),
      headers: { ...session.headers, ...rest, accept },
    });
    expect(response.status).toBe(status);
    expect(codeOf(response)).toBe(-32600);
  });

  it.each([
    ["wildcards", { accept: "*/*" }],
    ["ranges", { accept: "text/*, application/*;q=0.5" }],
    ["any order and case", { accept: "TEXT/EVENT-STREAM , Application/JSON" }],
    ["a charset", { "content-type": 'Application/JSON; charset="UTF-8"' }],
    ["no coding", { "content-encoding": "identity" }],
  ])("media types are accepted: %s (trap 28)", async (_, headers) => {
    const response = await session.post(call(1, "echo", { text: "a" }), headers);
    expect(response.status).toBe(200);
  });

  it("media types may be left out: without an Accept header a client accepts all of them (T-22)", async () => {
    const response = await rig.send({ body: initialize("2025-11-25"), without: ["accept"] });
    expect(response.status).toBe(200);
  });
});

describe("methods and paths", () => {
  it.each(["PUT", "PATCH", "HEAD", "OPTIONS"])("the method %s is not allowed (T-20)", async (method) => {
    const response = await rig.send({ method });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe("POST, GET, DELETE");
    if (method !== "HEAD")
      expect(response.json).toMatchObject({ error: { message: "Method not allowed; use POST, GET, DELETE" } });
  });

  it("other paths are not found", async () => {
    for (const path of ["/other", "/mcp/"]) {
      const { status, json } = await rig.send({ path, body: initialize("2025-11-25") });
      expect([status, json]).toMatchObject([404, { error: { message: "Not found; the path of the server is /mcp" } }]);
    }
  });

  it("a query does not change the path", async () => {
    expect((await rig.send({ path: "/mcp?a=1", body: initialize("2025-11-25") })).status).toBe(200);
  });
});

describe("Origin (T-70, T-14)", () => {
  it.each([
    ["POST", "https://evil.example"],
    ["GET", "https://evil.example"],
    ["DELETE", "https://evil.example"],
    ["POST", "null"],
    ["POST", "http://localhost.evil.example"],
    ["POST", "http://127.0.0.1:1@evil.example"],
    ["POST", "http://localhost, https://evil.example"],
    ["POST", "file://localhost"],
    ["POST", "ws://localhost"],
  ])("the Origin %s from %s is rejected before anything else is checked (R31, R33)", async (method, origin) => {
    const body = method === "POST" ? "{" : undefined;
    const response = await rig.send({ method, headers: { origin, "content-type": "text/plain" }, body });
    expect(response.status).toBe(403);
    expect(codeOf(response)).toBe(-32600);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it.each([
    ["localhost:3000", "http://localhost:3000"],
    ["127.0.0.1", "http://127.0.0.1"],
    ["localhost:8443", "https://[::1]:8443"],
  ])("a server at the host %s accepts the Origin %s", async (host, origin) => {
    expect((await rig.send({ headers: { host, origin }, body: initialize("2025-11-25") })).status).toBe(200);
  });

  it("origins may be listed", async () => {
    const listed = await start({}, { allowedOrigins: ["https://app.example"] });
    const send = async (origin: string): Promise<number> =>
      (await listed.send({ headers: { origin }, body: initialize("2025-11-25") })).status;
    expect([
      await send("https://app.example"),
      await send("http://localhost"),
      await send("http://app.example"),
    ]).toEqual([200, 403, 403]);
    await listed.close();
  });

  it("an invalid list of origins is rejected", () => {
    const options = { allowedOrigins: ["app.example"] };
    return expect(start({}, options)).rejects.toThrow("is not an origin");
  });

  it.each(["allowedOrigins", "allowedHosts"])("%s may not be a function or a text", async (option) => {
    for (const value of [() => true, "https://app.example"])
      await expect(start({}, { [option]: value })).rejects.toThrow(`${option} is a ${typeof value}; use a list`);
  });
});

describe("Host (R30)", () => {
  it.each([
    ["a foreign one", ["Host: evil.example"], 403],
    ["a foreign one with our port", ["Host: evil.example:80"], 403],
    ["two", ["Host: localhost", "Host: localhost"], 400],
    ["one that begins like ours", ["Host: localhost.evil.example"], 403],
    ["the loopback name", ["Host: LocalHost:99"], 200],
    ["the loopback address of IPv6", ["Host: [::1]:99"], 200],
  ])("the Host %s", async (_, lines, status) => {
    expect(await rawPost(lines)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("a request without Host is rejected by the parser", async () => {
    expect(await rawPost([])).toMatch(/^HTTP\/1.1 400 /);
  });

  it.each([
    ["a header that is too long", ["X-Long: " + "x".repeat(17 * 1024)], 431],
    ["two lengths", ["Content-Length: 5"], 400],
    ["a length and chunks", ["Transfer-Encoding: chunked"], 400],
    ["a header that goes on in a second line", ["X-A: 1", " 2"], 400],
    ["two sessions", ["Mcp-Session-Id: a", "Mcp-Session-Id: b"], 400],
  ])("a request with %s beside its Host is rejected (R35)", async (_, lines, status) => {
    expect(await rawPost(["Host: localhost", ...lines])).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("a foreign target is rejected, whatever the Host header says", async () => {
    const body = JSON.stringify(initialize("2025-11-25"));
    const head = ["POST http://evil.example/mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
    const rest = [`Accept: ${acceptBoth}`, `Content-Length: ${body.length}`, "Connection: close", "", body];
    expect(await sendRaw([...head, ...rest].join("\r\n"))).toMatch(/^HTTP\/1.1 400 /);
  });

  it("a Host or an Origin that is rejected is reported once, and responses do not list the allowed ones", async () => {
    const reports: string[] = [];
    const server = await start(
      {},
      { allowedHosts: ["mcp.example"], onError: ({ kind, error }) => reports.push(`${kind}: ${error.message}`) },
    );
    const origin = "https://app.example";
    const responses: HttpResponse[] = [];
    for (const headers of [
      { host: "a.example:3000" },
      { host: "b.example" },
      { host: "MCP.example" },
      { host: "mcp.example", origin },
    ])
      responses.push(await server.send({ headers, body: initialize("2025-11-25") }));
    await server.close();
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 200, 403]);
    expect(responses[0]?.text).toContain('"Host not allowed; add it to ALLOWED_HOSTS or the option allowedHosts"');
    expect(responses[0]?.text).not.toContain("mcp.example");
    expect(reports).toEqual([
      "protocol: The host a.example:3000 is not in allowedHosts; add it there, to ALLOWED_HOSTS (projects) or --allowed-hosts (gateway)",
      "protocol: The origin https://app.example is not in allowedOrigins; add it to that option if its pages may use the server",
    ]);
  });

  it("hosts are required to listen beyond loopback (T-71, SEC-02)", async () => {
    await expect(listenHttp(createService({}), { host: "0.0.0.0" })).rejects.toThrow("allowedHosts");
    const listed = await start({}, { host: "0.0.0.0", allowedHosts: ["mcp.example:443"] });
    const headers = { host: "mcp.example:443" };
    const path = "/mcp";
    const local = listed.url.replace("0.0.0.0", "127.0.0.1");
    const agent = new Agent();
    expect((await send(local, agent, { path, headers, body: initialize("2025-11-25") })).status).toBe(200);
    expect((await send(local, agent, { path, body: initialize("2025-11-25") })).status).toBe(403);
    agent.destroy();
    await listed.close();
  });
});

describe("the MCP-Protocol-Version header", () => {
  it.each(["2025-11-25", " 2025-11-25 ", "2025-06-18"])(
    "the version header %j is accepted (T-61, T-62)",
    async (version) => {
      const response = await session.post(call(1, "echo", { text: "a" }), { "mcp-protocol-version": version });
      expect(response.status).toBe(200);
    },
  );

  it.each([
    ["POST", "1.0"],
    ["POST", ""],
    ["GET", "2099-01-01"],
    ["DELETE", "2099-01-01"],
    ["POST", "2025-11-25, 2025-11-25"],
  ])("the version header %s with %j is rejected (T-62, R36)", async (method, version) => {
    const headers = { ...session.headers, "mcp-protocol-version": version };
    const response = await rig.send({ method, headers, ...(method === "POST" && { body: call(1, "echo") }) });
    expect(response.status).toBe(400);
    expect(response.text).toContain("2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05");
  });

  it("the version header may be absent: the session's revision applies (T-61)", async () => {
    const headers = { "mcp-session-id": session.id };
    expect((await rig.send({ headers, body: call(1, "echo", { text: "a" }) })).status).toBe(200);
  });

  it.each(["2025-11-25", "1.0", "2099-01-01"])(
    "the version header %s on initialize has no effect (trap 2)",
    async (version) => {
      const headers = { "mcp-protocol-version": version };
      const response = await rig.send({ headers, body: initialize("2025-06-18") });
      expect(response).toMatchObject({ status: 200, json: { result: { protocolVersion: "2025-06-18" } } });
    },
  );

  it("the version header must be the session's when the server is strict", async () => {
    const strict = await start({}, { strictVersion: true });
    const strictSession = await strict.open("2025-06-18");
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await strictSession.post(ping)).status).toBe(200);
    expect((await strictSession.post(ping, { "mcp-protocol-version": "2025-11-25" })).status).toBe(400);
    await strict.close();
  });
});

describe("the authentication of a request", () => {
  const token: Authenticate = (request) => {
    const name = request.header("authorization")?.replace("Bearer ", "");
    const headers = { "www-authenticate": 'Bearer realm="x"' };
    return name === undefined ? { status: 401, headers } : { principal: name, claims: { name } };
  };

  it("authentication runs first, and its rejection is the response (T-72, R33)", async () => {
    const guarded = await start({}, { authenticate: token });
    const response = await guarded.send({ body: "{", headers: { "content-type": "text/plain" } });
    expect(response.status).toBe(401);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="x"');
    await guarded.close();
  });

  it("authentication owns the session: it is unknown to other principals, and its id is no proof (SEC-01, R38, trap 7)", async () => {
    const tools = { who: (context: { origin: unknown }) => JSON.stringify(context.origin) };
    const guarded = await start(tools, { authenticate: token });
    const mine = await guarded.open("2025-11-25", { authorization: "Bearer ann" });
    const other = { authorization: "Bearer bob" };
    expect((await mine.post(call(1, "who"))).text).toContain('\\"principal\\":\\"ann\\"');
    expect((await mine.post(call(2, "who"), other)).status).toBe(404);
    const { authorization: _token, ...anonymous } = mine.headers;
    expect((await guarded.send({ headers: anonymous, body: call(2, "who") })).status).toBe(401);
    expect((await guarded.send({ method: "GET", headers: { ...mine.headers, ...other } })).status).toBe(404);
    expect((await guarded.send({ method: "DELETE", headers: { ...mine.headers, ...other } })).status).toBe(404);
    expect((await mine.post(call(3, "who"))).status).toBe(200);
    await guarded.close();
  });

  it("a failure of authentication is rejected without details", async () => {
    const reports: string[] = [];
    const broken = await start(
      {},
      {
        authenticate: () => Promise.reject(new Error("secret")),
        onError: ({ error }) => reports.push(error.message),
      },
    );
    const response = await broken.send({ body: initialize("2025-11-25") });
    expect(response.status).toBe(500);
    expect(response.text).not.toContain("secret");
    expect(reports).toEqual(["secret"]);
    await broken.close();
  });
});

describe("pages of other origins (CORS)", () => {
  it("a request of another origin gets CORS headers when the origin is listed, never with a wildcard (R31)", async () => {
    const open = await start({}, { cors: { headers: ["X-Tenant"] }, allowedOrigins: ["https://app.example"] });
    const headers = { origin: "https://app.example" };
    const preflight = await open.send({ method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": "GET, POST, DELETE",
      vary: "Origin",
    });
    expect(preflight.headers["access-control-allow-headers"]).toContain("X-Tenant");
    // A page repeats parameters in headers whose names only the tools know.
    const requested = {
      ...headers,
      "access-control-request-headers": "content-type, mcp-param-region,x-other, mcp-param-b c",
    };
    const mirroring = await open.send({ method: "OPTIONS", headers: requested });
    expect(mirroring.headers["access-control-allow-headers"]?.split(", ").slice(-2)).toEqual([
      "X-Tenant",
      "mcp-param-region",
    ]);
    const response = await open.send({ headers, body: initialize("2025-11-25") });
    expect(response.headers["access-control-expose-headers"]).toContain("Mcp-Session-Id");
    const foreign = await open.send({ method: "OPTIONS", headers: { origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
    expect(foreign.headers).not.toHaveProperty("access-control-allow-origin");
    await open.close();
  });
});

describe("pages of other origins at the endpoints of HTTP with SSE (CORS)", () => {
  const origin = "https://app.example";
  const endpoints = [
    ["GET", "/sse"],
    ["POST", "/messages?sessionId=1"],
  ] as const;
  it.each(endpoints)(
    "a page of another origin may send %s %s when it is listed, never with a wildcard (R31)",
    async (method, path) => {
      const open = await start({}, { sse: {}, cors: { headers: ["X-Tenant"] }, allowedOrigins: [origin] });
      const asking = { "access-control-request-method": method, "access-control-request-headers": "content-type" };
      const preflight = await open.send({ method: "OPTIONS", path, headers: { origin, ...asking } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
      expect(preflight.headers["access-control-allow-methods"]?.split(", ")).toContain(method);
      expect(preflight.headers["access-control-allow-headers"]).toMatch(/Content-Type.*X-Tenant/);
      await open.close();
    },
  );

  it.each(endpoints)("a page of another origin is rejected for %s %s when it is not listed", async (_method, path) => {
    const open = await start({}, { sse: {}, cors: {}, allowedOrigins: [origin] });
    const response = await open.send({ method: "OPTIONS", path, headers: { origin: "https://evil.example" } });
    expect(response.status).toBe(403);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
    await open.close();
  });

  it.each(endpoints)(
    "a page of another origin gets no preflight response for %s %s without `cors`",
    async (_method, path) => {
      const open = await start({}, { sse: {}, allowedOrigins: [origin] });
      const response = await open.send({ method: "OPTIONS", path, headers: { origin } });
      expect(response.status).toBe(405);
      expect(response.headers).not.toHaveProperty("access-control-allow-origin");
      await open.close();
    },
  );

  it("a page of another origin can read the stream and send messages", async () => {
    const open = await start({}, { sse: {}, cors: {}, allowedOrigins: [origin] });
    const stream = await open.stream({ method: "GET", path: "/sse", headers: { accept: "text/event-stream", origin } });
    expect(stream.headers["access-control-allow-origin"]).toBe(origin);
    const { data: path } = await stream.next();
    const response = await open.send({ path, body: initialize("2024-11-05"), headers: { origin } });
    expect(response.status).toBe(202);
    expect(response.headers["access-control-allow-origin"]).toBe(origin);
    expect(await stream.message()).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    await open.close();
  });
});

it("a server that is closing rejects new requests at once, and accepts what its running calls wait for (R43)", async () => {
  let finish: (() => void) | undefined;
  const slow = (): Promise<void> => new Promise((resolve) => (finish = resolve));
  const closing = await start({ slow }, { sse: {}, closeTimeout: 60_000 });
  const open = await closing.open();
  const stream = await closing.stream({ method: "GET", path: "/sse", headers: { accept: "text/event-stream" } });
  const { data: path } = await stream.next();
  await closing.send({ path, body: initialize("2024-11-05") });
  const running = open.post(call(1, "slow"));
  await until(() => finish !== undefined);
  const closed = closing.listener.close();
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  const unknown = { "mcp-session-id": "unknown" };
  const rejected = [
    closing.send({ body: initialize("2025-11-25") }),
    closing.send({ body: initialized, headers: unknown }),
    closing.send({ method: "DELETE", headers: open.headers }),
    closing.send({ path: `${path}0`, body: initialized }),
    closing.send({ path, body: ping }),
    open.post(ping),
  ];
  for (const response of await Promise.all(rejected)) {
    expect(response.status).toBe(503);
    expect(response.headers).toMatchObject({ "retry-after": "5", connection: "close" });
  }
  expect((await open.post(initialized)).status).toBe(202);
  finish?.();
  expect(await running).toMatchObject({ status: 200, json: { id: 1, result: {} } });
  await closed;
  await closing.close();
});
