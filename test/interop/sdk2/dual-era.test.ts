import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Declarations } from "../../../generated/2026-07-28/index.ts";
import { revisions } from "../../../generated/revisions.ts";
import { connect } from "../../../runtime/client/connect.ts";
import { connectClient } from "../../../runtime/client/create-client.ts";
import { createGateway } from "../../../runtime/gateway/gateway.ts";
import { serveGatewayHttp } from "../../../runtime/gateway/serve.ts";
import { forRevisions } from "../../../runtime/server/for-revisions.ts";
import { serveHttp } from "../../../runtime/server/run/serve-http.ts";
import { createHttpClientTransport } from "../../../runtime/transport/http-client/http-client.ts";
import { statelessRevision, newest } from "../../kit/revisions.ts";
import { connectV1, connectV2, type OfficialClient } from "../../kit/official-clients.ts";
import { createSdk2Server, serveSdk2 } from "./server.ts";
import { text } from "../../kit/messages.ts";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function keep(connecting: Promise<OfficialClient>): Promise<OfficialClient> {
  const client = await connecting;
  open.push(() => client.close());
  return client;
}

async function serve(): Promise<string> {
  const { defineServer, defineTool } = forRevisions<Declarations>(revisions);
  const ask = defineTool({
    name: "ask",
    async execute(_args, { elicit, sample, roots, progress }) {
      await progress(1, 2);
      const [{ content }, sampled, folders] = await Promise.all([
        elicit("Who?", z.object({ name: z.enum(["me", "you"]) })),
        sample("6 * 7?"),
        roots(),
      ]);
      return JSON.stringify([content, sampled, folders]);
    },
  });
  const echo = defineTool({ name: "echo", execute: (_args, { revision }) => revision });
  const listener = await serveHttp(defineServer({ name: "ours", version: "1", tools: [ask, echo] }), { sse: {} });
  open.push(() => listener.close());
  return listener.url;
}

const expected = JSON.stringify([{ name: "me" }, "42", [{ uri: "file:///home" }]]);

async function exercise(client: OfficialClient, revision: string): Promise<void> {
  expect(client.revision).toBe(revision);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["ask", "echo"]);
  for (let i = 0; i < 3; i += 1) {
    expect(await client.call("echo")).toMatchObject(text(revision));
    expect(await client.call("ask")).toMatchObject(text(expected));
  }
}

test("official clients of both generations use one endpoint of ours at the same time, with and without sessions", async () => {
  const url = await serve();
  const place = { kind: "http", url } as const;
  const [first, second, third] = await Promise.all([
    keep(connectV1(place)),
    keep(connectV2(place, "auto")),
    keep(connectV2(place)),
  ]);
  await Promise.all([exercise(first, newest.id), exercise(second, statelessRevision.id), exercise(third, newest.id)]);
});

test.each(["legacy", "auto"] as const)(
  "an official client of the second generation uses ours over HTTP with SSE in the mode %s",
  async (mode) => {
    const url = await serve();
    const client = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new SSEClientTransport(new URL("/sse", url)));
    open.push(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["ask", "echo"]);
    expect(await client.callTool({ name: "echo" })).toMatchObject(text(client.getNegotiatedProtocolVersion() ?? ""));
  },
);

describe("the official server of the second generation without sessions", () => {
  const handler = createMcpHandler(() => createSdk2Server());
  const fetchInProcess = (url: string | URL, init: RequestInit): Promise<Response> =>
    handler.fetch(new Request(url, init));

  test("the official server without sessions serves our client", async () => {
    const session = await connectClient<Declarations>(
      (options) => connect(createHttpClientTransport("http://localhost/mcp", { fetch: fetchInProcess }), options),
      { info: { name: "ours", version: "1" }, revisions },
    );
    open.push(() => session.close());
    expect(session.revision).toBe(statelessRevision);
    expect((await session.listTools()).map(({ name }) => name)).toContain("echo");
    expect(await session.callTool("echo", { text: "ä€😀\u2028\n" })).toMatchObject(text("ä€😀\u2028\n"));
    expect(await session.callTool("sum", { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await session.readResource("test://a")).toMatchObject({ contents: [{ text: "text of a" }] });
    await expect(session.readResource("test://none")).rejects.toMatchObject({ name: "PeerError", code: -32602 });
    expect(await session.getPrompt("greet", { whom: "you" })).toMatchObject({
      messages: [{ content: { text: "Hello you" } }],
    });
    const seen: number[] = [];
    await session.callTool("progress", {}, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });
});

test("official clients of both generations use a server of handshakes through our gateway at the same time", async () => {
  const official = await serveSdk2();
  const gateway = await createGateway({ kind: "url", url: official.url }, { revisions });
  const listener = await serveGatewayHttp(gateway);
  const place = { kind: "http", url: listener.url } as const;
  const [first, second] = await Promise.all([keep(connectV1(place)), keep(connectV2(place, "auto"))]);
  expect([first.revision, second.revision]).toEqual([newest.id, statelessRevision.id]);
  for (const client of [first, second]) {
    expect(await client.call("sum", { a: 1, b: 2 })).toMatchObject(text("3"));
    expect(await client.call("sample")).toMatchObject(text('{"type":"text","text":"42"}'));
  }
  open.unshift(
    () => official.close(),
    () => gateway.close(),
    () => listener.close(),
  );
});
