import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Declarations } from "../../../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../../../generated/revisions.ts";
import { forRevisions } from "../../../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../../../runtime/server/run/serve-http.ts";
import { createHttpHandler } from "../../../../../runtime/server/run/http-handler.ts";
import { portOf, startListening } from "../../../../../runtime/transport/listening.ts";
import { statelessRevision } from "../../../../kit/revisions.ts";
import { request } from "../../../../kit/messages.ts";

const { defineTool, defineServer } = forRevisions<Declarations>(revisions);

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Served {
  readonly url: URL;
  readonly begun: () => number;
  readonly aborted: () => number;
  readonly largeBegun: () => number;
  /** Lets the call that waits now return. */
  readonly finish: () => void;
}

async function serve(): Promise<Served> {
  let begun = 0;
  let aborted = 0;
  let largeBegun = 0;
  let finish = (): void => {};
  const wait = defineTool({
    name: "wait",
    async execute(_none, { signal }) {
      begun += 1;
      await new Promise<void>((resolve) => {
        finish = resolve;
        signal.addEventListener("abort", () => {
          aborted += 1;
          resolve();
        });
      });
      return "late";
    },
  });
  const large = defineTool({
    name: "large",
    execute() {
      largeBegun += 1;
      return "x".repeat(2 * 1024 * 1024);
    },
  });
  const quick = defineTool({ name: "quick", execute: () => "done" });
  const server = defineServer({ name: "s", version: "1", tools: [wait, quick, large], onError: () => {} });
  const listener = await serveHttp(server, { closeTimeout: 100 });
  open.push(() => listener.close());
  return {
    url: new URL(listener.url),
    begun: () => begun,
    aborted: () => aborted,
    largeBegun: () => largeBegun,
    finish: () => finish(),
  };
}

/** Sends calls of these tools over one connection, without waiting for responses. */
function pipeline({ host, port, pathname }: URL, tools: readonly string[]): Socket {
  const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
  open.push(() => socket.destroy());
  for (const [id, name] of tools.entries()) {
    const body = JSON.stringify(request(id, "tools/call", { name, arguments: {} }));
    const fields = [
      `POST ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      "Content-Type: application/json",
      "Accept: application/json, text/event-stream",
      `MCP-Protocol-Version: ${statelessRevision.id}`,
      "Mcp-Method: tools/call",
      `Mcp-Name: ${name}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${fields.join("\r\n")}\r\n\r\n${body}`);
  }
  return socket;
}

test("a pipelined request begins when the one before it on its connection has its response (R35)", async () => {
  const { url, begun, aborted, finish } = await serve();
  const socket = pipeline(url, ["wait", "wait", "quick"]);
  const text = collect(socket);
  await expect.poll(begun).toBe(1);
  finish();
  await expect.poll(begun).toBe(2);
  await expect.poll(() => idsOf(text())).toEqual([0]);
  finish();
  await expect.poll(() => idsOf(text())).toEqual([0, 1, 2]);
  expect(aborted()).toBe(0);
});

test("pipelined requests behind an unfinished call hold no responses, however large they would be (R35)", async () => {
  const { url, begun, aborted, largeBegun } = await serve();
  const socket = pipeline(url, ["wait", ...Array.from({ length: 99 }, () => "large")]);
  await expect.poll(begun).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(largeBegun()).toBe(0);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  await expect.poll(aborted).toBe(1);
  expect([begun(), largeBegun()]).toEqual([1, 0]);
});

test("a pipelined request runs in its own asynchronous context", async () => {
  const contexts = new AsyncLocalStorage<number>();
  const seen: (number | undefined)[] = [];
  const handler = createHttpHandler(defineServer({ name: "s", version: "1", tools: [], onError: () => {} }), {
    authenticate: () => (seen.push(contexts.getStore()), { status: 401 }),
  });
  let count = 0;
  const server = createServer((request, response) => contexts.run((count += 1), () => handler.node(request, response)));
  await startListening(server, { port: 0, host: "127.0.0.1" });
  open.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  pipeline(new URL(`http://127.0.0.1:${portOf(server)}/mcp`), ["a", "b", "c"]);
  await expect.poll(() => seen).toEqual([1, 2, 3]);
});

test("a few pipelined requests get responses in their order", async () => {
  const { url } = await serve();
  const socket = pipeline(
    url,
    Array.from({ length: 50 }, () => "quick"),
  );
  const text = collect(socket);
  await expect.poll(() => idsOf(text())).toEqual(Array.from({ length: 50 }, (_, id) => id));
  expect(socket.destroyed).toBe(false);
});

test.each([1, 5, 100])("%i pipelined requests get responses when their connection is half closed", async (count) => {
  const { url } = await serve();
  const socket = pipeline(
    url,
    Array.from({ length: count }, () => "quick"),
  );
  const text = collect(socket);
  await new Promise((resolve) => socket.end().once("close", resolve));
  expect(idsOf(text())).toEqual(Array.from({ length: count }, (_, id) => id));
});

test.each([
  ["the first of them", ["wait", "quick"], []],
  ["the last of them", ["quick", "quick", "wait"], [0, 1]],
])(
  "%s is cancelled when the connection of pipelined requests is half closed and it has no response",
  async (_, tools, ids) => {
    const { url, begun, aborted } = await serve();
    const socket = pipeline(url, tools);
    const text = collect(socket);
    await new Promise((resolve) => socket.end().once("close", resolve));
    await expect.poll(aborted).toBe(1);
    expect([begun(), idsOf(text())]).toEqual([1, ids]);
  },
);

test("requests of other connections are cancelled when they are half closed, also while one with pipelined requests is", async () => {
  const { url, aborted, begun } = await serve();
  const pipelined = pipeline(url, ["wait", "quick"]);
  const other = pipeline(url, ["wait"]);
  await expect.poll(begun).toBe(2);
  pipelined.end();
  await new Promise((resolve) => other.resume().end().once("close", resolve));
  await expect.poll(aborted).toBe(2);
});

test.each([true, false])(
  "a server that permits half-closed connections (%s) does so after one of them, too",
  async (isOpen) => {
    const handler = createHttpHandler(defineServer({ name: "s", version: "1", tools: [], onError: () => {} }));
    const server = Object.assign(
      createServer((request, response) => handler.node(request, response)),
      { httpAllowHalfOpen: isOpen },
    );
    await startListening(server, { port: 0, host: "127.0.0.1" });
    open.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    const socket = pipeline(new URL(`http://127.0.0.1:${portOf(server)}/mcp`), ["a", "b", "c"]);
    const text = collect(socket);
    await new Promise((resolve) => socket.end().once("close", resolve));
    expect([idsOf(text()), server.httpAllowHalfOpen]).toEqual([[0, 1, 2], isOpen]);
  },
);

test("a connection with too many pipelined requests is closed, and its call cancelled", async () => {
  const { url, begun, aborted } = await serve();
  const socket = pipeline(
    url,
    Array.from({ length: 5_000 }, () => "wait"),
  );
  await new Promise((resolve) => socket.resume().once("close", resolve));
  expect(begun()).toBe(1);
  await expect.poll(aborted).toBe(1);
});

function collect(socket: Socket): () => string {
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  return () => text;
}

function idsOf(text: string): readonly number[] {
  return [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
}
