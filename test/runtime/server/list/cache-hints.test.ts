import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject } from "../../../../generated/support.ts";
import { createServerAcceptor } from "../../../../runtime/server/run/acceptor.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { settle } from "../../../../runtime/testing/manual-clock.ts";
import { Wire } from "../../../../runtime/testing/wire.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";
import { request } from "../../../kit/messages.ts";

const read = (): string => "";
const hint = { ttlMs: 60_000, cacheScope: "public" } as const;
const defaults = { ttlMs: 0, cacheScope: "private" };

const definition: AnyServerDefinition = {
  name: "s",
  version: "1",
  onError: () => {},
  tools: [{ name: "a", execute: read }],
  prompts: [{ name: "p", get: read }],
  resources: [
    { uri: "note://kept", name: "kept", read, cacheHint: hint },
    { uri: "note://plain", name: "plain", read },
    { uri: "note://hidden", name: "hidden", read, cacheHint: hint, visible: () => true },
    {
      uri: "note://own",
      name: "own",
      cacheHint: hint,
      read: (uri) => ({ contents: [{ uri, text: "" }], ttlMs: 5, cacheScope: "private" }),
    },
  ],
  resourceTemplates: [{ uriTemplate: "note://{id}/part", name: "part", read, cacheHint: { ttlMs: 7 } }],
};

/** Returns the result of a request to a server with these changes to its definition. */
async function send(changes: Partial<AnyServerDefinition>, method: string, params: object = {}): Promise<unknown> {
  const wire = new Wire();
  createServerAcceptor(createServer({ ...definition, ...changes }, revisions))(wire);
  wire.post(request(1, method, params));
  await settle();
  const [message] = wire.sent;
  return isObject(message) ? message.result : undefined;
}

const cacheable = [
  ["server/discover", "discover"],
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

describe.each(cacheable)("the result of %s", (method, name) => {
  // One of the resources is not for everybody, which is another test.
  const resources = [{ uri: "note://kept", name: "kept", read }];

  test("the result is not cacheable by default (S-060, trap 20)", async () => {
    expect(await send({}, method)).toMatchObject(defaults);
  });

  test("the result carries the time to live and the scope of the definition (S-060)", async () => {
    expect(await send({ resources, cacheHints: { [name]: hint } }, method)).toMatchObject(hint);
    expect(await send({ resources, cacheHints: { [name]: { ttlMs: 1 } } }, method)).toMatchObject({
      ...defaults,
      ttlMs: 1,
    });
  });
});

describe("results that depend on the principal", () => {
  const visible = (): boolean => true;

  test.each([
    ["tools/list", { tools: [{ name: "a", execute: read, visible }], cacheHints: { tools: hint } }],
    ["resources/list", { cacheHints: { resources: hint } }],
    ["prompts/list", { prompts: [{ name: "p", get: read, visible }], cacheHints: { prompts: hint } }],
    [
      "resources/list",
      {
        resourceTemplates: [{ uriTemplate: "note://{id}/part", name: "part", read, list: () => [] }],
        cacheHints: { resources: hint },
      },
    ],
  ])(
    "the result of %s is private when it depends on the principal, whatever the definition says (S-062)",
    async (method, changes) => {
      expect(await send(changes, method)).toMatchObject({ ttlMs: hint.ttlMs, cacheScope: "private" });
    },
  );
});

test("every page of a list has the same cache hints (S-061)", async () => {
  const changes = {
    pageSize: 1,
    tools: ["a", "b"].map((name) => ({ name, execute: read })),
    cacheHints: { tools: hint },
  };
  const server = createServer({ ...definition, ...changes }, revisions);
  const wire = new Wire();
  createServerAcceptor(server)(wire);
  wire.post(request(1, "tools/list"));
  // Signing a cursor is left to another thread.
  await expect.poll(() => wire.sent).toHaveLength(1);
  const [message] = wire.sent;
  const { nextCursor, ...page } = isObject(message) && isObject(message.result) ? message.result : {};
  expect(page).toMatchObject({ ...hint, tools: [{ name: "a" }] });
  wire.post(request(2, "tools/list", { cursor: nextCursor }));
  await expect.poll(() => wire.sent).toHaveLength(2);
  expect(wire.sent[1]).toMatchObject({ result: { ...hint, tools: [{ name: "b" }] } });
});

test.each([
  ["note://kept", hint],
  ["note://plain", defaults],
  ["note://hidden", { ...hint, cacheScope: "private" }],
  ["note://own", { ttlMs: 5, cacheScope: "private" }],
  ["note://1/part", { ttlMs: 7, cacheScope: "private" }],
])("the result of reading %s has cache hints (S-060)", async (uri, expected) => {
  expect(await send({}, "resources/read", { uri })).toMatchObject(expected);
});

test("definitions in lists do not contain the cache hints", async () => {
  const { resources } = Object(await send({}, "resources/list"));
  expect(JSON.stringify(resources)).not.toContain("cacheHint");
});

test.each(handshakeRevisions)("a client of $id receives no cache hints (DE-05)", async ({ id }) => {
  const wire = new Wire();
  createServerAcceptor(createServer({ ...definition, cacheHints: { tools: hint } }, revisions))(wire);
  const params = { protocolVersion: id, capabilities: {}, clientInfo: { name: "c", version: "1" } };
  wire.post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  wire.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  wire.post({ jsonrpc: "2.0", id: 2, method: "tools/list" });
  wire.post({ jsonrpc: "2.0", id: 3, method: "resources/read", params: { uri: "note://kept" } });
  await settle();
  expect(JSON.stringify(wire.sent.slice(1))).not.toMatch(/ttlMs|cacheScope|resultType/);
  expect(wire.sent).toHaveLength(3);
});

test.each([
  ["cacheHints.tools", { cacheHints: { tools: { ttlMs: -1 } } }],
  ["cacheHints.prompts", { cacheHints: { prompts: { ttlMs: 1.5 } } }],
  ["cacheHints.discover", { cacheHints: { discover: { ttlMs: Infinity } } }],
  ['Resource "a:b"', { resources: [{ uri: "a:b", name: "b", read, cacheHint: { ttlMs: NaN } }] }],
  ['template "a:{b}"', { resourceTemplates: [{ uriTemplate: "a:{b}", name: "b", read, cacheHint: { ttlMs: -5 } }] }],
])("an invalid cache hint is rejected when it is defined: %s", (what, changes) => {
  expect(() => createServer({ ...definition, ...changes }, revisions)).toThrow(what);
});
