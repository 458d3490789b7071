import { AuthError } from "../errors.ts";
import type { UrlRules } from "../network/url-rules.ts";
import { parseUrl } from "../../../internal/parse-url.ts";

/** Protected resource metadata of a server. @see https://www.rfc-editor.org/rfc/rfc9728 */
export interface ResourceMetadata {
  /** Resource exactly as the document writes it. It is sent in the same form. */
  readonly resource: string;
  /** Issuers of authorization servers, at least one. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
}

/**
 * Metadata of an authorization server. Members count as absent if they are null, empty or of another type. Endpoints are not checked before they are
 * needed.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8414
 */
export interface ServerMetadata {
  /** Issuer exactly as the document writes it. It is compared in the same form. */
  readonly issuer: string;
  readonly authorizationEndpoint: URL | undefined;
  readonly tokenEndpoint: URL | undefined;
  readonly registrationEndpoint: URL | undefined;
  /** Endpoint to revoke tokens at. @see https://www.rfc-editor.org/rfc/rfc7009 */
  readonly revocationEndpoint: URL | undefined;
  readonly codeChallengeMethods: readonly string[] | undefined;
  readonly tokenAuthMethods: readonly string[] | undefined;
  readonly revocationAuthMethods: readonly string[] | undefined;
  readonly scopesSupported: readonly string[] | undefined;
  readonly grantProfiles: readonly string[] | undefined;
  readonly dpopAlgorithms: readonly string[] | undefined;
  /** True if authorization responses name the issuer. */
  readonly namesIssuer: boolean;
  /** True if a client id may be the URL of a document. */
  readonly readsClientDocuments: boolean;
  /** True if the server published no metadata and the endpoints are the defaults of older servers. */
  readonly isAssumed: boolean;
}

type Document = Readonly<Record<string, unknown>>;

/** Reads the metadata of a server. @throws {AuthError} when it names no authorization server. */
export function readResourceMetadata(document: Document, from: string): ResourceMetadata {
  const authorizationServers = readTexts(document.authorization_servers);
  if (!authorizationServers)
    throw new AuthError("metadata", `The resource metadata at ${from} has no authorization_servers; expected a list`);
  return {
    resource: String(document.resource),
    authorizationServers,
    scopesSupported: readTexts(document.scopes_supported),
  };
}

/** Reads the metadata of an authorization server. */
export function readServerMetadata(document: Document, issuer: string): ServerMetadata {
  const endpoint = (name: string): URL | undefined => {
    const value = document[name];
    return typeof value === "string" ? parseUrl(value) : undefined;
  };
  return {
    issuer,
    authorizationEndpoint: endpoint("authorization_endpoint"),
    tokenEndpoint: endpoint("token_endpoint"),
    registrationEndpoint: endpoint("registration_endpoint"),
    revocationEndpoint: endpoint("revocation_endpoint"),
    codeChallengeMethods: readTexts(document.code_challenge_methods_supported),
    tokenAuthMethods: readTexts(document.token_endpoint_auth_methods_supported),
    revocationAuthMethods: readTexts(document.revocation_endpoint_auth_methods_supported),
    scopesSupported: readTexts(document.scopes_supported),
    grantProfiles: readTexts(document.authorization_grant_profiles_supported),
    dpopAlgorithms: readTexts(document.dpop_signing_alg_values_supported),
    namesIssuer: document.authorization_response_iss_parameter_supported === true,
    readsClientDocuments: document.client_id_metadata_document_supported === true,
    isAssumed: false,
  };
}

/**
 * Returns the default endpoints of a server without metadata.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#fallbacks-for-servers-without-metadata-discovery
 */
export function assumeServerMetadata(origin: string): ServerMetadata {
  return {
    issuer: origin,
    authorizationEndpoint: new URL("/authorize", origin),
    tokenEndpoint: new URL("/token", origin),
    registrationEndpoint: new URL("/register", origin),
    revocationEndpoint: undefined,
    codeChallengeMethods: undefined,
    tokenAuthMethods: undefined,
    revocationAuthMethods: undefined,
    scopesSupported: undefined,
    grantProfiles: undefined,
    dpopAlgorithms: undefined,
    namesIssuer: false,
    readsClientDocuments: false,
    isAssumed: true,
  };
}

/** Checks an endpoint before its use. @throws {AuthError} when the metadata does not name it, or its URL is not allowed. */
export function requireEndpoint(
  { issuer, authorizationEndpoint, tokenEndpoint }: ServerMetadata,
  name: "authorization_endpoint" | "token_endpoint",
  rules: UrlRules,
): URL {
  const url = name === "token_endpoint" ? tokenEndpoint : authorizationEndpoint;
  if (!url) throw new AuthError("metadata", `The metadata of ${issuer} has no valid ${name}`);
  rules.check(url, name.replace("_", " "));
  return url;
}

/** Returns the texts of a list, or `undefined` if it has none. */
function readTexts(value: unknown): readonly string[] | undefined {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === "string" && item !== "") : [];
  return texts.length === 0 ? undefined : texts;
}
