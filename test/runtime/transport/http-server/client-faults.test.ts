import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import { Metrics } from "../../../../runtime/jsonrpc/metrics.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { inTime, until } from "../../../kit/time.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";
import { initialized } from "../../../kit/messages.ts";
import { log, start, type Rig, type Session } from "../../../kit/http-server.ts";

let rig: Rig | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await rig?.close();
});

/** A client that sends a POST and then reads nothing. */
async function postAndStall(url: string, session: Session, body: object): Promise<Socket> {
  const { host, port, pathname } = new URL(url);
  const text = JSON.stringify(body);
  const fields = { host, accept: acceptBoth, "content-type": "application/json", ...session.headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  socket.write([`POST ${pathname} HTTP/1.1`, ...lines, `content-length: ${text.length}`, "", text].join("\r\n"));
  return socket;
}

it("a HEAD with a long body gets its response before the body is discarded", async () => {
  rig = await start();
  const { host, port, pathname } = new URL(rig.url);
  // The time for which the body is discarded never ends.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const socket = connect(Number(port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk))).on("error", () => {});
  socket.write(`HEAD ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100000\r\n\r\n`);
  await until(() => text.includes("\r\n\r\n"), "the response");
  expect(text).toMatch(/^HTTP\/1\.1 405 /);
  socket.destroy();
});

describe("a client that disconnects during a call", () => {
  it("a client that disconnects during a call does not affect the call or the server (T-31)", async () => {
    const finished: string[] = [];
    const tools = {
      work: async (context: CallContext) => {
        await log(context, "begun");
        await delay(30);
        await log(context, "half");
        finished.push(String(context.requestId));
        return "done";
      },
    };
    rig = await start(tools, { events: false });
    const session = await rig.open();
    for (let id = 0; id < 20; id += 1) {
      const stream = await session.postStream(call(id, "work"));
      await stream.message();
      stream.cut();
    }
    await until(() => finished.length === 20);
    expect((await session.post({ jsonrpc: "2.0", id: 99, method: "ping" })).status).toBe(200);
  });

  it("a client that disconnects during its body leaves no state behind", async () => {
    rig = await start();
    const { host, port } = new URL(rig.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\naccept: ${acceptBoth}\r\ncontent-type: application/json\r\n`);
    socket.write("content-length: 1000\r\n\r\n{");
    await delay(20);
    socket.destroy();
    await delay(20);
    expect(rig.listener.handler.sessions.size).toBe(0);
  });

  it.each([
    ["its headers", { headersTimeout: 60 }, ""],
    ["its body", { requestTimeout: 60 }, "content-length: 1000\r\n\r\n{"],
  ])("a client that is slow over %s holds no connection (R35)", async (_part, options, more) => {
    rig = await start({}, options);
    const { host, port } = new URL(rig.url);
    const socket = connect(Number(port), "127.0.0.1");
    let response = "";
    socket.on("data", (chunk: Buffer) => (response += chunk.toString()));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(`POST /mcp HTTP/1.1\r\nhost: ${host}\r\naccept: ${acceptBoth}\r\n`);
    socket.write(`content-type: application/json\r\n${more}`);
    await closed;
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("a TLS client without a handshake holds no connection", async () => {
    rig = await start({}, { headersTimeout: 60, tls: {} });
    const socket = connect(Number(new URL(rig.url).port), "127.0.0.1");
    await inTime(new Promise((resolve) => socket.resume().once("close", resolve)), "The end of the connection");
    expect(socket.bytesRead).toBe(0);
  });
});

describe("a client that does not read", () => {
  it("a client that does not read makes the handler wait, and its buffer is bounded and counted (R25, R40, R66)", async () => {
    let sent = 0;
    const tools = {
      flood: async (context: CallContext) => {
        for (; sent < 200 && !context.signal.aborted; sent += 1) await log(context, "x".repeat(100_000));
        return "done";
      },
    };
    const metrics = new Metrics();
    rig = await start(tools, { events: false, maxStreamBytes: 1024 * 1024, metrics }, { metrics });
    const session = await rig.open();
    const socket = await postAndStall(rig.url, session, call(1, "flood"));
    await until(() => metrics.read().buffered > 64 * 1024, "waiting");
    let before = -1;
    while (before !== sent || sent === 0) {
      before = sent;
      await delay(100);
    }
    expect(sent).toBeLessThan(150);
    socket.resume();
    await until(() => sent === 200 && metrics.read().buffered === 0, "reading");
    expect(metrics.read().dropped.size).toBe(0);
    socket.destroy();
  });

  it("a client that does not read is disconnected when the handler does not wait (R25, R66)", async () => {
    const tools = {
      flood: (context: CallContext) => {
        // Log messages would be dropped before they cost the connection its response.
        const row = context.revision.serverRequests["roots/list"];
        const params = { _meta: { "example.com/filler": "x".repeat(100_000) } };
        for (let n = 0; row && n < 400; n += 1) context.request(row, params).catch(() => {});
        return "done";
      },
    };
    const metrics = new Metrics();
    rig = await start(tools, { events: false, maxStreamBytes: 1024 * 1024, metrics }, { metrics });
    const session = await rig.open();
    const socket = await postAndStall(rig.url, session, call(1, "flood"));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await until(() => metrics.read().dropped.get("stream") === 1, "the cut");
    expect(metrics.read().buffered).toBe(0);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(30_000_000);
    expect((await session.post({ jsonrpc: "2.0", id: 2, method: "ping" })).status).toBe(200);
  });
});

/** Calls a tool over HTTP with SSE; returns the event with the response. */
async function callByStream(server: Rig): Promise<{ readonly text: Promise<string> }> {
  const stream = await server.stream({ method: "GET", path: "/sse" });
  const { data: path } = await stream.next();
  await server.send({ path, body: initialize("2024-11-05") });
  await stream.next();
  await server.send({ path, body: initialized });
  await server.send({ path, body: call(1, "work") });
  return { text: stream.next().then(({ data }) => data) };
}

/** Calls a tool in a session; gives the body of the response. */
async function callInSession(server: Rig): Promise<{ readonly text: Promise<string> }> {
  const session = await server.open();
  return { text: session.post(call(1, "work")).then(({ text }) => text) };
}

describe("the shutdown of a server", () => {
  it("a shutdown is visible at once to health checks over an open connection (R43)", async () => {
    let finish = (_result: string): void => {};
    let hasBegun = false;
    const work = (): Promise<string> => {
      hasBegun = true;
      return new Promise((resolve) => (finish = resolve));
    };
    rig = await start({ work }, { health: "/health" });
    const { host, port } = new URL(rig.url);
    const socket = connect(Number(port), "127.0.0.1");
    let told = "";
    socket.on("data", (chunk: Buffer) => (told += chunk.toString()));
    const begin = `GET /health HTTP/1.1\r\nhost: ${host}\r\n`;
    socket.write(`${begin}\r\n${begin}`);
    await until(() => told.includes('{"status":"ok"}'), "the first response");
    const working = (await rig.open()).post(call(1, "work"));
    await until(() => hasBegun, "the call");
    const closing = rig.listener.close();
    socket.write("\r\n");
    await until(() => told.includes('{"status":"closing"}'), "the second response");
    expect(told.match(/^HTTP\/1.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 503"]);
    finish("done");
    socket.destroy();
    await Promise.all([closing, working]);
  });

  it("a shutdown lets running calls finish, ends streams and leaves no connection (R43)", async () => {
    let finish = (_result: string): void => {};
    let hasBegun = false;
    const work = (): Promise<string> => {
      hasBegun = true;
      return new Promise((resolve) => (finish = resolve));
    };
    rig = await start({ work });
    const session = await rig.open();
    const stream = await session.listen();
    const working = session.post(call(1, "work"));
    await until(() => hasBegun, "the call");
    const closing = rig.listener.close();
    finish("done");
    expect((await working).status).toBe(200);
    await closing;
    await stream.end();
    await expect(rig.send({ body: {} })).rejects.toThrow();
  });

  it.each([
    ["in a session", false],
    ["of HTTP with SSE", true],
  ])("a shutdown gives a running call %s the time of closeTimeout (R43)", async (_, isOld) => {
    const clock = new ManualClock();
    let finish = (_result: string): void => {};
    let hasBegun = false;
    const work = (): Promise<string> => {
      hasBegun = true;
      return new Promise((resolve) => (finish = resolve));
    };
    const served = { clock, timeouts: { confirmation: 50 } };
    rig = await start({ work }, { closeTimeout: 10_000, sse: {} }, served);
    const { text } = isOld ? await callByStream(rig) : await callInSession(rig);
    await until(() => hasBegun, "the call");
    const closing = rig.listener.close();
    await clock.pass(9_000);
    finish("done");
    expect(await text).toContain("done");
    await closing;
  });

  it("a shutdown does not wait for calls that hang", async () => {
    let hasBegun = false;
    const hang = (): Promise<never> => {
      hasBegun = true;
      return new Promise(() => {});
    };
    rig = await start({ hang }, { closeTimeout: 50 });
    const session = await rig.open();
    const hanging = session.post(call(1, "hang"));
    await until(() => hasBegun, "the call");
    await rig.listener.close();
    // After 404 the client would send the call again in a new session.
    expect(await hanging).toMatchObject({ status: 200, json: { id: 1, error: { code: -32603 } } });
  });
});
