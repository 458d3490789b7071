import { describe, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import { revisions } from "../../../../generated/revisions.ts";
import { createServer, type Server } from "../../../../runtime/server/create-server.ts";
import type { AnyServerDefinition } from "../../../../runtime/server/any-definition.ts";
import { StaticResult } from "../../../../runtime/jsonrpc/message.ts";
import { callServer, meta } from "../../../kit/calls.ts";
import { newest } from "../../../kit/revisions.ts";

const names = ["a", "b", "c", "d", "e"];
const key = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);

function create(definition: Partial<AnyServerDefinition> = {}, count = names.length): Server {
  const named = names.slice(0, count).map((name) => ({ name, execute: () => "", get: () => "" }));
  return createServer({ name: "test", version: "1", tools: named, prompts: named, ...definition }, revisions);
}

async function list(server: Server, cursor?: string, method = "tools/list", revision = newest): Promise<Page> {
  const page = await callServer(server, revision, [
    method,
    { ...(cursor !== undefined && { cursor }), ...meta(revision) },
  ]);
  if (!isObject(page)) throw new Error("no page");
  const items: unknown = page.tools ?? page.prompts;
  const next = typeof page.nextCursor === "string" ? { nextCursor: page.nextCursor } : {};
  return { names: Array.isArray(items) ? items.map((item: { name: string }) => item.name) : [], ...next };
}

interface Page {
  readonly names: readonly string[];
  readonly nextCursor?: string;
}

async function readAll(server: Server, method?: string, revision?: (typeof revisions)[number]): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await list(server, cursor, method, revision);
    pages.push([...page.names]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

async function firstCursor(server: Server, method?: string): Promise<string> {
  const { nextCursor } = await list(server, undefined, method);
  if (nextCursor === undefined) throw new Error("the list has one page");
  return nextCursor;
}

const rejection = { code: -32602, message: "Invalid cursor; request the list without a cursor" };

describe("a list in pages", () => {
  test.each([
    [undefined, 5, [5]],
    [2, 5, [2, 2, 1]],
    [5, 5, [5]],
    [1, 3, [1, 1, 1]],
    [undefined, 1, [1]],
  ])(
    "a list in pages of size %s with %d entries has pages of %j, the last without cursor (N-03, N-05)",
    async (pageSize, count, lengths) => {
      const pages = await readAll(create(pageSize === undefined ? {} : { pageSize }, count));
      expect(pages.map((page) => page.length)).toEqual(lengths);
      expect(pages.flat()).toEqual(names.slice(0, count));
    },
  );

  test.each(revisions.map((revision) => [revision.id, revision] as const))(
    "a list in pages is complete at revision %s (N-05)",
    async (_id, revision) => {
      expect(await readAll(create({ pageSize: 3 }), "tools/list", revision)).toEqual([
        ["a", "b", "c"],
        ["d", "e"],
      ]);
    },
  );

  test("a list of one page is returned synchronously and encoded once", () => {
    const { handlers } = create().implement(newest);
    const listTools: unknown = Reflect.get(handlers, "listTools");
    if (typeof listTools !== "function") throw new Error("no list");
    const result: unknown = listTools.call(handlers, undefined, undefined);
    expect(result).toBeInstanceOf(StaticResult);
    expect(listTools.call(handlers, {}, undefined)).toBe(result);
  });
});

describe("cursors", () => {
  test.each(["", ".", "MQ", "MQ.", "MQ.AAAA", "MQ==.AAAA", "../..", "__proto__", "ü.ü", `MQ.${"A".repeat(30_000)}`])(
    "cursors that the server did not issue, such as %j, are rejected (N-02, N-04, S-090)",
    async (cursor) => {
      await expect(list(create({ pageSize: 2 }), cursor)).rejects.toMatchObject(rejection);
      await expect(list(create(), cursor)).rejects.toMatchObject(rejection);
    },
  );

  test("cursors cannot be changed by a client (N-02)", async () => {
    const server = create({ pageSize: 2 });
    const [, signature = ""] = (await firstCursor(server)).split(".");
    for (const place of ["0", "1", "3", "9999999", "NaN"]) {
      await expect(list(server, `${btoa(place)}.${signature}`)).rejects.toMatchObject(rejection);
    }
  });

  test.each([
    ["another list", create({ pageSize: 2 }), "prompts/list"],
    ["another server", create({ pageSize: 2 }), "tools/list"],
  ])("cursors of %s are rejected (N-04)", async (_name, other, method) => {
    const server = create({ pageSize: 2 });
    const cursor = await firstCursor(server);
    await expect(list(method === "prompts/list" ? server : other, cursor, method)).rejects.toMatchObject(rejection);
  });

  test("cursors of another revision are rejected (N-04)", async () => {
    const server = create({ pageSize: 2 });
    const [, older] = revisions.filter(({ lifecycle }) => lifecycle === "handshake");
    const cursor = await firstCursor(server);
    await expect(list(server, cursor, "tools/list", older)).rejects.toMatchObject(rejection);
  });

  const addAgain = (server: Server, name: string): void => {
    server.tools.remove(name);
    server.tools.add({ name, execute: () => "" });
  };
  const remove =
    (...gone: readonly string[]) =>
    (server: Server) =>
      gone.forEach((name) => server.tools.remove(name));

  // The first page was `a b`, and the next one was to begin at `c`.
  const changes: readonly (readonly [string, (server: Server) => void, readonly string[]])[] = [
    ["without a change", () => {}, ["c", "d"]],
    ["whose first entry is gone", remove("a"), ["c", "d"]],
    ["whose entry before the page is gone", remove("b"), ["c", "d"]],
    ["whose entry after the page is gone", remove("c"), ["d", "e"]],
    ["whose neighbours are gone", remove("b", "c"), ["d", "e"]],
    ["whose entry before the page has moved to the end", (server) => addAgain(server, "b"), ["c", "d"]],
    ["whose entry after the page has moved to the end", (server) => addAgain(server, "c"), ["d", "e"]],
    ["with a further entry, which is gone again", (server) => (addAgain(server, "f"), remove("f")(server)), ["c", "d"]],
    ["whose page is gone", remove("a", "b"), ["c", "d"]],
  ];

  test.each(changes)(
    "cursors lead on in order in a list %s, in this process and in another with the same key",
    async (_name, change, next) => {
      const definition = { pageSize: 2, listChanged: ["tools"], cursorKeys: [key] } as const;
      const [one, other] = [create(definition), create(definition)];
      const cursor = await firstCursor(one);
      change(one);
      change(other);
      expect((await list(one, cursor)).names).toEqual(next);
      expect((await list(other, cursor)).names).toEqual(next);
    },
  );

  test("cursors are rejected when no entry beside their place is left (N-04)", async () => {
    const server = create({ pageSize: 2, listChanged: ["tools"] });
    const cursor = await firstCursor(server);
    remove("a", "b", "c")(server);
    await expect(list(server, cursor)).rejects.toMatchObject(rejection);
    expect(await readAll(server)).toEqual([["d", "e"]]);
  });

  test("cursors of a process skip nothing in another one, whose list has other entries", async () => {
    const definition = { pageSize: 2, cursorKeys: [key] };
    const toTools = (...own: readonly string[]): { name: string; execute: () => string }[] =>
      own.map((name) => ({ name, execute: () => "" }));
    const one = create({ ...definition, tools: toTools("a", "b", "c", "d") });
    const other = create({ ...definition, tools: toTools("0", "a", "b", "c", "d") });
    expect((await list(other, await firstCursor(one))).names).toEqual(["c", "d"]);
    expect((await list(one, await firstCursor(other))).names).toEqual(["b", "c"]);
  });

  test("cursors of long keys are short", async () => {
    const resources = ["a", "b", "c"].map((name) => ({
      uri: `a://${"x".repeat(50_000)}${name}`,
      name,
      read: () => "",
    }));
    const server = create({ pageSize: 1, resources });
    const first = await callServer(server, newest, ["resources/list", meta(newest)]);
    const { nextCursor } = Object(first);
    expect(String(nextCursor).length).toBeLessThan(1_000);
    const second = await callServer(server, newest, ["resources/list", { cursor: nextCursor, ...meta(newest) }]);
    expect(second).toMatchObject({ resources: [{ name: "b" }] });
  });

  test("cursors are stable, and the same on every instance with the same key (N-04, S-090)", async () => {
    const [one, other] = [create({ pageSize: 2, cursorKeys: [key] }), create({ pageSize: 2, cursorKeys: [key] })];
    const cursor = await firstCursor(one);
    expect(await firstCursor(one)).toBe(cursor);
    expect(await firstCursor(other)).toBe(cursor);
    expect((await list(other, cursor)).names).toEqual(["c", "d"]);
  });

  test("cursors of a rotated key are accepted while the key is configured", async () => {
    const cursor = await firstCursor(create({ pageSize: 2, cursorKeys: [key] }));
    const renewed = create({ pageSize: 2, cursorKeys: [otherKey, key] });
    expect((await list(renewed, cursor)).names).toEqual(["c", "d"]);
    expect(await firstCursor(renewed)).toBe(await firstCursor(create({ pageSize: 2, cursorKeys: [otherKey] })));
    await expect(list(create({ pageSize: 2, cursorKeys: [otherKey] }), cursor)).rejects.toMatchObject(rejection);
  });

  test.each([[[]], [[new Uint8Array(31)]]])("cursors need a key of 32 bytes", (cursorKeys) => {
    expect(() => create({ cursorKeys })).toThrow("cursorKeys requires at least one key with 32 random bytes or more");
  });
});
