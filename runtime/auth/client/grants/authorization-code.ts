import { readCode, type PendingSignIn } from "../redirect/callback.ts";
import { AuthError, isAuthError } from "../errors.ts";
import { toPurpose, type Grant, type GrantRequest } from "./grant.ts";
import type { ClientIdentity } from "../identity/identity.ts";
import { requireEndpoint } from "../discovery/metadata.ts";
import { challengeMethod, checkPkce, createSignInSecrets } from "./pkce.ts";
import type { Redirection, Redirector } from "../redirect/redirect.ts";
import {
  checkDocumentUrl,
  findIdentity,
  findRedirectUri,
  forgetRegistration,
  identify,
  type ClientDescription,
  type RegisteredClient,
  type RegistrationOptions,
} from "./registration.ts";
import { offlineAccess } from "./scopes.ts";
import type { TokenPurpose } from "../tokens/token-endpoint.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { parseUrl } from "../../../internal/parse-url.ts";

/**
 * Client described by a document. It is the same client at every authorization server a server may name. A shared secret would be disclosed to all of
 * them.
 */
export interface DocumentClient extends Pick<ClientIdentity, "clientId" | "signingKey"> {
  /** Default: `private_key_jwt` if there is a key. */
  readonly method?: "none" | "private_key_jwt";
}

/** Way for users to sign in, and identity of the client at the authorization servers. */
export interface AuthorizationCodeOptions {
  /** Brings users to the authorization server and back. Use `createLoopbackRedirect()` for programs on their machine. */
  readonly redirect: Redirector;
  /** Description of the application for dynamic registration. */
  readonly client: ClientDescription;
  /** Manually registered clients, one for each authorization server. */
  readonly registered?: readonly RegisteredClient[];
  /** URL (https) of the document about the client, with the key the document names, if any. A client secret is rejected. */
  readonly document?: string | DocumentClient;
  /** True if the client may register itself when nothing else works. Default: true if `registered` is empty. */
  readonly dynamicRegistration?: boolean;
  /** Scopes to request if the server's challenge names none. Default: the scopes listed in its metadata. */
  readonly scopes?: readonly string[];
  /** True to request refresh tokens if they are available. Default `true`. */
  readonly refreshTokens?: boolean;
}

/**
 * Creates a grant for users who sign in: the authorization code grant with PKCE.
 *
 * @throws {AuthError} when `document` has a shared secret or an invalid URL.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 * @example
 * ```ts
 * import { authorizationCode, createLoopbackRedirect, createOAuthProvider } from "mcp-server-runtime/auth/client";
 *
 * const grant = authorizationCode({ redirect: createLoopbackRedirect(), client: { name: "my-client" } });
 * const auth = createOAuthProvider("https://mcp.example.com/mcp", { grant });
 * ```
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  const { redirect, registered = [], scopes, refreshTokens: wantsRefresh = true } = options;
  const isDynamic = options.dynamicRegistration ?? registered.length === 0;
  const document = toDocument(options.document);
  const toRegistration = ({ store, endpoint }: GrantRequest): RegistrationOptions => ({
    registered,
    document,
    isDynamic,
    description: options.client,
    wantsRefresh,
    isBound: endpoint.isBound,
    store,
    requester: endpoint.requester,
  });
  return {
    scopes,
    wantsRefresh,
    issuers: registered.map(({ issuer }) => issuer),
    async obtain(request) {
      const { server } = request.discovery;
      checkPkce(server);
      const { rules } = request.endpoint.requester;
      const authorizationEndpoint = requireEndpoint(server, "authorization_endpoint", rules);
      // The user does not sign in for a token that cannot be requested.
      requireEndpoint(server, "token_endpoint", rules);
      const redirection = await redirect.open({ preferred: await findRedirectUri(server, request.store) });
      try {
        checkRedirectUri(redirection.redirectUri);
        const identity = await identify(server, redirection.redirectUri, toRegistration(request));
        return await signIn(request, { authorizationEndpoint, identity, redirection });
      } finally {
        await redirection.close();
      }
    },
    async findHolder({ clientId }, request) {
      const found = await findIdentity(request.discovery.server, toRegistration(request));
      return found?.clientId === clientId ? found : undefined;
    },
  };
}

interface Visit {
  readonly authorizationEndpoint: URL;
  readonly identity: ClientIdentity;
  readonly redirection: Redirection;
}

async function signIn(request: GrantRequest, { authorizationEndpoint, identity, redirection }: Visit): Promise<Tokens> {
  const { discovery, endpoint, scopes } = request;
  const { server, resource } = discovery;
  const { redirectUri } = redirection;
  const { state, verifier, challenge } = await createSignInSecrets();
  const pending: PendingSignIn = { state, redirectUri, issuer: server.issuer, namesIssuer: server.namesIssuer };
  const keyId = await endpoint.keyId();
  const url = toAuthorizationUrl(authorizationEndpoint, {
    response_type: "code",
    client_id: identity.clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: challengeMethod,
    state,
    ...toPurpose(resource, scopes),
    // OpenID requires the user's consent for access that lasts after the user has left.
    ...(scopes.includes(offlineAccess) && { prompt: "consent" }),
    ...(keyId !== undefined && { dpop_jkt: keyId }),
  });
  const code = readCode(await redirection.visit(url, { state }), pending);
  const parameters = { code, redirect_uri: redirectUri, code_verifier: verifier, resource };
  const purpose: TokenPurpose = { resource, requested: scopes };
  try {
    return await endpoint.obtain({ server, identity, grantType: "authorization_code", parameters }, purpose);
  } catch (error) {
    if (!isAuthError(error)) throw error;
    if (error.reason === "invalid_client") await forgetRegistration(server, request.store);
    if (error.code !== "network") throw error;
    // The code may be used up, so the user has to sign in again. The next request must not demand that at once.
    throw new AuthError("authorization-incomplete", error.message, { reason: error.reason });
  }
}

function toAuthorizationUrl(endpoint: URL, parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.hash = "";
  return url;
}

/**
 * Rejects redirect URIs other than https, or http on this machine.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security
 */
function checkRedirectUri(text: string): void {
  const url = parseUrl(text);
  const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url && (isLocal || url.protocol === "https:")) return;
  throw new AuthError("configuration", "The redirect URI is not secure; use https, or http on localhost");
}

/** The types exclude these options, but a value of a wider type still passes the type check. */
function toDocument(given: string | ClientIdentity | undefined): ClientIdentity | undefined {
  if (given === undefined) return undefined;
  const identity: ClientIdentity = typeof given === "string" ? { clientId: given } : given;
  checkDocumentUrl(identity.clientId);
  const { clientSecret, assertionAudience, method } = identity;
  if (clientSecret !== undefined || method?.startsWith("client_secret")) {
    throw new AuthError(
      "configuration",
      "The option document has a clientSecret; use a signingKey, or the option registered for one issuer",
    );
  }
  // An authorization server could name the token endpoint of another server and replay the assertion there.
  if (assertionAudience === "token-endpoint") {
    throw new AuthError(
      "configuration",
      'The option document has assertionAudience "token-endpoint"; omit it to use the issuer',
    );
  }
  return identity;
}
