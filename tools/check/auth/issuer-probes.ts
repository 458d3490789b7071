import { toMetadataPlaces } from "../../../runtime/auth/common/well-known.ts";
import type { CheckResult } from "../finding.ts";
import { toResult, type Observation } from "../probes/probe.ts";
import type { AuthClient } from "./auth-client.ts";
import { findDocumentProblem, judgeNulls, readTexts, stopsClients } from "./resource-probes.ts";
import { authRules } from "./rules.ts";

/** Metadata of an authorization server. */
export interface IssuerFacts {
  readonly results: readonly CheckResult[];
  /** URL of its keys, if it may be fetched. */
  readonly keys: string | undefined;
}

type Document = Readonly<Record<string, unknown>>;

/** Examines the metadata of an authorization server, by RFC 8414 and OpenID Connect discovery. */
export async function probeIssuer(client: AuthClient, issuer: string): Promise<IssuerFacts> {
  const problem = client.findUrlProblem(issuer) ?? (/[?#]/.test(issuer) ? "has a query or a fragment" : undefined);
  if (problem !== undefined) return withoutMetadata(issuer, [toObservation(issuer, problem)]);
  const tried: Observation[] = [];
  const stops: Observation[] = [];
  for (const place of toMetadataPlaces(new URL(issuer))) {
    const result = await client.fetchDocument(place, "authorization server metadata");
    const reason = result.kind === "failed" ? result.reason : findDocumentProblem(result.response, "issuer");
    if (result.kind === "response" && result.response.json && reason === undefined)
      return judgeMetadata(client, { issuer, place, document: result.response.json, stops });
    tried.push(toObservation(place.href, reason ?? ""));
    if (result.kind === "response" && result.response.status === 200)
      stops.push(stopsClients(place.href, reason ?? ""));
  }
  return withoutMetadata(issuer, tried);
}

function withoutMetadata(issuer: string, tried: readonly Observation[]): IssuerFacts {
  const message = `it has no metadata: ${tried.map(({ subject, message: why }) => `${subject}: ${why}`).join(", ")}`;
  const fix = "set the option issuer (ISSUER) to the exact issuer, as the authorization server writes it";
  return { results: [toResult(authRules.serverMetadata, [{ subject: issuer, message, fix }])], keys: undefined };
}

function toObservation(subject: string, message: string): Observation {
  return { subject, message, fix: "" };
}

interface Found {
  readonly issuer: string;
  readonly place: URL;
  readonly document: Document;
  /** Findings about earlier places. */
  readonly stops: readonly Observation[];
}

function judgeMetadata(client: AuthClient, found: Found): IssuerFacts {
  const { issuer, document } = found;
  const keys = document.jwks_uri;
  return {
    results: [
      toResult(authRules.serverMetadata, [...found.stops, judgeNulls(issuer, document)]),
      toResult(authRules.issuer, [judgeIssuer(found)]),
      toResult(authRules.endpoints, judgeEndpoints(client, found)),
      toResult(authRules.pkce, [judgePkce(issuer, document)]),
      toResult(authRules.registration, [judgeRegistration(issuer, document)]),
      toResult(authRules.responseIssuer, [judgeResponses(issuer, document)]),
    ],
    keys: typeof keys === "string" && client.findUrlProblem(keys) === undefined ? keys : undefined,
  };
}

function judgeIssuer({ issuer, place, document }: Found): Observation | undefined {
  if (document.issuer === issuer) return undefined;
  const named = String(document.issuer);
  return {
    subject: issuer,
    message: `${place.href} names ${named} instead of ${issuer}; clients compare character by character`,
    fix: `set the option issuer (ISSUER) to ${named}, if that is your authorization server`,
  };
}

function judgeEndpoints(client: AuthClient, { issuer, document }: Found): Observation[] {
  const required = ["authorization_endpoint", "token_endpoint", "jwks_uri"];
  const optional = ["registration_endpoint", "introspection_endpoint", "revocation_endpoint"];
  return [...required, ...optional].flatMap((name) => {
    const value = document[name];
    const isMissing = typeof value !== "string" || value === "";
    if (isMissing && optional.includes(name)) return [];
    const fix = `correct ${name} of the authorization server`;
    if (isMissing) return [{ subject: issuer, message: `its metadata has no ${name}`, fix }];
    const problem = client.findUrlProblem(value);
    return problem === undefined
      ? []
      : [{ subject: issuer, message: `its ${name} ${value} is unsafe: ${problem}`, fix }];
  });
}

function judgePkce(issuer: string, document: Document): Observation | undefined {
  const methods = document.code_challenge_methods_supported;
  if (readTexts(methods).includes("S256")) return undefined;
  const message =
    readTexts(methods).length === 0
      ? "its metadata has no code_challenge_methods_supported, so that clients do not proceed"
      : "its metadata does not list the PKCE method S256, so that clients do not proceed";
  return {
    subject: issuer,
    message,
    fix: "enable PKCE with S256 at the authorization server, and list it in its metadata",
  };
}

function judgeRegistration(issuer: string, document: Document): Observation | undefined {
  if (document.client_id_metadata_document_supported === true) return undefined;
  const enable = "enable client ID metadata documents at the authorization server";
  const { registration_endpoint: endpoint } = document;
  if (typeof endpoint !== "string" || endpoint === "")
    return {
      subject: issuer,
      message: "it supports neither client ID metadata documents nor dynamic registration",
      fix: `${enable}, or register each client by hand`,
    };
  return {
    subject: issuer,
    severity: "note",
    message: "it supports dynamic registration only, which is deprecated",
    fix: enable,
  };
}

function judgeResponses(issuer: string, document: Document): Observation | undefined {
  if (document.authorization_response_iss_parameter_supported === true) return undefined;
  return {
    subject: issuer,
    message: "its authorization responses do not name it, which protects clients of several servers",
    fix: "enable the parameter iss in authorization responses at the authorization server (RFC 9207)",
  };
}
