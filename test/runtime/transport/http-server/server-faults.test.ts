import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createServiceHandler } from "../../../../runtime/transport/http-server/handler.ts";
import type { ListenOptions } from "../../../../runtime/transport/http-server/listen.ts";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import { BacklogError, EngineError } from "../../../../runtime/stores/engine-error.ts";
import type { EventStore } from "../../../../runtime/stores/event-store.ts";
import { MemoryEventStore } from "../../../../runtime/stores/memory-event-store.ts";
import { MemorySessionStore } from "../../../../runtime/stores/memory-session-store.ts";
import type { Profile } from "../../../../runtime/protocol/profile.ts";
import { override } from "../../../kit/override.ts";
import { createGate, until } from "../../../kit/time.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";
import { createService, log, start, type Rig } from "../../../kit/http-server.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

let rig: Rig | undefined;
const unhandled: unknown[] = [];
const keep = (reason: unknown): void => void unhandled.push(reason);

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", keep);
});

afterEach(async () => {
  await rig?.close();
  rig = undefined;
  await delay(0);
  process.off("unhandledRejection", keep);
  expect(unhandled).toEqual([]);
});

const hook = (): never => {
  throw new Error("The hook fails, too");
};

describe("an error in a callback", () => {
  test("an error of the error hook ends neither the process nor other requests", async () => {
    rig = await start({}, { authenticate: () => Promise.reject(new Error("secret")), onError: hook });
    expect(await rig.send({ body: initialize("2025-11-25") })).toMatchObject({ status: 500 });
  });

  test("an error from invalid headers of a guard ends neither the process nor other requests", async () => {
    const authenticate: ListenOptions["authenticate"] = (_, { addFields }) => {
      addFields({ "x-broken": "a\r\nb" });
      return { principal: "me" };
    };
    rig = await start({}, { authenticate, onError: hook });
    expect(await rig.send({ body: "{" })).toMatchObject({ status: 500 });
  });

  test("an error after a stream has begun closes the stream", async () => {
    class Broken extends MemoryEventStore {
      override after(): never {
        throw new Error("The store is gone");
      }
    }
    const tools = { talk: async (context: Parameters<typeof log>[0]) => (await log(context, "a"), "done") };
    rig = await start(tools, { events: new Broken(), onError: hook });
    const session = await rig.open();
    const { events } = await session.postStream(call(1, "talk"));
    await until(() => events.length > 1);
    const again = await session.listen(events[0]?.id);
    await again.end();
    expect((await session.post({ jsonrpc: "2.0", id: 2, method: "ping" })).status).toBe(200);
  });

  test("an error after a stream has begun on the web platform closes the stream", async () => {
    const service = createService({});
    const broken = {
      ...service,
      accept: () => {
        throw new Error("The server cannot be served");
      },
    };
    const handler = createServiceHandler(broken, { sse: {}, onError: hook, sessions: { maxSessions: 1 } });
    const open = (): Promise<Response> =>
      handler.fetch(new Request("http://localhost/sse", { headers: { accept: acceptBoth } }));
    // A session that cannot be served takes no place.
    for (let opened = 0; opened < 2; opened += 1) {
      const response = await open();
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      await settle();
    }
    await handler.close();
  });
});

describe("an error of the session store", () => {
  const backlog = "Too many messages wait for the session store; retry later";
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

  test.each([
    ["that cannot be reached", new EngineError("down"), 503, "The session store cannot be reached; retry later"],
    ["that has too much to store", new BacklogError("full"), 503, backlog],
    ["that is broken", new Error("secret"), 500, "Internal error"],
  ])("an error of a store %s is the response, and is counted or reported", async (_which, error, status, message) => {
    const metrics = new Metrics();
    const reports: unknown[] = [];
    class Broken extends MemorySessionStore {
      override find(): never {
        throw error;
      }
    }
    const sessions = { store: new Broken() };
    rig = await start({}, { sessions, metrics, onError: (report) => reports.push(report.error) });
    const headers = { "mcp-session-id": "a" };
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await rig.send({ method, headers, ...(method === "POST" && { body: ping }) });
      expect(response).toMatchObject({ status, json: { jsonrpc: "2.0", error: { code: -32603, message } } });
      expect(response.json).not.toHaveProperty("id");
      expect(response.headers["retry-after"]).toBe(status === 503 ? "1" : undefined);
    }
    expect([metrics.read().rejected.get(503), reports]).toEqual(
      status === 503 ? [3, []] : [undefined, [error, error, error]],
    );
    const uncounted = createServiceHandler(createService({}), { sessions, onError: hook });
    const init = { method: "DELETE", headers };
    expect((await uncounted.fetch(new Request("http://localhost/mcp", init))).status).toBe(status);
    await uncounted.close();
  });

  test("a session that cannot be stored is not opened, and leaves nothing behind", async () => {
    class Full extends MemorySessionStore {
      override add(): never {
        throw new Error("down");
      }
    }
    const reports: string[] = [];
    const options = { sessions: { store: new Full() }, profile };
    rig = await start({}, { ...options, onError: ({ error }) => reports.push(error.message) });
    const response = await rig.send({ body: initialize("2025-11-25") });
    const error = { code: 7, message: "The session could not be stored; retry later, after 30 s" };
    expect(response).toMatchObject({ status: 503, json: { error } });
    expect(response.headers["mcp-session-id"]).toBeUndefined();
    expect([reports, rig.listener.handler.sessions.size]).toEqual([["down"], 0]);
    await until(() => rig?.connections[0]?.state === "DISCONNECTED", "the end of the session");
  });

  const profile: Profile = {
    toHttpError: ({ message }, { retryAfter }) => ({ code: 7, message: `${message}, after ${retryAfter} s` }),
  };

  test("a store that is still busy when its session has ended does not harm the server", async () => {
    const { opened, open } = createGate();
    const events = override<EventStore>(new MemoryEventStore(), { append: () => opened });
    const tools = { talk: async (context: Parameters<typeof log>[0]) => (await log(context, "a"), "done") };
    rig = await start(tools, { events });
    const session = await rig.open();
    const stream = await session.postStream(call(1, "talk"));
    await stream.end();
    expect((await session.end()).status).toBe(204);
    open();
    await settle();
    expect(rig.listener.handler.sessions.size).toBe(0);
  });
});

describe("a body that does not arrive", () => {
  /** Sends a head and these parts of a body, with something before each. */
  async function sendParts(url: string, parts: readonly string[], pause: () => Promise<unknown>): Promise<string> {
    const { host, port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    let response = "";
    socket.on("data", (chunk) => (response += String(chunk)));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const length = Buffer.byteLength(JSON.stringify(initialize("2025-11-25")));
    const head = [`POST /mcp HTTP/1.1`, `Host: ${host}`, `Accept: ${acceptBoth}`, "Content-Type: application/json"];
    socket.write([...head, "Connection: close", `Content-Length: ${length}`, "", ""].join("\r\n"));
    for (const part of parts) {
      await pause();
      socket.write(part);
    }
    await closed;
    return response;
  }

  const text = JSON.stringify(initialize("2025-11-25"));

  test("a body that does not arrive times out (R35)", async () => {
    rig = await start({}, { bodyTimeout: 100 });
    expect(await sendParts(rig.url, [text.slice(0, 20)], () => delay(10))).toMatch(
      /^HTTP\/1\.1 408 [^]*was not received/,
    );
  });

  test("a body that arrives slowly is accepted as long as it flows", async () => {
    rig = await start({}, { bodyTimeout: 1_000 });
    const parts = text.match(/[^]{1,10}/g) ?? [];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    // The clock passes half as much again as a body may stall; meanwhile each part arrives.
    const pause = async (): Promise<void> => {
      await delay(20);
      await vi.advanceTimersByTimeAsync(1_500 / parts.length);
    };
    expect(await sendParts(rig.url, parts, pause)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("a body that does not arrive times out on the web platform", async () => {
    const handler = createServiceHandler(createService({}), { bodyTimeout: 50 });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
    const headers = { accept: acceptBoth, "content-type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" } satisfies RequestInit & { duplex: "half" };
    expect((await handler.fetch(new Request("http://localhost/mcp", init))).status).toBe(408);
    await handler.close();
  });
});
