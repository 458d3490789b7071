import { isObject, type Revision } from "../../generated/support.ts";
import { RpcError, errorCodes } from "../rpc/errors.ts";
import type { StaticResult } from "../rpc/message.ts";
import { toBase64 } from "./base64.ts";
import { createPages } from "./pages.ts";
import type { AnyContext, ResourceSource, TemplateSource } from "./source.ts";
import type { RegistryOptions } from "./tools.ts";
import { parseUriTemplate, type MatchedValue, type UriTemplate } from "./uri-template.ts";

/** The resources and resource templates of a server at one revision. */
export interface ResourceRegistry {
  list(cursor: string | undefined): StaticResult;
  listTemplates(cursor: string | undefined): StaticResult;
  find(uri: string): ResourceSource | undefined;
  /** By the text of the template. */
  findTemplate(uriTemplate: string): ParsedTemplate | undefined;
  read(uri: string, context: AnyContext & { readonly uri: string }): Promise<object>;
}

/** A template, ready to match. */
export interface ParsedTemplate {
  readonly template: TemplateSource;
  readonly pattern: UriTemplate;
}

/** Builds the registry. Fixed resources win over templates, and earlier templates over later ones. */
export function createResources(
  resources: readonly ResourceSource[],
  templates: readonly TemplateSource[],
  options: RegistryOptions,
): ResourceRegistry {
  const { envelope, pageSize, revision } = options;
  const byUri = new Map(resources.map((resource) => [resource.uri, resource]));
  const parsed = templates.map((template) => ({ template, pattern: parseUriTemplate(template.uriTemplate) }));
  const byTemplate = new Map(parsed.map((entry) => [entry.pattern.text, entry]));
  const pageOptions = { size: pageSize, envelope: envelope.cacheable };
  const pages = createPages("resources", resources.map(describeResource), pageOptions);
  const templatePages = createPages("resourceTemplates", templates.map(describeTemplate), pageOptions);
  return {
    list: (cursor) => pages.page(cursor),
    listTemplates: (cursor) => templatePages.page(cursor),
    find: (uri) => byUri.get(uri),
    findTemplate: (uriTemplate) => byTemplate.get(uriTemplate),
    async read(uri, context) {
      const resource = byUri.get(uri);
      if (resource) return toResult(await resource.read(uri, context), { uri, source: resource, options });
      const found = matchFirst(parsed, uri);
      if (!found) throw resourceNotFound(uri, revision);
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
  const { read: _read, ...fields } = resource;
  return fields;
}

function describeTemplate(template: TemplateSource): object {
  const { read: _read, complete: _complete, ...fields } = template;
  return fields;
}

function matchFirst(
  parsed: readonly ParsedTemplate[],
  uri: string,
): { readonly template: TemplateSource; readonly variables: Map<string, MatchedValue> } | undefined {
  for (const { template, pattern } of parsed) {
    const variables = pattern.match(uri);
    if (variables) return { template, variables };
  }
  return undefined;
}

interface ReadResult {
  readonly uri: string;
  readonly source: { readonly mimeType?: string };
  readonly options: RegistryOptions;
}

function toResult(outcome: unknown, { uri, source, options }: ReadResult): object {
  const { cacheable } = options.envelope;
  const head = source.mimeType === undefined ? { uri } : { uri, mimeType: source.mimeType };
  if (typeof outcome === "string") return { ...cacheable, contents: [{ ...head, text: outcome }] };
  if (outcome instanceof Uint8Array) return { ...cacheable, contents: [{ ...head, blob: toBase64(outcome) }] };
  if (isObject(outcome)) return { ...cacheable, ...outcome };
  throw new Error(`The resource ${uri} gave neither text nor bytes nor a result.`);
}
