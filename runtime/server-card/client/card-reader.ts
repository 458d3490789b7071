import { createPinnedFetch } from "../../auth/client/network/pinned-fetch.ts";
import { isAuthError } from "../../auth/client/errors.ts";
import type { Network } from "../../auth/client/network/network.ts";
import { HttpRequester, type AuthorizationResponse } from "../../auth/client/network/requester.ts";
import { createUrlRules } from "../../auth/client/network/url-rules.ts";
import { setLimited } from "../../internal/set-limited.ts";
import type { Fetch } from "../../transport/http-client/endpoint.ts";
import { cardType, type ServerCard } from "../card.ts";
import { catalogPath, catalogType, type CatalogEntry } from "../catalog.ts";
import { ServerCardError } from "../errors.ts";
import { maxDocumentBytes, parseCatalog, parseServerCard } from "../read-card.ts";
import { checkNumbers } from "../../jsonrpc/check-numbers.ts";
import { isUrl } from "../../internal/parse-url.ts";

/** Reader of Server Cards and catalogs, with a cache. */
export interface ServerCardReader {
  /**
   * Reads a card from a URL, or from an entry of a catalog.
   *
   * @throws {ServerCardError} when it cannot be received, or is invalid
   */
  readCard(place: string | URL | CatalogEntry): Promise<ServerCard>;
  /**
   * Reads the catalog of a domain, given by any of its URLs. Only Server Cards are returned, other entries are left out.
   *
   * @throws {ServerCardError} when it cannot be received, or is invalid
   */
  readCatalog(domain: string | URL): Promise<readonly CatalogEntry[]>;
}

/** Limits and connections of a reader. */
export interface ServerCardReaderOptions {
  /** Networks a card may be in, besides the internet and the network of the given URL, or of the entry's catalog. Default: none. */
  readonly networks?: readonly Network[];
  /**
   * Sends the requests. The default resolves names itself, checks each address, and connects only to checked ones. With another function, names are
   * not checked, only addresses as part of URLs.
   */
  readonly fetch?: Fetch;
  /** Milliseconds for one response. Default 10 s. */
  readonly timeout?: number;
}

/**
 * Creates a reader of Server Cards. Requests carry no credentials, follow at most two redirects, and read at most 256 KiB. Copies are used as long as
 * their `Cache-Control` permits, and are then revalidated by their entity tag.
 *
 * @see https://modelcontextprotocol.io/seps/2127-mcp-server-cards
 * @example
 * ```ts
 * import { createServerCardReader } from "mcp-server-runtime/server-card/client";
 *
 * const reader = createServerCardReader();
 * for (const entry of await reader.readCatalog("https://example.com")) {
 *   const { name, remotes } = await reader.readCard(entry);
 *   console.log(name, remotes?.[0]?.url);
 * }
 * ```
 */
export function createServerCardReader(options: ServerCardReaderOptions = {}): ServerCardReader {
  checkNumbers(options);
  const cache = new Map<string, Copy>();
  /** URLs of the catalogs of entries. */
  const catalogs = new WeakMap<CatalogEntry, URL>();
  const readCard = async (url: URL, source: URL): Promise<ServerCard> =>
    parseServerCard(await readDocument(url, { what: "server card", type: cardType, source, cache, options }));
  return {
    async readCard(place) {
      if (typeof place !== "string" && !(place instanceof URL))
        return "data" in place ? place.data : readCard(toUrl(place.url), catalogs.get(place) ?? unknownCatalog);
      const url = toUrl(place);
      return readCard(url, url);
    },
    async readCatalog(domain) {
      const url = new URL(catalogPath, toUrl(domain));
      const text = await readDocument(url, { what: "catalog", type: catalogType, source: url, cache, options });
      const entries = parseCatalog(text);
      for (const entry of entries) catalogs.set(entry, url);
      return entries;
    },
  };
}

/** URL in place of the catalog's, for an entry from another reader. It is in no network. */
const unknownCatalog = new URL("https://catalog.invalid");

/** Received copy of a document. */
interface Copy {
  readonly text: string;
  readonly tag: string | undefined;
  /** Time until which it is used without a request, on the monotonic clock of this process. */
  readonly freshUntil: number;
}

/** Maximum number of copies. */
const maxCopies = 100;

interface Reading {
  readonly what: string;
  readonly type: string;
  /** URL in a network the document may be in, too: its own URL, or the one of its catalog. */
  readonly source: URL;
  readonly cache: Map<string, Copy>;
  readonly options: ServerCardReaderOptions;
}

async function readDocument(url: URL, reading: Reading): Promise<string> {
  const { cache, type, what } = reading;
  const copy = cache.get(url.href);
  if (copy && copy.freshUntil > performance.now()) return copy.text;
  const response = await request(url, reading, {
    Accept: `${type}, application/json;q=0.9`,
    ...(copy?.tag !== undefined && { "If-None-Match": copy.tag }),
  });
  const isUnchanged = response.status === 304 && copy !== undefined;
  if (response.status !== 200 && !isUnchanged)
    throw new ServerCardError("unreachable", `The ${what} ${describe(url)} cannot be read: HTTP ${response.status}`);
  const text = isUnchanged ? copy.text : response.text;
  const tag = response.headers.get("etag") ?? copy?.tag;
  setLimited(cache, [url.href, { text, tag, freshUntil: readFreshness(response) }], maxCopies);
  return text;
}

async function request(
  url: URL,
  { what, source, options }: Reading,
  headers: Readonly<Record<string, string>>,
): Promise<AuthorizationResponse> {
  const { networks, timeout = 10_000 } = options;
  const rules = createUrlRules(source, networks);
  const fetch = options.fetch ?? createPinnedFetch((address, host) => rules.checkAddress(address, host));
  try {
    const requester = new HttpRequester({ fetch, rules, timeout, maxBytes: maxDocumentBytes });
    return await requester.request(url, { what, method: "GET", headers });
  } catch (error) {
    if (isAuthError(error)) throw new ServerCardError("unreachable", error.message);
    throw error;
  }
}

/** Returns the time until which a response may be used without a request; at most a day. */
function readFreshness({ headers }: AuthorizationResponse): number {
  const control = headers.get("cache-control") ?? "";
  if (/\bno-(store|cache)\b/i.test(control)) return 0;
  const [, seconds = "0"] = /\bmax-age=(\d{1,9})\b/i.exec(control) ?? [];
  return performance.now() + Math.min(Number(seconds), 86_400) * 1_000;
}

function toUrl(place: string | URL): URL {
  if (place instanceof URL) return place;
  if (isUrl(place)) return new URL(place);
  throw new ServerCardError("invalid", `${JSON.stringify(place.slice(0, 100))} is not a URL; use https://HOST/PATH`);
}

function describe({ origin, pathname }: URL): string {
  return origin + pathname;
}
