import { isObject, type Revision } from "../../generated/support.ts";
import type { CallContext } from "../rpc/call.ts";
import { RpcError, errorCodes } from "../rpc/errors.ts";
import { toBase64 } from "../codec/base64.ts";
import type { Catalogue } from "./catalogue.ts";
import { createListing, isVisible, type Listing } from "./listing.ts";
import type { RegistryOptions } from "./registry.ts";
import { createResourceListing } from "./resource-listing.ts";
import type { AnyContext, AnyRequester, ResourceSource, TemplateSource } from "./source.ts";
import { parseUriTemplate, type MatchedValue, type UriTemplate } from "./uri-template.ts";

/** The resources and resource templates of a server at one revision. */
export interface ResourceRegistry extends Listing {
  readonly templates: Listing;
  /** A fixed resource, if there is one that this client may see. */
  find(uri: string, requester: AnyRequester): ResourceSource | undefined;
  /** By the text of the template. */
  findTemplate(uriTemplate: string, requester: AnyRequester): ParsedTemplate | undefined;
  /** Whether a client may ask for this URI at all. */
  has(uri: string, requester: AnyRequester): boolean;
  read(uri: string, context: AnyContext & { readonly uri: string }): Promise<object>;
}

/** A template, ready to match. */
export interface ParsedTemplate {
  readonly template: TemplateSource;
  readonly pattern: UriTemplate;
}

/** What the registry is built from. */
export interface ResourceCatalogues {
  readonly resources: Catalogue<ResourceSource>;
  readonly templates: Catalogue<TemplateSource>;
  toContext(call: CallContext): AnyContext;
}

/** Builds the registry. Fixed resources win over templates, and earlier templates over later ones. */
export function createResources(source: ResourceCatalogues, options: RegistryOptions): ResourceRegistry {
  const { resources, templates } = source;
  const parse = createParser();
  const find = (uri: string, requester: AnyRequester): ResourceSource | undefined => {
    const resource = resources.get(uri);
    return resource && isVisible(resource, requester) ? resource : undefined;
  };
  const match = (uri: string, requester: AnyRequester): Match | undefined =>
    matchFirst(templates, uri, (template) => (isVisible(template, requester) ? parse(template) : undefined));
  return {
    ...createResourceListing({ ...source, describe: describeResource }, options),
    templates: createListing(
      { member: "resourceTemplates", catalogue: templates, describe: describeTemplate },
      options,
    ),
    find,
    findTemplate(uriTemplate, requester) {
      const template = templates.get(uriTemplate);
      return template && isVisible(template, requester) ? { template, pattern: parse(template) } : undefined;
    },
    has: (uri, requester) => find(uri, requester) !== undefined || match(uri, requester) !== undefined,
    async read(uri, context) {
      const resource = find(uri, context);
      if (resource) return toResult(await resource.read(uri, context), { uri, source: resource, options });
      const found = match(uri, context);
      if (!found) throw resourceNotFound(uri, options.revision);
      const outcome = await found.template.read(Object.fromEntries(found.variables), context);
      return toResult(outcome, { uri, source: found.template, options });
    },
  };
}

/** The refusal of a URI that nothing is behind, for handlers of templates as well: with the code of the revision. */
export function resourceNotFound(uri: string, revision: Revision): RpcError {
  const rule = Object.hasOwn(revision.errors, "resourceNotFound") ? revision.errors.resourceNotFound : undefined;
  const code = rule?.emitted ? rule.code : errorCodes.invalidParams;
  return new RpcError(code, "Resource not found", { data: { uri } });
}

function describeResource(resource: ResourceSource): object {
  const { read: _read, visible: _visible, ...fields } = resource;
  return fields;
}

function describeTemplate(template: TemplateSource): object {
  const { read: _read, list: _list, complete: _complete, visible: _visible, ...fields } = template;
  return fields;
}

/** Parses a template when it is first needed. */
function createParser(): (template: TemplateSource) => UriTemplate {
  const known = new WeakMap<TemplateSource, UriTemplate>();
  return (template) => {
    const pattern = known.get(template) ?? parseUriTemplate(template.uriTemplate);
    known.set(template, pattern);
    return pattern;
  };
}

interface Match {
  readonly template: TemplateSource;
  readonly variables: Map<string, MatchedValue>;
}

function matchFirst(
  templates: Iterable<TemplateSource>,
  uri: string,
  parse: (template: TemplateSource) => UriTemplate | undefined,
): Match | undefined {
  for (const template of templates) {
    const variables = parse(template)?.match(uri);
    if (variables) return { template, variables };
  }
  return undefined;
}

interface ReadResult {
  readonly uri: string;
  readonly source: { readonly mimeType?: string };
  readonly options: RegistryOptions;
}

async function toResult(outcome: unknown, { uri, source, options }: ReadResult): Promise<object> {
  const { cacheable } = options.envelope;
  const head = source.mimeType === undefined ? { uri } : { uri, mimeType: source.mimeType };
  if (typeof outcome === "string") return { ...cacheable, contents: [{ ...head, text: outcome }] };
  if (outcome instanceof Uint8Array) return { ...cacheable, contents: [{ ...head, blob: toBase64(outcome) }] };
  if (outcome instanceof Blob) {
    const blob = toBase64(new Uint8Array(await outcome.arrayBuffer()));
    return { ...cacheable, contents: [{ ...(outcome.type && { mimeType: outcome.type }), ...head, blob }] };
  }
  if (isObject(outcome)) return { ...cacheable, ...outcome };
  throw new Error(`The resource ${uri} gave neither text nor bytes nor a result.`);
}
