import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import { chooseRevisions, toCatalogue } from "../../../../generator/scaffold/layer/catalogue.ts";
import type { Tree } from "../../../../generator/internal/tree.ts";
import { packageRoot } from "../../../../generator/internal/package-info.ts";
import { createProgram } from "../../../program.ts";
import { temporaryFolder } from "../../folder.ts";
import { emitFiles, models } from "../../project.ts";

interface Link {
  exchange(message: { id?: number; method: string; params?: object }): Promise<unknown>;
  end(): Promise<number | null>;
}

interface Links {
  readonly links: Readonly<Record<string, (revision: string) => Promise<Link>>>;
}

function emitFor(protocol: string, transport: string): Promise<Tree> {
  const revisions = chooseRevisions(protocol, toCatalogue(models.models));
  return emitFiles({ revisions, selection: { extras: "none", transport } });
}

const latest = await emitFor("latest", "both,websocket,tcp");

/** The ways to a server that the tests of a new project have, with this program as the server. */
async function linksTo(program: string, project: Tree = latest): Promise<Links["links"]> {
  const folder = temporaryFolder();
  for (const name of ["test", "dist"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "test", "links.ts"), project.get("test/links.ts") ?? "");
  writeFileSync(join(folder, "dist", "server.js"), program);
  const { links }: Links = await import(pathToFileURL(join(folder, "test", "links.ts")).href);
  return links;
}

test("a response that arrives in one chunk with notifications is found over stdio", async () => {
  const links = await linksTo(`
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
    const links = await linksTo(`console.error("no DATABASE_URL"); process.exitCode = 3;`);
    const ask = async (): Promise<unknown> => {
      const link = await links[over]?.("any");
      return link?.exchange({ id: 1, method: "ping" });
    };
    await expect(ask()).rejects.toThrow("the server ended with code 3");
  },
);

test("a stream that begins with an event without data is read over HTTP", async () => {
  const links = await linksTo(`
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
  const links = await linksTo(`
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
  const links = await linksTo(`
    import { createRequire } from "node:module";
    const { WebSocketServer } = createRequire(${JSON.stringify(join(packageRoot, "package.json"))})("ws");
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
  const links = await linksTo(`
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
  const links = await linksTo(`
    import { createServer } from "node:http";
    const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1", () =>
      console.error("http://127.0.0.1:" + server.address().port));`);
  const link = await links.http?.("any");
  Object.defineProperty(process, "platform", { value });
  expect(await link?.end()).toBe(code);
});

test("a project with HTTP and a revision of HTTP with SSE is also tested over HTTP with SSE", async () => {
  const script = await createProgram(new URL("../../../runtime/server/run/run-server.ts", import.meta.url));
  // The program has something else to do, which would keep it alive.
  const end = 'process.once("SIGTERM", () => setTimeout(() => process.exit(0), 100));';
  const program = `await import(${JSON.stringify(pathToFileURL(script).href)}); ${end}`;
  const links = await linksTo(program, await emitFor("2024-11-05", "both"));
  expect(Object.keys(links)).toEqual(["stdio", "http", "sse"]);
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

test.each([
  ["2024-11-05", "stdio"],
  ["2025-03-26", "both"],
] as const)("a project for %s on %s contains no tests of HTTP with SSE", async (protocol, transport) => {
  const project = await emitFor(protocol, transport);
  expect(`${project.get("test/links.ts")}${project.get("test/client.ts")}`).not.toMatch(/sse/i);
});
