import { describe, expect, test } from "vitest";
import { createPages } from "../../../runtime/server/pages.ts";

const items = Array.from({ length: 5 }, (_value, index) => ({ name: `tool${index}` }));

/** Follows cursors from the first page to the last. */
function readAll(size: number | undefined, count = items.length): unknown[][] {
  const pages = createPages("tools", items.slice(0, count), { size, envelope: {} });
  const read: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page: unknown = pages.page(cursor).value;
    const { tools, nextCursor } = Object(page);
    read.push(tools);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return read;
}

describe("a list in pages", () => {
  test.each([
    [undefined, 5, [5]],
    [2, 5, [2, 2, 1]],
    [5, 5, [5]],
    [1, 3, [1, 1, 1]],
    [2, 0, [0]],
    [undefined, 0, [0]],
  ])("of size %s with %d entries has pages of %j, the last without cursor (N-03, N-05)", (size, count, lengths) => {
    const pages = readAll(size, count);
    expect(pages.map((page) => page.length)).toEqual(lengths);
    expect(pages.flat()).toEqual(items.slice(0, count));
  });

  test.each(["", "dG9vbHM6MQ", "prompts", "__proto__", "dG9vbHM6MTAw"])("cursor %j is refused (N-04)", (cursor) => {
    const pages = createPages("tools", items, { size: 2, envelope: {} });
    expect(() => pages.page(cursor)).toThrow(expect.objectContaining({ code: -32602, data: { cursor } }));
  });

  test("a cursor of one list is not good for another (N-04)", () => {
    const tools = createPages("tools", items, { size: 2, envelope: {} });
    const prompts = createPages("prompts", items, { size: 2, envelope: {} });
    const { nextCursor } = Object(tools.page(undefined).value);
    expect(() => prompts.page(nextCursor)).toThrow("Unknown cursor");
  });

  test("pages and cursors are stable: the same answer each time, on each instance (N-02, N-04)", () => {
    const one = createPages("tools", items, { size: 2, envelope: {} });
    const other = createPages("tools", items, { size: 2, envelope: {} });
    expect(one.page(undefined)).toBe(one.page(undefined));
    expect(one.page(undefined).value).toEqual(other.page(undefined).value);
  });
});
