import type { Awaitable } from "../../../generated/support.ts";
import type { CacheHint } from "../../protocol/cache-hint.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { AnyContext, AnyRequester } from "../any-definition.ts";

/** The kind of view that clients can show: a document in HTML, in a frame of its own. */
export const uiMimeType = "text/html;profile=mcp-app";

/** A view, for clients that have them. */
export interface UiResourceOptions {
  readonly uri: `ui://${string}`;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A whole document in HTML, or what makes one. */
  readonly html: string | ((context: AnyContext) => Awaitable<string>);
  /** Other origins that it needs. Default: none, it reaches nothing. */
  readonly csp?: UiCsp;
  /** What the browser shall allow it, such as `{ camera: {} }`; clients may refuse. Default: nothing. */
  readonly permissions?: UiPermissions;
  /** An origin of its own, in the form that the client documents. Default: the client's choice. */
  readonly domain?: string;
  /** Whether the client draws a border and a background. Default: the client's choice. */
  readonly prefersBorder?: boolean;
  /** Whether `resources/list` shows it: clients find it by its tools. Default `true`. */
  readonly listed?: boolean;
  readonly caching?: CacheHint;
  readonly scopes?: readonly string[];
  visible?(requester: AnyRequester): boolean;
}

/** Origins such as `https://api.example.com` or `https://*.example.com`. */
export interface UiCsp {
  /** For requests and sockets. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For frames inside of it. */
  readonly frameDomains?: readonly string[];
  /** For the base of its addresses. */
  readonly baseUriDomains?: readonly string[];
}

/** Permissions that there are. Nothing can be said about them yet. */
export interface UiPermissions {
  readonly camera?: object;
  readonly microphone?: object;
  readonly geolocation?: object;
  readonly clipboardWrite?: object;
}

/** A resource as definitions take it. */
export interface UiResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly listed?: boolean;
  readonly caching?: CacheHint;
  readonly scopes?: readonly string[];
  readonly _meta: { readonly ui: object };
  visible?(requester: AnyRequester): boolean;
  read(uri: string, context: AnyContext): Promise<UiContents>;
}

// A type, not an interface: results of the protocol may have further members, which only those of a type can be compared with.
type UiContents = { contents: { uri: string; mimeType: string; text: string; _meta: { ui: object } }[] };

/**
 * Makes a resource of a view, with its MIME type and metadata; name it in the `ui` of tools. Throws when it is no view: another scheme than
 * `ui://`, no whole document, or origins that are none.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps
 */
export function createUiResource(options: UiResourceOptions): UiResource {
  const { html, csp, permissions, domain, prefersBorder, ...fields } = options;
  const { uri } = fields;
  if (!uri.startsWith("ui://")) throw new SetupError(`View ${JSON.stringify(uri)}: its URI must begin with "ui://".`);
  checkOrigins(uri, csp);
  if (typeof html === "string") checkDocument(uri, html);
  const ui = {
    ...(csp && { csp }),
    ...(permissions && { permissions }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
  return {
    ...fields,
    mimeType: uiMimeType,
    _meta: { ui },
    // Clients go by what comes with the content.
    async read(read, context) {
      const text = typeof html === "string" ? html : await html(context);
      checkDocument(uri, text);
      return { contents: [{ uri: read, mimeType: uiMimeType, text, _meta: { ui } }] };
    },
  };
}

/** They become part of a policy, in which a blank or a semicolon begins something else. */
function checkOrigins(uri: string, csp: UiCsp = {}): void {
  for (const [name, origins] of Object.entries(csp)) {
    const wrong = [...origins].find((origin) => !originPattern.test(origin));
    if (wrong === undefined) continue;
    throw new SetupError(
      `View ${JSON.stringify(uri)}: csp.${name} has ${JSON.stringify(wrong)}, use origins such as "https://api.example.com" or "https://*.example.com".`,
    );
  }
}

const originPattern = /^(?:https?|wss?):\/\/(?:\*\.)?[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*(?::\d{1,5})?$/;

function checkDocument(uri: string, html: string): void {
  if (beginsWithDoctype(html)) return;
  throw new SetupError(`View ${JSON.stringify(uri)}: it must be a whole document that begins with <!doctype html>.`);
}

/** Blanks and comments may come first. */
function beginsWithDoctype(html: string): boolean {
  let rest = html.trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", 4);
    if (end === -1) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<!doctype html[\s>]/i.test(rest);
}
