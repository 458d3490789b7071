import { describe, expect, onTestFinished, test } from "vitest";
import type { ClientConnection } from "../../../../runtime/client/connect.ts";
import { inTime, until } from "../../../kit/time.ts";
import { createHttpClientTransport } from "../../../../runtime/transport/http-client/http-client.ts";
import { newest } from "../../../kit/revisions.ts";
import {
  connectScript,
  isCall,
  isListening,
  isOpening,
  openingResult,
  type Received,
  respondEvents,
  respondJson,
  resultEvent,
  type Script,
  type ScriptedServer,
  serve,
  start,
  usual,
} from "../../../kit/scripted-server.ts";

const call = { name: "x" };

/** A server whose sessions can be forgotten; each new one gets the next number. */
function forgetful(inner: Script = () => usual): { readonly script: Script; forget(): void } {
  let current = 0;
  const script: Script = (request, response) => {
    const { message, headers } = request;
    if (isOpening(request)) {
      current += 1;
      const body = { jsonrpc: "2.0", id: message.id, result: openingResult(message.params) };
      return respondJson(response, body, { headers: { "mcp-session-id": `s${current}` } });
    }
    if (headers["mcp-session-id"] !== `s${current}`) return response.writeHead(404).end();
    return inner(request, response);
  };
  return { script, forget: () => void (current += 1) };
}

/** A call whose stream is cut, with the time after which it is resumed, in a session that the server has forgotten by then. */
async function startCutCall({ retry }: { readonly retry: number }): Promise<{
  readonly server: ScriptedServer;
  readonly client: ClientConnection;
  readonly running: Promise<unknown>;
}> {
  const { script, forget } = forgetful((request, response) => {
    if (!isCall(request)) return usual;
    respondEvents(response, `id: e\nretry: ${retry}\ndata:\n\n`);
    return void response.end();
  });
  const { server, client } = await start(script, { listen: false });
  const running = client.request("tools/call", call);
  running.catch(() => {});
  await until(() => server.requests.some(isCall));
  forget();
  return { server, client, running };
}

test.each([
  ["cancelled", []],
  ["responded to", [{ jsonrpc: "2.0", id: 7, result: {} }]],
])("a request of the server that was %s is not cancelled with its session", async (how, responses) => {
  const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const { script, forget } = forgetful((request, response) => {
    const { id } = request.message;
    if (!isCall(request)) return usual;
    const events = [ping, ...(how === "cancelled" ? [cancel] : []), { jsonrpc: "2.0", id, result: { content: [] } }];
    respondEvents(response, ...events.map((message) => `data: ${JSON.stringify(message)}\n\n`));
    return void response.end();
  });
  const server = await serve(script);
  const received: unknown[] = [];
  const transport = createHttpClientTransport(server.url, { listen: false });
  onTestFinished(() => transport.close());
  const ignore = (): void => {};
  transport.start({
    message: (value) => void received.push(value),
    classified: ignore,
    problem: ignore,
    ended: ignore,
    disconnected: ignore,
  });
  const has = (id: number) => (): boolean => received.some((message) => Object(message).id === id);
  const { id: protocolVersion } = newest;
  const opening = { protocolVersion, capabilities: {}, clientInfo: { name: "client", version: "1" } };
  await transport.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: opening });
  await until(has(1));
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await transport.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
  await until(has(2));
  for (const response of responses) await transport.send({ ...response, jsonrpc: "2.0" });
  forget();
  await transport.send({ jsonrpc: "2.0", id: 3, method: "tools/list" });
  await until(has(3));
  const isCancel = (message: unknown): boolean => Object(message).method === cancel.method;
  expect(received.filter(isCancel)).toEqual(how === "cancelled" ? [cancel] : []);
});

describe("a session that the server has forgotten", () => {
  test("a forgotten session is replaced without the old header, and the rejected call is sent again (T-54, T-55)", async () => {
    const { script, forget } = forgetful();
    let renewals = 0;
    const { server, client } = await start(script, { onNewSession: () => (renewals += 1) });
    forget();
    expect(await client.request("tools/list", {}).catch((error: unknown) => error)).toMatchObject({
      name: "InvalidMessageError",
    });
    const openings = server.requests.filter(isOpening);
    expect(openings).toHaveLength(2);
    expect(openings[1]?.message).toEqual(openings[0]?.message);
    expect(openings[1]?.headers).not.toHaveProperty("mcp-session-id");
    expect(openings[1]?.headers).not.toHaveProperty("mcp-protocol-version");
    const after = server.requests.slice(server.requests.findLastIndex(isOpening) + 1);
    expect(after[0]?.message.method).toBe("notifications/initialized");
    expect(after.map(({ headers }) => headers["mcp-session-id"])).toEqual(after.map(() => "s3"));
    expect([renewals, client.state]).toEqual([1, "INITIALIZED"]);
  });

  test("a hundred calls that find the session forgotten share one new session", async () => {
    const { script, forget } = forgetful();
    const { server, client } = await start(script);
    forget();
    const results = await Promise.all(Array.from({ length: 100 }, () => client.request("ping")));
    expect(results).toEqual(results.map(() => ({})));
    expect(server.requests.filter(isOpening)).toHaveLength(2);
  });

  test("a call that finds the session forgotten during the handshake waits for its end", async () => {
    let late: (() => void) | undefined;
    let confirm: (() => void) | undefined;
    let isForgotten = false;
    const { script, forget } = forgetful();
    const { server, client } = await start((request, response) => {
      const { message, headers } = request;
      if (isForgotten && isCall(request) && headers["mcp-session-id"] === "s1" && message.params?.["name"] === "late")
        return void (late = () => response.writeHead(404).end());
      if (isForgotten && message.method === "notifications/initialized")
        return void (confirm = () => response.writeHead(202).end());
      return script(request, response);
    });
    forget();
    isForgotten = true;
    const calls = ["late", "early"].map((name) => client.request("tools/call", { name }).catch(() => {}));
    await until(() => late !== undefined && confirm !== undefined);
    late?.();
    // Time for a request that does not wait.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const inNextSession = (): readonly Received[] =>
      server.requests.filter((one) => isCall(one) && one.headers["mcp-session-id"] === "s3");
    expect(inNextSession()).toHaveLength(0);
    confirm?.();
    await Promise.all(calls);
    expect(inNextSession()).toHaveLength(2);
  });

  test("the GET stream detects a forgotten session too", async () => {
    let cut = (): void => {};
    const { script, forget } = forgetful((request, response) => {
      if (!isListening(request)) return usual;
      cut = () => void response.end();
      return respondEvents(response, "id: e\nretry: 5\ndata:\n\n");
    });
    const { server } = await start(script);
    await until(() => server.requests.some(isListening));
    forget();
    cut();
    await until(() => server.requests.filter(isOpening).length === 2);
    await until(() => server.requests.filter(isListening).length === 3);
    expect(server.requests.filter(isListening).map(({ headers }) => headers["last-event-id"])).toEqual([
      undefined,
      "e",
      undefined,
    ]);
  });

  test("calls that were running in a forgotten session fail with their error, for they may have been handled", async () => {
    const { server, client, running } = await startCutCall({ retry: 30 });
    await expect(running).rejects.toMatchObject({ name: "SessionExpiredError" });
    expect(server.requests.filter(isCall)).toHaveLength(1);
    expect(await client.request("ping")).toEqual({});
  });

  test("a stream of the forgotten session is requested in it, so that its call fails as interrupted", async () => {
    const { server, client, running } = await startCutCall({ retry: 300 });
    expect(await client.request("ping")).toEqual({});
    await expect(running).rejects.toMatchObject({ name: "SessionExpiredError" });
    const resumed = server.requests.filter(isListening).map(({ headers }) => headers);
    expect(resumed).toMatchObject([{ "last-event-id": "e", "mcp-session-id": "s1" }]);
    expect(server.requests.filter(isOpening)).toHaveLength(2);
  });

  test("the connection closes instead when the option is set", async () => {
    const { script, forget } = forgetful();
    const { client } = await start(script, { sessionLoss: "close" });
    forget();
    await expect(client.request("ping")).rejects.toMatchObject({
      name: "ClosedError",
      cause: { name: "SessionExpiredError" },
    });
    expect(await client.closed).toMatchObject({ name: "SessionExpiredError" });
  });

  test.each([
    ["protocolVersion", { protocolVersion: "2025-06-18" }],
    ["capabilities", { capabilities: { tools: {}, prompts: {} } }],
  ])("the connection closes when the server returns with another %s", async (member, change) => {
    let openings = 0;
    const { client } = await start((request, response) => {
      if (!isOpening(request))
        return request.headers["mcp-session-id"] === "s1" && openings === 1 && request.message.method === "ping"
          ? response.writeHead(404).end()
          : usual;
      openings += 1;
      const result = { ...openingResult(request.message.params), ...(openings > 1 && change) };
      return respondJson(
        response,
        { jsonrpc: "2.0", id: request.message.id, result },
        { headers: { "mcp-session-id": `s${openings}` } },
      );
    });
    await expect(client.request("ping")).rejects.toThrow();
    expect(Object(await client.closed).message).toContain(`another ${member}`);
  });

  test("a server that forgets every session at once does not keep the client busy forever", async () => {
    const { server, client } = await start((request, response) =>
      request.message.method === "ping" ? response.writeHead(404).end() : usual,
    );
    await expect(client.request("ping")).rejects.toMatchObject({ name: "SessionExpiredError" });
    expect(server.requests.filter(isOpening)).toHaveLength(2);
  });

  test("a 404 to a client without a session is a plain rejection", async () => {
    const server = await serve((_, response) => response.writeHead(404).end());
    await expect(connectScript(server)).rejects.toMatchObject({ name: "HttpError", status: 404 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("closing a connection", () => {
  test.each([200, 204, 405, 404, 500])(
    "closing ends the session by DELETE, and accepts the response HTTP %i (L-23, T-56, T-57)",
    async (status) => {
      const { server, client } = await start(({ method }, response) =>
        method === "DELETE" ? response.writeHead(status).end() : usual,
      );
      await client.close();
      await client.close();
      expect(server.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1);
      expect(await client.closed).toBeUndefined();
    },
  );

  test("closing does not wait for a silent server", async () => {
    const { client } = await start(({ method }) => (method === "DELETE" ? undefined : usual), { closeTimeout: 50 });
    await inTime(client.close(), "The end of the client");
    expect(await client.closed).toBeUndefined();
  });

  test("closing settles every call at once (R29)", async () => {
    const { server, client } = await start((request, response) =>
      isCall(request) ? respondEvents(response, ":\n\n") : usual,
    );
    const calls = Array.from({ length: 50 }, () => client.request("tools/call", call));
    const outcomes = Promise.allSettled(calls);
    await until(() => server.requests.filter(isCall).length === 50);
    await client.close();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "ClosedError" } });
    await expect(client.request("ping")).rejects.toMatchObject({ name: "ClosedError" });
  });
});

describe("a call that is cancelled", () => {
  test.each(["json", "events"])(
    "a cancelled call is notified to the server first; then its connection is closed: %s (T-31)",
    async (kind) => {
      let closed = false;
      const { server, client } = await start((request, response) => {
        if (!isCall(request)) return usual;
        response.on("close", () => (closed = true));
        return kind === "events" && respondEvents(response, "id: e\ndata:\n\n");
      });
      const stop = new AbortController();
      const running = client.request("tools/call", call, { signal: stop.signal });
      running.catch(() => {});
      await until(() => server.requests.some(isCall));
      stop.abort(new Error("enough"));
      await expect(running).rejects.toThrow("enough");
      await until(() => closed);
      const last = server.requests.at(-1);
      expect([last?.message.method, last?.message.params?.["requestId"]]).toEqual([
        "notifications/cancelled",
        server.requests.find(isCall)?.message.id,
      ]);
      expect(server.requests.filter(isListening).length).toBeLessThanOrEqual(1);
    },
  );

  test("a cancelled handshake ends with its signal, without a notification (L-12)", async () => {
    const server = await serve(() => undefined);
    const stop = new AbortController();
    const connecting = connectScript(server, { signal: stop.signal });
    connecting.catch(() => {});
    await until(() => server.requests.length === 1);
    stop.abort(new Error("enough"));
    await expect(connecting).rejects.toThrow("enough");
    expect(server.requests).toHaveLength(1);
  });
});

describe("headers of the user", () => {
  test("headers of the user are requested for every request, sent, and cannot replace those of the protocol", async () => {
    let count = 0;
    const { server, client } = await start(undefined, {
      headers: async () => {
        count += 1;
        await Promise.resolve();
        return { Authorization: `Bearer ${count}`, accept: "nothing", "MCP-SESSION-ID": "mine" };
      },
    });
    await client.request("ping");
    await client.close();
    expect(server.requests.map(({ headers }) => headers["authorization"]).sort()).toEqual(
      server.requests.map((_, index) => `Bearer ${index + 1}`),
    );
    const ping = server.requests.find(({ message }) => message.method === "ping");
    expect(ping?.headers).toMatchObject({
      accept: "application/json, text/event-stream",
      "mcp-session-id": "session-1",
    });
  });

  test.each([
    [401, 'Bearer resource_metadata="https://x/y"'],
    [403, 'Bearer error="insufficient_scope"'],
  ])("the rejection HTTP %i is an error with its challenge", async (status, wanted) => {
    let isShut = true;
    const server = await serve((_, response) =>
      isShut ? response.writeHead(status, { "www-authenticate": wanted }).end() : usual,
    );
    await expect(connectScript(server)).rejects.toMatchObject({ name: "HttpError", status, wwwAuthenticate: wanted });
    isShut = false;
    const client = await connectScript(server);
    isShut = true;
    await expect(client.request("ping")).rejects.toMatchObject({ name: "HttpError", status, wwwAuthenticate: wanted });
    isShut = false;
    expect(await client.request("ping")).toEqual({});
    await client.close();
  });

  test("errors contain neither the query nor the session (T-58, R65)", async () => {
    const server = await serve((_, response) => response.writeHead(500).end("broken"));
    const failure = connectScript({ ...server, url: `${server.url}?token=secret` });
    await expect(failure).rejects.toThrow(`${server.url} returned HTTP 500: broken`);
    const { client } = await start(({ message }, response) => (message.method === "ping" ? response.destroy() : usual));
    const lost: unknown = await client.request("ping").catch((error: unknown) => error);
    expect(JSON.stringify([String(lost), lost])).not.toContain("session-1");
  });
});

describe("redirects", () => {
  test("redirects to another origin are rejected, and nothing is sent there (R57)", async () => {
    const other = await serve();
    const server = await serve((_, response) => response.writeHead(307, { location: other.url }).end());
    await expect(connectScript(server, { headers: () => ({ Authorization: "secret" }) })).rejects.toThrow(
      "to another origin",
    );
    expect(other.requests).toEqual([]);
  });

  test.each([307, 308])("redirects within the origin are followed with HTTP %i", async (status) => {
    const { server, client } = await start(({ path }, response) =>
      path === "/mcp" ? response.writeHead(status, { location: "/moved" }).end() : usual,
    );
    expect(await client.request("ping")).toEqual({});
    expect(server.requests.at(-1)?.path).toBe("/moved");
  });

  test.each([301, 302, 303])("redirects that would turn a POST into a GET are rejected: HTTP %i", async (status) => {
    const server = await serve((_, response) => response.writeHead(status, { location: "/moved" }).end());
    await expect(connectScript(server)).rejects.toThrow("changes POST to GET");
    expect(server.requests).toHaveLength(1);
  });

  test("redirects in a circle end", async () => {
    const server = await serve((_, response) => response.writeHead(307, { location: "/mcp" }).end());
    await expect(connectScript(server)).rejects.toThrow("redirects too many times");
    expect(server.requests).toHaveLength(4);
  });
});

test("a call whose server is gone fails after two attempts to reach it", async () => {
  let failed = 0;
  const counted: typeof fetch = (input, init) =>
    fetch(input, init).catch((error: unknown) => {
      failed += 1;
      throw error;
    });
  const { server, client } = await start(
    (request, response) => {
      if (!isCall(request)) return usual;
      const params = { progressToken: request.message.id, progress: 1 };
      const progress = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params });
      respondEvents(response, `id: e\ndata: ${progress}\n\n`);
      return;
    },
    { listen: false, fetch: counted, reconnect: { initialDelay: 200, maxDelay: 600_000, factor: 5_000 } },
  );
  let isHeard = false;
  const running = client.request("tools/call", call, { onProgress: () => (isHeard = true) });
  running.catch(() => {});
  await until(() => isHeard);
  await server.close();
  await expect(running).rejects.toThrow("The server is unreachable");
  expect(failed).toBe(2);
});

test("a fetch function can be given", async () => {
  const urls: string[] = [];
  const server = await serve();
  const client = await connectScript(server, {
    fetch(url, init) {
      urls.push(String(url));
      return fetch(url, init);
    },
  });
  await client.close();
  expect(new Set(urls)).toEqual(new Set([server.url]));
  expect(client.revision).toBe(newest);
});

// Fetch gives up connecting after 10 s. On a busy machine a thousand connections take longer.
test("250 calls at once get their responses, each on a stream of its own (T-38)", async () => {
  const { client } = await start((request, response) => {
    if (!isCall(request)) return usual;
    const { id } = request.message;
    respondEvents(response, resultEvent(id, { content: [{ type: "text", text: String(id) }] }));
    return void response.end();
  });
  const results = await Promise.all(Array.from({ length: 250 }, () => client.request("tools/call", call)));
  expect(new Set(results.map((response) => JSON.stringify(response))).size).toBe(250);
});
