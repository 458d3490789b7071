import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { ManualClock } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { newest, statelessRevision } from "../../../kit/revisions.ts";
import { meta, request } from "../../../kit/messages.ts";
import { open, settle } from "../connected.ts";

const read = (): string => "";
const run = (): string => "";

function create(definition: Partial<AnyServerDefinition> = {}): Server {
  return createServer(
    {
      name: "test",
      version: "1",
      tools: [{ name: "a", execute: run }],
      prompts: [{ name: "p", get: run }],
      resources: ["note://a", "dir://x"].map((uri) => ({ uri, name: uri, read })),
      listChanged: true,
      subscribe: true,
      ...definition,
    },
    revisions,
  );
}

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["note://a"],
};

function listen(id: string | number, notifications: object): ReturnType<typeof request> {
  return request(id, "subscriptions/listen", { notifications });
}

/** A server on a wire, with these requests to listen. */
async function listenOn(server: Server, ...requests: readonly object[]): Promise<Wire> {
  const wire = new Wire();
  createServerAcceptor(server)(wire);
  wire.post(...requests);
  await settle();
  return wire;
}

/** Notifications as their method and the id that they are tagged with. */
function notices(wire: Wire): readonly unknown[] {
  return wire.sent.map((message) => {
    const { method, params } = isObject(message) ? message : {};
    const tags = isObject(params) && isObject(params._meta) ? params._meta : {};
    return [String(method).replace("notifications/", ""), tags[meta.subscription]];
  });
}

describe("a request to listen", () => {
  test("a request to listen is acknowledged first, with the supported part of it (S-031, S-032, 2.10, R21)", async () => {
    const wire = await listenOn(create(), listen("sub", everything));
    expect(wire.sent).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: everything, _meta: { [meta.subscription]: "sub" } },
      },
    ]);
    expect(wire.related).toEqual(["sub"]);
  });

  test.each([
    ["lists that never change", { listChanged: [] as const }, { resourceSubscriptions: ["note://a"] }],
    ["some lists", { listChanged: ["tools"] as const, subscribe: false }, { toolsListChanged: true }],
    ["nothing at all", { listChanged: [] as const, subscribe: false }, {}],
  ])("a request to listen for %s is acknowledged with the rest (2.10)", async (_what, definition, honoured) => {
    const wire = await listenOn(create(definition), listen(1, everything));
    expect(wire.sent).toMatchObject([{ params: { notifications: honoured } }]);
    expect(wire.sent[0]).toHaveProperty("params.notifications", honoured);
  });

  test("a request to listen receives nothing about resources that are hidden from its client", async () => {
    const hidden = { uri: "note://secret", name: "secret", read, visible: () => false };
    const wire = await listenOn(
      create({ resources: [hidden] }),
      listen(1, { resourceSubscriptions: ["note://secret", "note://none"] }),
    );
    expect(wire.sent[0]).toHaveProperty("params.notifications", {});
  });

  test("a request to listen receives the requested notifications only, under its own id (S-023, S-030, S-032, trap 8, R21, S-081)", async () => {
    const server = create();
    const wire = await listenOn(
      server,
      listen(7, { toolsListChanged: true }),
      listen("7", { promptsListChanged: true }),
    );
    wire.sent.length = 0;
    server.tools.add({ name: "b", execute: run });
    server.prompts.add({ name: "q", get: run });
    server.resources.notifyUpdated("note://a");
    await settle();
    expect(notices(wire)).toEqual([
      ["tools/list_changed", 7],
      ["prompts/list_changed", "7"],
    ]);
    expect(wire.related.slice(-2)).toEqual([7, "7"]);
  });

  test("a request to listen receives updates of its resources, and of those below them, once (2.4)", async () => {
    const server = create({ resourceTemplates: [{ uriTemplate: "file:///{+path}", name: "file", read }] });
    const uris = ["dir://x", "file:///x/1", "dir://x"];
    const wire = await listenOn(server, listen(1, { resourceSubscriptions: uris }));
    wire.sent.length = 0;
    server.resources.notifyUpdated("file:///x/1", { under: "dir://x" });
    server.resources.notifyUpdated("file:///x/2", { under: "dir://x" });
    server.resources.notifyUpdated("file:///x/3");
    await settle();
    expect(wire.sent).toMatchObject([{ params: { uri: "file:///x/1" } }, { params: { uri: "file:///x/2" } }]);
  });

  test("a request to listen receives nothing after its cancellation, and no response (S-073, 2.10)", async () => {
    const server = create();
    const wire = await listenOn(server, listen(1, everything));
    wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await settle();
    server.tools.add({ name: "b", execute: run });
    await settle();
    expect(wire.sent).toHaveLength(1);
  });

  test("a request to listen receives its response when the server closes (S-033, S-035, R21)", async () => {
    const server = create();
    const wire = await listenOn(server, listen("sub", everything));
    await server.close();
    expect(wire.sent.slice(1)).toEqual([
      {
        jsonrpc: "2.0",
        id: "sub",
        result: {
          resultType: "complete",
          _meta: { [meta.subscription]: "sub", [meta.serverInfo]: { name: "test", version: "1" } },
        },
      },
    ]);
    expect(wire.isClosed).toBe(true);
  });

  test("a request to listen does not delay the end of its connection (TS-09)", async () => {
    const clock = new ManualClock();
    const wire = new Wire();
    const connection = createServerAcceptor(create(), { clock })(wire);
    wire.post(listen(1, everything));
    await settle();
    wire.receiver?.ended();
    await settle();
    expect(connection.state).toBe("DISCONNECTED");
    expect(wire.sent).toMatchObject([{}, { id: 1, result: {} }]);
  });

  test("a request to listen has no time limit", async () => {
    const clock = new ManualClock();
    const wire = new Wire();
    createServerAcceptor(create(), { clock })(wire);
    wire.post(listen(1, everything));
    await settle();
    clock.advance(24 * 60 * 60_000);
    await settle();
    expect(wire.sent).toHaveLength(1);
  });

  test.each([
    ["no filter", {}, -32602],
    ["a filter of a wrong shape", { notifications: { toolsListChanged: "yes" } }, -32602],
    ["more than a client may ask for", { notifications: { resourceSubscriptions: ["note://a", "dir://x"] } }, 429],
  ])("a request to listen with %s is rejected", async (_what, params, code) => {
    const wire = await listenOn(create({ maxSubscriptions: 1 }), request(1, "subscriptions/listen", params));
    expect(wire.sent).toMatchObject([{ id: 1, error: { code } }]);
  });

  test("a request to listen with more resources than allowed is rejected before any of them is checked", async () => {
    const seen: unknown[] = [];
    const visible = (): boolean => seen.push("asked") > 0;
    const server = create({ resources: [{ uri: "note://a", name: "a", read, visible }], maxSubscriptions: 2 });
    const uris = ["note://a", "note://a", "note://a"];
    const many = await listenOn(server, listen(1, { resourceSubscriptions: uris }));
    expect(many.sent).toMatchObject([{ id: 1, error: { code: 429 } }]);
    expect(seen).toEqual([]);
    const some = await listenOn(server, listen(2, { resourceSubscriptions: uris.slice(1) }));
    expect(some.sent).toMatchObject([{ params: { notifications: { resourceSubscriptions: ["note://a"] } } }]);
    expect(seen).toHaveLength(1);
  });

  test("a request to listen with more than 262,144 characters is rejected before any resource is looked for", async () => {
    const seen: unknown[] = [];
    const visible = (): boolean => seen.push("asked") > 0;
    const template = { uriTemplate: "file:///{+path}", name: "file", read, visible };
    const uris = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `file:///${index}`.padEnd(8_000, "x"));
    const server = create({ resources: [], resourceTemplates: [template] });
    const long = await listenOn(server, listen(1, { resourceSubscriptions: uris(33) }));
    expect(long.sent).toMatchObject([{ id: 1, error: { code: 429, data: { limit: 262_144 } } }]);
    expect(seen).toEqual([]);
    const short = await listenOn(server, listen(2, { resourceSubscriptions: uris(32) }));
    expect(short.sent).toMatchObject([{ params: { notifications: { resourceSubscriptions: uris(32) } } }]);
  });

  test("a request to listen is rejected when its principal has used up its share of all characters", async () => {
    const server = create({
      resources: [],
      resourceTemplates: [{ uriTemplate: "file:///{+path}", name: "file", read }],
    });
    const wire = await listenOn(server);
    const uris = Array.from({ length: 32 }, (_, index) => `file:///${index}`.padEnd(8_000, "x"));
    const post = async (id: string, principal: string): Promise<unknown> => {
      wire.receiver?.message(listen(id, { resourceSubscriptions: uris }), { identity: { principal } });
      await settle();
      return wire.sent.splice(0)[0];
    };
    const acknowledged = { method: "notifications/subscriptions/acknowledged" };
    const rejected = { error: { code: 429 } };
    for (let index = 0; index < 40; index += 1)
      wire.receiver?.message(listen(`a${index}`, { resourceSubscriptions: uris }), {
        identity: { principal: "alice" },
      });
    await settle();
    expect(wire.sent.splice(0)).toContainEqual(
      expect.objectContaining({ error: expect.objectContaining({ code: 429 }) }),
    );
    expect(await post("b", "bob")).toMatchObject(acknowledged);
    expect(await post("c", "alice")).toMatchObject(rejected);
    for (const requestId of ["a0", "a1"])
      wire.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    expect(await post("d", "alice")).toMatchObject(acknowledged);
  });

  test("a request to listen is an unknown method for a server that offers nothing (2.10)", async () => {
    const bare = createServer({ name: "bare", version: "1" }, revisions);
    const wire = await listenOn(bare, listen(1, everything));
    expect(wire.sent).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });
});

test("one change reaches sessions and listeners (3.5)", async () => {
  const server = create();
  const [session, wire] = await Promise.all([open(server, newest), listenOn(server, listen("sub", everything))]);
  await session.client.request("resources/subscribe", { uri: "note://a" });
  wire.sent.length = 0;
  server.tools.add({ name: "b", execute: run });
  server.resources.notifyUpdated("note://a");
  await settle();
  expect([...session.notices].sort()).toEqual(["resourceUpdated note://a", "toolListChanged"]);
  expect([...notices(wire)].sort()).toEqual([
    ["resources/updated", "sub"],
    ["tools/list_changed", "sub"],
  ]);
  await server.close();
});

test.each(["auto", "json", "sse"] as const)(
  "a request to listen over HTTP is a stream that the result ends (TH-08, 2.10): %s",
  async (responseMode) => {
    const server = create();
    const listener = await serveHttp(server, { responseMode: responseMode });
    const body = JSON.stringify(listen("sub", { toolsListChanged: true }));
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": statelessRevision.id,
      "mcp-method": "subscriptions/listen",
    };
    const response = await fetch(listener.url, { method: "POST", headers, body });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    server.tools.add({ name: "b", execute: run });
    await settle();
    await server.close();
    const data = [...(await response.text()).matchAll(/^data: ?(.*)$/gm)].map((found): unknown =>
      JSON.parse(found[1] ?? ""),
    );
    expect(data).toMatchObject([
      { method: "notifications/subscriptions/acknowledged" },
      { method: "notifications/tools/list_changed", params: { _meta: { [meta.subscription]: "sub" } } },
      { id: "sub", result: { resultType: "complete" } },
    ]);
    await listener.close();
  },
);
