import { isObject, type Revision } from "../../../generated/support.ts";
import { toPrivate } from "../../protocol/methods/cache-hint.ts";
import { RpcError, errorCodes, isPeerError, isRpcError } from "../../jsonrpc/errors.ts";
import { merge } from "../../internal/merge.ts";
import { shorten } from "../../internal/shorten.ts";
import { toBase64 } from "../../framing/base64.ts";
import { selectFrom, type Catalogue } from "../list/catalogue.ts";
import { callHandler } from "../errors.ts";
import { InputRequired } from "../input/input-required.ts";
import { createListing, isVisible, type Listing } from "../list/list-page.ts";
import type { RevisionServer } from "../revision-server.ts";
import { createResourceListing } from "./list.ts";
import { requireScopes } from "../scopes.ts";
import { pickShown, type ShownMembers } from "../list/shown-members.ts";
import type { AnyResource, Scoped, AnyResourceTemplate } from "../any-definition.ts";
import type { AnyContext, AnyRequester } from "../protocol-types.ts";
import { findSpelling } from "./uri-spellings.ts";
import { parseUriTemplate, type MatchedValue, type UriTemplate } from "./uri-template/uri-template.ts";

/** The resources and resource templates of a server at one revision. */
export interface ResourceRegistry extends Listing {
  readonly templates: Listing;
  /** Returns the fixed resource with this URI, in any spelling, if it exists and this client may see it. */
  find(uri: string, requester: AnyRequester): AnyResource | undefined;
  /** Returns the template with this text if it exists and this client may see it. */
  findTemplate(
    uriTemplate: string,
    requester: AnyRequester,
  ): { readonly template: AnyResourceTemplate; readonly pattern: UriTemplate } | undefined;
  /** Returns the resource or template behind a URI, if this client may see it. */
  locate(uri: string, requester: AnyRequester): Scoped | undefined;
  read(uri: string, context: AnyContext & { readonly uri: string }): Promise<object>;
}

/** Lists from which the registry is built. */
export interface ResourceCatalogues {
  readonly resources: Catalogue<AnyResource>;
  readonly templates: Catalogue<AnyResourceTemplate>;
}

/** Builds the registry. Fixed resources take precedence over templates, and earlier templates over later ones. */
export function createResources(source: ResourceCatalogues, server: RevisionServer): ResourceRegistry {
  const { resources, templates } = source;
  const parse = createParser();
  const listed = selectFrom(resources, (resource) => resource.listed !== false);
  const find = (uri: string, requester: AnyRequester): AnyResource | undefined => {
    const resource = findSpelling(resources, uri);
    return resource && isVisible(resource, requester) ? resource : undefined;
  };
  const match = (uri: string, requester: AnyRequester): Match | undefined =>
    matchFirst(templates, uri, (template) => (isVisible(template, requester) ? parse(template) : undefined));
  const finish = createFinish(server);
  const toShown = (kind: keyof ShownMembers) => (definition: object) => pickShown(definition, kind, server.parts.shown);
  return {
    ...createResourceListing({ ...source, resources: listed, describe: toShown("Resource") }, server),
    templates: createListing(
      { member: "resourceTemplates", catalogue: templates, describe: toShown("ResourceTemplate") },
      server,
    ),
    find,
    findTemplate(uriTemplate, requester) {
      const template = templates.get(uriTemplate);
      return template && isVisible(template, requester) ? { template, pattern: parse(template) } : undefined;
    },
    locate: (uri, requester) => find(uri, requester) ?? match(uri, requester)?.template,
    async read(uri, context) {
      const resource = find(uri, context);
      if (resource) requireScopes(resource, context);
      if (resource) return finish(await callHandler(() => resource.read(uri, context)), { source: resource, context });
      const found = match(uri, context);
      if (!found) throw resourceNotFound(uri, server.revision);
      const { template, variables } = found;
      requireScopes(template, context);
      const outcome = await callHandler(() => template.read(Object.fromEntries(variables), context));
      if (outcome === undefined) throw resourceNotFound(uri, server.revision);
      return finish(outcome, { source: template, context });
    },
  };
}

/**
 * Creates the error response for a URI without a resource, also for template handlers, with the code of the revision.
 *
 * @example
 * ```ts
 * import { resourceNotFound } from "mcp-server-runtime";
 *
 * const note = defineResourceTemplate({
 *   uriTemplate: "notes://{id}",
 *   name: "note",
 *   read: ({ id }) => Promise.reject(resourceNotFound(`notes://${id}`, revision)),
 * });
 * ```
 */
export function resourceNotFound(uri: string, revision: Revision): RpcError {
  const rule = Object.hasOwn(revision.errors, "resourceNotFound") ? revision.errors.resourceNotFound : undefined;
  const code = rule?.emitted ? rule.code : errorCodes.invalidParams;
  return new RpcError(code, "Resource not found", { data: { uri: shorten(uri) } });
}

/**
 * Returns an error of a read as its revision sends it: a missing resource has another code at newer revisions.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
 */
export function toReadError(error: unknown, { errors }: Revision): unknown {
  const { resourceNotFound: rule } = errors;
  if (!rule || rule.emitted || isPeerError(error) || !isRpcError(error) || error.code !== rule.code) return error;
  return new RpcError(errorCodes.invalidParams, error.message, { data: error.data, cause: error });
}

/** Returns a parser of templates. It parses each one on first use, and again when its text has changed. */
export function createParser(): (template: AnyResourceTemplate) => UriTemplate {
  const known = new WeakMap<AnyResourceTemplate, { readonly text: string; readonly pattern: UriTemplate }>();
  return (template) => {
    const { uriTemplate: text } = template;
    const found = known.get(template);
    if (found?.text === text) return found.pattern;
    const pattern = parseUriTemplate(text);
    known.set(template, { text, pattern });
    return pattern;
  };
}

/** A matching template with the values of its variables in the URI. */
export interface Match {
  readonly template: AnyResourceTemplate;
  readonly variables: Map<string, MatchedValue>;
}

/** Returns the first matching template for a URI. */
export function matchFirst(
  templates: Iterable<AnyResourceTemplate>,
  uri: string,
  parse: (template: AnyResourceTemplate) => UriTemplate | undefined,
): Match | undefined {
  for (const template of templates) {
    const variables = parse(template)?.match(uri);
    if (variables) return { template, variables };
  }
  return undefined;
}

/** What was read, and by which request. */
interface ReadSource {
  readonly source: AnyResource | AnyResourceTemplate;
  readonly context: AnyContext & { readonly uri: string };
}

/** Creates the function for results of handlers. Bytes of an unknown type are reported once for each definition. */
function createFinish(server: RevisionServer): (outcome: unknown, from: ReadSource) => Promise<object> {
  const untyped = new WeakSet<object>();
  return async (outcome, { source, context }) => {
    const result = await toResult(outcome, { uri: context.uri, source, server });
    if (untyped.has(source) || !hasUntypedBytes(result)) return result;
    untyped.add(source);
    const error = new Error(`The resource "${shorten(source.name)}" has bytes without a MIME type; set its mimeType`);
    server.parts.settings.onError({ kind: "result", method: "resources/read", id: context.requestId, error });
    return result;
  };
}

function hasUntypedBytes(result: object): boolean {
  if (!("contents" in result) || !Array.isArray(result.contents)) return false;
  return result.contents.some((one) => isObject(one) && one.blob !== undefined && one.mimeType === undefined);
}

async function toResult(
  outcome: unknown,
  { uri, source, server }: Pick<ReadSource, "source"> & { readonly uri: string; readonly server: RevisionServer },
): Promise<object> {
  const { cacheHint, visible, scopes } = source;
  const cacheable = server.envelope.cacheable(visible || scopes ? toPrivate(cacheHint) : cacheHint);
  const head = source.mimeType === undefined ? { uri } : { uri, mimeType: source.mimeType };
  if (typeof outcome === "string") return merge(cacheable, { contents: [merge(head, { text: outcome })] });
  if (outcome instanceof Uint8Array) return merge(cacheable, { contents: [merge(head, { blob: toBase64(outcome) })] });
  if (outcome instanceof Blob) {
    const blob = toBase64(new Uint8Array(await outcome.arrayBuffer()));
    return merge(cacheable, { contents: [{ ...(outcome.type && { mimeType: outcome.type }), ...head, blob }] });
  }
  if (outcome instanceof InputRequired) return outcome;
  // A result without `contents` requests input from the client, so it cannot be cached.
  if (isObject(outcome)) return Object.hasOwn(outcome, "contents") ? merge(cacheable, outcome) : outcome;
  throw new Error(`The resource ${uri} returned neither text nor bytes nor a result`);
}
