import type { Awaitable } from "../../../generated/support.ts";
import type { CacheHint } from "../../protocol/methods/cache-hint.ts";
import { SetupError } from "../../jsonrpc/errors.ts";
import type { AnyContext, AnyRequester } from "../protocol-types.ts";

/** MIME type of the views clients can show: an HTML document in a frame of its own. */
export const uiMimeType = "text/html;profile=mcp-app";

/** Options of a view for clients with support for views. */
export interface UiResourceOptions {
  readonly uri: `ui://${string}`;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A complete HTML document, or a function creating one for each read. */
  readonly html: string | ((context: AnyContext) => Awaitable<string>);
  /** Other origins the view needs. Default: none, the view has no network access. */
  readonly csp?: UiCsp;
  /** Browser permissions the view requests, such as `{ camera: {} }`. Clients may deny them. Default: none. */
  readonly permissions?: UiPermissions;
  /** Dedicated origin of the view, in the form documented by the client. Default: the client's choice. */
  readonly domain?: string;
  /** True if the client should draw a border and a background. Default: the client's choice. */
  readonly prefersBorder?: boolean;
  /** True if `resources/list` contains the view. Clients also find it through its tools. Default `true`. */
  readonly listed?: boolean;
  readonly cacheHint?: CacheHint;
  readonly scopes?: readonly string[];
  visible?(requester: AnyRequester): boolean;
}

/** Origins a view may use, such as `https://api.example.com` or `https://*.example.com`. */
export interface UiCsp {
  /** Origins for requests and WebSocket connections. */
  readonly connectDomains?: readonly string[];
  /** Origins for scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** Origins for frames inside of the view. */
  readonly frameDomains?: readonly string[];
  /** Origins for the base URI of the document. */
  readonly baseUriDomains?: readonly string[];
}

/** Browser permissions a view can request. Each is an empty object, as no permission has settings yet. */
export interface UiPermissions {
  readonly camera?: object;
  readonly microphone?: object;
  readonly geolocation?: object;
  readonly clipboardWrite?: object;
}

/** A resource in the form accepted by server definitions. */
export interface UiResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  readonly listed?: boolean;
  readonly cacheHint?: CacheHint;
  readonly scopes?: readonly string[];
  readonly _meta: { readonly ui: object };
  visible?(requester: AnyRequester): boolean;
  read(uri: string, context: AnyContext): Promise<UiContents>;
}

// A type alias, not an interface: protocol results have an index signature, to which only type aliases are assignable.
type UiContents = { contents: { uri: string; mimeType: string; text: string; _meta: { ui: object } }[] };

/**
 * Creates the resource of a view, with its MIME type and metadata. Name it in the `ui` of tools.
 *
 * @throws {SetupError} when the scheme is not `ui://`, the HTML is not a complete document or an origin is invalid.
 * @see https://github.com/modelcontextprotocol/ext-apps
 * @example
 * ```ts
 * import { createUiResource } from "mcp-server-runtime";
 *
 * const html = "<!doctype html><title>Tickets</title>";
 * const board = createUiResource({ uri: "ui://tickets/board", name: "board", html });
 * const ui = { resourceUri: "ui://tickets/board" } as const;
 * const list = defineTool({ name: "list-tickets", ui, execute: () => "2 tickets" });
 * defineServer({ name: "tickets", version: "1.0.0", tools: [list], resources: [board] });
 * ```
 */
export function createUiResource(options: UiResourceOptions): UiResource {
  const { html, csp, permissions, domain, prefersBorder, ...fields } = options;
  const { uri } = fields;
  if (!uri.startsWith("ui://")) throw new SetupError(`View ${JSON.stringify(uri)}: its URI must begin with "ui://"`);
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
    // Clients use the metadata that comes with the content.
    async read(read, context) {
      const text = typeof html === "string" ? html : await html(context);
      checkDocument(uri, text);
      return { contents: [{ uri: read, mimeType: uiMimeType, text, _meta: { ui } }] };
    },
  };
}

/** Checks origins: they become part of a content security policy, in which a blank or a semicolon begins another entry. */
function checkOrigins(uri: string, csp: UiCsp = {}): void {
  for (const [name, origins] of Object.entries(csp)) {
    const wrong = [...origins].find((origin) => !originPattern.test(origin));
    if (wrong === undefined) continue;
    throw new SetupError(
      `View ${JSON.stringify(uri)}: csp.${name} has ${JSON.stringify(wrong)}; use origins such as "https://api.example.com" or "https://*.example.com"`,
    );
  }
}

const originPattern = /^(?:https?|wss?):\/\/(?:\*\.)?[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*(?::\d{1,5})?$/;

function checkDocument(uri: string, html: string): void {
  if (beginsWithDoctype(html)) return;
  throw new SetupError(`View ${JSON.stringify(uri)}: it must be a complete document that begins with <!doctype html>`);
}

/** True if the document begins with a doctype. Whitespace and comments may precede it. */
function beginsWithDoctype(html: string): boolean {
  let rest = html.trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", 4);
    if (end === -1) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<!doctype html[\s>]/i.test(rest);
}
