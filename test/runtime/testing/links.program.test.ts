import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openHttp, openSse } from "../../../runtime/testing/links/http-links.ts";
import { openStdio, openTcp } from "../../../runtime/testing/links/line-links.ts";
import type { TestLink } from "../../../runtime/testing/links/link.ts";
import { openWebSocket } from "../../../runtime/testing/links/websocket-link.ts";
import { temporaryFolder } from "../../kit/temporary-folders.ts";
import { createProgram } from "../../kit/programs.ts";

/** The ways to a server that tests have, with this program as the server. */
function linksTo(source: string): Readonly<Record<string, (revision: string) => Promise<TestLink>>> {
  const path = join(temporaryFolder(), "server.mjs");
  writeFileSync(path, source);
  const program = { path };
  return {
    stdio: () => openStdio(program),
    http: (revision) => openHttp(program, revision),
    sse: () => openSse(program),
    tcp: () => openTcp(program),
    websocket: () => openWebSocket(program, (url) => new WebSocket(url, "mcp.v1")),
  };
}

test("a response that arrives in one chunk with notifications is found over stdio", async () => {
  const links = linksTo(`
    process.stdin.on("data", () => {
      const lines = [{ method: "notifications/message" }, { method: "notifications/progress" }, { id: 1, result: {} }];
      process.stdout.write(lines.map((line) => JSON.stringify(line) + "\\n").join(""));
    }).on("end", () => process.exit());`);
  const link = await links.stdio?.("any");
  expect(await link?.exchange({ id: 1, method: "ping" })).toEqual({ id: 1, result: {} });
  expect(await link?.end()).toBe(0);
});

test.each(["stdio", "http", "tcp", "websocket"])(
  "a call over %s fails immediately if the server exits without a response",
  async (over) => {
    const links = linksTo(`console.error("no DATABASE_URL"); process.exitCode = 3;`);
    const request = async (): Promise<unknown> => {
      const link = await links[over]?.("any");
      return link?.exchange({ id: 1, method: "ping" });
    };
    await expect(request()).rejects.toThrow("the server ended with code 3");
  },
);

test("a stream that begins with an event without data is read over HTTP", async () => {
  const links = linksTo(`
    import { createServer } from "node:http";
    const events = ["id: 1\\ndata: ", 'data: {"method":"notifications/message"}', 'data: {"id":1,"result":{}}'];
    const server = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).end(events.join("\\n\\n") + "\\n\\n"));
    server.listen(0, "127.0.0.1", () => console.error("http://127.0.0.1:" + server.address().port));
    process.once("SIGTERM", () => process.exit());`);
  const link = await links.http?.("any");
  expect(await link?.exchange({ id: 1, method: "ping" })).toEqual({ id: 1, result: {} });
  expect(await link?.end()).toBe(0);
});

test("a response that arrives in one chunk with a notification is found over TCP", async () => {
  const links = linksTo(`
    import { createServer } from "node:net";
    const lines = [{ method: "notifications/message" }, { id: 1, result: {} }];
    const server = createServer((socket) => socket.once("data", () =>
      socket.write(lines.map((line) => JSON.stringify(line) + "\\n").join(""))));
    server.listen(0, "127.0.0.1", () => console.error("tcp://127.0.0.1:" + server.address().port));
    process.once("SIGTERM", () => process.exit());`);
  const link = await links.tcp?.("any");
  expect(await link?.exchange({ id: 1, method: "ping" })).toEqual({ id: 1, result: {} });
  expect(await link?.end()).toBe(0);
});

test("a response that arrives after a notification is found over WebSocket", async () => {
  const links = linksTo(`
    import { createRequire } from "node:module";
    const { WebSocketServer } = createRequire(${JSON.stringify(import.meta.filename)})("ws");
    const messages = [{ method: "notifications/message" }, { id: 1, result: {} }];
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" }, () =>
      console.error("ws://127.0.0.1:" + server.address().port));
    server.on("connection", (socket) => socket.once("message", () =>
      messages.forEach((message) => socket.send(JSON.stringify(message)))));
    process.once("SIGTERM", () => process.exit());`);
  const link = await links.websocket?.("any");
  expect(await link?.exchange({ id: 1, method: "ping" })).toEqual({ id: 1, result: {} });
  expect(await link?.end()).toBe(0);
});

test("a server is ended even if its health check fails", async () => {
  const folder = temporaryFolder();
  const mark = join(folder, "ended");
  const links = linksTo(`
    import { writeFileSync } from "node:fs";
    import { createServer } from "node:http";
    const server = createServer((_, response) => response.writeHead(500).end()).listen(0, "127.0.0.1", () =>
      console.error("http://127.0.0.1:" + server.address().port));
    process.once("SIGTERM", () => { writeFileSync(${JSON.stringify(mark)}, ""); process.exit(); });`);
  const link = await links.http?.("any");
  await expect(link?.end()).rejects.toThrow("/health returned 500");
  expect(existsSync(mark)).toBe(true);
});

const { platform } = process;
afterEach(() => Object.defineProperty(process, "platform", { value: platform }));

test.each([
  ["win32", "a server over HTTP is terminated without an error", 0],
  ["linux", "a server that does not exit by itself has no exit code", null],
])("the end of a server on %s: %s", async (value, _, code) => {
  const links = linksTo(`
    import { createServer } from "node:http";
    const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1", () =>
      console.error("http://127.0.0.1:" + server.address().port));`);
  const link = await links.http?.("any");
  Object.defineProperty(process, "platform", { value });
  expect(await link?.end()).toBe(code);
});

test("a server of HTTP with SSE responds over the stream", async () => {
  const script = await createProgram(new URL("../server/run/run-server.ts", import.meta.url));
  // The program has something else to do, which would keep it alive.
  const end = 'process.once("SIGTERM", () => setTimeout(() => process.exit(0), 100));';
  const program = `await import(${JSON.stringify(pathToFileURL(script).href)}); ${end}`;
  const links = linksTo(program);
  const link = await links.sse?.("2024-11-05");
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  expect(await link?.exchange({ id: 1, method: "initialize", params })).toMatchObject({
    id: 1,
    result: params.capabilities,
  });
  expect(await link?.exchange({ method: "notifications/initialized" })).toBeUndefined();
  expect(await link?.exchange({ id: 2, method: "tools/list" })).toMatchObject({
    result: { tools: [{ name: "hello" }, { name: "slow" }] },
  });
  expect(await link?.end()).toBe(0);
});
