import { describeUrl } from "../../transport/http-client/endpoint.ts";
import { toMetadataPlaces } from "../common/well-known.ts";
import { AuthError } from "./errors.ts";
import {
  assumeServerMetadata,
  readResourceMetadata,
  readServerMetadata,
  type ResourceMetadata,
  type ServerMetadata,
} from "./metadata.ts";
import type { Requester } from "./requester.ts";
import { readUrl } from "./url-rules.ts";

/** Where a token for a server comes from. */
export interface Discovery {
  /** What the token is for, as the server writes it. */
  readonly resource: string;
  readonly scopesSupported: readonly string[] | undefined;
  readonly server: ServerMetadata;
}

/** How to look. */
export interface DiscoveryOptions {
  readonly requester: Requester;
  /** Where the challenge says that the metadata is. */
  readonly hint?: string | undefined;
  /** Sent with the requests: servers of old want to know the revision. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of several authorization servers to use. */
  readonly chooseIssuer: (issuers: readonly string[]) => string | undefined;
  /** Whether a server that publishes nothing may be taken for one of the first revision with authorization. */
  readonly assumesEndpoints: boolean;
}

/**
 * Finds out who issues tokens for a server: it is asked itself first, then the authorization server that it names. A server that publishes
 * nothing is its own authorization server, as in the first revision that knew authorization.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/authorization#authorization-server-discovery
 */
export async function discover(url: URL, options: DiscoveryOptions): Promise<Discovery> {
  const metadata = await findResourceMetadata(url, options);
  if (!metadata) {
    const server = await findOwnServer(url.origin, options);
    return { resource: toResource(url), scopesSupported: undefined, server };
  }
  checkResource(metadata.resource, url);
  const issuer = options.chooseIssuer(metadata.authorizationServers);
  if (issuer === undefined) throw new AuthError("metadata", "None of the server's authorization servers may be used");
  const server = await findServerMetadata(issuer, options);
  if (!server) throw new AuthError("metadata", `The authorization server ${quoteUrl(issuer)} publishes no metadata`);
  return { resource: metadata.resource, scopesSupported: metadata.scopesSupported, server };
}

/**
 * The metadata of the server: where its challenge says, else for its path, else for its host. Nothing when there is none.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/authorization#protected-resource-metadata-discovery-requirements
 */
async function findResourceMetadata(url: URL, options: DiscoveryOptions): Promise<ResourceMetadata | undefined> {
  const { requester, hint } = options;
  const wellKnown = "/.well-known/oauth-protected-resource";
  const path = url.pathname.replace(/\/$/, "");
  const places = [
    ...(hint === undefined ? [] : [readUrl(hint, requester.rules, "resource metadata URL")]),
    new URL(`${wellKnown}${path}${url.search}`, url.origin),
    new URL(wellKnown, url.origin),
  ];
  for (const place of withoutRepetition(places)) {
    const document = await fetchDocument(place, "resource metadata", options);
    if (document) return readResourceMetadata(document, describeUrl(place));
  }
  return undefined;
}

/**
 * The metadata of an authorization server, by OAuth's rules or OpenID's, whichever is found first. One with a path is never looked for without
 * it: another tenant of the same host could answer. Nothing when there is none.
 *
 * @see https://modelcontextprotocol.io/specification/latest/basic/authorization#authorization-server-metadata-discovery
 */
export async function findServerMetadata(
  issuer: string,
  options: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<ServerMetadata | undefined> {
  const { rules } = options.requester;
  const url = readUrl(issuer, rules, "issuer");
  if (issuer.includes("?") || issuer.includes("#")) {
    throw new AuthError(
      "metadata",
      `The issuer ${describeUrl(url)} has a query or a fragment, which no issuer may have`,
    );
  }
  for (const place of toMetadataPlaces(url)) {
    const document = await fetchDocument(place, "authorization server metadata", options);
    if (!document) continue;
    checkIssuer(document.issuer, { issuer, place });
    return readServerMetadata(document, issuer, rules);
  }
  return undefined;
}

/** The resource of a server that does not name one: its URL, without what does not tell servers apart. */
export function toResource(url: URL): string {
  const { origin, pathname, search } = url;
  return `${origin}${pathname === "/" ? "" : pathname}${search}`;
}

/** @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#server-metadata-discovery */
async function findOwnServer(origin: string, options: DiscoveryOptions): Promise<ServerMetadata> {
  const found = await findServerMetadata(origin, options);
  if (found) return found;
  if (options.assumesEndpoints) return assumeServerMetadata(origin);
  throw new AuthError(
    "metadata",
    `${origin} says nothing about who issues tokens for it, and guessing is switched off (assumeEndpoints: false)`,
  );
}

/** Nothing where there is no such document; a server that fails is not the same as one that has none. */
async function fetchDocument(
  url: URL,
  what: string,
  { requester, headers = {} }: Pick<DiscoveryOptions, "requester" | "headers">,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { status, json } = await requester.request(url, { what, method: "GET", headers });
  if (status >= 400 && status < 500) return undefined;
  if (status !== 200)
    throw new AuthError("metadata", `${describeUrl(url)} answered with HTTP ${status} instead of the ${what}`);
  if (!json) throw new AuthError("metadata", `${describeUrl(url)} is no JSON object, so it is no ${what}`);
  return json;
}

/** A stranger's resource would make us fetch a token that the stranger could use there. */
function checkResource(resource: string, url: URL): void {
  const named = URL.canParse(resource) ? new URL(resource) : undefined;
  const isPrefix = named !== undefined && named.origin === url.origin && isWithin(url.pathname, named.pathname);
  if (isPrefix && named.hash === "" && !resource.includes("#")) return;
  const who = named === undefined ? "something that is not a URL" : describeUrl(named);
  throw new AuthError(
    "resource-mismatch",
    `The metadata of ${describeUrl(url)} speaks for ${who} instead. No token is fetched.`,
  );
}

function isWithin(path: string, folder: string): boolean {
  const prefix = folder.replace(/\/$/, "");
  return path === prefix || path === folder || path.startsWith(`${prefix}/`);
}

/** Compared letter by letter: anything else would let one issuer pass for another. */
function checkIssuer(found: unknown, { issuer, place }: { readonly issuer: string; readonly place: URL }): void {
  if (found === issuer) return;
  throw new AuthError(
    "issuer-mismatch",
    `${describeUrl(place)} is the metadata of another issuer than ${quoteUrl(issuer)}, so it is not used`,
  );
}

function quoteUrl(text: string): string {
  return URL.canParse(text) ? describeUrl(new URL(text)) : "that was named";
}

function withoutRepetition(places: readonly URL[]): readonly URL[] {
  const seen = new Map(places.map((place) => [place.href, place]));
  return [...seen.values()];
}
