import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { NodeExchange } from "../../../../runtime/transport/http/node.ts";
import { portOf, startListening } from "../../../../runtime/transport/listening.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Asks over a connection on which nothing is read until it is resumed; gives the answer on the server's side. */
async function ask(size: number): Promise<{ readonly response: ServerResponse; readonly client: Socket }> {
  const server = createServer({ keepAliveTimeout: 0 });
  await startListening(server, { port: 0, host: "127.0.0.1" });
  open.push(() => server.close());
  const client = connect(portOf(server), "127.0.0.1").on("error", () => {});
  open.push(() => client.destroy());
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const response = await new Promise<ServerResponse>((resolve) => {
    server.on("request", (request, answer) => {
      new NodeExchange(request, answer).answer({ status: 200, body: "x".repeat(size) });
      resolve(answer);
    });
  });
  return { response, client };
}

test("a long answer that nobody reads is not held for ever (R25)", async () => {
  const { response } = await ask(32 * 1024 * 1024);
  expect(response.socket?.timeout).toBe(30_000);
  expect(response.listenerCount("timeout")).toBe(1);
  response.socket?.setTimeout(50);
  await expect.poll(() => response.destroyed).toBe(true);
});

test("one that is read slowly arrives, and its connection has its time back", async () => {
  const size = 32 * 1024 * 1024;
  const { response, client } = await ask(size);
  const { socket } = response;
  socket?.setTimeout(200);
  let taken = 0;
  client.on("data", (chunk) => {
    taken += chunk.length;
    client.pause();
    setTimeout(() => client.resume(), 1);
  });
  client.resume();
  await expect.poll(() => taken, { timeout: 10_000 }).toBeGreaterThan(size);
  await expect.poll(() => socket?.timeout).toBe(0);
  expect(socket?.destroyed).toBe(false);
});

test("a short one is watched by nobody", async () => {
  const { response } = await ask(1_000);
  expect(response.listenerCount("timeout")).toBe(0);
});
