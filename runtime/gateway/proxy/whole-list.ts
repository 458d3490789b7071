import { isObject } from "../../../generated/support.ts";
import { fetchPage, readNextCursor, type PageParams } from "../../client/lists/pages.ts";

/**
 * Reads all pages of a list, and returns them as one result. Servers may accept a cursor only on the connection they have returned it on, and the
 * next request of a client without a session may use another. Beyond the bounds, the result has the cursor of the next page.
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
  const fetch = async (params: PageParams): Promise<Record<string, unknown>> => toRecord(await request(params));
  let cursor = readNextCursor(first).nextCursor;
  while (cursor !== undefined && !seen.has(cursor) && pages.length < mostPages && length < longest) {
    seen.add(cursor);
    const page = await fetchPage(fetch, { cursor }, seen);
    const items = page?.[member];
    // The client gets the cursor of a page that cannot be read.
    if (page && !Array.isArray(items)) seen.delete(cursor);
    if (!page || !Array.isArray(items)) break;
    pages.push(items);
    length += JSON.stringify(page).length;
    cursor = readNextCursor(page).nextCursor;
  }
  const { nextCursor: _nextCursor, ...rest } = first;
  // A cursor that the server returns again would lead a client through the same pages without end.
  const hasMore = cursor !== undefined && !seen.has(cursor);
  return { ...rest, [member]: pages.flat(), ...(hasMore && { nextCursor: cursor }) };
}

function toRecord(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

const mostPages = 1_000;

/** Number of characters after which no further page is read. */
const longest = 4 * 1024 * 1024;
