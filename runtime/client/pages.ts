import { isObject } from "../../generated/support.ts";
import type { RequestOptions } from "../rpc/call.ts";
import type { ClientConnection } from "./client.ts";

/** Where in a list a page starts; the first page has no cursor. */
export interface PageParams {
  cursor?: string;
}

/** One page of a list. */
export interface Page {
  readonly nextCursor?: string | undefined;
}

/** Bounds on reading a list. */
export interface PageLimits {
  /** Pages after which reading stops. Default 1000: a server must not keep a client busy for ever. */
  readonly maxPages?: number;
}

/**
 * Reads the pages of a list one after the other: `readPages((page) => calls.listTools(page))`. An empty cursor is a cursor; only its absence ends
 * the list, or its repetition, which would go on for ever.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
 */
export async function* readPages<Result extends Page>(
  fetch: (params: PageParams) => Promise<Result>,
  limits: PageLimits = {},
): AsyncGenerator<Result, void, undefined> {
  const { maxPages = 1_000 } = limits;
  const seen = new Set<string>();
  let params: PageParams = {};
  for (let count = 0; count < maxPages; count += 1) {
    const page = await fetch(params);
    yield page;
    const { nextCursor } = page;
    if (nextCursor === undefined || seen.has(nextCursor)) return;
    seen.add(nextCursor);
    params = { cursor: nextCursor };
  }
}

/** Reads the items of a list, page after page: `readItems((page) => calls.listTools(page), (page) => page.tools)`. */
export async function* readItems<Result extends Page, Item>(
  fetch: (params: PageParams) => Promise<Result>,
  pick: (page: Result) => readonly Item[],
  limits: PageLimits = {},
): AsyncGenerator<Item, void, undefined> {
  for await (const page of readPages(fetch, limits)) yield* pick(page);
}

/** Reads the items of a list by method name, for clients that know no types: `listAll(connection, "tools/list")`. */
export async function* listAll(
  connection: ClientConnection,
  method: string,
  options: RequestOptions & PageLimits = {},
): AsyncGenerator<unknown, void, undefined> {
  const fetch = async (params: PageParams): Promise<UntypedPage> =>
    toPage(await connection.request(method, params, options));
  yield* readItems(fetch, (page) => page.items, options);
}

/** The cursor of a page that is followed by another. */
export function readNextCursor({ nextCursor }: { readonly nextCursor?: unknown }): { readonly nextCursor?: string } {
  return typeof nextCursor === "string" ? { nextCursor } : {};
}

interface UntypedPage extends Page {
  readonly items: readonly unknown[];
}

/** The list is the one member of a page that is an array. */
function toPage(result: unknown): UntypedPage {
  const page = isObject(result) ? result : {};
  const items: readonly unknown[] = Object.values(page).find(Array.isArray) ?? [];
  return { items, ...readNextCursor(page) };
}
