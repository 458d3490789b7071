import { describe, expect, test } from "vitest";
import { ClientCalls } from "../../../../generated/2025-11-25/client.ts";
import { listAll, readItems, readPages, type Page, type PageParams } from "../../../../runtime/client/lists/pages.ts";
import { connect } from "../../../../runtime/client/connect.ts";
import { isIncompleteListError } from "../../../../runtime/client/errors.ts";
import { PeerError } from "../../../../runtime/jsonrpc/errors.ts";
import { createAcceptor } from "../../../../runtime/lifecycle/acceptor.ts";
import { createInMemoryTransports } from "../../../../runtime/transport/memory.ts";
import { handshakeRevisions } from "../../../kit/revisions.ts";

function pages(nextCursors: readonly (string | undefined)[]): {
  readonly requested: PageParams[];
  readonly fetch: (params: PageParams) => Promise<Page>;
} {
  const requested: PageParams[] = [];
  const fetch = (params: PageParams): Promise<Page> => {
    requested.push(params);
    return Promise.resolve({ nextCursor: nextCursors[requested.length - 1] });
  };
  return { requested, fetch };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test.each([
  ["a single page (C-041)", [undefined], [{}]],
  ["until the cursor is absent (N-03, C-041, C-042)", ["a", "b", undefined], [{}, { cursor: "a" }, { cursor: "b" }]],
  ["an empty cursor is a cursor (N-03, trap 13, C-040)", ["", undefined], [{}, { cursor: "" }]],
])("listing pages: %s", async (_, cursors, expected) => {
  const { requested, fetch } = pages(cursors);
  await collect(readPages(fetch));
  expect(requested).toEqual(expected);
});

test.each([
  [
    ["a", "b", "a", "b"],
    [{}, { cursor: "a" }, { cursor: "b" }],
  ],
])("a repeated cursor is an error, for the list would have no end: %j (trap 13)", async (cursors, expected) => {
  const { requested, fetch } = pages(cursors);
  const error: unknown = await collect(readPages(fetch)).catch((thrown: unknown) => thrown);
  expect(isIncompleteListError(error)).toBe(true);
  expect(String(error)).toContain("repeats a cursor");
  expect(requested).toEqual(expected);
});

const rejectsEmptyCursor = new PeerError({ code: -32602, message: "Invalid cursor" });

test.each<readonly [string, readonly (string | undefined)[], unknown, readonly string[]]>([
  ["the same page again", [""], undefined, ["first"]],
  ["the first page again", ["a", ""], undefined, ["first", "a"]],
  ["an error", ["a", ""], rejectsEmptyCursor, ["first", "a"]],
  ["an internal error", [""], new PeerError({ code: -32603, message: "no" }), ["first"]],
])("an empty cursor that leads to %s is the end of the list (N-03)", async (_, cursors, error, expected) => {
  const names = ["first", ...cursors];
  const fetch = ({ cursor }: PageParams): Promise<Page & { readonly name: string }> => {
    if (cursor === "" && error !== undefined) return Promise.reject(error);
    const index = cursor === undefined || cursor === "" ? 0 : names.indexOf(cursor);
    return Promise.resolve({ name: names[index] ?? "", nextCursor: cursors[index] });
  };
  expect((await collect(readPages(fetch))).map(({ name }) => name)).toEqual(expected);
});

test.each([
  ["a lost connection", new Error("lost")],
  ["an error of the server that is not about the cursor", new PeerError({ code: -32001, message: "Busy" })],
])("%s at an empty cursor is an error", async (_what, error) => {
  const fetch = ({ cursor }: PageParams): Promise<Page> =>
    cursor === undefined ? Promise.resolve({ nextCursor: "" }) : Promise.reject(error);
  await expect(collect(readPages(fetch))).rejects.toBe(error);
});

describe("a list without end", () => {
  const endless = (): ((params: PageParams) => Promise<Page>) => {
    let count = 0;
    return () => Promise.resolve({ nextCursor: String((count += 1)), text: "x".repeat(100) });
  };

  test("a list without end is read for as many pages as are used", async () => {
    expect(await collect(readPages(endless(), { maxPages: 5 }))).toHaveLength(5);
    expect(await collect(readPages(endless(), { maxPages: 1_005 }))).toHaveLength(1_005);
  });

  test("a list without end is an error beyond its bounds", async () => {
    await expect(collect(readPages(endless()))).rejects.toThrow("more than 1000 pages");
    await expect(collect(readPages(endless(), {}, { maxLength: 1_000 }))).rejects.toThrow("more than 1000 characters");
  });
});

test("pages are fetched only when they are read", async () => {
  const { requested, fetch } = pages(["a", "b", undefined]);
  for await (const _ of readPages(fetch)) break;
  expect(requested).toHaveLength(1);
});

test("items come by generated calls or by method name", async () => {
  const [clientEnd, serverEnd] = createInMemoryTransports();
  const names = ["a", "b", "c", "d", "e"];
  const listTools = (params: PageParams | undefined): object => {
    const start = Number(params?.cursor ?? 0);
    const tools = names.slice(start, start + 2).map((name) => ({ name, inputSchema: { type: "object" } }));
    return start + 2 < names.length ? { tools, nextCursor: String(start + 2) } : { tools };
  };
  createAcceptor({
    info: { name: "s", version: "1" },
    revisions: handshakeRevisions,
    capabilities: { tools: {} },
    handlers: { listTools },
  })(serverEnd);
  const client = await connect(clientEnd, { info: { name: "c", version: "1" }, revisions: handshakeRevisions });
  const calls = new ClientCalls(client);
  const typed = await collect(
    readItems(
      (page) => calls.listTools(page),
      (page) => page.tools,
    ),
  );
  expect(typed.map(({ name }) => name)).toEqual(names);
  expect(await collect(listAll(client, "tools/list"))).toEqual(typed);
  await client.close();
});
