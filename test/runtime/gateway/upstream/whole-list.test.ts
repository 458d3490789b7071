import { afterEach, expect, test } from "vitest";
import { serveGatewayHttp } from "../../../../runtime/gateway/serve.ts";
import { readWholeList } from "../../../../runtime/gateway/proxy/whole-list.ts";
import { PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { newest } from "../../../kit/revisions.ts";
import { createProgramOf, openProgram, post, type Ends } from "./programs.ts";

const ends: Ends = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test("a client without a session receives the whole list of a server whose processes know only their own cursors", async () => {
  const tools = ["a", "b", "c"].map((name) => ({ name, execute: () => name }));
  const gateway = await openProgram(
    createProgramOf(() => ({ pageSize: 1, tools }), newest),
    { ends },
  );
  const listener = await serveGatewayHttp(gateway, { port: 0 });
  ends.push(() => listener.close());
  const result = await post(listener.url, { method: "tools/list", params: {} });
  expect(result).toMatchObject({ tools: [{ name: "a" }, { name: "b" }, { name: "c" }] });
  expect(result).not.toHaveProperty("nextCursor");
});

/** Returns a function that returns pages, and the cursors that it was called with. */
function createPages(pages: readonly object[]): {
  readonly requested: unknown[];
  request(page: { readonly cursor?: string }): Promise<unknown>;
} {
  const requested: unknown[] = [];
  return {
    requested,
    request({ cursor }) {
      requested.push(cursor);
      return Promise.resolve(pages[requested.length - 1]);
    },
  };
}

test("a list is read up to a cursor that repeats, which a client would follow without end", async () => {
  const { requested, request } = createPages([
    { tools: [1], nextCursor: "x", ttlMs: 0 },
    { tools: [2], nextCursor: "x" },
  ]);
  expect(await readWholeList("tools", request)).toEqual({ tools: [1, 2], ttlMs: 0 });
  expect(requested).toEqual([undefined, "x"]);
});

test("a long list is read up to a bound, and the cursor of the rest is passed on", async () => {
  const long = "x".repeat(8 * 1024 * 1024);
  const { requested, request } = createPages([
    { tools: [1], nextCursor: "x" },
    { tools: [long], nextCursor: "y" },
  ]);
  expect(await readWholeList("tools", request)).toEqual({ tools: [1, long], nextCursor: "y" });
  expect(requested).toEqual([undefined, "x"]);
});

test("a list as long as the bound is passed on with its cursor", async () => {
  const bound = 4 * 1024 * 1024;
  const first = { tools: [""], nextCursor: "x" };
  const tools = ["x".repeat(bound - JSON.stringify(first).length)];
  const { requested, request } = createPages([{ ...first, tools }, { tools: [2] }]);
  expect(await readWholeList("tools", request)).toEqual({ ...first, tools });
  expect(requested).toEqual([undefined]);
});

test.each([[undefined], [{}], [{ tools: "none", nextCursor: "x" }], [{ prompts: [], nextCursor: "x" }]])(
  "a result that is no list, such as %j, is passed on as it is",
  async (first) => {
    const requested: unknown[] = [];
    const request = async (page: object): Promise<unknown> => (requested.push(page), first);
    expect(await readWholeList("tools", request)).toBe(first);
    expect(requested).toEqual([{}]);
  },
);

test("a list without end is read for 1000 pages, and the cursor of the next one is passed on", async () => {
  let pages = 0;
  const request = async (): Promise<unknown> => ({ tools: [(pages += 1)], nextCursor: String(pages) });
  const { tools, nextCursor } = Object(await readWholeList("tools", request));
  expect([tools.length, nextCursor, pages]).toEqual([1_000, "1000", 1_000]);
});

test("a list with an invalid page is passed on without it", async () => {
  const { request } = createPages([{ tools: [1], nextCursor: "x" }, { tools: "none" }]);
  expect(await readWholeList("tools", request)).toEqual({ tools: [1], nextCursor: "x" });
});

test.each<readonly [string, unknown]>([
  ["the first page again", { tools: [1], nextCursor: "x" }],
  ["an error", new PeerError({ code: -32602, message: "Invalid cursor" })],
])("a list with an empty cursor that leads to %s is passed on without a cursor", async (_, last) => {
  const pages = [{ tools: [1], nextCursor: "x" }, { tools: [2], nextCursor: "" }, last];
  const request = async (): Promise<unknown> => {
    const page = pages.shift();
    if (page instanceof Error) throw page;
    return page;
  };
  expect(await readWholeList("tools", request)).toEqual({ tools: [1, 2] });
});
