import { isObject, type RequestRow, type Revision } from "../../../generated/support.ts";
import { errorCodes, isPeerError } from "../../jsonrpc/errors.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { isOpen } from "../../protocol/session/session.ts";
import { listChanged, type ListKind } from "../../protocol/methods/list-kinds.ts";
import { findRow } from "../../protocol/methods/method-rows.ts";
import { SessionExpiredError, isSessionExpiredError } from "../../transport/http-client/errors.ts";
import type { ClientConnection } from "../connect.ts";
import { findRequestRow, requestOf, type ListRequestName } from "../session/requests.ts";
import { IncompleteListError } from "../errors.ts";
import { readNextCursor, readPages, type PageLimits, type PageParams } from "./pages.ts";
import type { ListName } from "../protocol-types.ts";
import type { Freshness, ResultCache } from "./result-cache.ts";

/** Page of any list, with the cursor of the next page. */
export type AnyPage = object & { readonly nextCursor?: string };

/** Options of the lists of a server. */
export interface ListsOptions extends PageLimits {
  readonly isCached: boolean;
  /** Cache of lists, as far as servers allow clients to keep them for a time. */
  readonly cache: ResultCache;
  /** Called when a list is cached: notifications of its changes become useful then. */
  onKept(kind: ListKind): void;
}

/** Lists of one server, cached for as long as they are valid. */
export class Lists {
  readonly #latest = new Map<ListName, { readonly items: readonly object[]; readonly principal: string }>();
  readonly #options: ListsOptions;
  /** Increases when the lists or the session change. A list being read meanwhile is not cached. */
  #version = 0;
  #session = 0;
  #areChangesLost = false;

  constructor(options: ListsOptions) {
    this.#options = options;
  }

  /** Yields the pages of a list on one connection and within one session: cursors are not valid beyond it. */
  async *pages(list: ListName, connection: ClientConnection, options: ListOptions): AsyncGenerator<AnyPage> {
    const { maxPages, ...rest } = options;
    const session = this.#session;
    const fetch = async (params: PageParams): Promise<AnyPage> => {
      if (session !== this.#session)
        throw new SessionExpiredError("The session ended during a list request; request the list again");
      return toPage(await requestOf(connection, sources[list].handler, params, rest));
    };
    yield* readPages(fetch, maxPages === undefined ? {} : { maxPages }, { maxPages: this.#options.maxPages });
  }

  /** Reads a whole list. Starts over once if the list or the session changed in between, because the cursor may no longer be valid. */
  async read(list: ListName, connection: ClientConnection, options: ListOptions): Promise<readonly object[]> {
    const reading = createReading();
    try {
      return await this.#read(list, connection, { options, reading });
    } catch (error) {
      if (error instanceof IncompleteListError) throw error.with(reading.items);
      const isRejected = isPeerError(error) && error.code === errorCodes.invalidParams;
      const isStale = isRejected || isSessionExpiredError(error);
      if (!isStale || !reading.hasBegun) throw error;
      return this.#read(list, connection, { options, reading: createReading() });
    }
  }

  /** Returns a cached list, if the server allows the cache or would have notified of changes. */
  find(list: ListName, connection: ClientConnection): readonly object[] | undefined {
    if (!this.#options.isCached) return undefined;
    if (connection.revision.lifecycle === "per-request") return this.#findFresh(list);
    return !this.#areChangesLost && notifiesOfChanges(sources[list].kind, connection) ? this.latest(list) : undefined;
  }

  /** Returns the latest list, if it was read for the current user and no change of it has been reported since. */
  latest(list: ListName): readonly object[] | undefined {
    const latest = this.#latest.get(list);
    return latest?.principal === this.#options.cache.asking.principal ? latest.items : undefined;
  }

  /** Drops a changed list. Resources and templates change together. */
  forget(kind: ListKind): void {
    this.#version += 1;
    for (const list of [...this.#latest.keys()]) if (sources[list].kind === kind) this.#latest.delete(list);
    this.#options.cache.forget((key) => key.startsWith(toKey(kind)));
  }

  /** Drops all lists when another session begins. */
  reset(): void {
    this.#session += 1;
    this.#areChangesLost = false;
    this.#forgetAll();
  }

  /** Drops all lists when the server can no longer notify of changes. */
  loseChanges(): void {
    this.#areChangesLost = true;
    this.#forgetAll();
  }

  /** Drops all lists when the server can notify of changes again: they may have changed before. */
  resumeChanges(): void {
    this.#areChangesLost = false;
    this.#forgetAll();
  }

  async #read(
    list: ListName,
    connection: ClientConnection,
    { options, reading }: { readonly options: ListOptions; readonly reading: Reading },
  ): Promise<readonly object[]> {
    const { cache, isCached, onKept } = this.#options;
    const version = this.#version;
    const { asking } = cache;
    for await (const page of this.pages(list, connection, options)) {
      const { until, isPublic } = cache.readFreshness(page);
      reading.hasBegun = true;
      reading.items.push(...readPageItems(list, page));
      reading.isWhole = options.maxPages === undefined || page.nextCursor === undefined;
      reading.until = Math.min(reading.until, until);
      reading.isPublic &&= isPublic;
    }
    const { items, isWhole, until, isPublic } = reading;
    if (version !== this.#version || !isWhole) return items;
    // If the user has changed meanwhile, the owner of the list is not known.
    if (asking.principal === cache.asking.principal) this.#latest.set(list, { items, principal: asking.principal });
    const { kind } = sources[list];
    const isKept = isCached && cache.keep(toKey(kind, list), items, { until, isPublic, ...asking });
    if (isKept) onKept(kind);
    return items;
  }

  #findFresh(list: ListName): readonly object[] | undefined {
    const items = this.#options.cache.find(toKey(sources[list].kind, list));
    return Array.isArray(items) ? items : undefined;
  }

  #forgetAll(): void {
    this.#version += 1;
    this.#latest.clear();
    this.#options.cache.forget(() => true);
  }
}

/** Options for reading the pages of a list. */
export interface ListOptions extends RequestOptions, PageLimits {}

/** Returns the row of the request for a list, if the revision has one. */
export function findListRow(list: ListName, revision: Revision): RequestRow | undefined {
  return findRequestRow(revision, sources[list].handler);
}

/** Returns the items on a page of a list. */
export function readPageItems(list: ListName, page: AnyPage): readonly object[] {
  const items: unknown = Reflect.get(page, list);
  return Array.isArray(items) ? items.filter(isObject) : [];
}

/** List as far as it has been read. It is as fresh, and as public, as the least of its pages. */
interface Reading extends Writable<Freshness> {
  readonly items: object[];
  /** True if a page has been read, which may be empty. */
  hasBegun: boolean;
  isWhole: boolean;
}

function createReading(): Reading {
  return { items: [], hasBegun: false, isWhole: true, until: Infinity, isPublic: true };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Request for each list, and the notification of its changes. */
const sources: { readonly [Name in ListName]: { readonly handler: ListRequestName; readonly kind: ListKind } } = {
  tools: { handler: "listTools", kind: "tools" },
  resources: { handler: "listResources", kind: "resources" },
  resourceTemplates: { handler: "listResourceTemplates", kind: "resources" },
  prompts: { handler: "listPrompts", kind: "prompts" },
};

function toKey(kind: ListKind, list?: ListName): string {
  return `list ${kind} ${list ?? ""}`;
}

/** True if the server notifies of changes without a subscription, as it does in sessions. */
function notifiesOfChanges(kind: ListKind, { revision, session }: ClientConnection): boolean {
  const gate = findRow(revision.serverNotifications, listChanged[kind])?.gate;
  return gate !== undefined && isOpen(gate, session);
}

function toPage(result: unknown): AnyPage {
  if (!isObject(result)) return {};
  const { nextCursor: _nextCursor, ...page } = result;
  return { ...page, ...readNextCursor(result) };
}
