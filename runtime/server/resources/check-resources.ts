import { checkHint } from "../../protocol/cache-hint.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { AnyResource, AnyResourceTemplate } from "../any-definition.ts";
import { parseUriTemplate, type UriTemplate } from "./uri-template.ts";

/** @see https://www.rfc-editor.org/rfc/rfc3986 */
export function checkResource({ uri, size, caching }: AnyResource): void {
  if (!URL.canParse(uri)) {
    throw new SetupError(
      `Resource ${JSON.stringify(uri)}: a resource needs an absolute URI, for example "notes://today".`,
    );
  }
  checkHint(`Resource ${JSON.stringify(uri)}`, caching);
  if (size === undefined || (Number.isSafeInteger(size) && size >= 0)) return;
  throw new SetupError(
    `Resource ${JSON.stringify(uri)}: its size is ${size}, use the number of bytes before any encoding.`,
  );
}

/** Refuses templates that do not parse, and completions of variables that they do not have. */
export function checkTemplate({ uriTemplate, complete = {}, caching }: AnyResourceTemplate): void {
  checkHint(`Resource template "${uriTemplate}"`, caching);
  const { variables } = readTemplate(uriTemplate);
  const unknown = Object.keys(complete).find((name) => !variables.includes(name));
  if (unknown === undefined) return;
  throw new SetupError(
    `Resource template "${uriTemplate}" completes "${unknown}", which is none of its variables: ${variables.join(", ")}.`,
  );
}

/** The parser is part of clients as well, where nobody sets up a server. */
function readTemplate(text: string): UriTemplate {
  try {
    return parseUriTemplate(text);
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
