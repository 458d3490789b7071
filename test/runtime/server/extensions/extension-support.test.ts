import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Extension, type RequestRow } from "../../../../generated/support.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { DefaultClientSession } from "../../../../runtime/client/session/default-session.ts";
import { isCapabilityError } from "../../../../runtime/jsonrpc/errors.ts";
import { extensionSupport } from "../../../../runtime/server/extensions/extension-support.ts";
import { allFeatures, type Server } from "../../../../runtime/server/create-server.ts";
import { buildServer } from "../../../../runtime/server/build-server.ts";
import type { Feature } from "../../../../runtime/server/feature.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { connectRaw } from "../input/raw-client.ts";
import { statelessRevision } from "../../../kit/revisions.ts";
import { initialize, initialized, meta, request } from "../../../kit/messages.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";

const id = "com.example/echo";
const declared = { [meta.capabilities]: { extensions: { [id]: {} } } };

const echo: RequestRow = {
  kind: "request",
  method: "echo/say",
  handler: "sayEcho",
  params: (value) =>
    isObject(value) && typeof value.word === "string" ? undefined : { path: "word", expected: "string" },
  paramsOptional: false,
  result: () => undefined,
  gate: { side: "server", path: ["extensions", id] },
  needs: { side: "client", path: ["extensions", id] },
};

const extension: Extension = {
  id,
  status: "released",
  lifecycles: ["per-request", "handshake"],
  declared: {
    client: () => undefined,
    server: (settings) =>
      isObject(settings) && settings.loud !== 1 ? undefined : { path: "loud", expected: "boolean" },
  },
  clientRequests: { "echo/say": echo },
  serverRequests: {},
  clientNotifications: {},
  serverNotifications: {},
  headers: [],
  results: [
    {
      method: "tools/call",
      kind: "echo",
      check: (value) => (isObject(value) && value.word === "hi" ? undefined : { path: "word", expected: "hi" }),
    },
  ],
  members: [],
};

/** Serves the extension to servers with tools. */
const feature: Feature = {
  name: "echo",
  extensionSupport,
  extension: ({ tools }) => (tools ? extension : undefined),
  create: () => ({
    implement: ({ revision }) => {
      const handlers = revision.extensions
        ? { sayEcho: (params: object) => ({ ...params }), callTool: async () => ({ resultType: "echo", word: "hi" }) }
        : {};
      return { handlers };
    },
  }),
};

function create(source: Partial<AnyServerDefinition> = {}): Server {
  const definition = { name: "server", version: "1", onError: () => {}, ...source };
  return buildServer(definition, revisions, { ...allFeatures, features: [...allFeatures.features, feature] });
}

const tools = [{ name: "t", execute: () => "" }];

async function send(
  server: Server,
  method: string,
  params: object,
  metadata: Record<string, unknown> = {},
): Promise<unknown> {
  const wire = new Wire();
  createServerAcceptor(server)(wire);
  wire.post(request(1, method, params, metadata));
  await settle();
  const [response] = wire.sent;
  return isObject(response) ? (response.error ?? response.result) : undefined;
}

async function join(server: Server, extensions: readonly Extension[]): Promise<DefaultClientSession> {
  const accept = createServerAcceptor(server);
  const client = createUntypedClient({ info: { name: "c", version: "1" }, revisions: server.revisions, extensions });
  return client.connect((options) => {
    const [ours, theirs] = createInMemoryTransports();
    accept(theirs);
    return connect(ours, options);
  });
}

describe("a server", () => {
  test("a server declares no extension unless its definition uses one (XF-01)", async () => {
    expect(await send(create(), "server/discover", {})).not.toHaveProperty("capabilities.extensions");
    expect(await send(create({ tools }), "server/discover", {})).toMatchObject({
      capabilities: { extensions: { [id]: {} } },
    });
    const { response } = await connectRaw(() => "").call({}, "server/discover");
    expect(response).not.toHaveProperty("capabilities.extensions");
  });

  test("a server declares an extension in the handshake to clients that declare extensions themselves (XF-01)", async () => {
    const server = create({ tools });
    const open = async (capabilities: object): Promise<unknown> => {
      const wire = new Wire();
      createServerAcceptor(server)(wire);
      wire.post(initialize("2025-11-25", capabilities), initialized);
      await settle();
      return wire.sent[0];
    };
    expect(await open({ extensions: {} })).toMatchObject({ result: { capabilities: { extensions: { [id]: {} } } } });
    expect(await open({})).not.toHaveProperty("result.capabilities.extensions");
    expect(await open({})).toHaveProperty("result.capabilities.tools");
    expect(await open({ extensions: true })).not.toHaveProperty("result.capabilities.extensions");
  });

  test("a server declares the settings of an extension in its definition and rejects invalid settings", async () => {
    const loud = create({ tools, extensions: [{ ...extension, settings: { loud: true } }] });
    expect(await send(loud, "server/discover", {})).toMatchObject({
      capabilities: { extensions: { [id]: { loud: true } } },
    });
    const wrong = { ...extension, settings: { loud: 1 } };
    expect(() => create({ extensions: [wrong] })).toThrow(`Extension ${id}: its settings/loud must be boolean`);
    expect(() => create({ extensions: [extension, extension] })).toThrow("is duplicated");
    const thief = { ...extension, clientRequests: { "tools/call": echo } };
    expect(() => create({ extensions: [thief] })).toThrow("defines tools/call, which is already defined");
  });

  test.each([
    "echo",
    "/echo",
    "com.example/",
    "1com/echo",
    "com..example/echo",
    "com.example/-a",
    "com.example/a b",
    "a/b/c",
  ])("a server rejects an extension named %j (B-004)", (name) => {
    const unnamed = { ...extension, id: name };
    expect(() => create({ extensions: [unnamed] })).toThrow(
      `${JSON.stringify(name)} is not a valid extension identifier`,
    );
    const info = { name: "c", version: "1" };
    expect(() => createUntypedClient({ info, revisions, extensions: [unnamed] })).toThrow(
      "is not a valid extension identifier",
    );
  });

  test("a server serves methods of an extension to clients that declare it and rejects requests of other clients with the missing capability (XF-01, B-005)", async () => {
    const server = create({ tools });
    expect(await send(server, "echo/say", { word: "hi" }, declared)).toMatchObject({
      word: "hi",
      resultType: "complete",
    });
    expect(await send(server, "echo/say", {}, declared)).toMatchObject({ code: -32602 });
    expect(await send(server, "echo/say", { word: "hi" })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [id]: {} } } },
    });
    expect(await send(create(), "echo/say", { word: "hi" }, declared)).toMatchObject({ code: -32601 });
  });
});

describe("a client", () => {
  test("a client declares its extensions on every request, and none by default (XF-01, XF-02)", async () => {
    for (const [extensions, expected] of [
      [[], undefined],
      [[extension], { [id]: {} }],
    ] as const) {
      const wire = new Wire();
      const client = createUntypedClient({ info: { name: "c", version: "1" }, revisions, extensions });
      const connecting = client.connect((options) => connect(wire, options));
      await settle();
      wire.post({
        jsonrpc: "2.0",
        id: 1,
        result: {
          supportedVersions: [statelessRevision.id],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: "private",
          resultType: "complete",
        },
      });
      const session = await connecting;
      session.listTools().catch(() => {});
      await settle();
      const said = wire.sent
        .filter(isObject)
        .map(({ params }) => Reflect.get(Object(Reflect.get(Object(params), "_meta")), meta.capabilities));
      expect(said).toHaveLength(2);
      for (const capabilities of said) expect(Object(capabilities).extensions).toEqual(expected);
      await session.close();
    }
  });

  test("a client declares its extensions in a handshake (XF-02)", async () => {
    const wire = new Wire();
    const client = createUntypedClient({
      info: { name: "c", version: "1" },
      revisions,
      extensions: [extension],
      lifecycle: "handshake",
    });
    client.connect((options) => connect(wire, options)).catch(() => {});
    await settle();
    expect(wire.sent[0]).toMatchObject({
      method: "initialize",
      params: { capabilities: { extensions: { [id]: {} } } },
    });
    wire.end();
  });

  test("a client uses an extension only with servers that declare it (XF-01)", async () => {
    const session = await join(create({ tools }), [extension]);
    expect(await session.request("echo/say", { word: "hi" })).toMatchObject({ word: "hi" });
    const other = await join(create(), [extension]);
    expect(isCapabilityError(await other.request("echo/say", { word: "hi" }).catch((error: unknown) => error))).toBe(
      true,
    );
    const without = await join(create({ tools }), []);
    await expect(without.request("echo/say", { word: "hi" })).rejects.toThrow();
  });

  test("a client accepts results of an extension only for methods of the extension (XT-02)", async () => {
    const server = create({ tools });
    const session = await join(server, [extension]);
    expect(await session.request("tools/call", { name: "t" })).toMatchObject({ resultType: "echo", word: "hi" });
    const without = await join(server, []);
    const wrong = { name: "InvalidMessageError", issue: { path: "resultType" } };
    await expect(without.request("tools/call", { name: "t" })).rejects.toMatchObject(wrong);
    const elsewhere: Feature = {
      ...feature,
      create: () => ({
        implement: () => ({ handlers: { listTools: async () => ({ resultType: "echo", word: "hi", tools: [] }) } }),
      }),
    };
    const strange = buildServer({ name: "s", version: "1", tools, onError: () => {} }, revisions, {
      ...allFeatures,
      features: [elsewhere],
    });
    const confused = await join(strange, [extension]);
    await expect(confused.request("tools/list")).rejects.toMatchObject(wrong);
  });
});

test("a server without a feature that serves extensions rejects them", () => {
  const build = (): unknown =>
    buildServer({ name: "s", version: "1", tools, extensions: [extension] }, revisions, {
      ...allFeatures,
      features: [],
    });
  expect(build).toThrow(`Nothing serves the extension ${id}; wrap it in defineExtension`);
});
