import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { batching, handshakeRevisions, newest } from "../../../kit/revisions.ts";
import {
  connectScript,
  openingResult,
  resultEvent,
  respondEvents,
  respondJson,
  sessionId,
  usual,
  type Script,
  type ScriptedServer,
  serve,
  start,
} from "../../../kit/scripted-server.ts";
import { until } from "../../../kit/time.ts";

/** Responds to calls of tools as the test says, and to everything else as usual. */
const onCall =
  (script: Script): Script =>
  (request, response) =>
    request.message.method === "tools/call" ? script(request, response) : usual;

const call = { name: "x" };
const done = { content: [] };
const listening = (request: { readonly method: string }): boolean => request.method === "GET";

describe("messages as POST requests", () => {
  test("a message is a POST with both media types accepted and one message in the body (T-21, T-22, T-23)", async () => {
    const { server, client } = await start();
    await client.request("ping");
    const posts = server.requests.filter(({ method }) => method === "POST");
    expect(posts.map(({ message }) => message.method)).toEqual(["initialize", "notifications/initialized", "ping"]);
    for (const { headers } of posts) {
      expect(headers["accept"]).toBe("application/json, text/event-stream");
      expect(headers["content-type"]).toBe("application/json");
    }
  });

  test.each(handshakeRevisions)(
    "a message carries the session after the handshake, and the revision $id where that is required (T-50, T-52, T-60, L-11)",
    async (revision) => {
      const { server, client } = await start(undefined, { revisions: [revision] });
      await client.request("ping");
      await until(() => server.requests.some(listening));
      await client.close();
      const [opening, ...later] = server.requests;
      expect(opening?.headers).not.toHaveProperty("mcp-session-id");
      expect(opening?.headers).not.toHaveProperty("mcp-protocol-version");
      expect(new Set(later.map(({ method }) => method))).toEqual(new Set(["POST", "GET", "DELETE"]));
      const rule = revision.headers.find(({ source }) => source === "revision");
      for (const { headers } of later) {
        expect(headers["mcp-session-id"]).toBe(sessionId);
        expect(headers["mcp-protocol-version"]).toBe(rule && revision.id);
      }
    },
  );

  test("a message carries no session where the server gives none: no header, no DELETE", async () => {
    const { server, client } = await start(({ message }, response) =>
      message.method === "initialize"
        ? respondJson(response, { jsonrpc: "2.0", id: message.id, result: openingResult(message.params) })
        : usual,
    );
    await client.request("ping");
    await client.close();
    for (const { headers } of server.requests) expect(headers).not.toHaveProperty("mcp-session-id");
    expect(server.requests.map(({ method }) => method)).not.toContain("DELETE");
  });

  test("a session id with forbidden characters is rejected (T-51)", async () => {
    const server = await serve(({ message }, response) => {
      const result = openingResult(message.params);
      respondJson(response, { jsonrpc: "2.0", id: message.id, result }, { headers: { "mcp-session-id": "a b" } });
    });
    await expect(connectScript(server)).rejects.toThrow("session ID with invalid characters");
  });

  test("a notification is accepted by any 2xx, whatever the body contains (T-24)", async () => {
    const { client } = await start(({ message }, response) =>
      message.method?.startsWith("notifications/") ? respondJson(response, { any: "thing" }) : usual,
    );
    expect(await client.request("ping")).toEqual({});
  });

  test("the first request waits until the server has accepted that the handshake is complete (trap 4)", async () => {
    let accepted = Infinity;
    const { server, client } = await start(({ message }, response) => {
      if (message.method !== "notifications/initialized") return usual;
      return void setTimeout(() => {
        accepted = performance.now();
        response.writeHead(202).end();
      }, 50);
    });
    await client.request("ping");
    expect(server.requests.find(({ message }) => message.method === "ping")?.at).toBeGreaterThanOrEqual(accepted);
  });

  test("a rejected notification fails by itself (T-25)", async () => {
    const { client } = await start(
      ({ message }, response) =>
        message.method === "notifications/roots/list_changed" ? response.writeHead(400).end("no") : usual,
      { capabilities: { roots: { listChanged: true } } },
    );
    await expect(client.notify("notifications/roots/list_changed")).rejects.toMatchObject({
      name: "HttpError",
      status: 400,
      body: "no",
    });
    expect(await client.request("ping")).toEqual({});
  });

  test("the responses to one request of the server are sent in order", async () => {
    const delays = new Map([
      [1, 30],
      [2, 5],
    ]);
    const { server, client } = await start(
      (request, response) => {
        const { method, params, result, id } = request.message;
        if (method === "tools/call") {
          const ping = { jsonrpc: "2.0", id: "s1", method: "roots/list", params: { _meta: { progressToken: "t" } } };
          respondEvents(response, `data: ${JSON.stringify(ping)}\n\n`);
          void until(() => server.requests.some(({ message }) => message.result !== undefined)).then(() =>
            response.end(resultEvent(id, done)),
          );
          return;
        }
        if (method !== "notifications/progress" && result === undefined) return usual;
        return void setTimeout(() => response.writeHead(202).end(), delays.get(Number(params?.["progress"])) ?? 0);
      },
      {
        capabilities: { roots: {} },
        handlers: {
          listRoots(_: unknown, context: { progress(value: { progress: number }): Promise<void> }) {
            for (const progress of [1, 2, 3]) void context.progress({ progress });
            return { roots: [] };
          },
        },
      },
    );
    await client.request("tools/call", call);
    const related = server.requests.filter(
      ({ message: { method, result } }) => method === "notifications/progress" || result,
    );
    expect(related.map(({ message }) => message.params?.["progress"])).toEqual([1, 2, 3, undefined]);
  });
});

describe("responses over HTTP", () => {
  test("a response may be JSON (T-26)", async () => {
    const { client } = await start(
      onCall(({ message }, response) => respondJson(response, { jsonrpc: "2.0", id: message.id, result: done })),
    );
    expect(await client.request("tools/call", call)).toEqual(done);
  });

  test("a response may be a stream, with progress delivered in wire order before the result, even from one chunk (T-26, T-28)", async () => {
    const seen: unknown[] = [];
    const { client } = await start(
      onCall(({ message }, response) => {
        const progress = (value: number): string =>
          `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: message.id, progress: value } })}\n\n`;
        respondEvents(response, ": hello\n\n", progress(1), progress(2), resultEvent(message.id, done), progress(3));
        response.end();
      }),
    );
    await client.request("tools/call", call, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2]);
  });

  test("a response may be in batches where the revision has them, as JSON and in events (J, T-28)", async () => {
    const { client } = await start(
      onCall(({ message }, response) => {
        const responses = [{ jsonrpc: "2.0", id: message.id, result: done }];
        if (message.params?.["name"] === "json") return respondJson(response, responses);
        respondEvents(response, `data: ${JSON.stringify(responses)}\n\n`);
        return void response.end();
      }),
      { revisions: [batching] },
    );
    expect(await client.request("tools/call", { name: "json" })).toEqual(done);
    expect(await client.request("tools/call", { name: "events" })).toEqual(done);
  });

  test("a batch is no response where the revision has none", async () => {
    const { client } = await start(
      onCall(({ message }, response) => respondJson(response, [{ jsonrpc: "2.0", id: message.id, result: done }])),
    );
    await expect(client.request("tools/call", call)).rejects.toThrow("batches are not supported");
  });

  test.each<readonly [string, Script, string]>([
    ["nothing", (_, response) => response.writeHead(202).end(), "with no content"],
    [
      "a web page",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "with text/html",
    ],
    [
      "broken JSON",
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{"),
      "without a response",
    ],
    [
      "another response",
      (_, response) => respondJson(response, { jsonrpc: "2.0", id: 999, result: {} }),
      "without a response",
    ],
    [
      "bytes that are not UTF-8",
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0xff])),
      "not valid UTF-8",
    ],
    [
      "an error without an id",
      (_, response) =>
        respondJson(response, { jsonrpc: "2.0", id: null, error: { code: 1, message: "Quota exceeded" } }),
      "without a response for a request: Quota exceeded",
    ],
    ["more than the limit", (_, response) => respondJson(response, "x".repeat(2_000)), "longer than 1000 bytes"],
    [
      "an event over the limit",
      (_, response) => respondEvents(response, `data: ${"x".repeat(2_000)}\n\n`),
      "longer than 1000",
    ],
    [
      "a small body that unpacks to more",
      (_, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync("x".repeat(2_000))),
      "longer than 1000 bytes",
    ],
  ])("an invalid response %s fails the call, and the connection stays open (R50, R52)", async (_, script, message) => {
    const { client } = await start(onCall(script), { limits: { maxMessageBytes: 1_000 } });
    await expect(client.request("tools/call", call)).rejects.toThrow(message);
    expect(await client.request("ping")).toEqual({});
  });

  test.each([true, false])(
    "a response with neither result nor error fails its call at once, as JSON: %j",
    async (asJson) => {
      const { client } = await start(
        onCall(({ message }, response) => {
          const result = { jsonrpc: "2.0", id: message.id };
          if (asJson) return respondJson(response, result);
          respondEvents(response, `data: ${JSON.stringify(result)}\n\n`);
          return void response.end();
        }),
      );
      await expect(client.request("tools/call", call)).rejects.toThrow("requires a method, a result or an error");
      expect(await client.request("ping")).toEqual({});
    },
  );

  const reject =
    (status: number, retryAfter?: string): Script =>
    (_, response) =>
      response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
  const callsOf = ({ requests }: ScriptedServer): number =>
    requests.filter(({ message }) => message.method === "tools/call").length;

  test.each([
    [503, "0"],
    [429, "0"],
    [429, new Date(0).toUTCString()],
  ])("a call rejected with %i and Retry-After: %s is sent again (R51)", async (status, retryAfter) => {
    let rejected = 0;
    const { server, client } = await start(
      onCall((request, response) => {
        if (rejected === 2) return respondJson(response, { jsonrpc: "2.0", id: request.message.id, result: done });
        rejected += 1;
        return reject(status, retryAfter)(request, response);
      }),
    );
    expect(await client.request("tools/call", call)).toEqual(done);
    expect(callsOf(server)).toBe(3);
  });

  test.each([
    [503, undefined],
    [429, undefined],
    [500, "0"],
    [400, "0"],
    [503, "11"],
    [503, "3600"],
    [503, "soon"],
  ])("a call rejected with %i and Retry-After: %s is not sent again", async (status, retryAfter) => {
    const { server, client } = await start(onCall(reject(status, retryAfter)), { reconnect: { maxDelay: 30_000 } });
    await expect(client.request("tools/call", call)).rejects.toMatchObject({ name: "HttpError", status });
    expect(callsOf(server)).toBe(1);
  });

  test.each([503, 429])(
    "a call whose response has the status %i and Retry-After is not sent again: it may have run",
    async (status) => {
      const error = { code: 1080, message: "The bank did not respond" };
      const { server, client } = await start(
        onCall(({ message }, response) =>
          respondJson(response, { jsonrpc: "2.0", id: message.id, error }, { status, headers: { "retry-after": "0" } }),
        ),
      );
      await expect(client.request("tools/call", call)).rejects.toMatchObject({ name: "PeerError", code: 1080 });
      expect(callsOf(server)).toBe(1);
    },
  );

  test("a call that is rejected repeatedly fails after five retries (R51)", async () => {
    const { server, client } = await start(onCall(reject(503, "0")));
    await expect(client.request("tools/call", call)).rejects.toMatchObject({ name: "HttpError", status: 503 });
    expect(callsOf(server)).toBe(6);
  });

  test("a call that is cancelled while it waits is not sent again", async () => {
    const { server, client } = await start(onCall(reject(503, "9")), { reconnect: { maxDelay: 30_000 } });
    const controller = new AbortController();
    const waiting = client.request("tools/call", call, { signal: controller.signal });
    waiting.catch(() => {});
    await until(() => callsOf(server) === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    expect(callsOf(server)).toBe(1);
  });

  test("a JSON-RPC error in a rejection is the response; another body is an HTTP error with its text", async () => {
    const { client } = await start(
      onCall(({ message }, response) => {
        const error = { code: -32602, message: "Unknown tool" };
        const body =
          message.params?.["name"] === "own"
            ? { jsonrpc: "2.0", id: message.id, error }
            : { jsonrpc: "2.0", id: null, error };
        respondJson(response, body, { status: 400 });
      }),
    );
    await expect(client.request("tools/call", { name: "own" })).rejects.toMatchObject({
      name: "PeerError",
      code: -32602,
    });
    await expect(client.request("tools/call", call)).rejects.toMatchObject({ name: "HttpError", status: 400 });
  });

  test("a server that leaves the stream open after the response does not keep the connection forever (T-30)", async () => {
    let closed = false;
    const { client } = await start(
      onCall(({ message }, response) => {
        response.on("close", () => (closed = true));
        respondEvents(response, resultEvent(message.id, done));
      }),
    );
    expect(await client.request("tools/call", call)).toEqual(done);
    await until(() => closed);
  });
});

describe("the GET stream", () => {
  test("the GET stream is opened after the handshake and carries requests and notifications of the server (T-33, T-35)", async () => {
    const said = new Promise((resolve) => {
      void start((request, response) => {
        if (!listening(request)) return usual;
        const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
        return respondEvents(response, `data: ${JSON.stringify(ping)}\n\n`);
      }, {}).then(({ server }) =>
        until(() => server.requests.some(({ message }) => message.result !== undefined)).then(() => resolve(server)),
      );
    });
    const server = await said;
    const get = Object(server).requests.find(listening);
    expect(get.headers.accept).toBe("text/event-stream");
    expect(Object(server).requests.findIndex(listening)).toBeGreaterThan(1);
  });

  test("the GET stream is not opened without the option", async () => {
    const { server, client } = await start(undefined, { listen: false });
    await client.request("ping");
    await client.close();
    expect(server.requests.some(listening)).toBe(false);
  });

  test.each([405, 400, 404, 200])(
    "the GET stream is not requested again after HTTP %i, which is no error (T-34)",
    async (status) => {
      const { server, client } = await start((request, response) =>
        listening(request)
          ? respondJson(response, { jsonrpc: "2.0", error: { code: -32000, message: "no" } }, { status })
          : usual,
      );
      await until(() => server.requests.some(listening));
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(await client.request("ping")).toEqual({});
      expect(server.requests.filter(listening)).toHaveLength(1);
    },
  );

  test("the GET stream is opened again after the last event (T-37, T-44)", async () => {
    let count = 0;
    const { server, client } = await start((request, response) => {
      if (!listening(request)) return usual;
      count += 1;
      respondEvents(response, `id: e${count}\ndata:\n\n`);
      return count < 3 && void response.end();
    });
    await until(() => count === 3);
    expect(server.requests.filter(listening).map(({ headers }) => headers["last-event-id"])).toEqual([
      undefined,
      "e1",
      "e2",
    ]);
    await client.close();
  });

  test("the GET stream starts over when the server no longer has the last event", async () => {
    let count = 0;
    const { server } = await start((request, response) => {
      if (!listening(request)) return usual;
      count += 1;
      if (request.headers["last-event-id"] !== undefined) return void response.writeHead(400).end();
      respondEvents(response, "id: e\ndata:\n\n");
      return count === 1 && void response.end();
    });
    await until(() => count === 3);
    expect(server.requests.filter(listening).map(({ headers }) => headers["last-event-id"])).toEqual([
      undefined,
      "e",
      undefined,
    ]);
  });

  test("the GET stream is given up after a number of attempts, reported, and tried again after the next response (R51)", async () => {
    let isDown = false;
    let gets = 0;
    const reasons: Error[] = [];
    const { server, client } = await start(
      (request, response) => {
        if (!listening(request)) return usual;
        gets += 1;
        if (isDown) return void response.writeHead(503).end();
        respondEvents(response, "data:\n\n");
        isDown = gets === 1;
        return isDown && void response.end();
      },
      { onNotificationsLost: (reason) => reasons.push(reason), reconnect: { attempts: 3 } },
    );
    await until(() => reasons.length > 0);
    expect([reasons[0]?.name, gets]).toEqual(["LostError", 4]);
    isDown = false;
    await client.request("ping");
    await until(() => server.requests.filter(listening).length === 5);
  });
});

describe("a stream that ends before the response", () => {
  test("a stream that ends early is resumed by GET after the last event, and after the server's delay (T-40, T-41, T-44)", async () => {
    let closedAt = 0;
    const { server, client } = await start(
      (request, response) => {
        if (listening(request))
          return respondEvents(response, resultEvent(server.requests.find(isCall)?.message.id, done, "e2"));
        if (!isCall(request)) return usual;
        respondEvents(response, "id: e1\nretry: 120\ndata:\n\n");
        closedAt = performance.now();
        return void response.end();
      },
      { listen: false },
    );
    expect(await client.request("tools/call", call)).toEqual(done);
    const get = server.requests.find(listening);
    expect(get?.headers).toMatchObject({
      "last-event-id": "e1",
      "mcp-session-id": sessionId,
      "mcp-protocol-version": newest.id,
    });
    expect((get?.at ?? 0) - closedAt).toBeGreaterThanOrEqual(115);
  });

  test("a stream that ends early is resumed after a network error: repeated cuts of streams at once lose and repeat nothing (T-38, T-42, T-44)", async () => {
    const cuts = 3;
    const { client } = await start(
      (request, response) => {
        if (!listening(request) && !isCall(request)) return usual;
        const [stream, last = 0] = String(request.headers["last-event-id"] ?? request.message.id)
          .split("-")
          .map(Number);
        if (last === cuts) return (respondEvents(response, resultEvent(stream, done)), void response.end());
        const params = { progressToken: stream, progress: last + 1 };
        const data = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params });
        respondEvents(response, `id: ${stream}-${last + 1}\nretry: 1\ndata: ${data}\n\n`, 'data: {"half');
        return void setTimeout(() => response.destroy(), 5);
      },
      { listen: false },
    );
    const calls = Array.from({ length: 3 }, async () => {
      const seen: number[] = [];
      await client.request("tools/call", call, { onProgress: ({ progress }) => seen.push(progress) });
      return seen;
    });
    for (const seen of await Promise.all(calls))
      expect(seen).toEqual(Array.from({ length: cuts }, (_, index) => index + 1));
  });

  test("a stream that ends early keeps its position when the resumption fails before its first event (trap 15)", async () => {
    let gets = 0;
    const { server, client } = await start(
      (request, response) => {
        if (isCall(request)) return (respondEvents(response, "id: e1\ndata:\n\n"), void response.end());
        if (!listening(request)) return usual;
        gets += 1;
        if (gets === 1) return (respondEvents(response), void response.end());
        if (gets === 2) return void response.writeHead(409).end();
        return respondEvents(response, resultEvent(server.requests.find(isCall)?.message.id, done));
      },
      { listen: false },
    );
    expect(await client.request("tools/call", call)).toEqual(done);
    expect(server.requests.filter(listening).map(({ headers }) => headers["last-event-id"])).toEqual([
      "e1",
      "e1",
      "e1",
    ]);
  });

  test.each([
    ["no id was given", "data:\n\n"],
    ["an empty id has taken it back", "id: e1\ndata:\n\nid:\ndata:\n\n"],
  ])(
    "a stream that ends early is lost when %s: the call fails with its error, is cancelled, and is never sent again (T-31, R51)",
    async (_, events) => {
      const { server, client } = await start(
        (request, response) => {
          if (!isCall(request)) return usual;
          respondEvents(response, events);
          return void response.end();
        },
        { listen: false },
      );
      await expect(client.request("tools/call", call)).rejects.toMatchObject({ name: "LostError" });
      await until(() => server.requests.some(({ message }) => message.method === "notifications/cancelled"));
      const cancelled = server.requests.find(({ message }) => message.method === "notifications/cancelled");
      expect(cancelled?.message.params?.["requestId"]).toBe(server.requests.find(isCall)?.message.id);
      expect(server.requests.filter(isCall)).toHaveLength(1);
      expect(server.requests.some(listening)).toBe(false);
    },
  );

  test.each([
    [503, "LostError", 3],
    [400, "HttpError", 1],
    [405, "HttpError", 1],
    [404, "SessionExpiredError", 1],
  ])(
    "a stream that ends early is lost when the resumption is rejected with HTTP %i",
    async (status, name, attempts) => {
      const { server, client } = await start(
        (request, response) => {
          if (isCall(request)) return (respondEvents(response, "id: e1\ndata:\n\n"), void response.end());
          return listening(request) ? void response.writeHead(status).end() : usual;
        },
        { listen: false, reconnect: { attempts: 3 } },
      );
      await expect(client.request("tools/call", call)).rejects.toMatchObject({ name });
      expect(server.requests.filter(listening)).toHaveLength(attempts);
    },
  );

  test("a server that cannot be reached fails the call with the network error (R52)", async () => {
    const { server, client } = await start();
    await server.close();
    const failure: unknown = await client.request("ping").catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "LostError" });
    expect(Object(failure).cause).toBeInstanceOf(TypeError);
  });

  function isCall({ message }: { readonly message: { readonly method?: string } }): boolean {
    return message.method === "tools/call";
  }
});

describe("secrets in errors", () => {
  const failure = (url: string, headers: Record<string, string> = {}): Promise<unknown> =>
    Promise.resolve()
      .then(() => connectScript({ url, requests: [], close: async () => {} }, { headers: () => headers }))
      .catch((error: unknown) => error);

  test.each(["Bearer hidden\nvalue", "Bearer hidden…value"])(
    "an error does not contain a header that cannot be sent: %j",
    async (value) => {
      const { url } = await serve();
      const error = await failure(url, { Authorization: value });
      expect(String(error)).toContain('The header "Authorization" has an invalid character');
      expect(inspect(error)).not.toContain("hidden");
    },
  );

  test("an error does not contain the password of a URL", async () => {
    const error = await failure("http://me:hidden@127.0.0.1:9/mcp?key=hidden");
    expect(String(error)).toContain("http://127.0.0.1:9/mcp has a user name or password");
    expect(inspect(error)).not.toContain("hidden");
  });
});
