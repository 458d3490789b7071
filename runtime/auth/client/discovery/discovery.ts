import { describeUrl } from "../../../transport/http-client/endpoint.ts";
import { isTemporaryStatus } from "../../../transport/http-client/errors.ts";
import { toMetadataPlaces, toResourceMetadataPlaces } from "../../common/well-known.ts";
import { AuthError, isAuthError, isErrorResponse, quoteReason } from "../errors.ts";
import {
  assumeServerMetadata,
  readResourceMetadata,
  readServerMetadata,
  type ResourceMetadata,
  type ServerMetadata,
} from "./metadata.ts";
import type { HttpRequester } from "../network/requester.ts";
import { quoteIssuer } from "../../common/quote-issuer.ts";
import { readUrl } from "../network/url-rules.ts";
import { parseUrl } from "../../../internal/parse-url.ts";

/** Result of discovery: the resource and its authorization server. */
export interface Discovery {
  /** Resource identifier exactly as the server writes it. */
  readonly resource: string;
  readonly scopesSupported: readonly string[] | undefined;
  readonly server: ServerMetadata;
}

/** Challenge of the server and rules of the client from which an authorization server is found. */
export interface DiscoveryOptions {
  readonly requester: HttpRequester;
  /** URL of the metadata according to the challenge. */
  readonly hint?: string | undefined;
  /** Headers of the requests. Older servers require the protocol revision. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Chooses one of several authorization servers. */
  readonly chooseIssuer: (issuers: readonly string[]) => string | undefined;
  /** True if a server without metadata may be treated as a server of the first revision with authorization. */
  readonly assumesEndpoints: boolean;
}

/**
 * Finds the authorization server for a server. It requests the server's own metadata first, then the metadata of the authorization server named
 * there. A server without any metadata is its own authorization server, as in the first revision with authorization.
 *
 * @throws {AuthError} when metadata is missing, invalid or meant for another server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-discovery
 */
export async function discoverAuthorization(url: URL, options: DiscoveryOptions): Promise<Discovery> {
  const { found: metadata, problem } = await findResourceMetadata(url, options);
  if (!metadata) {
    const server = await findOwnServer(url.origin, { ...options, problem });
    return { resource: toResource(url), scopesSupported: undefined, server };
  }
  const issuer = options.chooseIssuer(metadata.authorizationServers);
  if (issuer === undefined)
    throw new AuthError("metadata", "The server has no authorization server that chooseIssuer accepts");
  const server = await findServerMetadata(issuer, options);
  if (!server) throw new AuthError("metadata", `The authorization server ${quoteIssuer(issuer)} has no metadata`);
  return { resource: metadata.resource, scopesSupported: metadata.scopesSupported, server };
}

type Document = Readonly<Record<string, unknown>>;

/** Outcome of a search in several places: the found document, or the problem of the last place with another response. */
interface Search<Found> {
  readonly found?: Found;
  readonly problem?: AuthError | undefined;
}

/** What to look for: `member` is the name of a member only a document of this kind has. */
interface Wanted<Found> {
  readonly what: string;
  readonly member: string;
  /** Reads a document with the member. */
  readonly read: (document: Document, place: URL) => Found;
}

/**
 * Tries places until one has a document of this kind. Many servers respond with a page, or with an error and status 200, where they have no document.
 *
 * @throws {AuthError} when a place has a temporary problem, or the document is invalid
 */
async function search<Found>(
  places: readonly URL[],
  wanted: Wanted<Found>,
  options: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<Search<Found>> {
  let problem: AuthError | undefined;
  for (const place of withoutRepetition(places)) {
    const document = await fetchDocument(place, wanted, options);
    if (isAuthError(document)) problem = document;
    else if (document) return { found: wanted.read(document, place) };
  }
  return { problem };
}

/**
 * Returns the metadata of the server: from the URL in its challenge, else for its path, else for its host.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 */
async function findResourceMetadata(url: URL, options: DiscoveryOptions): Promise<Search<ResourceMetadata>> {
  const { requester, hint } = options;
  const places = [
    ...(hint === undefined ? [] : [readUrl(hint, requester.rules, "resource metadata URL")]),
    ...toResourceMetadataPlaces(url),
  ];
  const read = (document: Document, place: URL): ResourceMetadata => {
    checkResource(String(document.resource), url);
    return readResourceMetadata(document, describeUrl(place));
  };
  return search(places, { what: "resource metadata", member: "resource", read }, options);
}

/**
 * Returns the metadata of an authorization server, in OAuth or OpenID format, whichever is found first. An issuer with a path is never looked up
 * without the path, because another tenant of the same host could respond. Returns `undefined` if there is none.
 *
 * @throws {AuthError} when the issuer or its metadata is invalid
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery
 */
export async function findServerMetadata(
  issuer: string,
  options: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<ServerMetadata | undefined> {
  const { found, problem } = await searchServerMetadata(issuer, options);
  if (!found && problem) throw problem;
  return found;
}

async function searchServerMetadata(
  issuer: string,
  options: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<Search<ServerMetadata>> {
  const url = readUrl(issuer, options.requester.rules, "issuer");
  if (issuer.includes("?") || issuer.includes("#")) {
    throw new AuthError("metadata", `The issuer ${describeUrl(url)} is not valid; remove its query and fragment`);
  }
  const read = (document: Document, place: URL): ServerMetadata => {
    checkIssuer(document.issuer, { issuer, place });
    return readServerMetadata(document, issuer);
  };
  return search(toMetadataPlaces(url), { what: "authorization server metadata", member: "issuer", read }, options);
}

/**
 * Returns the resource of a server which does not name one: its URL without user information, fragment and a path of `/`. These parts do not
 * distinguish servers.
 */
export function toResource(url: URL): string {
  const { origin, pathname, search } = url;
  return `${origin}${pathname === "/" ? "" : pathname}${search}`;
}

/**
 * Returns the metadata of a server as its own authorization server, or default endpoints if they may be assumed.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#server-metadata-discovery
 */
async function findOwnServer(
  origin: string,
  options: DiscoveryOptions & Pick<Search<unknown>, "problem">,
): Promise<ServerMetadata> {
  const { found, problem = options.problem } = await searchServerMetadata(origin, options);
  if (found) return found;
  // A page in place of a document says nothing about the server. A redirect to an unsafe place is a matter of settings.
  if (options.assumesEndpoints && problem?.code !== "unsafe-url") return assumeServerMetadata(origin);
  throw (
    problem ??
    new AuthError(
      "metadata",
      `${origin} has no protected resource metadata, and default endpoints are disabled (assumeEndpoints: false)`,
    )
  );
}

/**
 * Returns the document at a place, `undefined` if there is none, or the problem of another response. A temporary problem of the server is not treated
 * as a missing document.
 */
async function fetchDocument(
  url: URL,
  { what, member }: Pick<Wanted<unknown>, "what" | "member">,
  { requester, headers = {} }: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<Document | AuthError | undefined> {
  const response = await requester.request(url, { what, method: "GET", headers }).catch(toUnsafe);
  if (isAuthError(response)) return response;
  const { status, json, retryAfter } = response;
  const place = describeUrl(url);
  if (isTemporaryStatus(status))
    throw new AuthError("network", `${place} returned HTTP ${status} instead of the ${what}`, { retryAfter });
  if (status >= 400) return undefined;
  if (status !== 200) return new AuthError("metadata", `${place} returned HTTP ${status} instead of the ${what}`);
  if (!json) return new AuthError("metadata", `${place} did not return the ${what} as a JSON object`);
  const value = json[member];
  if (typeof value === "string" && value !== "") return json;
  const why = isErrorResponse(json) ? quoteReason(json.error, json.error_description) : "";
  return new AuthError("metadata", `The ${what} at ${place} has no ${member}${why}`);
}

/** Returns the error about a redirect which is not followed. Other errors are thrown again. */
function toUnsafe(error: unknown): AuthError {
  if (isAuthError(error) && error.code === "unsafe-url") return error;
  throw error;
}

/** With the resource of another server, the client would fetch a token this server could use there. */
function checkResource(resource: string, url: URL): void {
  const named = parseUrl(resource);
  const isPrefix = named !== undefined && named.origin === url.origin && isWithin(url.pathname, named.pathname);
  if (isPrefix && named.hash === "" && !resource.includes("#")) return;
  const who = named === undefined ? "an invalid URL" : describeUrl(named);
  throw new AuthError("resource-mismatch", `The metadata of ${describeUrl(url)} is for another resource: ${who}`);
}

/** True if a path leads to a folder, or to something in it. */
export function isWithin(path: string, folder: string): boolean {
  const prefix = folder.replace(/\/$/, "");
  return path === prefix || path === folder || path.startsWith(`${prefix}/`);
}

/** Compares the text exactly. Any other comparison would allow one issuer to impersonate another. */
function checkIssuer(found: unknown, { issuer, place }: { readonly issuer: string; readonly place: URL }): void {
  if (found === issuer) return;
  throw new AuthError(
    "issuer-mismatch",
    `The metadata at ${describeUrl(place)} is for the issuer ${quoteIssuer(found)} instead of ${quoteIssuer(issuer)}`,
  );
}

function withoutRepetition(places: readonly URL[]): readonly URL[] {
  const seen = new Map(places.map((place) => [place.href, place]));
  return [...seen.values()];
}
