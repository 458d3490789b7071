import { isObject, type Revision } from "../../generated/support.ts";
import { ClosedError } from "../rpc/errors.ts";
import type { RequestOptions } from "../rpc/call.ts";
import { isOpen } from "../rpc/session.ts";
import { listChanged, type ListKind } from "../common/lists.ts";
import { findRow } from "../common/rows.ts";
import type { ClientConnection } from "./client.ts";
import { requestOf } from "./calls.ts";
import { readPages, type PageLimits, type PageParams } from "./pages.ts";
import type { ListName } from "./protocol.ts";

/** A page of any list. */
export type AnyPage = object & { readonly nextCursor?: string };

/** The lists of one server, kept for as long as they hold. */
export class Lists {
  readonly #kept = new Map<ListName, readonly object[]>();
  readonly #limits: PageLimits;
  readonly #isCached: boolean;
  /** Grows when lists change or the session does, so that what was being read meanwhile is not kept. */
  #version = 0;
  #session = 0;
  #isDeaf = false;

  constructor(options: PageLimits & { readonly isCached: boolean }) {
    this.#limits = options;
    this.#isCached = options.isCached;
  }

  /** Reads the pages of a list on one connection, and within one session: cursors mean nothing beyond it. */
  async *pages(list: ListName, connection: ClientConnection, options: ListOptions): AsyncGenerator<AnyPage> {
    const { maxPages = this.#limits.maxPages, ...rest } = options;
    const session = this.#session;
    const fetch = async (params: PageParams): Promise<AnyPage> => {
      if (session !== this.#session)
        throw new ClosedError("The session ended while a list was being read. Read it again.");
      return toPage(await requestOf(connection, sources[list].handler, params, rest));
    };
    yield* readPages(fetch, maxPages === undefined ? {} : { maxPages });
  }

  /** Reads all of a list. */
  async read(list: ListName, connection: ClientConnection, options: ListOptions): Promise<readonly object[]> {
    const version = this.#version;
    const items: object[] = [];
    for await (const page of this.pages(list, connection, options)) items.push(...readPageItems(list, page));
    if (version === this.#version) this.#kept.set(list, items);
    return items;
  }

  /** What is known of a list, if the server would have told of changes. */
  find(list: ListName, connection: ClientConnection): readonly object[] | undefined {
    const isWatched = this.#isCached && !this.#isDeaf && announcesChanges(sources[list].kind, connection);
    return isWatched ? this.latest(list) : undefined;
  }

  /** What was read last, and not known to have changed since. */
  latest(list: ListName): readonly object[] | undefined {
    return this.#kept.get(list);
  }

  /** A list changed. Resources and templates change together. */
  forget(kind: ListKind): void {
    this.#version += 1;
    for (const list of [...this.#kept.keys()]) if (sources[list].kind === kind) this.#kept.delete(list);
  }

  /** There is another session: nothing of the last one holds. */
  reset(): void {
    this.#version += 1;
    this.#session += 1;
    this.#isDeaf = false;
    this.#kept.clear();
  }

  /** The server cannot tell of changes any more. */
  deafen(): void {
    this.#version += 1;
    this.#isDeaf = true;
    this.#kept.clear();
  }
}

/** How to read a list. */
export interface ListOptions extends RequestOptions, PageLimits {}

/** The items on a page of a list. */
export function readPageItems(list: ListName, page: AnyPage): readonly object[] {
  const items: unknown = Reflect.get(page, list);
  return Array.isArray(items) ? items.filter(isObject) : [];
}

/** Which request reads a list, and which notification tells that it changed. */
const sources: { readonly [Name in ListName]: { readonly handler: string; readonly kind: ListKind } } = {
  tools: { handler: "listTools", kind: "tools" },
  resources: { handler: "listResources", kind: "resources" },
  resourceTemplates: { handler: "listResourceTemplates", kind: "resources" },
  prompts: { handler: "listPrompts", kind: "prompts" },
};

function announcesChanges(
  kind: ListKind,
  { revision, session }: ClientConnection & { readonly revision: Revision },
): boolean {
  const gate = findRow(revision.serverNotifications, listChanged[kind])?.gate;
  return gate !== undefined && isOpen(gate, session);
}

function toPage(result: unknown): AnyPage {
  if (!isObject(result)) return {};
  const { nextCursor, ...page } = result;
  return typeof nextCursor === "string" ? { ...page, nextCursor } : page;
}
