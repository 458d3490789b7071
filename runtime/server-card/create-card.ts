import { isSecure } from "../auth/server/metadata.ts";
import { SetupError } from "../jsonrpc/errors.ts";
import type { ImplementationInfo } from "../protocol/session/session.ts";
import type { HttpResponse } from "../transport/http-server/exchange/exchange.ts";
import {
  cardSchema,
  cardSuffix,
  cardType,
  type CardHeader,
  type CardIcon,
  type CardRepository,
  type ServerCard,
} from "./card.ts";
import { catalogPath, catalogType, catalogVersion, type Catalog } from "./catalog.ts";
import { isServerCard, findCardProblem } from "./read-card.ts";
import { checkFinite, checkNumbers } from "../jsonrpc/check-numbers.ts";
import { parseUrl } from "../internal/parse-url.ts";

/** Server described by a card: a server, or a gateway. */
export interface DescribedServer {
  readonly info: ImplementationInfo;
  readonly revisions: readonly { readonly id: string }[];
}

/** Options of a Server Card. Everything in them becomes public. */
export interface ServerCardOptions {
  /** Public name in reverse-DNS form: `com.example/weather`. Default: the name of the server, if it has this form. */
  readonly name?: string;
  /** Public URL of the endpoint: `https://mcp.example.com/mcp`. It must be `https`, except on this machine. */
  readonly url: string;
  /** Path of the endpoint as the server sees it, if a proxy or a framework changes it. Default: the path of `url`. */
  readonly path?: string;
  /** Default: the title of the server, if it has one. */
  readonly title?: string;
  /** Description of at most 100 characters. Default: the description of the server. */
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly repository?: CardRepository;
  readonly icons?: readonly CardIcon[];
  /** Headers required in requests, such as `X-API-Key`. OAuth needs none: clients find its metadata themselves. Never contains secret values. */
  readonly headers?: readonly CardHeader[];
  /** Seconds for which clients may use a copy of the card without a request. Default 3,600. */
  readonly maxAge?: number;
  /** `false`: no catalog is served, because another server publishes the one of the domain. Default `true`. */
  readonly catalog?: boolean;
}

/** Server Card and catalog of a server, and the documents an HTTP server sends for them. */
export interface PublishedCard {
  readonly card: ServerCard;
  readonly catalog: Catalog;
  /** Public documents by path, for the option `documents` of HTTP servers. */
  readonly documents: ReadonlyMap<string, HttpResponse>;
}

/**
 * Creates the Server Card of a server from its definition, and the catalog with this card. Both contain identity, address and revisions, and nothing
 * about tools, resources and prompts.
 *
 * @throws {SetupError} when the card would be invalid: no name in reverse-DNS form, no description, an insecure URL
 * @see https://modelcontextprotocol.io/seps/2127-mcp-server-cards
 * @example
 * ```ts
 * import { serveHttp } from "mcp-server-runtime";
 * import { createServerCard } from "mcp-server-runtime/server-card";
 *
 * const { documents } = createServerCard(server, { name: "com.example/weather", url: "https://mcp.example.com/mcp" });
 * await serveHttp(server, { port: 3000, allowedHosts: ["mcp.example.com"], documents });
 * ```
 */
export function createServerCard(server: DescribedServer, options: ServerCardOptions): PublishedCard {
  checkNumbers(options);
  checkFinite({ maxAge: options.maxAge });
  const url = readEndpoint(options.url);
  const card = buildCard(server, options, url);
  const location = `${url.origin}${trimSlash(url.pathname)}${cardSuffix}`;
  const catalog = buildCatalog(card, location);
  const { maxAge = 3_600, path = url.pathname } = options;
  const documents = new Map([[`${trimSlash(path)}${cardSuffix}`, toDocument(card, cardType, maxAge)]]);
  if (options.catalog !== false) documents.set(catalogPath, toDocument(catalog, catalogType, maxAge));
  return { card, catalog, documents };
}

function buildCard({ info, revisions }: DescribedServer, options: ServerCardOptions, url: URL): ServerCard {
  const { name = info.name, headers, repository } = options;
  const {
    title = info.title,
    description = info.description,
    websiteUrl = info.websiteUrl,
    icons = info.icons,
  } = options;
  const members = {
    $schema: cardSchema,
    name,
    version: info.version,
    description,
    title,
    websiteUrl,
    repository,
    icons,
    remotes: [
      {
        type: "streamable-http",
        url: url.href,
        ...(headers && { headers }),
        supportedProtocolVersions: revisions.map(({ id }) => id),
      },
    ],
  };
  const card = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  if (isServerCard(card)) return card;
  throw new SetupError(`The server card is invalid: ${findCardProblem(card)}; set it in the options of the card`);
}

function readEndpoint(text: string): URL {
  const url = parseUrl(text);
  if (!url || url.hash !== "" || url.search !== "" || url.username !== "" || url.password !== "")
    throw new SetupError("The URL of the server card is not the URL of an endpoint; use https://HOST/PATH");
  if (isSecure(url)) return url;
  throw new SetupError("The URL of the server card is not secure; use https, or http on this machine only");
}

/** The identifier begins with the domain of the publisher: the reversed first part of the name. */
function buildCatalog({ name }: ServerCard, url: string): Catalog {
  const [namespace = "", own = ""] = name.split("/");
  const publisher = namespace.toLowerCase().split(".").reverse().join(".");
  const identifier = `urn:air:${publisher}:mcp:${own}`;
  return { specVersion: catalogVersion, entries: [{ identifier, type: cardType, displayName: own, url }] };
}

function toDocument(value: object, type: string, maxAge: number): HttpResponse {
  const body = JSON.stringify(value);
  const headers = { "content-type": type, "cache-control": `public, max-age=${maxAge}`, etag: createTag(body) };
  return { status: 200, headers, body };
}

function trimSlash(path: string): string {
  return path.replace(/\/+$/, "");
}

/** Returns a strong entity tag for a text. It identifies versions of one document; it is no protection against forgery. */
function createTag(text: string): string {
  return `"${hash(text, 0x811c9dc5)}${hash(text, 0x01000193)}"`;
}

/** FNV-1a over UTF-16 code units, as eight hexadecimal digits. */
function hash(text: string, seed: number): string {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
