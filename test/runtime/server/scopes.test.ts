import { afterAll, describe, expect, it } from "vitest";
import { revisions } from "../../../generated/revisions.ts";
import type { Channel, Receiver } from "../../../runtime/jsonrpc/channel.ts";
import { createServerAcceptor } from "../../../runtime/server/run/acceptor.ts";
import { createHttpHandler, type ServeHttpOptions } from "../../../runtime/server/run/http-handler.ts";
import { createServer } from "../../../runtime/server/create-server.ts";
import type { HttpHandler } from "../../../runtime/transport/http-server/handler.ts";
import type { Guard } from "../../../runtime/transport/http-server/identity.ts";
import { newest, statelessRevision } from "../../kit/revisions.ts";
import { initialized, request } from "../../kit/messages.ts";
import { acceptBoth, call, initialize } from "../../kit/http-exchange.ts";
import { open, settle } from "./connected.ts";

const ran: string[] = [];
const run = (name: string) => (): string => {
  ran.push(name);
  return name;
};

const server = createServer(
  {
    name: "scoped",
    version: "1",
    subscribe: true,
    tools: [
      { name: "free", execute: run("free") },
      { name: "write", scopes: ["files:write"], execute: run("write") },
      { name: "both", scopes: ["files:read", "files:write"], execute: run("both") },
      { name: "hidden", scopes: ["root"], visible: () => false, execute: run("hidden") },
    ],
    resources: [
      { uri: "notes://open", name: "open", read: run("open") },
      { uri: "notes://secret", name: "secret", scopes: ["files:read"], read: run("secret") },
    ],
    resourceTemplates: [
      {
        uriTemplate: "user://{id}",
        name: "user",
        scopes: ["users"],
        complete: { id: () => ["1"] },
        read: run("user"),
      },
    ],
    prompts: [{ name: "plan", scopes: ["plans"], arguments: { topic: { complete: () => [] } }, get: run("plan") }],
  },
  revisions,
);

const guard: Guard = {
  authenticate: (head) => ({ principal: "ann", scopes: (head.header("x-scopes") ?? "").split(" ") }),
  challengeScopes: (needed, { principal }) => ({
    "www-authenticate": `Bearer scope="${needed.join(" ")}", who="${principal}"`,
  }),
};

const handlers: HttpHandler[] = [];
afterAll(() => Promise.all(handlers.map((handler) => handler.close())));

function handle(options: ServeHttpOptions = {}): HttpHandler {
  const handler = createHttpHandler(server, { authenticate: guard, ...options });
  handlers.push(handler);
  return handler;
}

const handler = handle();

interface Sent {
  readonly scopes?: string;
  readonly headers?: Record<string, string>;
  readonly to?: HttpHandler;
}

function send(body: unknown, { scopes = "", headers, to = handler }: Sent = {}): Promise<Response> {
  const fields = { accept: acceptBoth, "content-type": "application/json", "x-scopes": scopes, ...headers };
  return to.fetch(new Request("http://localhost/mcp", { method: "POST", headers: fields, body: JSON.stringify(body) }));
}

async function openSession(to = handler): Promise<Record<string, string>> {
  const opened = await send(initialize("2025-11-25"), { to });
  const headers = { "mcp-session-id": String(opened.headers.get("mcp-session-id")) };
  await send(initialized, { headers, to });
  return headers;
}

function toStateless(method: string, params: object, name: string): { body: object; headers: Record<string, string> } {
  const headers = { "mcp-protocol-version": statelessRevision.id, "mcp-method": method, "mcp-name": name };
  return { body: request(7, method, params), headers };
}

const guarded: readonly (readonly [method: string, params: object, needed: string])[] = [
  ["tools/call", { name: "write", arguments: {} }, "files:write"],
  ["tools/call", { name: "both", arguments: {} }, "files:read files:write"],
  ["resources/read", { uri: "notes://secret" }, "files:read"],
  ["resources/read", { uri: "user://7" }, "users"],
  ["prompts/get", { name: "plan", arguments: {} }, "plans"],
];

const ofSessions: typeof guarded = [
  ...guarded,
  ["resources/subscribe", { uri: "notes://secret" }, "files:read"],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "plan" }, argument: { name: "topic", value: "" } },
    "plans",
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "user://{id}" }, argument: { name: "id", value: "" } },
    "users",
  ],
];

describe("a client without a required scope (AR-06)", () => {
  it.each(ofSessions)("%s %j in a session is rejected with 403 and needs %s", async (method, params, needed) => {
    const headers = await openSession();
    const rejected = await send({ jsonrpc: "2.0", id: 3, method, params }, { headers });
    expect(rejected.status).toBe(403);
    expect(rejected.headers.get("www-authenticate")).toBe(`Bearer scope="${needed}", who="ann"`);
    expect(await rejected.json()).toMatchObject({
      id: 3,
      error: { message: `Insufficient scope; required: ${needed}` },
    });
    expect(ran).toEqual([]);
    const allowed = await send({ jsonrpc: "2.0", id: 4, method, params }, { headers, scopes: needed });
    expect(await allowed.json()).toHaveProperty("result");
    ran.length = 0;
  });

  it.each(guarded)("%s %j without a session is rejected with 403 and needs %s", async (method, params, needed) => {
    const name = "name" in params ? String(params.name) : "uri" in params ? String(params.uri) : "";
    const { body, headers } = toStateless(method, params, name);
    const rejected = await send(body, { headers });
    expect(rejected.status).toBe(403);
    expect(rejected.headers.get("www-authenticate")).toContain(`scope="${needed}"`);
    expect(await rejected.json()).toMatchObject({ id: 7 });
    expect(ran).toEqual([]);
    expect((await send(body, { headers, scopes: needed })).status).toBe(200);
    ran.length = 0;
  });

  it("a missing scope is rejected before a stream begins, also where every response is a stream", async () => {
    const streaming = handle({ responseMode: "sse" });
    const headers = await openSession(streaming);
    expect((await send(call(1, "write"), { headers, to: streaming })).status).toBe(403);
    expect((await send(call(1, "free"), { headers, to: streaming })).status).toBe(200);
    ran.length = 0;
  });

  it("a missing scope is rejected for all members of a batch at once", async () => {
    const lone = handle({ sessions: false });
    const headers = { "mcp-protocol-version": "2025-03-26" };
    const batch = [
      call(1, "free"),
      call(2, "write"),
      { jsonrpc: "2.0", id: 3, method: "resources/read", params: { uri: "notes://secret" } },
    ];
    const rejected = await send(batch, { headers, to: lone });
    expect(rejected.status).toBe(403);
    expect(rejected.headers.get("www-authenticate")).toContain('scope="files:write files:read"');
    expect(ran).toEqual([]);
    expect((await send(batch, { headers, to: lone, scopes: "files:read files:write" })).status).toBe(200);
    ran.length = 0;
  });
});

it("a request without authentication has no scope", async () => {
  const open = createHttpHandler(server, { sessions: false });
  expect((await send(call(1, "write"), { to: open })).status).toBe(403);
  expect((await send(call(1, "free"), { to: open })).status).toBe(200);
  ran.length = 0;
  await open.close();
});

it("a hidden tool is unknown, whatever scopes the client has", async () => {
  const response = await send(call(1, "hidden"), { headers: await openSession(), scopes: "root" });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ error: { code: -32602, message: "Unknown tool: hidden" } });
});

it("lists show definitions that require scopes, and not the scopes", async () => {
  const headers = await openSession();
  const list = async (method: string): Promise<string> =>
    (await send({ jsonrpc: "2.0", id: 1, method }, { headers })).text();
  expect(await list("tools/list")).toContain('"write"');
  for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
    expect(await list(method)).not.toContain("scopes");
  }
});

it("a subscription leaves out resources that the principal may not read", async () => {
  const uris = ["notes://secret", "notes://open", "user://1"];
  const { body } = toStateless("subscriptions/listen", { notifications: { resourceSubscriptions: uris } }, "");
  const headers = { "mcp-protocol-version": statelessRevision.id, "mcp-method": "subscriptions/listen" };
  const stream = (await send(body, { headers, scopes: "users" })).body?.getReader();
  const first = new TextDecoder().decode((await stream?.read())?.value);
  expect(first).toContain('"resourceSubscriptions":["notes://open","user://1"]');
  await stream?.cancel();
});

describe("scopes beyond HTTP", () => {
  it("a peer without authentication, as on stdio, needs no scopes", async () => {
    const { client } = await open(server);
    expect(await client.request("tools/call", { name: "write", arguments: {} })).not.toHaveProperty("isError");
    expect(ran.splice(0)).toEqual(["write"]);
    await client.close();
  });

  it.each(guarded)(
    "a peer with a principal of its transport needs scopes for %s %j",
    async (method, params, needed) => {
      const sent: unknown[] = [];
      let receiver: Receiver | undefined;
      const channel: Channel = {
        start: (given) => void (receiver = given),
        send: (outgoing) => void sent.push(outgoing),
        close: () => Promise.resolve(),
      };
      const agreement = { revision: newest, client: { info: { name: "test", version: "1" }, capabilities: {} } };
      createServerAcceptor(server)(channel, agreement);
      receiver?.message({ jsonrpc: "2.0", id: 1, method, params }, { identity: { principal: "ann" } });
      await settle();
      expect(sent).toMatchObject([{ id: 1, error: { code: 403, data: { scopes: needed.split(" ") } } }]);
      expect(ran).toEqual([]);
    },
  );
});
