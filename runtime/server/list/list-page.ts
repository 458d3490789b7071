import { toPrivate } from "../../protocol/methods/cache-hint.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import { isThenable } from "../../internal/maybe-async.ts";
import { StaticResult } from "../../jsonrpc/message.ts";
import type { Listed } from "./catalogue.ts";
import type { CacheHints } from "./cache-hints.ts";
import { unknownCursor } from "../../jsonrpc/errors.ts";
import { encodePlace, findPlace } from "./places.ts";
import type { RevisionServer } from "../revision-server.ts";
import type { Visible } from "../any-definition.ts";
import type { AnyRequester } from "../protocol-types.ts";

/** List clients receive page by page. */
export interface Listing {
  /** Returns the first page, or the page to which a cursor leads. Rejects any other cursor. */
  page(cursor: string | undefined, call: CallContext): StaticResult | Promise<object>;
}

/** Source of a list: its definitions and their form for clients. */
export interface ListingSource<Definition> {
  /** Member of the result with the entries, such as `tools`. */
  readonly member: Exclude<keyof CacheHints, "discover">;
  readonly catalogue: Listed<Definition>;
  /**
   * Returns an entry in the form for clients.
   *
   * @throws {Error} when the entry cannot be shown
   */
  describe(definition: Definition): object;
}

/**
 * Creates a list. It is built again only after a change of its catalogue. If the list is the same for every client, each page is encoded once, and
 * the page of a list with a single page is returned synchronously.
 */
export function createListing<Definition extends Visible>(
  source: ListingSource<Definition>,
  server: RevisionServer,
): Listing {
  const describe = rememberDescriptions(source);
  let snapshot = takeSnapshot({ ...source, describe }, server);
  return {
    page(cursor, call) {
      if (snapshot.version !== source.catalogue.version) snapshot = takeSnapshot({ ...source, describe }, server);
      if (cursor === undefined && snapshot.whole) return snapshot.whole;
      return readPage(snapshot, cursor, { server, requester: server.scope(call) });
    },
  };
}

/**
 * True if a requester may see a definition.
 *
 * @throws {Error} when its function `visible` returns another value, such as a promise, which would count as true
 */
export function isVisible(definition: Visible, requester: AnyRequester): boolean {
  if (definition.visible === undefined) return true;
  const visible: unknown = definition.visible(requester);
  if (typeof visible === "boolean" || visible === undefined) return visible === true;
  // A rejection without a handler would end the process.
  if (isThenable(visible)) visible.then(undefined, () => {});
  const name: unknown = Reflect.get(definition, "name");
  throw new Error(`The function visible of "${String(name)}" returned no boolean; return true or false, not a promise`);
}

/** State of a list until its catalogue changes. */
interface Snapshot {
  readonly version: number | undefined;
  /** Binds cursors to this list at this revision. */
  readonly scope: string;
  readonly member: string;
  /** Members of every page in addition to its entries. */
  readonly head: object;
  readonly entries: readonly Entry[];
  /** True if every client sees the same entries. */
  readonly isPublic: boolean;
  /** The only page, if there is just one and it is the same for every client. */
  readonly whole: StaticResult | undefined;
  /** Pages for every client, by the index of their first entry. */
  readonly pages: Map<number, Promise<StaticResult>>;
}

interface Entry extends Visible {
  /** Identifies the entry in its list. */
  readonly key: string;
  readonly shown: object;
}

interface Reader {
  readonly server: RevisionServer;
  readonly requester: AnyRequester;
}

/** Caches descriptions: an unchanged definition is not described again. After a replacement the same object is. */
function rememberDescriptions<Definition extends object>({
  catalogue,
  describe,
}: ListingSource<Definition>): (definition: Definition) => object {
  const known = new WeakMap<Definition, { readonly version: number; readonly shown: object }>();
  return (definition) => {
    const version = catalogue.changedAt(definition);
    const found = known.get(definition);
    if (found?.version === version) return found.shown;
    const shown = describe(definition);
    known.set(definition, { version, shown });
    return shown;
  };
}

function takeSnapshot<Definition extends Visible>(
  { member, catalogue, describe }: ListingSource<Definition>,
  { revision, envelope, parts }: RevisionServer,
): Snapshot {
  const { pageSize, cacheHints } = parts.settings;
  const { version } = catalogue;
  const definitions = [...catalogue];
  const entries = definitions.map((definition) => ({ definition, shown: describe(definition) }));
  const isPublic = definitions.every((definition) => definition.visible === undefined);
  const isShort = pageSize === undefined || entries.length <= pageSize;
  const head = {
    ...envelope.result,
    ...envelope.cacheable(isPublic ? cacheHints[member] : toPrivate(cacheHints[member])),
  };
  const page = { ...head, [member]: entries.map(({ shown }) => shown) };
  return {
    version,
    scope: [member, revision.id].join("\n"),
    member,
    head,
    // Called as a method of its definition, because the function may read `this`.
    entries: entries.map(({ definition, shown }) => {
      const key = String(Reflect.get(shown, keyMembers[member]));
      const isPublic = definition.visible === undefined;
      return isPublic ? { key, shown } : { key, shown, visible: (who) => isVisible(definition, who) };
    }),
    isPublic,
    whole: isPublic && isShort ? new StaticResult(page) : undefined,
    pages: new Map(),
  };
}

async function readPage(snapshot: Snapshot, cursor: string | undefined, reader: Reader): Promise<object> {
  const start = cursor === undefined ? 0 : await findStart(snapshot, cursor, reader);
  if (!snapshot.isPublic) return cutPage(snapshot, start, reader);
  const known = snapshot.pages.get(start);
  if (known) return known;
  const made = cutPage(snapshot, start, reader).then((page) => new StaticResult(page));
  snapshot.pages.set(start, made);
  return made;
}

async function findStart({ scope, entries }: Snapshot, cursor: string, { server }: Reader): Promise<number> {
  const place = await server.parts.settings.cursors.verify(scope, cursor);
  const keys = entries.map(({ key }) => key);
  const found = findPlace(place, keys);
  if (!found) throw unknownCursor();
  return found.index;
}

/** Members that identify an entry. */
const keyMembers = {
  tools: "name",
  prompts: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
  skills: "uri",
} as const;

/** Collects entries until the page is full. Then looks for the next entry visible to this client. */
async function cutPage(snapshot: Snapshot, start: number, { server, requester }: Reader): Promise<object> {
  const { entries, member, head, scope } = snapshot;
  const { pageSize = Infinity, cursors } = server.parts.settings;
  const page: Entry[] = [];
  const toPage = (): object => ({ ...head, [member]: page.map(({ shown }) => shown) });
  for (const entry of entries.slice(start)) {
    if (!isVisible(entry, requester)) continue;
    if (page.length === pageSize) {
      const before = page.map(({ key }) => key).reverse();
      return { ...toPage(), nextCursor: await cursors.sign(scope, encodePlace(entry.key, before)) };
    }
    page.push(entry);
  }
  return toPage();
}
