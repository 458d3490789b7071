import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { CallContext } from "../../../../runtime/protocol/peer/incoming-call.ts";
import type { ListenOptions } from "../../../../runtime/transport/http-server/listen.ts";
import type { Authenticate } from "../../../../runtime/transport/http-server/identity.ts";
import { request as toAlone } from "../../../kit/messages.ts";
import { acceptBoth, call, codeOf, initialize, textOf } from "../../../kit/http-exchange.ts";
import { log, start, type Rig, type Tool } from "../../../kit/http-server.ts";
import { until } from "../../../kit/time.ts";

/*
 * What was published about the official SDKs, one test or more each: the same attack on servers as they are by default (R67). Templates that
 * backtrack (CVE-2026-0621) are in test/runtime/server/resources/uri-template/uri-template.test.ts, upgrades to WebSocket in websocket.test.ts.
 */

let rig: Rig | undefined;
let touched = 0;
let release: (() => void)[] = [];

afterEach(async () => {
  for (const open of release.splice(0)) open();
  await rig?.close();
  rig = undefined;
  touched = 0;
  release = [];
});

const tools: Readonly<Record<string, Tool>> = {
  touch: () => (touched += 1),
  echo: (_context, { text }) => text,
  /** Logs a message, and returns when a test lets it. */
  hold: async (context: CallContext, { text }) => {
    await log(context, text);
    await new Promise<void>((resolve) => release.push(resolve));
    return text;
  },
};

async function begin(options: Omit<ListenOptions, "port"> = {}): Promise<Rig> {
  rig = await start(tools, options);
  return rig;
}

describe("a page whose host name leads to loopback (CVE-2025-66414, CVE-2025-66416, CVE-2026-34742, CVE-2026-42559, R67)", () => {
  it.each([
    ["POST", "/mcp"],
    ["GET", "/mcp"],
    ["DELETE", "/mcp"],
    ["GET", "/sse"],
    ["POST", "/messages?session=1"],
  ])("a page with a rebound host name is rejected at %s %s", async (method, path) => {
    const { send, listener } = await begin({ sse: {} });
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"]) {
      const body = method === "POST" ? { body: initialize("2025-11-25") } : {};
      const origin = `http://${host}`;
      for (const headers of [{ host }, { host, origin }])
        expect((await send({ method, path, headers, ...body })).status).toBe(403);
    }
    expect(listener.handler.sessions.size).toBe(0);
  });
});

describe("a form or script of another site (CVE-2026-33252, R67)", () => {
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""];

  it.each(types)("a form or script of another site runs no tool with a body of type %j", async (type) => {
    const { send } = await begin();
    const body = toAlone(1, "tools/call", { name: "touch" });
    const fields = { "content-type": type, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
    const headers = { ...fields, "mcp-name": "touch" };
    expect((await send({ headers, body })).status).toBe(415);
    expect((await send({ headers: { ...headers, origin: "https://evil.example" }, body })).status).toBe(403);
    const json = { ...headers, "content-type": "application/json" };
    expect((await send({ headers: { ...json, origin: "https://evil.example" }, body })).status).toBe(403);
    expect(touched).toBe(0);
    expect((await send({ headers: json, body })).status).toBe(200);
    expect(touched).toBe(1);
  });
});

describe("a member name that only resembles one of the protocol (CVE-2026-27896, R67)", () => {
  const params = { name: "touch" };

  it.each<readonly [object, number]>([
    [{ jsonrpc: "2.0", id: 1, Method: "tools/call", params }, -32600],
    [{ jsonrpc: "2.0", id: 1, METHOD: "tools/call", params }, -32600],
    [{ JSONRPC: "2.0", id: 1, method: "tools/call", params }, -32600],
    [{ jsonrpc: "2.0", id: 1, method: "Tools/Call", params }, -32601],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", Params: params }, -32602],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", "param\u017f": params }, -32602],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { Name: "touch" } }, -32602],
    [{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "\u212A" } }, 0],
  ])("a similar member name is ignored in %j", async (message, code) => {
    const session = await (await begin()).open();
    const response = await session.post(message);
    // A name of no tool: this server has no list to look it up in, so nothing is done and it says so.
    if (code === 0) expect(textOf(response.json)).toBe("undefined");
    else expect(codeOf(response)).toBe(code);
    expect(touched).toBe(0);
  });
});

describe("two clients with equal ids (CVE-2026-25536, R67)", () => {
  it("two clients with equal ids get their own responses and messages in sessions, whichever is first", async () => {
    const { open } = await begin();
    const [hers, his] = await Promise.all([open(), open()]);
    const [first, second] = [
      await hers.postStream(call(0, "hold", { text: "hers" })),
      await his.postStream(call(0, "hold", { text: "his" })),
    ];
    await until(() => release.length === 2, "both calls");
    for (const resolve of release.splice(0).reverse()) resolve();
    await Promise.all([first.end(), second.end()]);
    const told = (text: string): unknown[] => [{ params: { data: text } }, { id: 0, result: { content: [{ text }] } }];
    expect(first.messages).toMatchObject(told("hers"));
    expect(second.messages).toMatchObject(told("his"));
  });

  it("two clients with equal ids get their own responses without sessions", async () => {
    const { send } = await begin({ sessions: false });
    const fields = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo" };
    const texts = Array.from({ length: 30 }, (_, index) => `client ${index}`);
    const responses = await Promise.all(
      texts.map((text) =>
        send({ headers: fields, body: toAlone(0, "tools/call", { name: "echo", arguments: { text } }) }),
      ),
    );
    expect(responses.map(({ json }) => textOf(json))).toEqual(texts);
  });
});

describe("an id of another principal's session or event (GHSA-84j6-jc92-77jm, CVE-2026-33946, R67)", () => {
  const authenticate: Authenticate = (head) => ({ principal: String(head.header("x-user")) });

  it("an id of another principal shows no event, and does not move the streams", async () => {
    const { open, stream } = await begin({ authenticate });
    const hers = await open("2025-11-25", { "x-user": "alice" });
    const his = await open("2025-11-25", { "x-user": "bob" });
    const telling = await hers.postStream(call(1, "hold", { text: "secret" }));
    await telling.message();
    const id = String(telling.events.at(-1)?.id);
    const listening = await hers.listen();
    const attempts: readonly (readonly [object, number])[] = [
      [{ ...hers.headers, "x-user": "bob" }, 404],
      [{ ...hers.headers, "x-user": "bob", "last-event-id": id }, 404],
      [{ ...his.headers, "last-event-id": id }, 400],
      [{ ...his.headers, "x-user": "alice", "last-event-id": id }, 404],
    ];
    for (const [headers, status] of attempts) {
      const stolen = await stream({ method: "GET", headers: { ...headers } });
      await stolen.end();
      expect(stolen.status).toBe(status);
      expect(stolen.text).not.toContain("secret");
    }
    expect(listening.isEnded).toBe(false);
    release.shift()?.();
    await telling.end();
    expect(textOf(telling.messages.at(-1))).toBe("secret");
    listening.cut();
  });
});

describe("an invalid request, or one whose sender has disconnected (CVE-2025-53366, CVE-2025-53365, R67)", () => {
  const bodies: readonly unknown[] = [
    "",
    "{",
    "null",
    "[]",
    [[]],
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: {}, arguments: 1 } },
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: [] },
    { jsonrpc: "2.0", id: {}, method: "ping" },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: [] } },
    { jsonrpc: "2.0", method: "notifications/progress", params: null },
    { jsonrpc: "2.0", id: 7, result: null },
    Uint8Array.of(0xff, 0xfe),
  ];

  it("an invalid or abandoned request affects no session", async () => {
    const { open, url } = await begin();
    const [session, other] = [await open(), await open()];
    for (const body of bodies) {
      const { status } = await session.post(body);
      expect([202, 200, 400]).toContain(status);
    }
    const { port, host } = new URL(url);
    const fields = Object.entries({ ...session.headers, accept: acceptBoth, "content-type": "application/json" });
    const body = JSON.stringify(call(1, "hold", { text: "gone" }));
    const head = [`POST /mcp HTTP/1.1`, `host: ${host}`, ...fields.map(([name, value]) => `${name}: ${value}`)];
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.write([...head, `content-length: ${body.length}`, "", body].join("\r\n"));
    await until(() => release.length === 1, "the call");
    socket.resetAndDestroy();
    release.shift()?.();
    for (const each of [session, other])
      expect((await each.post({ jsonrpc: "2.0", id: 9, method: "ping" })).status).toBe(200);
  });
});
