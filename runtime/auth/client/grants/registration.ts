import { AuthError, isErrorResponse, quoteReason, readReason } from "../errors.ts";
import { quoteIssuer, quoteIssuers } from "../../common/quote-issuer.ts";
import { isTokenAuthMethod, type ClientIdentity, type TokenAuthMethod } from "../identity/identity.ts";
import type { ServerMetadata } from "../discovery/metadata.ts";
import { isTemporaryStatus } from "../../../transport/http-client/errors.ts";
import type { AuthorizationResponse, HttpRequester } from "../network/requester.ts";
import { storeKeys, type CredentialStore } from "../tokens/store.ts";
import { readStored } from "../tokens/tokens.ts";
import { parseUrl } from "../../../internal/parse-url.ts";

/** Client with a manual registration at one authorization server. */
export interface RegisteredClient extends ClientIdentity {
  /** Issuer exactly as the authorization server writes it. */
  readonly issuer: string;
}

/** Description of an application for dynamic registration. */
export interface ClientDescription {
  readonly name: string;
  readonly uri?: string;
  readonly logoUri?: string;
  readonly softwareId?: string;
  readonly softwareVersion?: string;
  readonly contacts?: readonly string[];
}

/** Options for obtaining a client id. */
export interface RegistrationOptions {
  readonly registered: readonly RegisteredClient[];
  /** Identity of the client by the URL of a document about it. It applies to authorization servers with support for such documents. */
  readonly document?: ClientIdentity | undefined;
  /** True if the client may register itself. */
  readonly isDynamic: boolean;
  readonly description: ClientDescription;
  readonly wantsRefresh: boolean;
  readonly isBound: boolean;
  readonly store: CredentialStore;
  readonly requester: HttpRequester;
}

/**
 * Returns the identity of the client at an authorization server: registered manually, else described by a document, else registered dynamically.
 * Credentials from one server are never sent to another.
 *
 * @throws {AuthError} when the client has no identity there and cannot register.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
export async function identify(
  server: ServerMetadata,
  redirectUri: string,
  options: RegistrationOptions,
): Promise<ClientIdentity> {
  const given = findGiven(server, options);
  if (given) return given;
  const url = server.registrationEndpoint;
  if (!options.isDynamic || !url) throw new AuthError("no-client", describeMissingClient(server, options));
  const kept = await readRegistration(server, options.store);
  if (kept?.redirectUris.includes(redirectUri)) return kept;
  return register(server, redirectUri, { ...options, url });
}

/** Returns the current identity of the client at an authorization server without a new registration, or `undefined` if there is none. */
export async function findIdentity(
  server: ServerMetadata,
  options: RegistrationOptions,
): Promise<ClientIdentity | undefined> {
  return findGiven(server, options) ?? readRegistration(server, options.store);
}

/** Returns the redirect URI of the client's own registration, to reuse it. */
export async function findRedirectUri(server: ServerMetadata, store: CredentialStore): Promise<string | undefined> {
  return (await readRegistration(server, store))?.redirectUris[0];
}

/** Deletes a dynamic registration whose client id is no longer valid. */
export async function forgetRegistration(server: ServerMetadata, store: CredentialStore): Promise<void> {
  await store.delete(storeKeys.client(server.issuer));
}

/**
 * Checks the URL of a client metadata document.
 *
 * @throws {AuthError} when the URL cannot be a client id.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export function checkDocumentUrl(text: string): void {
  const url = parseUrl(text);
  const isFit =
    url?.protocol === "https:" && url.pathname !== "/" && url.hash === "" && url.username === "" && url.password === "";
  if (isFit && !/\/\.{1,2}(\/|$)/.test(text)) return;
  throw new AuthError(
    "configuration",
    "The client metadata document URL is not valid; use https with a path, without fragment or user name",
  );
}

function findGiven(server: ServerMetadata, { registered, document }: RegistrationOptions): ClientIdentity | undefined {
  return (
    registered.find(({ issuer }) => issuer === server.issuer) ?? (server.readsClientDocuments ? document : undefined)
  );
}

interface Registration extends ClientIdentity {
  readonly redirectUris: readonly string[];
}

/** Registers the client dynamically and stores the registration. @see https://www.rfc-editor.org/rfc/rfc7591 */
async function register(
  server: ServerMetadata,
  redirectUri: string,
  options: RegistrationOptions & { readonly url: URL },
): Promise<Registration> {
  const { requester, store, url } = options;
  const body = JSON.stringify(toRequest(server, redirectUri, options));
  const headers = { "Content-Type": "application/json" };
  const response = await requester.request(url, { what: "registration endpoint", method: "POST", headers, body });
  const { status, json } = response;
  if (status >= 400 || isErrorResponse(json)) throw describeRejection(response);
  if (!json)
    throw new AuthError("registration-refused", `${server.issuer} did not return a registration as a JSON object`);
  const registration = readRegistered(json, redirectUri);
  if (!registration)
    throw new AuthError("registration-refused", `${server.issuer} returned a registration without a client_id`);
  const expiresAt = json.client_secret_expires_at;
  await store.set(storeKeys.client(server.issuer), JSON.stringify({ ...registration, expiresAt }));
  return registration;
}

/** A loopback redirect marks a native application. Some servers reject it for any other type. */
function toRequest(server: ServerMetadata, redirectUri: string, options: RegistrationOptions): object {
  const { description, wantsRefresh, isBound } = options;
  const { name, uri, logoUri, softwareId, softwareVersion, contacts } = description;
  const isWeb = new URL(redirectUri).protocol === "https:";
  return {
    client_name: name,
    client_uri: uri,
    logo_uri: logoUri,
    software_id: softwareId,
    software_version: softwareVersion,
    contacts,
    redirect_uris: [redirectUri],
    application_type: isWeb ? "web" : "native",
    grant_types: wantsRefresh ? ["authorization_code", "refresh_token"] : ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: chooseRegistered(server),
    dpop_bound_access_tokens: isBound || undefined,
  };
}

function chooseRegistered({ tokenAuthMethods: known = [] }: ServerMetadata): TokenAuthMethod {
  const own: readonly TokenAuthMethod[] = ["none", "client_secret_basic", "client_secret_post"];
  return own.find((method) => known.includes(method)) ?? "none";
}

function readRegistered(json: Readonly<Record<string, unknown>>, redirectUri: string): Registration | undefined {
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method } = json;
  if (typeof clientId !== "string" || clientId === "") return undefined;
  const clientSecret = typeof secret === "string" && secret !== "" ? secret : undefined;
  // Some servers repeat their default method although they have issued no secret.
  const isUsable = isTokenAuthMethod(method) && (method === "none" || clientSecret !== undefined);
  return {
    clientId,
    clientSecret,
    method: isUsable && method !== "private_key_jwt" ? method : undefined,
    redirectUris: [redirectUri],
  };
}

async function readRegistration(server: ServerMetadata, store: CredentialStore): Promise<Registration | undefined> {
  const stored = readStored((await store.get(storeKeys.client(server.issuer))) ?? "");
  if (!stored || typeof stored.clientId !== "string") return undefined;
  const { clientId, clientSecret, method, redirectUris, expiresAt } = stored;
  // A value of 0 means that the secret does not expire.
  if (typeof expiresAt === "number" && expiresAt !== 0 && expiresAt * 1000 <= Date.now()) return undefined;
  return {
    clientId,
    clientSecret: typeof clientSecret === "string" ? clientSecret : undefined,
    method: isTokenAuthMethod(method) ? method : undefined,
    redirectUris: Array.isArray(redirectUris) ? redirectUris.filter((uri) => typeof uri === "string") : [],
  };
}

function describeRejection({ status, json = {}, retryAfter }: AuthorizationResponse): AuthError {
  const reason = readReason(json.error);
  const why = quoteReason(reason, json.error_description);
  const message = `The authorization server rejected the client registration with HTTP ${status}${why}`;
  if (isTemporaryStatus(status)) return new AuthError("network", message, { reason, retryAfter });
  return new AuthError("registration-refused", `${message}; use the option registered`, { reason });
}

function describeMissingClient({ issuer }: ServerMetadata, { registered, document }: RegistrationOptions): string {
  const issuers = registered.map(({ issuer: known }) => known);
  const others = issuers.length === 0 ? "" : `, only for ${quoteIssuers(issuers)}`;
  const unread = document ? ", client metadata documents are not supported" : "";
  return `The client has no client_id for ${quoteIssuer(issuer)}${others}${unread}; register the client and pass the option registered`;
}
