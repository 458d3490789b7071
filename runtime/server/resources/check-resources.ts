import { checkHint } from "../../protocol/methods/cache-hint.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { AnyResource, AnyResourceTemplate } from "../any-definition.ts";
import { parseUriTemplate, type UriTemplate } from "./uri-template.ts";

/**
 * Checks the URI, size and cache hint of a resource.
 *
 * @throws {SetupError} when the URI is not absolute or the size is not a number of bytes.
 * @see https://www.rfc-editor.org/rfc/rfc3986
 */
export function checkResource({ uri, size, cacheHint }: AnyResource): void {
  if (!URL.canParse(uri)) {
    throw new SetupError(`Resource ${JSON.stringify(uri)} has no absolute URI; use one such as "notes://today"`);
  }
  checkHint(`Resource ${JSON.stringify(uri)}`, cacheHint);
  if (size === undefined || (Number.isSafeInteger(size) && size >= 0)) return;
  throw new SetupError(
    `Resource ${JSON.stringify(uri)}: its size is ${size}; use the number of bytes before any encoding`,
  );
}

/**
 * Checks a resource template.
 *
 * @throws {SetupError} when it does not parse or completes a variable that it does not have.
 */
export function checkTemplate({ uriTemplate, complete = {}, cacheHint }: AnyResourceTemplate): void {
  checkHint(`Resource template "${uriTemplate}"`, cacheHint);
  const { variables } = readTemplate(uriTemplate);
  const unknown = Object.keys(complete).find((name) => !variables.includes(name));
  if (unknown === undefined) return;
  throw new SetupError(
    `Resource template "${uriTemplate}" completes the unknown variable "${unknown}"; its variables are ${variables.join(", ")}`,
  );
}

/** Parses a template and wraps errors in `SetupError`. The parser does not: it is also part of clients, which have no server setup. */
function readTemplate(text: string): UriTemplate {
  try {
    return parseUriTemplate(text);
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
