import type { ServerSource } from "./source.ts";
import { checkToolName } from "./tools.ts";
import { parseUriTemplate } from "./uri-template.ts";

/** Finds the mistakes of a definition that hold at every revision; throws at the first. */
export function checkServer(source: ServerSource): void {
  const { tools = [], resources = [], resourceTemplates = [], prompts = [], pageSize } = source;
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0)) {
    throw new Error(`pageSize is ${pageSize}: use a whole number above 0, or leave it out for lists in one piece.`);
  }
  for (const tool of tools) checkToolName(tool.name);
  for (const resource of resources) checkUri(resource.uri);
  for (const template of resourceTemplates) checkTemplate(template);
  checkUnique(
    "tools",
    "name",
    tools.map((tool) => tool.name),
  );
  checkUnique(
    "resources",
    "URI",
    resources.map((resource) => resource.uri),
  );
  checkUnique(
    "resourceTemplates",
    "URI template",
    resourceTemplates.map((template) => template.uriTemplate),
  );
  checkUnique(
    "prompts",
    "name",
    prompts.map((prompt) => prompt.name),
  );
}

/** @see https://www.rfc-editor.org/rfc/rfc3986 */
function checkUri(uri: string): void {
  if (URL.canParse(uri)) return;
  throw new Error(`Resource ${JSON.stringify(uri)}: a resource needs an absolute URI, for example "notes://today".`);
}

function checkTemplate({
  uriTemplate,
  complete = {},
}: {
  readonly uriTemplate: string;
  readonly complete?: object;
}): void {
  const { variables } = parseUriTemplate(uriTemplate);
  const unknown = Object.keys(complete).find((name) => !variables.includes(name));
  if (unknown === undefined) return;
  throw new Error(
    `Resource template "${uriTemplate}" completes "${unknown}", which is none of its variables: ${variables.join(", ")}.`,
  );
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
