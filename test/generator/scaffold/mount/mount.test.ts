import { once } from "node:events";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Client as ClientOfV2, StreamableHTTPClientTransport as HttpOfV2 } from "@modelcontextprotocol/client";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpOfV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTemporaryFolder } from "../../../kit/temporary-folders.ts";
import { connectV1, connectV2 } from "../../../kit/official-clients.ts";
import { send as sendRequest } from "../../../kit/http-exchange.ts";
import { emitFiles, linkPackages, writeFiles } from "../../../kit/projects.ts";
import { serveRaw, type Running } from "../../../kit/raw-server.ts";

/* The applications of new projects, with the real frameworks. Next.js is too large to be installed here: its route is called with requests as Next.js does. */

async function emitApp(mount: string): Promise<string> {
  const folder = await createTemporaryFolder(`mount-${mount}`);
  const files = await emitFiles({ selection: { mount, features: "tools", extras: "none" } });
  writeFiles(
    folder,
    [...files].filter(([path]) => path.startsWith("src/") || path === "package.json"),
  );
  linkPackages(folder);
  return folder;
}

/** Functions that start the application of a project, as its `src/server.ts` does. */
const starts: { readonly [name: string]: (folder: string) => Promise<Running> } = {
  async express(folder) {
    const { app } = await import(join(folder, "src/app.ts"));
    const { handler } = await import(join(folder, "src/handler.ts"));
    const { url, close } = await serveRaw(app);
    return { url, close: () => handler.close().then(close) };
  },
  async "express behind a body parser"() {
    const folder = await emitApp("express");
    const { handler, mcp, paths } = await import(join(folder, "src/handler.ts"));
    const { url, close } = await serveRaw(express().use(express.json()).all(paths, mcp));
    return { url, close: () => handler.close().then(close) };
  },
  async fastify(folder) {
    const { app } = await import(join(folder, "src/app.ts"));
    const url: string = await app.listen({ port: 0, host: "127.0.0.1" });
    return { url: `${url}/mcp`, close: () => app.close() };
  },
  async hono(folder) {
    const { app } = await import(join(folder, "src/app.ts"));
    const { handler } = await import(join(folder, "src/handler.ts"));
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
    return { url: `http://127.0.0.1:${port}/mcp`, close: () => handler.close().then(close) };
  },
};

const result = { content: [{ type: "text", text: '{"words":2,"characters":9}' }] };
const args = { text: "two words" };

describe.each(Object.keys(starts))("a server in an application of %s", (name) => {
  let app: Running;

  beforeAll(async () => {
    const [mount = ""] = name.split(" ");
    app = (await starts[name]?.(name === mount ? await emitApp(mount) : "")) ?? expect.unreachable();
  });

  afterAll(() => app.close());

  test.each([
    ["the official client of the first generation", connectV1, "2025-11-25"],
    [
      "the official client of the second generation",
      (place: Parameters<typeof connectV2>[0]) => connectV2(place, "auto"),
      "2026-07-28",
    ],
  ])("serves %s", async (_who, connect, revision) => {
    const client = await connect({ kind: "http", url: app.url });
    expect(client.revision).toBe(revision);
    expect(await client.call("measure_text", args)).toMatchObject(result);
    await client.close();
  });

  test.each([
    ["a foreign host (R31)", { host: "evil.example" }, "{}", 403],
    ["a foreign page (R31)", { origin: "https://evil.example" }, "{}", 403],
    ["a body that is no message", {}, '{"a":1}', 400],
    ["a type that is not JSON", { "content-type": "text/plain" }, "{}", 415],
  ])("rejects %s", async (_what, headers, body, status) => {
    expect((await sendRequest(app.url, undefined, { headers, body })).status).toBe(status);
  });
});

describe("a server in an application of Next.js", () => {
  let route: { readonly [method: string]: (request: Request) => Promise<Response> };
  // Next.js puts the address that it listens on into the URL.
  const url = new URL("http://127.0.0.1:3000/mcp");
  const send = (input: string | URL, init?: RequestInit): Promise<Response> => {
    const sent = new Request(input, init);
    return route[sent.method]?.(sent) ?? Promise.resolve(new Response(null, { status: 405 }));
  };

  beforeAll(async () => {
    const folder = await emitApp("next");
    route = await import(join(folder, "src/app/mcp/route.ts"));
  });

  test("has no settings of the segment, which Cache Components reject", () => {
    expect(Object.keys(route).sort()).toEqual(["DELETE", "GET", "OPTIONS", "POST"]);
  });

  test("serves the official clients of both generations", async () => {
    const first = new ClientOfV1({ name: "test", version: "1" });
    await first.connect(new HttpOfV1(url, { fetch: send }));
    expect(await first.callTool({ name: "measure_text", arguments: args })).toMatchObject(result);
    await first.close();
    const second = new ClientOfV2({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await second.connect(new HttpOfV2(url, { fetch: send }));
    expect(second.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(await second.callTool({ name: "measure_text", arguments: args })).toMatchObject(result);
    await second.close();
  });

  test.each([
    [{ host: "evil.example" }, 403],
    [{ host: "localhost:3000", origin: "https://evil.example" }, 403],
    [{ host: "localhost:3000" }, 400],
  ])("checks the Host line and the origin: %j", async (headers, status) => {
    const all = { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers };
    expect((await send(url, { method: "POST", headers: all, body: '{"a":1}' })).status).toBe(status);
  });
});
