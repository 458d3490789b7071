import { createServer as createHttpServer } from "node:http";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { revisions } from "../../../../generated/revisions.ts";
import { requireBearerToken, type Guard } from "../../../../runtime/auth/server/index.ts";
import { createHttpHandler, toHttpService } from "../../../../runtime/server/run/http-handler.ts";
import { serve } from "../../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { listenHttp } from "../../../../runtime/transport/http-server/listen.ts";
import { serveWebSocket } from "../../../../runtime/transport/websocket/ws-package.ts";
import { initialized, meta, request } from "../../../kit/messages.ts";
import { acceptBoth, call, initialize } from "../../../kit/http-exchange.ts";
import { until } from "../../../kit/time.ts";

/* A token ends while a stream is open that it has opened. */

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const issuer = "https://issuer.example";
const resource = "http://127.0.0.1:3000/mcp";

/** Accepts any token, as one that lasts as many seconds as it says. */
const guard = requireBearerToken({
  resource,
  issuer,
  clockSkew: 0,
  verify: (token) => ({ iss: issuer, aud: resource, sub: "alice", exp: Date.now() / 1_000 + Number(token) }),
});

const lasting = { authorization: "Bearer 480", accept: acceptBoth, "content-type": "application/json" };
const ending = { ...lasting, authorization: "Bearer 300" };

interface Target {
  readonly clock: ManualClock;
  /** Calls of `wait` that were aborted. */
  readonly aborted: string[];
  send(headers: Readonly<Record<string, string>>, body?: object, path?: string): Promise<Response>;
}

function createWaiting(aborted: string[]) {
  const release: (() => void)[] = [];
  const server = createServer(
    {
      name: "waiting",
      version: "1",
      tools: [
        {
          name: "wait",
          async execute(_args, { signal, progress }) {
            signal.addEventListener("abort", () => aborted.push("wait"));
            await progress(1);
            await new Promise<void>((resolve) => release.push(resolve));
            return "done";
          },
        },
      ],
      onError: () => {},
    },
    revisions,
  );
  ends.push(() => release.forEach((run) => run()));
  return { server, release: () => release.forEach((run) => run()) };
}

async function start(platform: "node" | "fetch"): Promise<Target & { release(): void }> {
  const clock = new ManualClock();
  const aborted: string[] = [];
  const { server, release } = createWaiting(aborted);
  const options = { authenticate: guard, clock, sse: { handshakeTimeout: Infinity } };
  const target = { clock, aborted, release };
  const init = (headers: Readonly<Record<string, string>>, body: object | undefined): RequestInit =>
    body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  if (platform === "fetch") {
    const handler = createHttpHandler(server, { ...options, allowedHosts: ["localhost"] });
    ends.push(() => handler.close());
    const send: Target["send"] = (headers, body, path = "/mcp") =>
      handler.fetch(new Request(new URL(path, "http://localhost"), init(headers, body)));
    return { ...target, send };
  }
  const { url, close } = await listenHttp(toHttpService(server, options), { ...options, closeTimeout: 50 });
  ends.push(close);
  return { ...target, send: (headers, body, path = "/mcp") => fetch(new URL(path, url), init(headers, body)) };
}

type Started = Awaited<ReturnType<typeof start>>;
type Fields = Readonly<Record<string, string>>;

async function openSession({ send }: Started, fields: Fields): Promise<Fields> {
  const opened = await send(fields, initialize("2025-11-25"));
  await opened.text();
  const session = { ...fields, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  await (await send(session, initialized)).text();
  return session;
}

const token = { progressToken: 1 };
const toHeaders = (method: string, name = ""): Fields => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(name !== "" && { "mcp-name": name }),
});

/** Every kind of stream that a client can open. */
const streams: Readonly<Record<string, (target: Started, fields: Fields) => Promise<Response>>> = {
  "the stream of a session": async (target, fields) =>
    target.send({ ...(await openSession(target, fields)), accept: "text/event-stream" }),
  "the response to a call in a session": async (target, fields) =>
    target.send(await openSession(target, fields), call(1, "wait", {}, token)),
  "the response to a stateless call": (target, fields) =>
    target.send(
      { ...fields, ...toHeaders("tools/call", "wait") },
      request(1, "tools/call", { name: "wait" }, { ...token, [meta.capabilities]: {} }),
    ),
  "news that a client listens for": (target, fields) =>
    target.send(
      { ...fields, ...toHeaders("subscriptions/listen") },
      request(1, "subscriptions/listen", { notifications: { toolsListChanged: true } }),
    ),
  "the stream of HTTP with SSE": (target, fields) =>
    target.send({ ...fields, accept: "text/event-stream" }, undefined, "/sse"),
};

/** Reads a stream, and tells whether it has ended. */
function read(response: Response): { readonly isEnded: () => boolean; readonly text: () => string } {
  let isEnded = false;
  let text = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
    isEnded = true;
  })().catch(() => (isEnded = true));
  return { isEnded: () => isEnded, text: () => text };
}

describe.each(["node", "fetch"] as const)("on the platform %s", (platform) => {
  test.each(Object.keys(streams))("%s ends with the token that opened it, and not before", async (name) => {
    const target = await start(platform);
    const open = streams[name];
    if (!open) throw new Error(name);
    const [short, long] = [await open(target, ending), await open(target, lasting)];
    expect([short.status, long.status]).toEqual([200, 200]);
    const [cut, kept] = [read(short), read(long)];
    target.clock.advance(240_000);
    expect(cut.isEnded()).toBe(false);
    target.clock.advance(120_000);
    await until(cut.isEnded, "the end of the stream");
    expect(kept.isEnded()).toBe(false);
  });
});

test("a stateless call is aborted with its stream; one in a session continues, and responds to a newer token", async () => {
  const target = await start("node");
  const single = streams["the response to a stateless call"];
  read(await (single ?? expect.unreachable())(target, ending));
  const session = await openSession(target, ending);
  const cut = read(await target.send(session, call(1, "wait", {}, token)));
  await until(() => cut.text().includes("progress"), "the first event");
  target.clock.advance(360_000);
  await until(cut.isEnded, "the end of the stream");
  await until(() => target.aborted.length > 0, "the abort");
  expect(target.aborted).toEqual(["wait"]);
  const [, id = ""] = [...cut.text().matchAll(/^id: (.+)$/gm)].at(-1) ?? [];
  target.release();
  const again = await target.send({ ...session, ...lasting, accept: "text/event-stream", "last-event-id": id });
  const rest = read(again);
  await until(() => rest.text().includes("done"), "the response");
});

describe("a WebSocket", () => {
  async function listen(authenticate: Guard): Promise<string> {
    const http = createHttpServer();
    const { server } = createWaiting([]);
    const sockets = serveWebSocket(http, { authenticate, accept: (transport) => serve(server, transport) });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    ends.push(async () => {
      await sockets.close();
      http.close();
    });
    const address = http.address();
    return `ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
  }

  const connect = (url: string, headers: Fields): WebSocket => {
    const socket = new WebSocket(url, ["mcp.v1"], { headers });
    ends.push(() => socket.terminate());
    return socket;
  };

  test("a WebSocket is opened by a token, and a client without one gets the challenge", async () => {
    const url = await listen(guard);
    const rejected = connect(url, {});
    rejected.on("error", () => {});
    const [, response] = await once(rejected, "unexpected-response");
    expect(response.statusCode).toBe(401);
    expect(response.headers["www-authenticate"]).toMatch(/^Bearer resource_metadata="http/);
    await once(connect(url, { authorization: "Bearer 300" }), "open");
  });

  test("a WebSocket ends with its token", async () => {
    const url = await listen(guard);
    const [code] = await once(connect(url, { authorization: "Bearer 0.3" }), "close");
    expect(code).toBe(1008);
  });

  test("a WebSocket server gets the headers of its response in any case", async () => {
    const url = await listen({
      authenticate(head, reply) {
        reply.addFields({ "dpop-nonce": "n1" });
        return head.header("authorization") ? { principal: "alice" } : { status: 401, body: "no" };
      },
    });
    const rejected = connect(url, {});
    rejected.on("error", () => {});
    const [, no] = await once(rejected, "unexpected-response");
    expect([no.statusCode, no.headers["dpop-nonce"], no.headers["content-length"]]).toEqual([401, "n1", "2"]);
    const [yes] = await once(connect(url, { authorization: "x" }), "upgrade");
    expect(yes.headers["dpop-nonce"]).toBe("n1");
  });
});
