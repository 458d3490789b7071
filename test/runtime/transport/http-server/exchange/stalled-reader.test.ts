import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { keepAliveComment } from "../../../../../runtime/framing/sse-events.ts";
import type { EventWriter } from "../../../../../runtime/transport/http-server/exchange/exchange.ts";
import { NodeExchange } from "../../../../../runtime/transport/http-server/exchange/node-exchange.ts";
import { checkInterval, readerTimeout } from "../../../../../runtime/transport/http-server/exchange/stalled-reader.ts";
import { TurnBatcher } from "../../../../../runtime/transport/http-server/exchange/turn-batcher.ts";
import { portOf, startListening } from "../../../../../runtime/transport/listening.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface OpenedExchange {
  readonly response: ServerResponse;
  readonly client: Socket;
}

/** Sends a request over a connection on which nothing is read until it is resumed; returns the response on the server's side. */
function openOfSize(size: number): Promise<OpenedExchange> {
  return openWith((exchange) => exchange.respond({ status: 200, body: "x".repeat(size) }));
}

async function openWith(respond: (exchange: NodeExchange) => void): Promise<OpenedExchange> {
  const server = createServer({ keepAliveTimeout: 0 });
  await startListening(server, { port: 0, host: "127.0.0.1" });
  open.push(() => server.close());
  const client = connect(portOf(server), "127.0.0.1").on("error", () => {});
  open.push(() => client.destroy());
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const response = await new Promise<ServerResponse>((resolve) => {
    server.on("request", (request, response) => {
      respond(new NodeExchange(request, response, new TurnBatcher()));
      resolve(response);
    });
  });
  return { response, client };
}

test("a long response without a reader is not held forever (R25)", async () => {
  const { response } = await openOfSize(32 * 1024 * 1024);
  expect(response.socket?.timeout).toBe(checkInterval);
  expect(response.listenerCount("timeout")).toBe(1);
  response.socket?.setTimeout(50);
  await expect.poll(() => response.destroyed).toBe(true);
});

test("a stalled client is disconnected after the configured time (R25)", async () => {
  const { response } = await openOfSize(32 * 1024 * 1024);
  const interval = 100;
  const began = performance.now();
  response.socket?.setTimeout(interval);
  await expect.poll(() => response.destroyed, { interval: 5 }).toBe(true);
  const intervals = (performance.now() - began) / interval;
  expect(readerTimeout / checkInterval).toBe(6);
  expect(intervals).toBeGreaterThan(5.9);
});

test("a stalled client is disconnected after six checks, and not before (R25)", async () => {
  const { response } = await openOfSize(32 * 1024 * 1024);
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  open.push(() => clock.mockRestore());
  const check = (): void => {
    now += checkInterval;
    response.emit("timeout");
  };
  for (let checks = 1; checks < readerTimeout / checkInterval; checks += 1) check();
  expect(response.destroyed).toBe(false);
  check();
  expect(response.destroyed).toBe(true);
});

test("a client that reads from time to time keeps its response", async () => {
  const { response, client } = await openOfSize(64 * 1024 * 1024);
  response.socket?.setTimeout(100);
  let taken = 0;
  client.on("data", (chunk) => {
    taken += chunk.length;
    if (taken < 2 * 1024 * 1024) return;
    taken = 0;
    client.pause();
  });
  const reading = setInterval(() => client.resume(), 200);
  open.push(() => clearInterval(reading));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(response.destroyed).toBe(false);
  expect(response.writableFinished).toBe(false);
});

test("a response that is read slowly arrives, and resets the time-out of its connection", async () => {
  const size = 32 * 1024 * 1024;
  const { response, client } = await openOfSize(size);
  const { socket } = response;
  socket?.setTimeout(200);
  let taken = 0;
  client.on("data", (chunk) => {
    taken += chunk.length;
    client.pause();
    setTimeout(() => client.resume(), 1);
  });
  client.resume();
  await expect.poll(() => taken).toBeGreaterThan(size);
  await expect.poll(() => socket?.timeout).toBe(0);
  expect(socket?.destroyed).toBe(false);
});

test("a short response has no check", async () => {
  const { response } = await openOfSize(1_000);
  expect(response.listenerCount("timeout")).toBe(0);
});

/** Asks for a stream, and gives what writes to it. */
async function openStream(): Promise<OpenedExchange & { readonly writer: EventWriter }> {
  let writer: EventWriter | undefined;
  const opened = await openWith((exchange) => (writer = exchange.stream({})));
  if (!writer) throw new Error("There is no stream");
  return { ...opened, writer };
}

test("a stalled stream is closed, however little is buffered (R40)", async () => {
  const { response, writer } = await openStream();
  let isClosed = false;
  writer.onClose(() => (isClosed = true));
  while (writer.waiting === 0) {
    writer.write("x".repeat(100_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(writer.waiting).toBeLessThan(8 * 1024 * 1024);
  writer.write(keepAliveComment);
  expect(response.socket?.timeout).toBe(checkInterval);
  response.socket?.setTimeout(100);
  // Comments that are to show a dead reader must not keep the connection to one.
  const comments = setInterval(() => writer.write(keepAliveComment), 20);
  open.push(() => clearInterval(comments));
  await expect.poll(() => isClosed).toBe(true);
});

test("a stalled stream that has ended is closed", async () => {
  const { response, writer } = await openStream();
  writer.write("x".repeat(32 * 1024 * 1024));
  await new Promise((resolve) => setTimeout(resolve, 20));
  writer.end();
  response.socket?.setTimeout(50);
  await expect.poll(() => response.destroyed).toBe(true);
});

test("a stream with a reader may be idle without limit", async () => {
  const { response, client, writer } = await openStream();
  client.resume();
  writer.write("x".repeat(8 * 1024 * 1024));
  writer.write(keepAliveComment);
  await expect.poll(() => writer.waiting).toBe(0);
  response.socket?.setTimeout(20);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(response.destroyed).toBe(false);
  const more = new Promise((resolve) => client.once("data", resolve));
  writer.write("more");
  await more;
});
