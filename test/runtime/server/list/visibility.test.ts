import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isObject } from "../../../../generated/support.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import type { AnyRequester } from "../../../../runtime/server/protocol-types.ts";
import { callServer, createSession, meta, type CallSetup } from "../../../kit/calls.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { newest, statelessRevision } from "../../../kit/revisions.ts";
import { request } from "../../../kit/messages.ts";

const isAdmin = ({ auth }: AnyRequester): boolean => auth?.principal === "admin";
const admin: CallSetup = { origin: { identity: { principal: "admin", claims: { scopes: ["all"] } } } };
const guest: CallSetup = { origin: { identity: { principal: "guest" } } };
const complete = (): string[] => ["x"];
const read = (): string => "text";
const run = read;

function create(definition: Partial<AnyServerDefinition> = {}): Server {
  return createServer(
    {
      name: "test",
      version: "1",
      subscribe: true,
      tools: [
        { name: "open", execute: run },
        { name: "drop", visible: isAdmin, execute: run },
        { name: "last", execute: run },
      ],
      resources: [
        { uri: "note://open", name: "open", read },
        { uri: "note://secret", name: "secret", visible: isAdmin, read },
      ],
      resourceTemplates: [
        { uriTemplate: "user://{id}", name: "user", visible: isAdmin, complete: { id: complete }, read },
      ],
      prompts: [{ name: "plan", arguments: { a: { complete } }, visible: isAdmin, get: read }],
      ...definition,
    },
    revisions,
  );
}

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  const server = create();
  const request = (method: string, params: object, setup: CallSetup): Promise<unknown> =>
    callServer(server, revision, [method, { ...params, ...meta(revision) }], setup);
  const names = async (method: string, setup: CallSetup): Promise<unknown[]> => {
    const page = await request(method, {}, setup);
    const [list] = isObject(page) ? Object.values(page).filter(Array.isArray) : [];
    return (list ?? []).map((item: { name: string }) => item.name);
  };

  test.each([
    ["tools/list", ["open", "drop", "last"], ["open", "last"]],
    ["resources/list", ["open", "secret"], ["open"]],
    ["resources/templates/list", ["user"], []],
    ["prompts/list", ["plan"], []],
  ])("%s shows each client only what is visible to it (R-09, TL-18)", async (method, all, some) => {
    expect(await names(method, admin)).toEqual(all);
    expect(await names(method, guest)).toEqual(some);
    expect(await names(method, {})).toEqual(some);
  });

  const ref = { type: "ref/prompt", name: "plan" };
  const template = { type: "ref/resource", uri: "user://{id}" };
  test.each([
    ["tools/call", { name: "drop" }, { name: "no-such-tool" }, "Unknown tool: "],
    ["resources/read", { uri: "note://secret" }, { uri: "note://none" }, "Resource not found"],
    ["resources/read", { uri: "user://1" }, { uri: "user:1" }, "Resource not found"],
    ["prompts/get", { name: "plan" }, { name: "no-such-prompt" }, "Unknown prompt: "],
    ["completion/complete", { ref, argument: { name: "a", value: "" } }, undefined, "Unknown prompt: plan"],
    [
      "completion/complete",
      { ref: template, argument: { name: "id", value: "" } },
      undefined,
      "Unknown resource template",
    ],
  ])(
    "%s of a hidden definition gives the same error as an unknown one: %j",
    async (method, params, absent, message) => {
      await expect(request(method, params, admin)).resolves.toBeDefined();
      const rejection = await request(method, params, guest).catch((error: unknown) => error);
      expect(rejection).toMatchObject({ message: expect.stringContaining(message) });
      if (!absent) return;
      const unknown = await request(method, absent, guest).catch((error: unknown) => error);
      expect(Object(rejection).code).toBe(Object(unknown).code);
    },
  );
});

test("subscribing to a hidden resource gives the same error as an unknown one", async () => {
  const subscribe = (setup: CallSetup): Promise<unknown> =>
    callServer(create(), newest, ["resources/subscribe", { uri: "note://secret" }], setup);
  expect(await subscribe(admin)).toEqual({});
  await expect(subscribe(guest)).rejects.toMatchObject({ code: -32002 });
});

test("param headers of a hidden tool are not checked", async () => {
  const input = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
  const server = create({ tools: [{ name: "drop", visible: isAdmin, inputSchema: input, execute: run }] });
  const handler = createHttpHandler(server, {
    allowedHosts: ["mcp.example"],
    authenticate: (requested) => ({ principal: requested.header("authorization") ?? "guest" }),
  });
  const call = async (principal: string, name: string, more: object = {}): Promise<unknown> => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": statelessRevision.id,
      "mcp-method": "tools/call",
      "mcp-name": name,
      authorization: principal,
      ...more,
    };
    const body = JSON.stringify(request(1, "tools/call", { name, arguments: { region: "x" } }));
    const response = await handler.fetch(new Request("http://mcp.example/mcp", { method: "POST", headers, body }));
    return response.json();
  };
  const hidden = JSON.stringify(await call("guest", "drop"));
  expect(hidden).toBe(JSON.stringify(await call("guest", "none")).replaceAll("none", "drop"));
  expect(await call("admin", "drop")).toMatchObject({ error: { code: -32020 } });
  expect(await call("admin", "drop", { "mcp-param-region": "x" })).toMatchObject({
    result: { resultType: "complete" },
  });
});

test("pages are full for every client, and the last one has no cursor (N-03)", async () => {
  const server = create({ pageSize: 2 });
  const list = (setup: CallSetup, params?: object): Promise<unknown> =>
    callServer(server, newest, ["tools/list", params], setup);
  expect(await list(guest)).toEqual({
    tools: [expect.objectContaining({ name: "open" }), expect.objectContaining({ name: "last" })],
  });
  const first = await list(admin);
  expect(first).toMatchObject({ tools: [{ name: "open" }, { name: "drop" }], nextCursor: expect.any(String) });
  const cursor: unknown = Object(first).nextCursor;
  expect(await list(admin, { cursor })).toMatchObject({ tools: [{ name: "last" }] });
});

test("visibility may depend on the client, its session and the revision", async () => {
  const seen: AnyRequester[] = [];
  const visible = (requester: AnyRequester): boolean => (seen.push(requester), true);
  const server = create({ tools: [{ name: "t", visible, execute: run }] });
  const session = createSession(server, newest);
  await callServer(server, newest, ["tools/list"], { session, ...guest });
  const [requester] = seen;
  expect(requester?.session).toBe(session);
  expect(requester?.auth).toEqual({ principal: "guest" });
  expect(requester?.client.info).toEqual({ name: "test", version: "1" });
  expect(requester?.revision).toBe(newest.id);
});

test("the function `visible` is a method of its definition, and is not sent", async () => {
  class Tool {
    readonly name = "t";
    readonly isOn = true;
    visible(): boolean {
      return this.isOn;
    }
    execute(): string {
      return "";
    }
  }
  const server = create({ tools: [new Tool()] });
  expect(await callServer(server, newest, ["tools/list"], guest)).toMatchObject({ tools: [{ name: "t" }] });
  expect(JSON.stringify(await callServer(create(), newest, ["tools/list"], admin))).not.toContain("visible");
});

test("a request fails when the function `visible` throws", async () => {
  const visible = (): boolean => {
    throw new Error("the directory is down");
  };
  const server = create({ tools: [{ name: "t", visible, execute: run }] });
  await expect(callServer(server, newest, ["tools/list"])).rejects.toThrow("the directory is down");
  await expect(callServer(server, newest, ["tools/call", { name: "t" }])).rejects.toThrow("the directory is down");
});

test.each([
  ["resolves", () => Promise.resolve(false)],
  ["rejects, which ended the process", () => Promise.reject(new Error("no"))],
])("a request fails when the function `visible` returns a promise that %s", async (_case, promise) => {
  const visible = (): boolean => Object(promise());
  const server = create({ tools: [{ name: "t", visible, execute: run }] });
  const problem = 'The function visible of "t" returned no boolean';
  await expect(callServer(server, newest, ["tools/list"])).rejects.toThrow(problem);
  await expect(callServer(server, newest, ["tools/call", { name: "t" }])).rejects.toThrow(problem);
});

test.each([undefined, null, "admin", { identity: "admin" }, { identity: { principal: 1 } }, { auth: "admin" }])(
  "an origin such as %j does not authenticate",
  async (origin) => {
    const seen: unknown[] = [];
    const server = create({ tools: [{ name: "t", execute: (_args, { auth }) => (seen.push(auth), "") }] });
    await callServer(server, newest, ["tools/call", { name: "t" }], { origin });
    expect(seen).toEqual([undefined]);
  },
);
