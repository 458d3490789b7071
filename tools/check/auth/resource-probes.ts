import { isWithin } from "../../../runtime/auth/client/discovery/discovery.ts";
import { offlineAccess } from "../../../runtime/auth/client/grants/scopes.ts";
import type { AuthorizationResponse } from "../../../runtime/auth/client/network/requester.ts";
import { toResourceMetadataPlaces } from "../../../runtime/auth/common/well-known.ts";
import type { CheckResult } from "../finding.ts";
import { toResult, type Observation } from "../probes/probe.ts";
import { findAuthChallenge, readScopes, type AuthClient } from "./auth-client.ts";
import { authRules } from "./rules.ts";
import { parseUrl } from "../../../runtime/internal/parse-url.ts";

/** Statements of the server about its authorization. */
export interface ResourceFacts {
  readonly results: readonly CheckResult[];
  readonly resource: string | undefined;
  readonly issuers: readonly string[];
  /** Scopes of the challenge. */
  readonly scopes: readonly string[];
}

/** Examines the challenge and the protected resource metadata of a server. */
export async function probeResource(client: AuthClient): Promise<ResourceFacts> {
  const first = await client.callServer();
  if (first.kind === "failed") return withoutServer(first.reason);
  const challenge = findAuthChallenge(first.response);
  const link = challenge?.parameters.get("resource_metadata");
  const documents = await fetchMetadata(client, link);
  const scopes = readScopes(challenge);
  const document = documents.found;
  const resource = typeof document?.resource === "string" ? document.resource : undefined;
  return {
    results: [
      toResult(authRules.challenge, [judgeChallenge(first.response)]),
      ...(first.response.status === 401 ? [await probeInvalidToken(client)] : []),
      toResult(authRules.link, [judgeLink(first.response, link)]),
      toResult(authRules.metadata, documents.findings),
      ...(document
        ? [
            toResult(authRules.resource, [judgeResource(resource, client.url)]),
            toResult(authRules.scopes, judgeScopes(document, scopes)),
          ]
        : []),
    ],
    resource,
    issuers: readTexts(document?.authorization_servers),
    scopes,
  };
}

function withoutServer(reason: string): ResourceFacts {
  const seen = { subject: "server", message: `it cannot be reached: ${reason}`, fix: "check the URL; use https" };
  return { results: [toResult(authRules.challenge, [seen])], resource: undefined, issuers: [], scopes: [] };
}

function judgeChallenge(response: AuthorizationResponse): Observation | undefined {
  const { status } = response;
  const fix = "set the option authenticate of serveHttp to requireBearerToken(...), in front of everything else";
  if (status !== 401)
    return { subject: "request without a token", message: `it gets HTTP ${status} instead of 401`, fix };
  if (findAuthChallenge(response)) return undefined;
  return { subject: "request without a token", message: "its 401 has no Bearer or DPoP challenge", fix };
}

async function probeInvalidToken(client: AuthClient): Promise<CheckResult> {
  const subject = "request with an invalid token";
  const result = await client.callServer("invalid.token.check");
  const fix = "verify every token; set the option verify of requireBearerToken";
  if (result.kind === "failed")
    return toResult(authRules.invalidToken, [{ subject, message: `it gets no response: ${result.reason}`, fix }]);
  const { response } = result;
  if (response.status !== 401)
    return toResult(authRules.invalidToken, [
      { subject, message: `it gets HTTP ${response.status} instead of 401`, fix },
    ]);
  const error = findAuthChallenge(response)?.parameters.get("error");
  const missing: Observation = {
    subject,
    severity: "warning",
    message: `its challenge has ${error === undefined ? "no error" : `the error ${error}`} instead of invalid_token`,
    fix: 'add error="invalid_token" to the challenge, so that clients refresh their token',
  };
  return toResult(authRules.invalidToken, [error === "invalid_token" ? undefined : missing]);
}

function judgeLink({ status }: AuthorizationResponse, link: string | undefined): Observation | undefined {
  if (link !== undefined || status !== 401) return undefined;
  return {
    subject: "challenge",
    message: "it has no resource_metadata, which older clients need",
    fix: "add resource_metadata with the URL of the metadata to WWW-Authenticate",
  };
}

interface FetchedMetadata {
  readonly found: Readonly<Record<string, unknown>> | undefined;
  readonly findings: readonly Observation[];
}

/** Fetches the metadata from each place where clients look for it. */
async function fetchMetadata(client: AuthClient, link: string | undefined): Promise<FetchedMetadata> {
  const { origin, pathname } = client.url;
  // The query is left out: it may be secret, and findings name the places.
  const own = toResourceMetadataPlaces({ origin, pathname, search: "" }).map(({ href }) => href);
  const findings: Observation[] = [];
  const others: (readonly [place: string, reason: string])[] = [];
  for (const place of [...new Set([...(link === undefined ? [] : [link]), ...own])]) {
    const outcome = await fetchFrom(client, place);
    if (outcome.kind === "found") {
      const invalid = judgeDocument(outcome.document, place);
      const stops = others.map(([other, reason]) => stopsClients(other, reason));
      return { found: outcome.document, findings: [...findings, ...stops, ...invalid] };
    }
    // Only the place that the server names must exist.
    if (place === link || outcome.kind === "unsafe") findings.push(toObservation(place, outcome.reason));
    else if (outcome.kind === "other") others.push([place, outcome.reason]);
  }
  findings.push(...others.map(([place, reason]) => toObservation(place, reason)));
  if (findings.length === 0) findings.push(toObservation(own[0] ?? "", "there is no document, nor at the root"));
  return { found: undefined, findings };
}

type Fetched =
  | { readonly kind: "found"; readonly document: Readonly<Record<string, unknown>> }
  | { readonly kind: "missing" | "other" | "unsafe"; readonly reason: string };

async function fetchFrom(client: AuthClient, place: string): Promise<Fetched> {
  const problem = client.findUrlProblem(place);
  if (problem !== undefined) return { kind: "unsafe", reason: problem };
  const result = await client.fetchDocument(new URL(place), "resource metadata");
  if (result.kind === "failed") return { kind: "unsafe", reason: result.reason };
  const { status, json } = result.response;
  const reason = findDocumentProblem(result.response, "resource");
  if (json && reason === undefined) return { kind: "found", document: json };
  return { kind: status === 200 ? "other" : "missing", reason: reason ?? "" };
}

/** Returns why a response is not a document with this member, without which clients look elsewhere. */
export function findDocumentProblem(
  { status, json }: AuthorizationResponse,
  member: "resource" | "issuer",
): string | undefined {
  if (status !== 200) return `it returns HTTP ${status} and no document`;
  if (!json) return "it is not a JSON object";
  const value = json[member];
  return typeof value === "string" && value !== "" ? undefined : `it has no ${member}`;
}

/** Returns the finding about a place with status 200 and no document. */
export function stopsClients(place: string, reason: string): Observation {
  const message = `${reason}; some clients stop here and do not try the next place`;
  return { subject: place, severity: "warning", message, fix: "return 404 where there is no metadata" };
}

/** Returns the finding about members with null, because of which some clients reject the document. */
export function judgeNulls(subject: string, document: Readonly<Record<string, unknown>>): Observation | undefined {
  const names = Object.keys(document).filter((name) => document[name] === null && /^\w{1,64}$/.test(name));
  if (names.length === 0) return undefined;
  const message = `${names.slice(0, 10).join(", ")} ${names.length === 1 ? "is" : "are"} null; some clients reject that`;
  return {
    subject,
    severity: "warning",
    message,
    fix: `leave ${names.length === 1 ? "it" : "them"} out of the document`,
  };
}

function toObservation(place: string, reason: string): Observation {
  const fix =
    "publish the metadata there, without authentication; set the option resource (RESOURCE) to the public URL";
  return { subject: place, message: reason, fix };
}

function judgeDocument(document: Readonly<Record<string, unknown>>, place: string): readonly Observation[] {
  const servers = readTexts(document.authorization_servers);
  const methods = document.bearer_methods_supported ?? undefined;
  const hasHeader = methods === undefined || readTexts(methods).includes("header");
  const nulls = judgeNulls(place, document);
  return [
    ...(nulls ? [nulls] : []),
    ...(servers.length > 0
      ? []
      : [{ subject: place, message: "it lists no authorization_servers", fix: "set the option issuer (ISSUER)" }]),
    ...(hasHeader
      ? []
      : [
          {
            subject: place,
            message: "bearer_methods_supported has no header, the only method of clients",
            fix: 'set bearer_methods_supported to ["header"]',
          },
        ]),
  ];
}

function judgeResource(resource: string | undefined, url: URL): Observation | undefined {
  const own = `${url.origin}${url.pathname}`;
  // The specification recommends the form of an origin without the slash that a parsed URL has.
  const isOrigin = url.pathname === "/" && resource === url.origin;
  if (resource === undefined || resource === own || isOrigin) return undefined;
  const named = parseUrl(resource);
  const isRelated = named?.origin === url.origin && isWithin(url.pathname, named.pathname) && !resource.includes("#");
  const fix = `set the option resource (RESOURCE) to ${own}`;
  const message = `it is ${resource} instead of ${own}`;
  return isRelated
    ? {
        subject: "resource",
        severity: "warning",
        message: `${message}; tokens for either are not valid for the other`,
        fix,
      }
    : { subject: "resource", message: `${message}, so that clients do not proceed`, fix };
}

function judgeScopes(document: Readonly<Record<string, unknown>>, challenged: readonly string[]): Observation[] {
  const supported = readTexts(document.scopes_supported);
  const isOffline = [...supported, ...challenged].includes(offlineAccess);
  return [
    ...(isOffline
      ? [
          {
            subject: offlineAccess,
            message: "it is not a scope of a resource: clients decide about refresh tokens",
            fix: `remove ${offlineAccess} from the option scopes (SCOPES) and from scopes_supported`,
          },
        ]
      : []),
    ...(supported.length + challenged.length > 0
      ? []
      : [
          {
            subject: "scopes",
            severity: "note" as const,
            message: "neither the challenge nor the metadata names any, so that clients request none",
            fix: "set the option scopes (SCOPES) if tokens need scopes",
          },
        ]),
  ];
}

/** Returns the texts of a list in a document. */
export function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
