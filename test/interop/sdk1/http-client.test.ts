import { afterEach, describe, expect, test } from "vitest";
import { connect, type ClientConnection } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import {
  createHttpClientTransport,
  type HttpClientOptions,
} from "../../../runtime/transport/http-client/http-client.ts";
import { createSseClientTransport } from "../../../runtime/transport/http-sse/http-sse-client.ts";
import { handshakeRevisions, newest } from "../../kit/revisions.ts";
import { serveSdk, serveSdkSse, type SdkHttpServer, type SdkOptions } from "./http-server.ts";
import type { Revision } from "../../../generated/support.ts";
import { text } from "../../kit/messages.ts";

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(server: Promise<SdkHttpServer>): Promise<SdkHttpServer> {
  const started = await server;
  open.push(() => started.close());
  return started;
}

const client = (revision: Revision, handlers: object = {}) => ({
  info: { name: "c", version: "1" },
  revisions: [revision],
  capabilities: { sampling: {} },
  handlers: {
    createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "sampled" } }),
    ...handlers,
  },
});

async function openSdk(
  options: SdkOptions & {
    readonly revision?: Revision;
    readonly handlers?: object;
    readonly http?: HttpClientOptions;
  } = {},
): Promise<{ readonly server: SdkHttpServer; readonly connection: ClientConnection }> {
  const server = await start(serveSdk(options));
  const transport = createHttpClientTransport(server.url, options.http);
  const connection = await connect(transport, client(options.revision ?? newest, options.handlers));
  open.push(() => connection.close());
  return { server, connection };
}

async function exercise(connection: ClientConnection): Promise<void> {
  expect(await connection.request("tools/list", {})).toMatchObject({ tools: [{ name: "echo" }] });
  expect(await connection.request("tools/call", { name: "echo", arguments: { text: "ä€😀" } })).toMatchObject(
    text("ä€😀"),
  );
  expect(await connection.request("ping")).toEqual({});
  const seen: number[] = [];
  const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress);
  await connection.request("tools/call", { name: "progress" }, { onProgress });
  expect(seen).toEqual([1, 2, 3]);
  expect(await connection.request("tools/call", { name: "sample" })).toMatchObject(text("sampled"));
  const stop = new AbortController();
  const hanging = connection.request("tools/call", { name: "hang" }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 30);
  await expect(hanging).rejects.toThrow("enough");
  expect(await connection.request("ping")).toEqual({});
}

describe.each(handshakeRevisions)("at $id", (revision) => {
  test("our client calls the SDK's Streamable HTTP server, and ends its session (T-52, T-56)", async () => {
    const { server, connection } = await openSdk({ revision });
    expect(connection.revision).toBe(revision);
    await exercise(connection);
    expect(server.sessions.size).toBe(1);
    await connection.close();
    expect(server.log.at(-1)).toBe("DELETE");
    expect(server.sessions.size).toBe(0);
  });

  test("our client calls the SDK's HTTP+SSE server", async () => {
    const server = await start(serveSdkSse());
    const connection = await connect(createSseClientTransport(server.url), client(revision));
    await exercise(connection);
    await connection.close();
    expect(await connection.closed).toBeUndefined();
  });

  test("a client without knowledge of the server's era finds HTTP+SSE (4.10)", async () => {
    const server = await start(serveSdkSse());
    const connection = await connectHttp(server.url, client(revision));
    expect(await connection.request("ping")).toEqual({});
    expect(server.log.slice(0, 2)).toEqual(["POST /mcp", "GET /mcp"]);
    await connection.close();
  });
});

test("an SDK server responds with JSON", async () => {
  const { connection } = await openSdk({ json: true });
  expect(await connection.request("tools/call", { name: "echo", arguments: { text: "x" } })).toMatchObject(text("x"));
});

test("an SDK server without sessions gets neither session header nor DELETE, and its 405 to GET is final (T-34)", async () => {
  const { server, connection } = await openSdk({ stateless: true });
  expect(await connection.request("tools/list", {})).toMatchObject({ tools: [{ name: "echo" }] });
  await connection.close();
  expect(server.log.filter((line) => line === "GET")).toHaveLength(1);
  expect(server.log).not.toContain("DELETE");
});

test("a stream that the SDK server closes in the middle of a call is polled to its end (T-40, T-44)", async () => {
  const { server, connection } = await openSdk({ events: true, http: { listen: false } });
  expect(await connection.request("tools/call", { name: "reconnect" })).toMatchObject(text("after the cut"));
  expect(server.log.filter((line) => line === "GET").length).toBeGreaterThan(0);
});

test("messages of the SDK server without a request come on the GET stream (T-35)", async () => {
  let changes = 0;
  const { server, connection } = await openSdk({ handlers: { toolListChanged: () => void (changes += 1) } });
  await expect.poll(() => server.log).toContain("GET");
  await connection.request("tools/call", { name: "announce" });
  await expect.poll(() => changes).toBe(1);
});

test("a session that the SDK server has forgotten is replaced and the call repeated (T-55)", async () => {
  const { server, connection } = await openSdk();
  await server.forget();
  expect(await connection.request("tools/call", { name: "echo", arguments: { text: "again" } })).toMatchObject(
    text("again"),
  );
  expect(server.sessions.size).toBe(1);
});
