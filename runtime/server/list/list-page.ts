import { toPrivate } from "../../protocol/cache-hint.ts";
import type { CallContext } from "../../protocol/incoming-call.ts";
import { StaticResult } from "../../jsonrpc/message.ts";
import type { Listed } from "./catalogue.ts";
import type { CacheHints } from "./cache-hints.ts";
import type { RegistryOptions } from "./registry-options.ts";
import type { AnyRequester, Visible } from "../any-definition.ts";

/** A list as clients get it, page by page. */
export interface Listing {
  /** The first page, or the one that a cursor leads to; refuses any other cursor. */
  page(cursor: string | undefined, call: CallContext): StaticResult | Promise<object>;
}

/** What a list is made of. */
export interface ListingSource<Definition> {
  /** Where the entries are in the result: `tools`. */
  readonly member: Exclude<keyof CacheHints, "discover">;
  readonly catalogue: Listed<Definition>;
  /** An entry as clients see it; throws when it cannot be shown. */
  describe(definition: Definition): object;
}

/**
 * Makes a list that is built again only after its catalogue changed. A list that everybody sees on one page is answered at once
 * and encoded once; pages of longer ones are encoded once each.
 */
export function createListing<Definition extends Visible>(
  source: ListingSource<Definition>,
  options: RegistryOptions,
): Listing {
  const describe = rememberDescriptions(source.describe);
  let snapshot = takeSnapshot({ ...source, describe }, options);
  return {
    page(cursor, call) {
      // @part changes
      if (snapshot.version !== source.catalogue.version) snapshot = takeSnapshot({ ...source, describe }, options);
      if (cursor === undefined && snapshot.whole) return snapshot.whole;
      return readPage(snapshot, cursor, { options, requester: options.toRequester(call) });
    },
  };
}

/** Whether somebody may know of a definition. */
export function isVisible(definition: Visible, requester: AnyRequester): boolean {
  return definition.visible === undefined || definition.visible(requester);
}

/** A list as it is until its catalogue changes. */
interface Snapshot {
  // @part changes
  readonly version: number | undefined;
  /** Binds cursors to this list at this revision and in this state. */
  readonly scope: string;
  readonly member: string;
  /** What every page says besides its entries: the same on all of them. */
  readonly head: object;
  readonly entries: readonly Entry[];
  /** Whether everybody sees the same. */
  readonly isPublic: boolean;
  /** The only page, for everybody. */
  readonly whole: StaticResult | undefined;
  /** Pages for everybody by their first entry. */
  readonly pages: Map<number, Promise<StaticResult>>;
}

interface Entry extends Visible {
  readonly shown: object;
}

interface Reader {
  readonly options: RegistryOptions;
  readonly requester: AnyRequester;
}

/** A definition that stayed is not described again. */
function rememberDescriptions<Definition extends object>(
  describe: (definition: Definition) => object,
): (definition: Definition) => object {
  const known = new WeakMap<Definition, object>();
  return (definition) => {
    const shown = known.get(definition) ?? describe(definition);
    known.set(definition, shown);
    return shown;
  };
}

function takeSnapshot<Definition extends Visible>(
  { member, catalogue, describe }: ListingSource<Definition>,
  options: RegistryOptions,
): Snapshot {
  const { revision, pageSize, envelope } = options;
  // @part changes
  const { version } = catalogue;
  const definitions = [...catalogue];
  const entries = definitions.map((definition) => ({ definition, shown: describe(definition) }));
  const isPublic = definitions.every((definition) => definition.visible === undefined);
  const isShort = pageSize === undefined || entries.length <= pageSize;
  const head = {
    ...envelope.result,
    // @part caching
    ...envelope.cacheable(isPublic ? options.caching[member] : toPrivate(options.caching[member])),
  };
  const page = { ...head, [member]: entries.map(({ shown }) => shown) };
  return {
    // @part changes
    version,
    scope: [
      member,
      revision.id,
      // @part changes
      version,
    ].join("\n"),
    member,
    head,
    // The function stays a method of its definition, which may read `this`.
    entries: entries.map(({ definition, shown }) =>
      definition.visible === undefined ? { shown } : { shown, visible: (who) => isVisible(definition, who) },
    ),
    isPublic,
    whole: isPublic && isShort ? new StaticResult(page) : undefined,
    pages: new Map(),
  };
}

async function readPage(snapshot: Snapshot, cursor: string | undefined, reader: Reader): Promise<object> {
  const { cursors } = reader.options;
  const start = cursor === undefined ? 0 : Number(await cursors.open(snapshot.scope, cursor));
  if (!snapshot.isPublic) return cutPage(snapshot, start, reader);
  const known = snapshot.pages.get(start);
  if (known) return known;
  const made = cutPage(snapshot, start, reader).then((page) => new StaticResult(page));
  snapshot.pages.set(start, made);
  return made;
}

/** Goes on until a page is full and it is known whether anything follows that this client may see. */
async function cutPage(snapshot: Snapshot, start: number, { options, requester }: Reader): Promise<object> {
  const { entries, member, head, scope } = snapshot;
  const { pageSize = Infinity, cursors } = options;
  const shown: object[] = [];
  for (let i = start; i < entries.length; i++) {
    const entry = entries[i];
    if (!entry || !isVisible(entry, requester)) continue;
    if (shown.length === pageSize) {
      return { ...head, [member]: shown, nextCursor: await cursors.seal(scope, String(i)) };
    }
    shown.push(entry.shown);
  }
  return { ...head, [member]: shown };
}
