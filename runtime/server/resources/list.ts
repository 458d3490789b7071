import { isObject } from "../../../generated/support.ts";
import { toPrivate } from "../../protocol/methods/cache-hint.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { StaticResult } from "../../jsonrpc/message.ts";
import { callHandler } from "../errors.ts";
import type { Catalogue, Listed } from "../list/catalogue.ts";
import { createListing, isVisible, type Listing } from "../list/list-page.ts";
import type { RegistryOptions } from "../list/registry-options.ts";
import type { AnyContext, AnyResource, AnyResourceTemplate } from "../any-definition.ts";

/** Sources of the entries in `resources/list`. */
export interface ResourceListingSource {
  readonly resources: Listed<AnyResource>;
  readonly templates: Catalogue<AnyResourceTemplate>;
  describe(resource: AnyResource): object;
  /** Returns the context that list callbacks receive. */
  toContext(call: CallContext): AnyContext;
}

/**
 * Lists the fixed resources, followed by the results of the templates with a `list` callback. Without such a template, the list is an ordinary one.
 */
export function createResourceListing(source: ResourceListingSource, options: RegistryOptions): Listing {
  const { resources, templates, describe } = source;
  const fixed = createListing({ member: "resources", catalogue: resources, describe }, options);
  return {
    page(cursor, call): StaticResult | Promise<object> {
      const listed = [...templates].filter((template) => template.list);
      return listed.length === 0 ? fixed.page(cursor, call) : readPage(cursor, { source, options, listed, call });
    },
  };
}

/** Start of a page: the part of the list, the cursor of its callback, and the number of its resources to skip. */
interface Place {
  readonly part: number;
  readonly inner?: string;
  readonly skip: number;
}

interface Reading {
  readonly source: ResourceListingSource;
  readonly options: RegistryOptions;
  /** Templates with a `list` callback. Part 0 of the whole list is the fixed resources, so part 1 is the first template. */
  readonly listed: readonly AnyResourceTemplate[];
  readonly call: CallContext;
}

interface Batch {
  readonly resources: readonly object[];
  readonly next: string | undefined;
}

async function readPage(cursor: string | undefined, reading: Reading): Promise<object> {
  const { cursors } = reading.options;
  const scope = toScope(reading);
  const start = cursor === undefined ? { part: 0, skip: 0 } : toPlace(await cursors.verify(scope, cursor));
  const { resources, next } = await fillPage(start, reading);
  const head = toHead(reading);
  if (!next) return { ...head, resources };
  return { ...head, resources, nextCursor: await cursors.sign(scope, JSON.stringify(next)) };
}

/** Results of callbacks follow the cache hints of the definition. Lists with entries that only some clients may see are private. */
function toHead({ source, options }: Reading): object {
  const isPublic = [...source.resources, ...source.templates].every(({ visible }) => visible === undefined);
  const hint = options.cacheHints.resources;
  return options.envelope.cacheable(isPublic ? hint : toPrivate(hint));
}

/** A cursor of a callback may be specific to the client that got it: no other principal can use it. */
function toScope({ source, options, call }: Reading): string {
  const { principal } = options.toRequester(call).auth ?? {};
  const versions = `${source.resources.version}.${source.templates.version}`;
  return ["resources*", options.revision.id, versions, JSON.stringify(principal ?? null)].join("\n");
}

/** Fills a page. It ends when it is full, or where a callback ends a page of its own. */
async function fillPage(
  start: Place,
  reading: Reading,
): Promise<{ readonly resources: readonly object[]; readonly next: Place | undefined }> {
  const { pageSize = Infinity } = reading.options;
  const page: object[] = [];
  let place = start;
  while (place.part <= reading.listed.length) {
    const batch = await readBatch(place, reading);
    const fresh = batch.resources.slice(place.skip);
    const room = pageSize - page.length;
    page.push(...fresh.slice(0, room));
    if (fresh.length > room) return { resources: page, next: { ...place, skip: place.skip + room } };
    if (batch.next !== undefined) return { resources: page, next: { part: place.part, inner: batch.next, skip: 0 } };
    place = { part: place.part + 1, skip: 0 };
  }
  return { resources: page, next: undefined };
}

async function readBatch({ part, inner }: Place, { source, listed, call }: Reading): Promise<Batch> {
  const context = source.toContext(call);
  if (part === 0) {
    const visible = [...source.resources].filter((resource) => isVisible(resource, context));
    return { resources: visible.map(source.describe), next: undefined };
  }
  const template = listed[part - 1];
  if (!template?.list || !isVisible(template, context)) return { resources: [], next: undefined };
  const outcome = await callHandler(() => template.list?.(inner === undefined ? {} : { cursor: inner }, context));
  return toBatch(outcome, template);
}

function toBatch(outcome: unknown, { uriTemplate }: AnyResourceTemplate): Batch {
  if (Array.isArray(outcome)) return { resources: outcome, next: undefined };
  if (!isObject(outcome) || !Array.isArray(outcome.resources)) {
    throw new Error(`The list of "${uriTemplate}" returned neither resources nor a page of resources`);
  }
  const { resources, nextCursor } = outcome;
  return { resources, next: typeof nextCursor === "string" ? nextCursor : undefined };
}

/** Parses the position in a cursor. This server has signed the text, so the checks only satisfy the compiler. */
function toPlace(text: string): Place {
  const value: unknown = JSON.parse(text);
  const { part, inner, skip } = isObject(value) ? value : {};
  return { part: Number(part), skip: Number(skip), ...(typeof inner === "string" && { inner }) };
}
