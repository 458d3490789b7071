import { IncomingMessage, ServerResponse, createServer } from "node:http";
import { Socket, connect, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Declarations } from "../../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../../generated/revisions.ts";
import { forRevisions } from "../../../../../runtime/server/for-revisions.ts";
import { toHttpService } from "../../../../../runtime/server/run/http-handler.ts";
import { NodeExchange } from "../../../../../runtime/transport/http-server/exchange/node-exchange.ts";
import { TurnBatcher } from "../../../../../runtime/transport/http-server/exchange/turn-batcher.ts";
import { createServiceHandler, type HttpHandler } from "../../../../../runtime/transport/http-server/handler.ts";
import type { Identity } from "../../../../../runtime/transport/http-server/identity.ts";
import type { HttpOptions } from "../../../../../runtime/transport/http-server/settings.ts";
import { statelessRevision } from "../../../../kit/revisions.ts";
import { request } from "../../../../kit/messages.ts";
import { nextTurn } from "../../../../kit/time.ts";

interface Received {
  readonly maxBytes?: number;
  readonly pieces?: readonly string[];
}

describe("a body on node:http", () => {
  const limits = { maxBytes: 100, timeout: 10_000 };

  function read(given: { readonly maxBytes: number; readonly timeout: number } = limits) {
    const message = new IncomingMessage(new Socket());
    const body = new NodeExchange(message, new ServerResponse(message), new TurnBatcher()).readBody(given);
    return { message, body };
  }

  it("a complete body is handled although its client disconnects in the same turn", async () => {
    const { message, body } = read();
    message.emit("data", Buffer.from("{}"));
    message.emit("end");
    message.emit("close");
    expect(await body).toMatchObject({ kind: "text", text: "{}" });
  });

  /** A request that Node has received completely. */
  function complete({ maxBytes = limits.maxBytes, pieces = ["{}"] }: Received = {}) {
    const message = new IncomingMessage(new Socket());
    for (const piece of pieces) message.push(Buffer.from(piece, "latin1"));
    message.push(null);
    message.complete = true;
    const exchange = new NodeExchange(message, new ServerResponse(message), new TurnBatcher());
    return { message, read: () => exchange.readBody({ ...limits, maxBytes }) };
  }

  it("a body that has arrived is read without waiting, also after its client has disconnected", () => {
    const { message, read: readNow } = complete();
    message.destroy();
    expect(readNow()).toMatchObject({ kind: "text", text: "{}" });
    expect(message.listenerCount("data")).toBe(0);
  });

  it("a body that has arrived and is beyond the limit is rejected, and not read", () => {
    const { message, read: readNow } = complete({ maxBytes: 1 });
    expect(readNow()).toEqual({ kind: "too-large" });
    expect(message.readableLength).toBe(2);
  });

  it("a body that has arrived and is not UTF-8 is rejected", () => {
    expect(complete({ pieces: ["\xff"] }).read()).toEqual({ kind: "not-text" });
  });

  it("a body that has arrived and has another reader is read by both", async () => {
    const { message, read: readNow } = complete({ pieces: ["{", "}"] });
    const seen: unknown[] = [];
    message.on("data", (chunk) => seen.push(String(chunk)));
    expect(await readNow()).toMatchObject({ kind: "text", text: "{}" });
    expect(seen).toEqual(["{", "}"]);
  });

  it("a body may take any time when its time is infinite", async () => {
    const { message, body } = read({ ...limits, timeout: Infinity });
    message.emit("data", Buffer.from("{"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    message.emit("data", Buffer.from("}"));
    message.emit("end");
    expect(await body).toMatchObject({ kind: "text", text: "{}" });
  });

  it("a body that is complete in a later turn is read", async () => {
    const { message, body } = read();
    message.emit("data", Buffer.from("{"));
    await nextTurn();
    message.emit("data", Buffer.from("}"));
    message.emit("end");
    expect(await body).toMatchObject({ kind: "text", text: "{}" });
  });

  it.each(["close", "error"])("a body is lost when %s comes before its end", async (event) => {
    const { message, body } = read();
    message.emit("data", Buffer.from("{"));
    message.emit(event);
    expect(await body).toEqual({ kind: "lost" });
  });

  it("a body as long as the limit is read, in one piece or in two", async () => {
    expect(complete({ maxBytes: 2 }).read()).toMatchObject({ kind: "text", text: "{}" });
    const { message, body } = read({ ...limits, maxBytes: 2 });
    for (const piece of ["{", "}"]) message.emit("data", Buffer.from(piece));
    message.emit("end");
    expect(await body).toMatchObject({ kind: "text", text: "{}" });
  });

  it("a body beyond the limit is rejected although its end arrives in the same turn", async () => {
    const { message, body } = read({ ...limits, maxBytes: 1 });
    message.emit("data", Buffer.from("{}"));
    message.emit("end");
    expect(await body).toEqual({ kind: "too-large" });
  });

  it("a body whose rest does not arrive in time is late", async () => {
    const { message, body } = read({ ...limits, timeout: 5 });
    message.emit("data", Buffer.from("{"));
    expect(await body).toEqual({ kind: "late" });
  });

  it.each<readonly [string, (message: IncomingMessage) => unknown, string]>([
    ["complete", (message) => message.emit("end"), "text"],
    ["lost", (message) => message.emit("close"), "lost"],
    ["too large", (message) => message.emit("data", Buffer.from("x".repeat(100))), "too-large"],
    ["late", () => {}, "late"],
  ])("a body that is %s is no longer listened to, so that its rest is discarded", async (_how, finish, kind) => {
    const message = new IncomingMessage(new Socket());
    const events = ["data", "end", "error", "close"];
    const count = (): readonly number[] => events.map((event) => message.listenerCount(event));
    const before = count();
    const exchange = new NodeExchange(message, new ServerResponse(message), new TurnBatcher());
    const body = exchange.readBody({ ...limits, timeout: kind === "late" ? 5 : limits.timeout });
    message.emit("data", Buffer.from("{}"));
    expect(count()).toEqual(before.map((listeners) => listeners + 1));
    finish(message);
    expect(await body).toMatchObject({ kind });
    expect(count()).toEqual(before);
  });

  it("a body is not held by a stream that responds before its end", () => {
    const message = new IncomingMessage(new Socket());
    const exchange = new NodeExchange(message, new ServerResponse(message), new TurnBatcher());
    void exchange.readBody(limits);
    expect(message.listenerCount("data")).toBe(1);
    exchange.stream({});
    expect(message.listenerCount("data")).toBe(0);
  });

  it("an empty body whose client has disconnected is lost without waiting", () => {
    const { message, read: readNow } = complete({ pieces: [] });
    message.destroy();
    expect(readNow()).toEqual({ kind: "lost" });
  });

  it.each(["utf8", "latin1"] as const)("a body that is read as text in %s is the same", async (encoding) => {
    const { message, read: readNow } = complete({ pieces: ['{"a":', "\xc3", "\xa9}"] });
    message.setEncoding(encoding);
    expect(await readNow()).toMatchObject({ kind: "text", text: '{"a":é}' });
    const { message: slow, body } = read();
    slow.setEncoding(encoding);
    for (const piece of ['{"a":', "\xc3", "\xa9}"]) slow.push(Buffer.from(piece, "latin1"));
    slow.push(null);
    expect(await body).toMatchObject({ kind: "text", text: '{"a":é}' });
  });
});

const { defineTool, defineServer } = forRevisions<Declarations>(revisions);
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

describe("a body that a parser has read", () => {
  const limits = { maxBytes: 8, timeout: 10_000 };
  const bytesOf = (text: string): Uint8Array => Buffer.from(text);
  const circular: unknown[] = [];
  circular.push(circular);

  it.each([
    ["an object", { a: 1 }, { kind: "text", text: '{"a":1}', bytes: Buffer.from('{"a":1}') }],
    ["text as long as the limit", "12345678", { kind: "text", text: "12345678", bytes: Buffer.from("12345678") }],
    ["bytes as long as the limit", bytesOf("12345678"), { kind: "text", text: "12345678" }],
    ["an object beyond the limit", { a: 123 }, { kind: "too-large" }],
    ["text beyond the limit in bytes", "éééé1", { kind: "too-large" }],
    ["bytes beyond the limit", bytesOf("123456789"), { kind: "too-large" }],
    ["bytes that are not UTF-8", new Uint8Array([0xff]), { kind: "not-text" }],
    ["a value without text", () => {}, { kind: "lost" }],
    ["a value that cannot be written", circular, { kind: "lost" }],
    ["nothing", undefined, { kind: "lost" }],
  ])("the body is read as %s", async (_what, parsed, expected) => {
    for (const isMember of [false, true]) {
      const message = new IncomingMessage(new Socket());
      message.push(null);
      message.resume();
      await new Promise((resolve) => message.once("end", resolve));
      if (isMember) Object.assign(message, { body: parsed });
      const given = isMember ? undefined : parsed;
      const exchange = new NodeExchange(message, new ServerResponse(message), new TurnBatcher(), given);
      expect(await exchange.readBody(limits)).toMatchObject(expected);
    }
  });
});

describe("the response on node:http", () => {
  const create = () => {
    const message = new IncomingMessage(new Socket());
    const response = new ServerResponse(message);
    const heads: unknown[] = [];
    const { writeHead } = response;
    response.writeHead = (...given: never[]) => {
      heads.push(given);
      return Reflect.apply(writeHead, response, given);
    };
    return { response, heads, exchange: new NodeExchange(message, response, new TurnBatcher()) };
  };

  it.each([
    ["/a?b=/c", "/a"],
    ["http://localhost/a?b", "/a"],
    ["http://[", "http://["],
    ["*", "/*"],
  ])("a request with the target %s has the path %s", (url, path) => {
    const message = Object.assign(new IncomingMessage(new Socket()), { url });
    expect(new NodeExchange(message, new ServerResponse(message), new TurnBatcher()).path).toBe(path);
  });

  it("a response is sent once, and a later one or a failure does not change it", async () => {
    const { response, heads, exchange } = create();
    expect(exchange.isGone).toBe(false);
    exchange.addFields({ "x-a": "1", "x-b": "1" });
    exchange.addFields({ "x-b": "2" });
    exchange.respond({ status: 201, headers: { "x-a": "0" }, body: "é" });
    expect(exchange.isGone).toBe(true);
    exchange.respond({ status: 500 });
    exchange.fail({ status: 500 });
    await nextTurn();
    expect([response.writableEnded, response.destroyed]).toEqual([true, false]);
    expect(heads).toEqual([[201, { "x-a": "1", "x-b": "2", "content-length": 2 }]]);
  });

  it("a failure before the response has only its own fields, and without content no length", async () => {
    const { heads, exchange } = create();
    exchange.addFields({ "x-a": "1" });
    exchange.fail({ status: 204 });
    await nextTurn();
    expect(heads).toEqual([[204, {}]]);
  });

  it.each(["drain", "close"])("a stream whose reader is slow is waited for until %s, each time", async (event) => {
    const { response, exchange } = create();
    const writer = exchange.stream({});
    const count = (): readonly number[] => ["drain", "close"].map((name) => response.listenerCount(name));
    const before = count();
    for (let time = 0; time < 2; time += 1) {
      const drained = writer.drained();
      expect(writer.drained()).toBe(drained);
      expect(count()).toEqual(before.map((listeners) => listeners + 1));
      let isDrained = false;
      const done = drained.then(() => (isDrained = true));
      await nextTurn();
      expect(isDrained).toBe(false);
      response.emit(event);
      await done;
      expect(count()).toEqual(before);
    }
  });

  it("a failure breaks a stream off, and what is written later is dropped", async () => {
    const { response, heads, exchange } = create();
    exchange.addFields({ "x-a": "1" });
    const streams: unknown[] = [];
    for (const name of ["first", "second"]) exchange.onStream((writer) => streams.push([name, writer]));
    const writer = exchange.stream({});
    expect(streams).toEqual([
      ["first", writer],
      ["second", writer],
    ]);
    let calls = 0;
    exchange.fail({ status: 500 });
    expect([heads, response.destroyed]).toEqual([[[200, { "x-a": "1" }]], true]);
    await nextTurn();
    writer.write("late");
    writer.end();
    writer.onClose(() => (calls += 1));
    await writer.drained();
    await nextTurn();
    expect(calls).toBe(1);
  });
});

/** A server that passes its requests on in some way, and a connection to it. */
async function serve(
  pass: (handler: HttpHandler, incoming: IncomingMessage, response: ServerResponse) => unknown,
  options: HttpOptions = {},
) {
  const seen: unknown[] = [];
  const echo = defineTool({
    name: "echo",
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => (seen.push(text), text),
  });
  const served = defineServer({ name: "s", version: "1", tools: [echo] });
  const handler = createServiceHandler(toHttpService(served, {}), options);
  const server = createServer((incoming, response) => void pass(handler, incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  open.push(
    () => server.close(),
    () => handler.close(),
    () => socket.destroy(),
  );
  return { seen, socket, server, text: () => text };
}

const head = [
  "POST /mcp HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/json",
  "Accept: application/json, text/event-stream",
  `MCP-Protocol-Version: ${statelessRevision.id}`,
  "Mcp-Method: tools/call",
  "Mcp-Name: echo",
];

const call = JSON.stringify(request(1, "tools/call", { name: "echo", arguments: { text: "hello" } }));

/** A request with a body of known length, or in chunks of one byte. */
const post = (framing: "length" | "chunks"): string =>
  framing === "length"
    ? `${[...head, `Content-Length: ${call.length}`].join("\r\n")}\r\n\r\n${call}`
    : `${[...head, "Transfer-Encoding: chunked"].join("\r\n")}\r\n\r\n${[...call].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`;

const readText = async (incoming: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  return text;
};

describe("a request of node:http", () => {
  it("a request whose body has another reader is served", async () => {
    const { seen, socket, text } = await serve((handler, incoming, response) => {
      incoming.on("data", (chunk) => seen.push(String(chunk)));
      handler.node(incoming, response);
    });
    socket.write(post("length"));
    await expect.poll(text).toContain('"text":"hello"');
    expect(seen).toEqual([call, "hello"]);
  });

  it("a chunked body is read as it arrives, because each chunk takes memory until then (R50)", async () => {
    const listeners: number[] = [];
    const { socket, text } = await serve((handler, incoming, response) => {
      handler.node(incoming, response);
      listeners.push(incoming.listenerCount("data"));
    });
    socket.write(post("chunks"));
    await expect.poll(text).toContain('"text":"hello"');
    expect(listeners).toEqual([1]);
    expect(text()).toContain("Connection: keep-alive");
  });

  it.each(["length", "chunks"] as const)(
    "a connection stays open after a body that a parser has read, with %s",
    async (framing) => {
      const { socket, text } = await serve(async (handler, incoming, response) => {
        handler.node(incoming, response, JSON.parse(await readText(incoming)));
      });
      socket.write(post(framing));
      await expect.poll(text).toContain('"text":"hello"');
      expect(text()).toContain("Connection: keep-alive");
    },
  );

  it("the URL of a request counts as it is when the handler is called", async () => {
    const { socket, text } = await serve(
      (handler, incoming, response) => {
        const { url } = incoming;
        incoming.url = "/inner";
        handler.node(incoming, response);
        incoming.url = url;
      },
      { path: "/inner" },
    );
    // The second request waits for its turn, and is handled later.
    socket.write(post("length") + post("length"));
    await expect.poll(() => text().split('"text":"hello"').length).toBe(3);
  });

  it("a guard has the connection of a request", async () => {
    const { seen, socket } = await serve((handler, incoming, response) => handler.node(incoming, response), {
      authenticate: ({ address, port, version }) => (seen.push([address, port, version]), { status: 401 }),
    });
    socket.write(post("length"));
    await expect.poll(() => seen.length).toBe(1);
    expect(seen).toEqual([["127.0.0.1", socket.localPort, "1.1"]]);
  });

  it("a guard has the address of a client whose connection is destroyed", async () => {
    const { seen, socket } = await serve(
      (handler, incoming, response) => {
        handler.node(incoming, response);
        incoming.socket.destroy();
      },
      { authenticate: ({ address }) => (seen.push(address), { status: 401 }) },
    );
    socket.write(post("length"));
    await expect.poll(() => seen).toEqual(["127.0.0.1"]);
  });

  it("a call is not handled if its client disconnects while it is authenticated", async () => {
    const guarded: (() => void)[] = [];
    const { seen, socket, server } = await serve((handler, incoming, response) => handler.node(incoming, response), {
      authenticate: () => new Promise<Identity>((resolve) => guarded.push(() => resolve({ principal: "me" }))),
    });
    socket.write(post("length"));
    await expect.poll(() => guarded.length).toBe(1);
    socket.destroy();
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0);
    guarded[0]?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen).toEqual([]);
  });

  it("a request with a chunked body does not wait behind another that waits", async () => {
    const guarded: (() => void)[] = [];
    const { seen, socket, text } = await serve((handler, incoming, response) => handler.node(incoming, response), {
      authenticate: () => new Promise<Identity>((resolve) => guarded.push(() => resolve({ principal: "me" }))),
    });
    socket.write(post("length"));
    await expect.poll(() => guarded.length).toBe(1);
    socket.write(post("chunks"));
    guarded[0]?.();
    await expect.poll(() => guarded.length).toBe(2);
    guarded[1]?.();
    await expect.poll(() => text().split('"text":"hello"').length).toBe(3);
    socket.write(post("length") + post("chunks") + post("chunks"));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(seen).toEqual(["hello", "hello"]);
  });
});
