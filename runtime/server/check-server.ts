import type { ResourceSource, ServerSource, TemplateSource } from "./source.ts";
import { checkRate } from "./token-bucket.ts";
import { checkToolName } from "./tools.ts";
import { parseUriTemplate } from "./uri-template.ts";

/** Finds the mistakes of a definition that hold at every revision; throws at the first. */
export function checkServer(source: ServerSource): void {
  const { tools = [], resources = [], resourceTemplates = [], prompts = [] } = source;
  checkCount("pageSize", source.pageSize);
  checkCount("maxSubscriptions", source.maxSubscriptions);
  if (source.logRate) checkRate("logRate", source.logRate);
  for (const tool of tools) checkToolName(tool.name);
  for (const resource of resources) checkResource(resource);
  for (const template of resourceTemplates) checkTemplate(template);
  checkUnique("tools", "name", toNames(tools));
  checkUnique("resources", "URI", toUris(resources));
  checkUnique("resourceTemplates", "URI template", toTemplates(resourceTemplates));
  checkUnique("prompts", "name", toNames(prompts));
}

/** @see https://www.rfc-editor.org/rfc/rfc3986 */
export function checkResource({ uri, size }: ResourceSource): void {
  if (!URL.canParse(uri)) {
    throw new Error(`Resource ${JSON.stringify(uri)}: a resource needs an absolute URI, for example "notes://today".`);
  }
  if (size === undefined || (Number.isSafeInteger(size) && size >= 0)) return;
  throw new Error(`Resource ${JSON.stringify(uri)}: its size is ${size}, use the number of bytes before any encoding.`);
}

/** Refuses templates that do not parse, and completions of variables that they do not have. */
export function checkTemplate({ uriTemplate, complete = {} }: TemplateSource): void {
  const { variables } = parseUriTemplate(uriTemplate);
  const unknown = Object.keys(complete).find((name) => !variables.includes(name));
  if (unknown === undefined) return;
  throw new Error(
    `Resource template "${uriTemplate}" completes "${unknown}", which is none of its variables: ${variables.join(", ")}.`,
  );
}

function checkCount(option: string, count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count > 0)) return;
  throw new Error(`${option} is ${count}: use a whole number above 0, or leave it out for the default.`);
}

function toNames(definitions: readonly { readonly name: string }[]): readonly string[] {
  return definitions.map(({ name }) => name);
}

function toUris(resources: readonly ResourceSource[]): readonly string[] {
  return resources.map(({ uri }) => uri);
}

function toTemplates(templates: readonly TemplateSource[]): readonly string[] {
  return templates.map(({ uriTemplate }) => uriTemplate);
}

function checkUnique(list: string, key: string, values: readonly string[]): void {
  const places = new Map<string, number>();
  for (const [place, value] of values.entries()) {
    const earlier = places.get(value);
    if (earlier !== undefined) {
      throw new Error(
        `${list}[${earlier}] and ${list}[${place}] have the same ${key} ${JSON.stringify(value)}: rename one of them.`,
      );
    }
    places.set(value, place);
  }
}
