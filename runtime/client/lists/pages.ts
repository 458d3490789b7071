import { isObject } from "../../../generated/support.ts";
import { errorCodes, isPeerError } from "../../jsonrpc/errors.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import type { ClientConnection } from "../connect.ts";
import { IncompleteListError } from "../errors.ts";

/** Position of a page in a list. The first page has no cursor. */
export interface PageParams {
  cursor?: string;
}

/** One page of a list. */
export interface Page {
  readonly nextCursor?: string | undefined;
}

/** Bounds on the reading of a list. */
export interface PageLimits {
  /** Maximum number of pages to read. Default: all pages are read. */
  readonly maxPages?: number;
}

/** Bounds on a list: a server can neither keep a client busy without end nor fill its memory. */
export interface ListBounds {
  /** Maximum number of pages. Default 1000. */
  readonly maxPages?: number | undefined;
  /** Maximum number of characters of JSON in all pages together. Default 64 Mi. */
  readonly maxLength?: number | undefined;
}

/**
 * Reads the pages of a list one after the other. Only the absence of a cursor ends the list. Some servers end it with an empty one, which is a cursor
 * as well: the list ends there if the server rejects it, or returns earlier pages again.
 *
 * @throws {IncompleteListError} when the list exceeds its bounds or repeats a cursor, which would never end
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
 * @example
 * ```ts
 * import { readPages } from "mcp-server-runtime";
 *
 * for await (const { tools } of readPages((page) => calls.listTools(page))) console.log(tools.length);
 * ```
 */
export async function* readPages<Result extends Page>(
  fetch: (params: PageParams) => Promise<Result>,
  { maxPages: wanted }: PageLimits = {},
  { maxPages = 1_000, maxLength = 64 * 1024 * 1024 }: ListBounds = {},
): AsyncGenerator<Result, void, undefined> {
  const most = wanted ?? maxPages;
  const seen = new Set<string>();
  let params: PageParams = {};
  let length = 0;
  for (let count = 0; count < most; count += 1) {
    const page = await fetchPage(fetch, params, seen);
    if (!page) return;
    length += JSON.stringify(page).length;
    if (length > maxLength) throw new IncompleteListError(`has more than ${maxLength} characters`);
    yield page;
    const { nextCursor } = page;
    if (nextCursor === undefined) return;
    if (seen.has(nextCursor)) throw new IncompleteListError("repeats a cursor");
    seen.add(nextCursor);
    params = { cursor: nextCursor };
  }
  if (wanted === undefined) throw new IncompleteListError(`has more than ${maxPages} pages`);
}

/**
 * Fetches a page. Returns `undefined` for an empty cursor, which marks the end of the list.
 *
 * @param seen - cursors of earlier pages, with the one in `params`
 */
export async function fetchPage<Result extends { readonly nextCursor?: unknown }>(
  fetch: (params: PageParams) => Promise<Result>,
  params: PageParams,
  seen: ReadonlySet<unknown>,
): Promise<Result | undefined> {
  if (params.cursor !== "") return fetch(params);
  try {
    const page = await fetch(params);
    return seen.has(page.nextCursor) ? undefined : page;
  } catch (error) {
    if (isPeerError(error) && isOfCursor(error)) return undefined;
    throw error;
  }
}

/** True for an error by which servers reject a cursor. */
function isOfCursor({ code }: { readonly code: number }): boolean {
  return code === errorCodes.invalidParams || code === errorCodes.internalError;
}

/**
 * Reads the items of a list, page after page.
 *
 * @example
 * ```ts
 * import { readItems } from "mcp-server-runtime";
 *
 * const tools = readItems(
 *   (page) => calls.listTools(page),
 *   ({ tools }) => tools,
 * );
 * for await (const { name } of tools) console.log(name);
 * ```
 */
export async function* readItems<Result extends Page, Item>(
  fetch: (params: PageParams) => Promise<Result>,
  pick: (page: Result) => readonly Item[],
  limits: PageLimits = {},
): AsyncGenerator<Item, void, undefined> {
  for await (const page of readPages(fetch, limits)) yield* pick(page);
}

/**
 * Reads the items of a list by method name, for clients without types.
 *
 * @example
 * ```ts
 * import { listAll } from "mcp-server-runtime";
 *
 * for await (const tool of listAll(connection, "tools/list")) console.log(tool);
 * ```
 */
export async function* listAll(
  connection: ClientConnection,
  method: string,
  options: RequestOptions & PageLimits = {},
): AsyncGenerator<unknown, void, undefined> {
  const fetch = async (params: PageParams): Promise<UntypedPage> =>
    toPage(await connection.request(method, params, options));
  yield* readItems(fetch, (page) => page.items, options);
}

/** Returns the cursor of the next page, if there is one. */
export function readNextCursor({ nextCursor }: { readonly nextCursor?: unknown }): { readonly nextCursor?: string } {
  return typeof nextCursor === "string" ? { nextCursor } : {};
}

interface UntypedPage extends Page {
  readonly items: readonly unknown[];
}

/** Returns the items of a page: the only array among its members is the list. */
function toPage(result: unknown): UntypedPage {
  const page = isObject(result) ? result : {};
  const items: readonly unknown[] = Object.values(page).find(Array.isArray) ?? [];
  return { items, ...readNextCursor(page) };
}
