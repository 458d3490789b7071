import { StaticResult } from "../rpc/message.ts";
import { refuse } from "./errors.ts";

/** A list, cut into answers that never change. */
export interface Pages {
  /** The first page, or the one that a cursor leads to; throws for any other cursor. */
  page(cursor: string | undefined): StaticResult;
}

/** How a list is cut, and what else its answers carry. */
export interface PageOptions {
  readonly size: number | undefined;
  /** Members of every page besides the list and the cursor. */
  readonly envelope: object;
}

/** Cuts a list into pages. Only cursors that lead to one of them are known, so nothing that a client sends is parsed. */
export function createPages(member: string, items: readonly object[], options: PageOptions): Pages {
  const size = options.size ?? Math.max(items.length, 1);
  const pages = new Map<string | undefined, StaticResult>();
  for (let start = 0; start === 0 || start < items.length; start += size) {
    const end = start + size;
    const next = end < items.length ? { nextCursor: toCursor(member, end) } : {};
    const page = { ...options.envelope, [member]: items.slice(start, end), ...next };
    pages.set(start === 0 ? undefined : toCursor(member, start), new StaticResult(page));
  }
  return {
    page(cursor) {
      const page = pages.get(cursor);
      if (!page) throw refuse("Unknown cursor: begin again without one", { cursor });
      return page;
    },
  };
}

/** Names the entry that a page begins with. The same list gives the same cursors on every instance of a server. */
function toCursor(member: string, start: number): string {
  return btoa(`${member}:${start}`).replaceAll("=", "");
}
