import { describe, expect, onTestFinished, test } from "vitest";
import type { Declarations } from "../../../../generated/2026-07-28/index.ts";
import { extension } from "../../../../generated/extensions/ui/index.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { isObject, type Extension, type Revision } from "../../../../generated/support.ts";
import { createUntypedClient } from "../../../../runtime/client/create-client.ts";
import type { ClientSession } from "../../../../runtime/client/session/client-session.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition, AnyTool } from "../../../../runtime/server/any-definition.ts";
import { createUiResource, uiMimeType, type UiResourceOptions } from "../../../../runtime/server/apps/ui-resource.ts";
import { connectInMemory } from "../../../../runtime/testing/connect-to.ts";

const html = "<!doctype html>\n<title>Board</title>";
const uri = "ui://test/board";
const board = createUiResource({
  uri,
  name: "board",
  html,
  csp: { connectDomains: ["https://api.example.com", "wss://*.example.com:443"] },
  permissions: { clipboardWrite: {} },
  domain: "board.example.com",
  prefersBorder: false,
});
const meta = {
  ui: {
    csp: { connectDomains: ["https://api.example.com", "wss://*.example.com:443"] },
    permissions: { clipboardWrite: {} },
    domain: "board.example.com",
    prefersBorder: false,
  },
};
const tools: readonly AnyTool[] = [
  { name: "show", ui: { resourceUri: uri }, execute: () => "3 open" },
  { name: "refresh", ui: { resourceUri: uri, visibility: ["app"] }, execute: () => "2 open" },
  { name: "plain", execute: () => "nothing to see" },
];
const views: Extension = { ...extension, settings: { mimeTypes: [uiMimeType] } };

function create(source: Partial<AnyServerDefinition> = {}): Server {
  return createServer({ name: "test", version: "1", tools, resources: [board], ...source }, revisions);
}

async function connect(
  server: Server,
  { revision, extensions }: { readonly revision?: Revision; readonly extensions: readonly Extension[] },
): Promise<ClientSession<Declarations>> {
  const client = await connectInMemory<Declarations>(server, {
    extensions,
    ...(revision && { revisions: [revision] }),
  });
  onTestFinished(() => client.close());
  return client;
}

const carrying = revisions.filter(({ clientRequests }) => carriesMeta(clientRequests["tools/list"]?.result));

/** True if tools have metadata at a revision, which then rejects invalid metadata. */
function carriesMeta(check: ((result: unknown) => unknown) | undefined): boolean {
  const tool = { name: "a", inputSchema: { type: "object" }, _meta: 0 };
  return check?.({ resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [tool] }) !== undefined;
}

describe.each(carrying.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  test("a client with views sees which tool has one, and tools for views only (XU-01, XU-03)", async () => {
    const client = await connect(create(), { revision, extensions: [views] });
    expect(client.serverCapabilities).toMatchObject({ extensions: { [extension.id]: {} } });
    const listed = await client.listTools();
    expect(listed.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["show", { ui: { resourceUri: uri } }],
      ["refresh", { ui: { resourceUri: uri, visibility: ["app"] } }],
      ["plain", undefined],
    ]);
    expect(await client.callTool("show")).toMatchObject({ content: [{ type: "text", text: "3 open" }] });
  });

  test.each([
    ["no extensions", []],
    ["other kinds of view", [{ ...extension, settings: { mimeTypes: ["text/html"] } }]],
  ])("a client with %s gets text, and nothing that is for views only (XU-03)", async (_what, extensions) => {
    const client = await connect(create(), { revision, extensions });
    const listed = await client.listTools();
    expect(listed.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["show", undefined],
      ["plain", undefined],
    ]);
    expect(await client.callTool("show")).toMatchObject({ content: [{ type: "text", text: "3 open" }] });
  });

  test("a view is listed and read with its MIME type and what it needs (XU-02)", async () => {
    const client = await connect(create(), { revision, extensions: [views] });
    expect(await client.listResources()).toMatchObject([{ uri, name: "board", mimeType: uiMimeType, _meta: meta }]);
    const { contents } = await client.readResource(uri);
    expect(contents).toEqual([{ uri, mimeType: uiMimeType, text: html, _meta: meta }]);
  });
});

test("a server shows no views, but text, at revisions without metadata of tools (XU-03)", async () => {
  const others = revisions.filter((revision) => !carrying.includes(revision));
  expect(others.length).toBeGreaterThan(0);
  for (const revision of others) {
    const client = await connect(create(), { revision, extensions: [views] });
    const listed = await client.listTools();
    expect(listed.map(({ name, _meta }) => [name, _meta])).toEqual([
      ["show", undefined],
      ["plain", undefined],
    ]);
  }
});

test("the pages of a list lead to every tool for a client without views (XU-03)", async () => {
  const more = ["a", "b"].map((name): AnyTool => ({ name, ui: { visibility: ["app"] }, execute: () => "" }));
  const server = create({ tools: [...more, ...tools], pageSize: 1 });
  const client = await connect(server, { extensions: [] });
  const listed = await client.listTools();
  expect(listed.map(({ name }) => name)).toEqual(["show", "plain"]);
});

test("a replaced tool is listed with its new view (XU-03)", async () => {
  const server = create({ listChanged: ["tools"] });
  const client = await connect(server, { extensions: [views] });
  await client.listTools();
  server.tools.replace({ name: "plain", ui: { resourceUri: uri }, execute: () => "" });
  const listed = await client.listTools({ refresh: true });
  expect(listed.find(({ name }) => name === "plain")).toMatchObject({ _meta: { ui: { resourceUri: uri } } });
});

test("the list of one client is not kept for another client (XU-03)", async () => {
  const server = create({ cacheHints: { tools: { ttlMs: 1_000, cacheScope: "public" } } });
  const client = await connect(server, { extensions: [views] });
  expect(await client.request("tools/list", {})).toMatchObject({ ttlMs: 1_000, cacheScope: "private" });
  const plain = await connect(create({ tools: [{ name: "plain", execute: () => "" }] }), { extensions: [views] });
  expect(plain.serverCapabilities).not.toHaveProperty("extensions");
});

test("a server rejects a client that declares the extension without MIME types (XU-01)", () => {
  const info = { name: "test", version: "1" };
  const make = (settings: Readonly<Record<string, unknown>>) => (): unknown =>
    createUntypedClient({ info, revisions, extensions: [{ ...extension, settings }] });
  expect(make({})).toThrow(/settings\/mimeTypes/);
  expect(make({ mimeTypes: uiMimeType })).toThrow(/settings\/mimeTypes/);
  expect(make({ mimeTypes: [uiMimeType] })).not.toThrow();
});

test("tools that are added later may have views when the definition declares the extension (XU-03)", async () => {
  const server = create({ tools: [], listChanged: ["tools"], extensions: [extension] });
  const client = await connect(server, { extensions: [views] });
  expect(await client.listTools()).toEqual([]);
  server.tools.add({ name: "late", ui: { resourceUri: uri }, execute: () => "" });
  const [late] = await client.listTools({ refresh: true });
  expect(isObject(late) && late._meta).toEqual({ ui: { resourceUri: uri } });
});

describe("invalid views", () => {
  const options: UiResourceOptions = { uri, name: "x", html };

  test.each<[string, Partial<UiResourceOptions>, RegExp]>([
    ["text", { html: "Hello" }, /<!doctype html>/],
    ["a part of a document", { html: "<div></div><!doctype html>" }, /<!doctype html>/],
    ["a comment without end", { html: "<!-- <!doctype html>" }, /<!doctype html>/],
    ["an origin with a path", { csp: { frameDomains: ["https://example.com/x"] } }, /frameDomains has "https/],
    ["another rule", { csp: { connectDomains: ["https://a.com; script-src *"] } }, /connectDomains/],
    ["every origin", { csp: { resourceDomains: ["*"] } }, /resourceDomains/],
  ])("the definition of %s is rejected (XU-02)", (_what, change, message) => {
    expect(() => createUiResource({ ...options, ...change })).toThrow(message);
  });

  test("a view with another scheme or another MIME type is rejected (XU-02)", () => {
    const make = (given: object): unknown => Reflect.apply(createUiResource, undefined, [{ ...options, ...given }]);
    expect(() => make({ uri: "https://example.com" })).toThrow(/"ui:\/\/"/);
    const resource = { uri, name: "x", mimeType: "text/html", read: () => html };
    expect(() => create({ resources: [resource] })).toThrow(/the MIME type of a view must be/);
  });

  test("a view may begin with white space and comments, in any letter case (XU-02)", async () => {
    const view = createUiResource({ ...options, html: () => "\uFEFF\n<!-- a --><!-- b -->\n<!DOCTYPE HTML><p>" });
    const client = await connect(create({ resources: [view] }), { extensions: [views] });
    expect((await client.readResource(uri)).contents).toMatchObject([{ mimeType: uiMimeType }]);
  });

  test("a view that a function creates is checked when it is read (XU-02)", async () => {
    const view = createUiResource({ ...options, html: () => "no document" });
    const problems: string[] = [];
    const onError = ({ error }: { readonly error: Error }): void => void problems.push(error.message);
    const client = await connect(create({ resources: [view], onError }), { extensions: [views] });
    await expect(client.readResource(uri)).rejects.toMatchObject({ name: "PeerError" });
    expect(problems.join()).toMatch(/<!doctype html>/);
  });

  test.each<[string, AnyTool, RegExp]>([
    [
      "a view that is not there",
      { name: "t", ui: { resourceUri: "ui://none" }, execute: String },
      /the resource ui:\/\/none does not exist/,
    ],
    ["nobody who may call it", { name: "t", ui: { visibility: [] }, execute: String }, /ui.visibility/],
  ])("a tool with %s is rejected (XU-02)", (_what, tool, message) => {
    expect(() => create({ tools: [tool] })).toThrow(message);
  });
});
