import { describe, expect, test } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import type { OnError } from "../../../../runtime/jsonrpc/error-report.ts";
import { RpcError } from "../../../../runtime/jsonrpc/errors.ts";
import { ToolError } from "../../../../runtime/server/errors.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyResource, AnyResourceTemplate } from "../../../../runtime/server/any-definition.ts";
import { callServer, meta } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

const greeting: AnyResourceTemplate = {
  uriTemplate: "greeting://{name}{?polite}",
  name: "greeting",
  mimeType: "text/plain",
  read: ({ name, polite }, { uri }) => `${polite === "yes" ? "Good day" : "Hi"}, ${String(name)} (${uri})`,
};
const note: AnyResource = { uri: "note://today", name: "today", read: (uri) => `a note at ${uri}` };
const pixel: AnyResource = {
  uri: "image://pixel",
  name: "pixel",
  mimeType: "image/png",
  read: async () => new Uint8Array([137, 80, 78, 71]),
};

function create(definition: {
  resources?: AnyResource[];
  resourceTemplates?: AnyResourceTemplate[];
  onError?: OnError;
}): Server {
  return createServer({ name: "test", version: "1", onError: () => {}, ...definition }, revisions);
}

function read(server: Server, uri: string, revision = newest): Promise<unknown> {
  return callServer(server, revision, ["resources/read", { uri, ...meta(revision) }]);
}

const server = create({ resources: [note, pixel], resourceTemplates: [greeting] });

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  test("lists show definitions, without the functions", async () => {
    expect(await callServer(server, revision, ["resources/list", meta(revision)])).toMatchObject({
      resources: [
        { uri: "note://today", name: "today" },
        { uri: "image://pixel", name: "pixel", mimeType: "image/png" },
      ],
    });
    expect(await callServer(server, revision, ["resources/templates/list", meta(revision)])).toMatchObject({
      resourceTemplates: [{ uriTemplate: "greeting://{name}{?polite}", name: "greeting", mimeType: "text/plain" }],
    });
  });

  test("text, bytes and templates are read (R-08, R-10, S-111)", async () => {
    expect(await read(server, "note://today", revision)).toMatchObject({
      contents: [{ uri: "note://today", text: "a note at note://today" }],
    });
    expect(await read(server, "image://pixel", revision)).toMatchObject({
      contents: [{ uri: "image://pixel", mimeType: "image/png", blob: "iVBORw==" }],
    });
    expect(await read(server, "greeting://Ada%20L?polite=yes", revision)).toMatchObject({
      contents: [{ mimeType: "text/plain", text: "Good day, Ada L (greeting://Ada%20L?polite=yes)" }],
    });
  });

  test.each([-32002, -32602, -32603, 4711])(
    "the error %d of a read is sent, with the code of the revision for a missing resource (R-04, S-006)",
    async (code) => {
      const failing: AnyResource = {
        ...note,
        read: () => Promise.reject(new RpcError(code, "Gone", { data: { uri: "x" } })),
      };
      const sent = code === -32002 && !revision.errors.resourceNotFound?.emitted ? -32602 : code;
      await expect(read(create({ resources: [failing] }), note.uri, revision)).rejects.toMatchObject({
        code: sent,
        message: "Gone",
        data: { uri: "x" },
      });
    },
  );

  test("an unknown URI is rejected with the code of the revision (R-04)", async () => {
    const code = revision.errors.resourceNotFound?.emitted ? -32002 : -32602;
    await expect(read(server, "note://tomorrow", revision)).rejects.toMatchObject({
      code,
      data: { uri: "note://tomorrow" },
    });
  });
});

test("both codes for unknown resources are in use (R-04)", () => {
  const emitted = revisions.map((revision) => revision.errors.resourceNotFound?.emitted === true);
  expect(new Set(emitted)).toEqual(new Set([true, false]));
});

test("a fixed resource wins over a template, and an earlier template over a later one", async () => {
  const respond =
    (text: string): (() => string) =>
    () =>
      text;
  const both = create({
    resources: [{ uri: "a://x", name: "x", read: respond("fixed") }],
    resourceTemplates: [
      { uriTemplate: "a://{b}", name: "one", read: respond("one") },
      { uriTemplate: "a://{+b}", name: "many", read: respond("many") },
    ],
  });
  expect(await read(both, "a://x")).toMatchObject({ contents: [{ text: "fixed" }] });
  expect(await read(both, "a://y")).toMatchObject({ contents: [{ text: "one" }] });
  expect(await read(both, "a://y/z")).toMatchObject({ contents: [{ text: "many" }] });
});

test.each([
  ["note://ü/日", "note://%C3%BC/%E6%97%A5"],
  ["note://ü/日", "note://%c3%bc/%e6%97%a5"],
  ["note://ü/日", "note://ü/%E6%97%A5"],
  ["note://%C3%BC", "note://ü"],
  ["note://%C3%BC", "note://%c3%bc"],
  ["note://%c3%bc", "note://%C3%BC"],
  ["note://%c3%bc", "note://ü"],
  ["note://ü%20%FF", "note://%C3%BC%20%FF"],
])("the resource %s is found as %s", async (uri, requested) => {
  const server = create({ resources: [{ uri, name: "note", read: (named) => named }] });
  expect(await read(server, requested)).toMatchObject({ contents: [{ uri: requested, text: requested }] });
});

test.each([
  ["note://a/b", "note://a%2Fb"],
  ["note://%FF", "note://%FE"],
])("the resource %s is another one than %s", async (uri, requested) => {
  const server = create({ resources: [{ uri, name: "note", read: () => "" }] });
  await expect(read(server, requested)).rejects.toMatchObject({ data: { uri: requested } });
});

test("resources whose URIs differ in their spelling only are found by their own", async () => {
  const uris = ["note://ü", "note://%C3%BC"];
  const server = create({ resources: uris.map((uri) => ({ uri, name: uri, read: () => `of ${uri}` })) });
  for (const uri of uris) expect(await read(server, uri)).toMatchObject({ contents: [{ text: `of ${uri}` }] });
});

test("a result of the protocol is sent unchanged (R-12)", async () => {
  const contents = [
    { uri: "dir://a/1", text: "one" },
    { uri: "dir://a/2", blob: "AA==" },
  ];
  const folder = create({ resources: [{ uri: "dir://a", name: "a", read: () => ({ contents }) }] });
  expect(await read(folder, "dir://a")).toEqual({ contents });
});

test("large binary resources are encoded in slices (R-08)", async () => {
  const bytes = new Uint8Array(300_001).map((_value, index) => index % 256);
  const large = create({ resources: [{ uri: "a://b", name: "b", read: () => bytes }] });
  expect(await read(large, "a://b")).toEqual({
    contents: [{ uri: "a://b", blob: Buffer.from(bytes).toString("base64") }],
  });
});

test.each([
  ["bytes", new Uint8Array([1])],
  ["a Blob without a type", new Blob([new Uint8Array([1])])],
])("%s without a MIME type are sent without one (R-10)", async (_, bytes) => {
  const unknown = create({ resources: [{ uri: "a://b", name: "b", read: () => bytes }] });
  expect(await read(unknown, "a://b")).toEqual({ contents: [{ uri: "a://b", blob: "AQ==" }] });
});

test.each<readonly [string, unknown, number]>([
  ["bytes", new Uint8Array([1]), 1],
  ["a Blob without a type", new Blob(["a"]), 1],
  ["a Blob with a type", new Blob(["a"], { type: "a/b" }), 0],
  ["a result with bytes", { contents: [{ uri: "a://b", blob: "AA==" }] }, 1],
  ["a result with bytes that have a type", { contents: [{ uri: "a://b", blob: "AA==", mimeType: "a/b" }] }, 0],
  ["a result with text", { contents: [{ uri: "a://b", text: "a" }] }, 0],
  ["text", "a", 0],
])("%s of a resource or template without a MIME type: reported at most once for each", async (_, outcome, count) => {
  const reports: unknown[] = [];
  const untyped = create({
    resources: [{ uri: "a://b", name: "b", read: () => outcome }],
    resourceTemplates: [{ uriTemplate: "c://{d}", name: "d", read: () => outcome }],
    onError: ({ kind, method, id, error }) => reports.push([kind, method, typeof id, error.message]),
  });
  for (const uri of ["a://b", "c://1", "a://b", "c://2"]) await read(untyped, uri);
  expect(reports).toEqual(
    ["b", "d"].slice(0, 2 * count).map((name) => {
      const message = `The resource "${name}" has bytes without a MIME type; set its mimeType`;
      return ["result", "resources/read", expect.any(String), message];
    }),
  );
});

test.each(revisions)("a template that returns nothing is an unknown resource ($id) (R-04)", async (revision) => {
  const none = create({
    resourceTemplates: [{ uriTemplate: "a://{b}", name: "b", read: ({ b }) => (b === "1" ? "one" : undefined) }],
  });
  expect(await read(none, "a://1", revision)).toMatchObject({ contents: [{ text: "one" }] });
  const code = revision.errors.resourceNotFound?.emitted ? -32002 : -32602;
  await expect(read(none, "a://2", revision)).rejects.toMatchObject({ code, data: { uri: "a://2" } });
});

test("the message of a ResourceError reaches the client", async () => {
  const fail = (): never => {
    throw new ToolError("The notes are locked.");
  };
  const locked = create({
    resources: [{ uri: "a://b", name: "b", read: fail }],
    resourceTemplates: [{ uriTemplate: "a://c/{d}", name: "c", read: fail, list: fail }],
  });
  const rejection = { code: -32602, message: "The notes are locked." };
  await expect(read(locked, "a://b")).rejects.toMatchObject(rejection);
  await expect(read(locked, "a://c/1")).rejects.toMatchObject(rejection);
  await expect(callServer(locked, newest, ["resources/list", meta(newest)])).rejects.toMatchObject(rejection);
});

test("another value from a resource handler is an internal error", async () => {
  const broken = create({ resources: [{ uri: "a://b", name: "b", read: () => 7 }] });
  await expect(read(broken, "a://b")).rejects.toThrow(
    "The resource a://b returned neither text nor bytes nor a result",
  );
});

describe("invalid definitions of resources", () => {
  const read = (): string => "";
  test.each([
    ["a relative URI (R-07, S-113)", { resources: [{ uri: "today", name: "t", read }] }, /has no absolute URI/],
    [
      "a template as a URI",
      { resources: [{ uri: "note://{id}", name: "t", read }] },
      /"note:\/\/\{id\}" has variables; define it with defineResourceTemplate/,
    ],
    ["a broken template", { resourceTemplates: [{ uriTemplate: "a://{b", name: "t", read }] }, /is not closed/],
    ["a URI that is there twice", { resources: [note, note] }, /resources\[0\] and resources\[1\] have the same URI/],
    ["a template that is there twice", { resourceTemplates: [greeting, greeting] }, /have the same URI template/],
    [
      "completion of what is no variable",
      { resourceTemplates: [{ ...greeting, complete: { nome: (): string[] => [] } }] },
      /completes the unknown variable "nome"; its variables are name, polite/,
    ],
  ])("an invalid definition of a resource is rejected: %s", (_name, definition, message) => {
    expect(() => create(definition)).toThrow(message);
  });
});
