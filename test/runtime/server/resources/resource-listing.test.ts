import { describe, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition, AnyResourceTemplate } from "../../../../runtime/server/any-definition.ts";
import { callServer, meta, type CallSetup } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

const read = (): string => "";
const fixed = ["1", "2"].map((name) => ({ uri: `note://${name}`, name, read }));
const toResources = (...names: string[]): { uri: string; name: string }[] =>
  names.map((name) => ({ uri: `file:///${name}`, name }));

function template(list: AnyResourceTemplate["list"], scheme = "file"): AnyResourceTemplate {
  return { uriTemplate: `${scheme}:///{+path}`, name: scheme, read, ...(list && { list }) };
}

function create(definition: Partial<AnyServerDefinition>): Server {
  return createServer({ name: "test", version: "1", resources: fixed, ...definition }, revisions);
}

async function readPages(server: Server, revision = newest): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const params = { ...(cursor !== undefined && { cursor }), ...meta(revision) };
    const page = await callServer(server, revision, ["resources/list", params]);
    const { resources, nextCursor } = isObject(page) ? page : {};
    pages.push(Array.isArray(resources) ? resources.map(({ name }: { name: string }) => name) : []);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return pages;
}

/** Gives two names a page: a to f. */
const paged: AnyResourceTemplate["list"] = ({ cursor }) => {
  const pages = [toResources("a", "b"), toResources("c", "d"), toResources("e", "f")];
  const index = Number(cursor ?? 0);
  return { resources: pages[index], ...(index < 2 && { nextCursor: String(index + 1) }) };
};

describe.each(revisions.map((revision) => [revision.id, revision] as const))("at revision %s", (_id, revision) => {
  test("resources of a template are listed behind the fixed ones (N-05)", async () => {
    const server = create({ resourceTemplates: [template(async () => toResources("a", "b"))] });
    expect(await readPages(server, revision)).toEqual([["1", "2", "a", "b"]]);
  });
});

describe("pages of resources", () => {
  test.each<readonly [string, number | undefined, AnyResourceTemplate[], string[][]]>([
    ["a callback without cursors", 3, [template(() => toResources("a", "b"))], [["1", "2", "a"], ["b"]]],
    [
      "a full last page",
      2,
      [template(() => toResources("a", "b"))],
      [
        ["1", "2"],
        ["a", "b"],
      ],
    ],
    [
      "two callbacks",
      3,
      [template(() => toResources("a")), template(() => toResources("x", "y"), "dir")],
      [
        ["1", "2", "a"],
        ["x", "y"],
      ],
    ],
    [
      "the pages of a callback",
      undefined,
      [template(paged)],
      [
        ["1", "2", "a", "b"],
        ["c", "d"],
        ["e", "f"],
      ],
    ],
    [
      "smaller pages than those of a callback",
      1,
      [template(paged)],
      [["1"], ["2"], ["a"], ["b"], ["c"], ["d"], ["e"], ["f"]],
    ],
    ["a template that lists nothing", 3, [template(undefined), template(() => [], "dir")], [["1", "2"]]],
  ])("resources are listed in pages of %s", async (_name, pageSize, resourceTemplates, expected) => {
    expect(await readPages(create({ resourceTemplates, ...(pageSize && { pageSize }) }))).toEqual(expected);
  });

  test("the last page of resources has no cursor (N-03)", async () => {
    const server = create({ pageSize: 2, resourceTemplates: [template(() => [])] });
    expect(await readPages(server)).toEqual([["1", "2"]]);
  });
});

test("cursors of a list callback cannot be forged by a client (N-02, N-04)", async () => {
  const cursors: unknown[] = [];
  const list: AnyResourceTemplate["list"] = ({ cursor }) => (
    cursors.push(cursor),
    { resources: [], nextCursor: "ü 2" }
  );
  const server = create({ resourceTemplates: [template(list)] });
  const page = await callServer(server, newest, ["resources/list"]);
  await callServer(server, newest, ["resources/list", { cursor: Object(page).nextCursor }]);
  expect(cursors).toEqual([undefined, "ü 2"]);
  for (const cursor of ["ü 2", btoa('{"part":1,"inner":"/etc","skip":0}'), "x.y"]) {
    await expect(callServer(server, newest, ["resources/list", { cursor }])).rejects.toMatchObject({ code: -32602 });
  }
});

test("a cursor of a list callback is rejected for another client", async () => {
  const server = create({ resourceTemplates: [template(() => ({ resources: [], nextCursor: "of ada" }))] });
  const of = (principal: string): CallSetup => ({ origin: { identity: { principal } } });
  const page = await callServer(server, newest, ["resources/list"], of("ada"));
  const next = ["resources/list", { cursor: Object(page).nextCursor }] as const;
  await expect(callServer(server, newest, next, of("ada"))).resolves.toBeDefined();
  for (const other of [of("bob"), {}])
    await expect(callServer(server, newest, next, other)).rejects.toMatchObject({ code: -32602 });
});

test("list callbacks receive the principal, and those of hidden templates are not called", async () => {
  const principals: unknown[] = [];
  const list: AnyResourceTemplate["list"] = (_page, { auth }) => (principals.push(auth?.principal), toResources("a"));
  const hidden = { ...template(() => toResources("z"), "dir"), visible: (): boolean => false };
  const server = create({ resources: [], resourceTemplates: [hidden, template(list)] });
  const origin = { identity: { principal: "ada" } };
  expect(await callServer(server, newest, ["resources/list"], { origin })).toEqual({ resources: toResources("a") });
  expect(principals).toEqual(["ada"]);
});

test.each([undefined, "x", {}, { resources: "x" }])(
  "a list callback that gives %j is an internal error",
  async (outcome) => {
    const server = create({ resourceTemplates: [template(() => outcome)] });
    await expect(callServer(server, newest, ["resources/list"])).rejects.toThrow(
      'The list of "file:///{+path}" returned neither resources nor a page of resources',
    );
  },
);

test.each(revisions.map((revision) => [revision.id, revision] as const))(
  "resources of a list callback that cannot be shown are left out and reported at %s",
  async (_id, revision) => {
    const [good] = toResources("good");
    const wrong = [
      { mimeType: 5 },
      { _meta: { a: 1n } },
      { uri: 5 },
      { name: undefined },
      { annotations: { priority: 2 } },
    ];
    const list = (): unknown => [...wrong.map((member) => ({ ...good, ...member })), null, good];
    const reports: unknown[] = [];
    const onError = ({ error }: { readonly error: Error }): void => void reports.push(error.message);
    const server = create({ resources: [], resourceTemplates: [template(list)], onError });
    const page = await callServer(server, revision, ["resources/list", meta(revision)]);
    expect(Object(page).resources).toEqual([good]);
    expect(reports).toEqual([expect.stringContaining('The list of "file:///{+path}" returned 6 resources')]);
  },
);

describe("contents of resources", () => {
  const readOne = (outcome: unknown, mimeType?: string): Promise<unknown> =>
    callServer(
      create({
        resources: [{ uri: "a://b", name: "b", ...(mimeType && { mimeType }), read: () => outcome }],
        onError: () => {},
      }),
      newest,
      ["resources/read", { uri: "a://b" }],
    );

  test("a Blob is sent as base64 with its type, unless the resource has one (R-08, R-10)", async () => {
    const blob = new Blob([new Uint8Array([137, 80])], { type: "image/png" });
    expect(await readOne(blob)).toEqual({ contents: [{ uri: "a://b", mimeType: "image/png", blob: "iVA=" }] });
    expect(await readOne(blob, "image/x")).toEqual({ contents: [{ uri: "a://b", mimeType: "image/x", blob: "iVA=" }] });
    expect(await readOne(new Blob(["a"]))).toEqual({ contents: [{ uri: "a://b", blob: "YQ==" }] });
  });

  test("contents of resources may be empty (R-10)", async () => {
    expect(await readOne(new Uint8Array())).toEqual({ contents: [{ uri: "a://b", blob: "" }] });
    expect(await readOne("")).toEqual({ contents: [{ uri: "a://b", text: "" }] });
  });

  test("contents of resources are as large as their size says, before base64 (R-10)", async () => {
    const server = create({ resources: [{ uri: "a://b", name: "b", size: 3, read: () => new Uint8Array(3) }] });
    expect(await callServer(server, newest, ["resources/list"])).toEqual({
      resources: [{ uri: "a://b", name: "b", size: 3 }],
    });
    expect(() => create({ resources: [{ uri: "a://b", name: "b", size: -1, read }] })).toThrow("its size is -1");
  });
});

test("a cursor of resources leads on in order when the lists have changed, also in another process", async () => {
  const options = { pageSize: 2, listChanged: true, cursorKeys: [new Uint8Array(32).fill(7)] } as const;
  const resourceTemplates = [template(() => toResources("a", "b", "c"), "one"), template(paged, "two")];
  const [one, other] = [create({ ...options, resourceTemplates }), create({ ...options, resourceTemplates })];
  other.resources.add({ uri: "note://0", name: "0", read });
  other.resources.remove("note://0");
  const readFrom = async (server: Server, cursor?: unknown): Promise<{ names: string[]; nextCursor: unknown }> => {
    const params = { ...(cursor !== undefined && { cursor }), ...meta(newest) };
    const { resources, nextCursor } = Object(await callServer(server, newest, ["resources/list", params]));
    return { names: resources.map(({ name }: { name: string }) => name), nextCursor };
  };
  const first = await readFrom(one);
  const second = await readFrom(other, first.nextCursor);
  const third = await readFrom(one, second.nextCursor);
  expect([first.names, second.names, third.names]).toEqual([
    ["1", "2"],
    ["a", "b"],
    ["c", "a"],
  ]);
  // The template of the place is gone: its successor follows.
  other.resourceTemplates.remove("one:///{+path}");
  expect((await readFrom(other, second.nextCursor)).names).toEqual(["a", "b"]);
  // So are the fixed resources.
  other.resources.remove("note://1");
  expect((await readFrom(other, first.nextCursor)).names).toEqual(["a", "b"]);
});
