import { describeUrl } from "../../../transport/http-client/endpoint.ts";
import { isTemporaryStatus } from "../../../transport/http-client/errors.ts";
import { toMetadataPlaces, toResourceMetadataPlaces } from "../../common/well-known.ts";
import { AuthError } from "../errors.ts";
import {
  assumeServerMetadata,
  readResourceMetadata,
  readServerMetadata,
  type ResourceMetadata,
  type ServerMetadata,
} from "./metadata.ts";
import type { HttpRequester } from "../network/requester.ts";
import { readUrl } from "../network/url-rules.ts";

/** Result of discovery: the resource and the authorization server that issues tokens for it. */
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
 * there. A server that publishes nothing is its own authorization server, as in the first revision with authorization.
 *
 * @throws {AuthError} when metadata is missing, invalid or meant for another server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-server-discovery
 */
export async function discoverAuthorization(url: URL, options: DiscoveryOptions): Promise<Discovery> {
  const metadata = await findResourceMetadata(url, options);
  if (!metadata) {
    const server = await findOwnServer(url.origin, options);
    return { resource: toResource(url), scopesSupported: undefined, server };
  }
  checkResource(metadata.resource, url);
  const issuer = options.chooseIssuer(metadata.authorizationServers);
  if (issuer === undefined)
    throw new AuthError("metadata", "The server has no authorization server that chooseIssuer accepts");
  const server = await findServerMetadata(issuer, options);
  if (!server) throw new AuthError("metadata", `The authorization server ${quoteUrl(issuer)} has no metadata`);
  return { resource: metadata.resource, scopesSupported: metadata.scopesSupported, server };
}

/**
 * Returns the metadata of the server: from the URL in its challenge, else for its path, else for its host. Returns `undefined` if there is none.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 */
async function findResourceMetadata(url: URL, options: DiscoveryOptions): Promise<ResourceMetadata | undefined> {
  const { requester, hint } = options;
  const places = [
    ...(hint === undefined ? [] : [readUrl(hint, requester.rules, "resource metadata URL")]),
    ...toResourceMetadataPlaces(url),
  ];
  for (const place of withoutRepetition(places)) {
    const document = await fetchDocument(place, "resource metadata", options);
    if (document) return readResourceMetadata(document, describeUrl(place));
  }
  return undefined;
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
  const { rules } = options.requester;
  const url = readUrl(issuer, rules, "issuer");
  if (issuer.includes("?") || issuer.includes("#")) {
    throw new AuthError("metadata", `The issuer ${describeUrl(url)} is not valid; remove its query and fragment`);
  }
  for (const place of toMetadataPlaces(url)) {
    const document = await fetchDocument(place, "authorization server metadata", options);
    if (!document) continue;
    checkIssuer(document.issuer, { issuer, place });
    return readServerMetadata(document, issuer, rules);
  }
  return undefined;
}

/**
 * Returns the resource of a server that does not name one: its URL without the parts that do not distinguish servers (user information, fragment, a
 * path of `/`).
 */
export function toResource(url: URL): string {
  const { origin, pathname, search } = url;
  return `${origin}${pathname === "/" ? "" : pathname}${search}`;
}

/**
 * Returns the metadata of a server that is its own authorization server, or default endpoints if they may be assumed.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#server-metadata-discovery
 */
async function findOwnServer(origin: string, options: DiscoveryOptions): Promise<ServerMetadata> {
  const found = await findServerMetadata(origin, options);
  if (found) return found;
  if (options.assumesEndpoints) return assumeServerMetadata(origin);
  throw new AuthError(
    "metadata",
    `${origin} has no protected resource metadata, and default endpoints are disabled (assumeEndpoints: false)`,
  );
}

/** Returns `undefined` if there is no such document. A temporary problem of the server is not treated as a missing document. */
async function fetchDocument(
  url: URL,
  what: string,
  { requester, headers = {} }: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { status, json, retryAfter } = await requester.request(url, { what, method: "GET", headers });
  const isTemporary = isTemporaryStatus(status);
  if (status >= 400 && !isTemporary) return undefined;
  if (status !== 200) {
    const code = isTemporary ? "network" : "metadata";
    throw new AuthError(code, `${describeUrl(url)} returned HTTP ${status} instead of the ${what}`, { retryAfter });
  }
  if (!json) throw new AuthError("metadata", `${describeUrl(url)} returned invalid ${what}; expected a JSON object`);
  return json;
}

/** With the resource of another server, the client would fetch a token that this server could use there. */
function checkResource(resource: string, url: URL): void {
  const named = URL.canParse(resource) ? new URL(resource) : undefined;
  const isPrefix = named !== undefined && named.origin === url.origin && isWithin(url.pathname, named.pathname);
  if (isPrefix && named.hash === "" && !resource.includes("#")) return;
  const who = named === undefined ? "an invalid URL" : describeUrl(named);
  throw new AuthError("resource-mismatch", `The metadata of ${describeUrl(url)} is for another resource: ${who}`);
}

/** True if a path is that of a folder, or of something in it. */
export function isWithin(path: string, folder: string): boolean {
  const prefix = folder.replace(/\/$/, "");
  return path === prefix || path === folder || path.startsWith(`${prefix}/`);
}

/** Compares the text exactly. Any other comparison would allow one issuer to impersonate another. */
function checkIssuer(found: unknown, { issuer, place }: { readonly issuer: string; readonly place: URL }): void {
  if (found === issuer) return;
  throw new AuthError(
    "issuer-mismatch",
    `The metadata at ${describeUrl(place)} is not for the issuer ${quoteUrl(issuer)}`,
  );
}

function quoteUrl(text: string): string {
  return URL.canParse(text) ? describeUrl(new URL(text)) : "(invalid URL)";
}

function withoutRepetition(places: readonly URL[]): readonly URL[] {
  const seen = new Map(places.map((place) => [place.href, place]));
  return [...seen.values()];
}
