import { connect as connectSocket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../../runtime/client/connect.ts";
import {
  createWsTransport,
  listenWebSocket,
  type WsListener,
  type WsListenOptions,
} from "../../../../runtime/transport/websocket/index.ts";
import { newest } from "../../../kit/revisions.ts";
import { createSuiteServer } from "../transport.suite-server.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listen(options: Partial<WsListenOptions> = {}): Promise<WsListener> {
  const listener = await listenWebSocket({ accept: createSuiteServer(), ...options });
  open.push(() => listener.close());
  return listener;
}

async function connectTo(url: string): Promise<ClientConnection> {
  const client = await connect(createWsTransport(url), { info: { name: "c", version: "1" }, revisions: [newest] });
  open.push(() => client.close());
  return client;
}

const toHttp = (url: string): string => url.replace(/^ws/, "http");

describe("a server of WebSockets only", () => {
  test("a WebSocket server serves clients at its address", async () => {
    const { url } = await listen();
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const client = await connectTo(url);
    expect(await client.request("ping")).toEqual({});
  });

  test("a WebSocket server responds with 426 to other requests, and with 404 to upgrades of other paths", async () => {
    const { url } = await listen();
    const response = await fetch(toHttp(url));
    expect([response.status, response.headers.get("upgrade")]).toEqual([426, "websocket"]);
    await expect(connectTo(url.replace("/mcp", "/other"))).rejects.toThrow(
      expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringMatching(/404/) }) }),
    );
  });

  test("a WebSocket server publishes the metadata of its guard", async () => {
    const documents = new Map([["/.well-known/a", { status: 200, headers: { "x-a": "b" }, body: "{}" }]]);
    const { url } = await listen({ authenticate: { authenticate: () => ({ status: 401 }), documents } });
    const response = await fetch(new URL("/.well-known/a", toHttp(url)));
    expect([response.status, response.headers.get("x-a"), await response.text()]).toEqual([200, "b", "{}"]);
  });

  test("a WebSocket server closes every connection when it closes, also idle ones", async () => {
    const { url, close } = await listen();
    const client = await connectTo(url);
    const silent = connectSocket({ port: Number(new URL(url).port), host: "127.0.0.1" });
    const ended = new Promise<void>((resolve) => silent.on("error", () => {}).once("close", () => resolve()));
    await new Promise<void>((resolve) => silent.once("connect", () => resolve()));
    await close();
    await Promise.all([client.closed, ended]);
    await expect(connectTo(url)).rejects.toThrow();
  });

  test("a WebSocket server that closes accepts nothing more, and responds to running requests (R27)", async () => {
    const { url, close } = await listen();
    const client = await connectTo(url);
    const result = client.request("tools/call", { name: "later", arguments: { n: 100, text: "done" } });
    await client.request("ping");
    const closed = close();
    await expect(connectTo(url)).rejects.toThrow();
    expect(await result).toMatchObject({ content: [{ text: "done" }] });
    await closed;
  });

  test("a WebSocket server listens beyond loopback only with `hosts`", async () => {
    await expect(listen({ host: "0.0.0.0" })).rejects.toThrow(/is reachable from other machines; set allowedHosts/);
    const { url } = await listen({ host: "0.0.0.0", allowedHosts: ["127.0.0.1"] });
    const client = await connectTo(url.replace("0.0.0.0", "127.0.0.1"));
    expect(await client.request("ping")).toEqual({});
  });

  test("a WebSocket server reports that the port is in use", async () => {
    const { url } = await listen();
    await expect(listen({ port: Number(new URL(url).port) })).rejects.toThrow(/the address is in use/);
  });
});
