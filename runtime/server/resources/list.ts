import { isObject } from "../../../generated/support.ts";
import { toError } from "../../jsonrpc/errors.ts";
import { toPrivate } from "../../protocol/methods/cache-hint.ts";
import type { CallContext } from "../../protocol/peer/incoming-call.ts";
import type { StaticResult } from "../../jsonrpc/message.ts";
import { callHandler } from "../errors.ts";
import type { Catalogue, Listed } from "../list/catalogue.ts";
import { checkShown } from "../list/check-shown.ts";
import { createListing, isVisible, type Listing } from "../list/list-page.ts";
import { encodePlace, findPlace } from "../list/places.ts";
import type { RevisionServer } from "../revision-server.ts";
import type { AnyResource, AnyResourceTemplate, Visible } from "../any-definition.ts";
import type { AnyRequester } from "../protocol-types.ts";

/** Sources of the entries in `resources/list`. */
export interface ResourceListingSource {
  readonly resources: Listed<AnyResource>;
  readonly templates: Catalogue<AnyResourceTemplate>;
  describe(resource: AnyResource): object;
}

/**
 * Lists the fixed resources, followed by the results of the templates with a `list` callback. Without such a template, the list is an ordinary one.
 */
export function createResourceListing(source: ResourceListingSource, server: RevisionServer): Listing {
  const { resources, templates, describe } = source;
  const fixed = createListing({ member: "resources", catalogue: resources, describe }, server);
  return {
    page(cursor, call): StaticResult | Promise<object> {
      const listed = [...templates].filter((template) => template.list);
      return listed.length === 0 ? fixed.page(cursor, call) : readPage(cursor, { source, server, listed, call });
    },
  };
}

/** Start of a page: the part of the list, the cursor of its callback, and the number of its resources to skip. */
interface Start {
  readonly part: number;
  readonly inner?: string;
  readonly skip: number;
}

/** Start of a page in a cursor. Parts and fixed resources are named by their neighbours; what a callback returns has no other name than its index. */
interface Place {
  /** Place of the template. Absent: the place is among the fixed resources. */
  readonly template?: string;
  readonly inner?: string;
  readonly skip?: number;
  /** Place among the fixed resources. */
  readonly resource?: string;
}

interface Reading {
  readonly source: ResourceListingSource;
  readonly server: RevisionServer;
  /** Templates with a `list` callback. Part 0 of the whole list is the fixed resources, so part 1 is the first template. */
  readonly listed: readonly AnyResourceTemplate[];
  readonly call: CallContext;
}

interface Batch {
  readonly resources: readonly object[];
  readonly next: string | undefined;
}

async function readPage(cursor: string | undefined, reading: Reading): Promise<object> {
  const { cursors } = reading.server.parts.settings;
  const scope = toScope(reading);
  const start = cursor === undefined ? first : findStart(await cursors.verify(scope, cursor), reading);
  const { resources, next } = await fillPage(start, reading);
  const head = toHead(reading);
  if (!next) return { ...head, resources };
  return { ...head, resources, nextCursor: await cursors.sign(scope, JSON.stringify(toPlace(next, reading))) };
}

/** Results of callbacks follow the cache hints of the definition. Lists with entries of restricted visibility are private. */
function toHead({ source, server }: Reading): object {
  const isPublic = [...source.resources, ...source.templates].every(({ visible }) => visible === undefined);
  const hint = server.parts.settings.cacheHints.resources;
  return server.envelope.cacheable(isPublic ? hint : toPrivate(hint));
}

/** A cursor of a callback may be specific to its client: no other principal can use it. */
function toScope({ server, call }: Reading): string {
  const { principal } = server.scope(call).auth ?? {};
  return ["resources*", server.revision.id, JSON.stringify(principal ?? null)].join("\n");
}

/** Fills a page. It ends when it is full, or where a callback ends a page of its own. */
async function fillPage(
  start: Start,
  reading: Reading,
): Promise<{ readonly resources: readonly object[]; readonly next: Start | undefined }> {
  const { pageSize = Infinity } = reading.server.parts.settings;
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

async function readBatch({ part, inner }: Start, reading: Reading): Promise<Batch> {
  const { source, server, listed, call } = reading;
  const context = server.scope(call);
  if (part === 0) {
    const visible = findVisible(source.resources, context);
    return { resources: visible.map(source.describe), next: undefined };
  }
  const template = listed[part - 1];
  if (!template?.list || !isVisible(template, context)) return { resources: [], next: undefined };
  const outcome = await callHandler(() => template.list?.(inner === undefined ? {} : { cursor: inner }, context));
  const { resources, next } = toBatch(outcome, template);
  return { resources: keepShown(resources, template, reading), next };
}

/** Leaves out the resources unfit for a list, and reports the first: one of them would cost the whole list. */
function keepShown(
  resources: readonly unknown[],
  { uriTemplate }: AnyResourceTemplate,
  { server, call }: Reading,
): readonly object[] {
  const { revision, parts } = server;
  const [written] = parts.revisions;
  const problems: Error[] = [];
  const kept = resources.filter((entry): entry is object => {
    try {
      checkShown(entry, { member: "resources", revision, written });
      return true;
    } catch (error) {
      problems.push(toError(error));
      return false;
    }
  });
  const [first] = problems;
  if (!first) return kept;
  const text = `The list of "${uriTemplate}" returned ${problems.length} resources that cannot be shown`;
  const error = new Error(`${text}; the first: ${first.message}`, { cause: first });
  parts.settings.onError({ kind: "result", method: "resources/list", id: call.requestId, error });
  return kept;
}

function toBatch(
  outcome: unknown,
  { uriTemplate }: AnyResourceTemplate,
): { readonly resources: readonly unknown[]; readonly next: string | undefined } {
  if (Array.isArray(outcome)) return { resources: outcome, next: undefined };
  if (!isObject(outcome) || !Array.isArray(outcome.resources)) {
    throw new Error(`The list of "${uriTemplate}" returned neither resources nor a page of resources`);
  }
  const { resources, nextCursor } = outcome;
  return { resources, next: typeof nextCursor === "string" ? nextCursor : undefined };
}

const first: Start = { part: 0, skip: 0 };

function findVisible<Definition extends Visible>(
  definitions: Iterable<Definition>,
  requester: AnyRequester,
): readonly Definition[] {
  return [...definitions].filter((definition) => isVisible(definition, requester));
}

/** Describes the start of the next page, by what the client sees only. */
function toPlace({ part, inner, skip }: Start, { source, server, listed, call }: Reading): Place {
  const context = server.scope(call);
  if (part === 0) {
    const uris = findVisible(source.resources, context).map(({ uri }) => uri);
    return { resource: encodePlace(uris[skip] ?? "", uris.slice(0, skip).reverse()) };
  }
  const before = findVisible(listed.slice(0, part - 1), context).map(({ uriTemplate }) => uriTemplate);
  const template = encodePlace(listed[part - 1]?.uriTemplate ?? "", before.reverse());
  return { template, skip, ...(inner !== undefined && { inner }) };
}

/** Finds the start of a page. This server has signed the text, so the checks only satisfy the compiler. */
function findStart(text: string, { source, server, listed, call }: Reading): Start {
  const value: unknown = JSON.parse(text);
  const { template, resource, inner, skip }: Record<string, unknown> = isObject(value) ? value : {};
  if (typeof template !== "string") {
    const uris = findVisible(source.resources, server.scope(call)).map(({ uri }) => uri);
    const found = findPlace(String(resource), uris);
    // None of its neighbours is a resource any more: the templates follow them.
    return found ? { part: 0, skip: found.index } : { part: 1, skip: 0 };
  }
  const templates = listed.map(({ uriTemplate }) => uriTemplate);
  const { index, isNext } = findPlace(template, templates) ?? { index: 0, isNext: false };
  if (!isNext) return { part: index + 1, skip: 0 };
  return { part: index + 1, skip: Number(skip), ...(typeof inner === "string" && { inner }) };
}
