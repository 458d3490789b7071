import type { Revision } from "../../../generated/support.ts";
import { checkHint } from "../../protocol/methods/cache-hint.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { AnyResource, AnyResourceTemplate } from "../any-definition.ts";
import { checkOffer } from "../list/check-shown.ts";
import { pickShown, readShown } from "../list/shown-members.ts";
import { parseUriTemplate, type UriTemplate } from "./uri-template/uri-template.ts";
import { isUrl } from "../../internal/parse-url.ts";

/**
 * Checks a resource.
 *
 * @throws {SetupError} when the URI is not absolute or is a template, the size is not a number of bytes, or a list cannot show the resource.
 * @see https://www.rfc-editor.org/rfc/rfc3986
 */
export function checkResource(resource: AnyResource, revisions: readonly Revision[]): void {
  const { uri, size, cacheHint } = resource;
  if (/\{[^{}]*\}/.test(uri))
    throw new SetupError(`Resource ${JSON.stringify(uri)} has variables; define it with defineResourceTemplate`);
  if (!isUrl(uri)) {
    throw new SetupError(`Resource ${JSON.stringify(uri)} has no absolute URI; use one such as "notes://today"`);
  }
  const title = `Resource ${JSON.stringify(uri)}`;
  checkHint(title, cacheHint);
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0)) {
    throw new SetupError(`${title}: its size is ${size}; use the number of bytes before any encoding`);
  }
  const entry = pickShown(resource, "Resource", readShown(revisions));
  checkOffer(resource, { title, member: "resources", entry, revisions });
}

/**
 * Checks a resource template.
 *
 * @throws {SetupError} when it does not parse, completes a variable it does not have, or a list cannot show it.
 */
export function checkTemplate(template: AnyResourceTemplate, revisions: readonly Revision[]): void {
  const { uriTemplate, complete = {}, cacheHint } = template;
  const title = `Resource template "${uriTemplate}"`;
  checkHint(title, cacheHint);
  const { variables } = readTemplate(uriTemplate);
  const unknown = Object.keys(complete).find((name) => !variables.includes(name));
  if (unknown !== undefined) {
    throw new SetupError(
      `${title} completes the unknown variable "${unknown}"; its variables are ${variables.join(", ")}`,
    );
  }
  const entry = pickShown(template, "ResourceTemplate", readShown(revisions));
  checkOffer(template, { title, member: "resourceTemplates", entry, revisions });
}

/** Parses a template and wraps errors in `SetupError`. The parser does not: it is also part of clients, which have no server setup. */
function readTemplate(text: string): UriTemplate {
  try {
    return parseUriTemplate(text);
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
