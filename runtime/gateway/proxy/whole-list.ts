import { isObject } from "../../../generated/support.ts";

/** Members of results that contain the items of a list, by handler. */
export const listMembers: ReadonlyMap<string, string> = new Map([
  ["listTools", "tools"],
  ["listPrompts", "prompts"],
  ["listResources", "resources"],
  ["listResourceTemplates", "resourceTemplates"],
  ["listSkills", "skills"],
]);

/**
 * Reads all pages of a list, and returns them as one result. Servers may accept a cursor only on the connection that has returned it, and the next
 * request of a client without a session may use another. Beyond the bounds, the result has the cursor of the next page.
 */
export async function readWholeList(
  member: string,
  request: (page: { readonly cursor?: string }) => Promise<unknown>,
): Promise<unknown> {
  const first = await request({});
  if (!isObject(first) || !Array.isArray(first[member])) return first;
  const seen = new Set<string>();
  const pages: unknown[][] = [first[member]];
  let length = JSON.stringify(first).length;
  let cursor = readCursor(first);
  while (cursor !== undefined && !seen.has(cursor) && pages.length < mostPages && length < longest) {
    const page = await request({ cursor });
    if (!isObject(page) || !Array.isArray(page[member])) break;
    seen.add(cursor);
    pages.push(page[member]);
    length += JSON.stringify(page).length;
    cursor = readCursor(page);
  }
  const { nextCursor: _nextCursor, ...rest } = first;
  // A cursor that the server returns again would lead a client through the same pages without end.
  const hasMore = cursor !== undefined && !seen.has(cursor);
  return { ...rest, [member]: pages.flat(), ...(hasMore && { nextCursor: cursor }) };
}

function readCursor({ nextCursor }: Record<string, unknown>): string | undefined {
  return typeof nextCursor === "string" ? nextCursor : undefined;
}

const mostPages = 1_000;

/** Number of characters after which no further page is read. */
const longest = 4 * 1024 * 1024;
