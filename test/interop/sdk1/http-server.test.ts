import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpOrigin } from "../../../runtime/transport/http-server/identity.ts";
import { requestRoots, changed, start, type Rig, type Tool } from "../../kit/http-server.ts";

let rig: Rig;

const tools: Record<string, Tool> = {
  echo: (_, args) => args.text,
  count: async (context) => {
    for (let progress = 1; progress <= 3; progress += 1) await context.progress({ progress, total: 3 });
    // The official SSE client loses progress that arrives in one chunk with the result.
    await delay(150);
    return "counted";
  },
  roots: async (context) => JSON.stringify(await requestRoots(context)),
  reconnect: async (context) => {
    const { origin } = context;
    const released = isHttpOrigin(origin) && origin.releaseConnection();
    await delay(50);
    return released;
  },
};

beforeAll(async () => {
  rig = await start(tools, {
    sse: {},
    retry: 20,
  });
});

afterAll(() => rig.close());

const kinds = {
  "Streamable HTTP": () => new StreamableHTTPClientTransport(new URL(rig.url)),
  "HTTP with SSE": () => new SSEClientTransport(new URL("/sse", rig.url)),
} as const;

async function connect(kind: keyof typeof kinds): Promise<Client> {
  const client = new Client({ name: "official", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///official" }] }));
  await client.connect(kinds[kind]());
  return client;
}

function textOf(result: object): unknown {
  const content: unknown = Reflect.get(result, "content");
  return Array.isArray(content) ? Reflect.get(Object(content[0]), "text") : undefined;
}

function isHttpOrigin(value: unknown): value is HttpOrigin {
  return typeof value === "object" && value !== null && "releaseConnection" in value;
}

describe.each(["Streamable HTTP", "HTTP with SSE"] as const)("the official client over %s", (kind) => {
  it("the official client calls a tool, responds to its requests, and receives progress", async () => {
    const client = await connect(kind);
    expect(textOf(await client.callTool({ name: "echo", arguments: { text: "hello" } }))).toBe("hello");
    const progress: number[] = [];
    const onprogress = (report: { progress: number }): void => void progress.push(report.progress);
    expect(textOf(await client.callTool({ name: "count" }, undefined, { onprogress }))).toBe("counted");
    expect(progress).toEqual([1, 2, 3]);
    expect(textOf(await client.callTool({ name: "roots" }))).toBe('{"roots":[{"uri":"file:///official"}]}');
    await client.close();
  });

  it("the official client receives notifications without a call", async () => {
    const client = await connect(kind);
    let received = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (received += 1));
    // It opens its stream in its own time, and what is told before reaches nobody.
    const announce = async (): Promise<number> => {
      for (const { connection } of rig.listener.handler.sessions.values()) await changed(connection);
      return received;
    };
    await expect.poll(announce).toBeGreaterThan(0);
    await client.close();
  });
});

describe("the official client over Streamable HTTP", () => {
  it("the official client resumes a call whose connection was closed (T-40)", async () => {
    const client = await connect("Streamable HTTP");
    expect(textOf(await client.callTool({ name: "reconnect" }))).toBe("true");
    await client.close();
  });

  it("the official client ends its session", async () => {
    const transport = new StreamableHTTPClientTransport(new URL(rig.url));
    const client = new Client({ name: "official", version: "1" });
    await client.connect(transport);
    const id = String(transport.sessionId);
    expect(rig.listener.handler.sessions.has(id)).toBe(true);
    await transport.terminateSession();
    expect(rig.listener.handler.sessions.has(id)).toBe(false);
    await client.close();
  });
});
