import type { Awaitable } from "../../../../generated/support.ts";
import { findRegistered } from "./client-credentials.ts";
import { AuthError } from "../errors.ts";
import { toPurpose, type Grant, type GrantRequest } from "./grant.ts";
import { chooseMethod, type ClientIdentity } from "../identity/identity.ts";
import { assumeServerMetadata, requireEndpoint, type ServerMetadata } from "../discovery/metadata.ts";
import { checkDocumentUrl, type RegisteredClient } from "./registration.ts";
import { jwtBearer } from "./workload.ts";

/** Assertion of the enterprise about the user's identity. */
export interface IdentityAssertion {
  readonly token: string;
  /** Kind of the token. Default `id_token`. */
  readonly kind?: "id_token" | "saml2" | "refresh_token";
}

/** Options of `enterpriseManaged`. */
export interface EnterpriseOptions {
  /** Identity provider of the enterprise, and the client's identity there. */
  readonly identityProvider: ClientIdentity & { readonly issuer: string; readonly tokenEndpoint: string };
  /** Returns the identity of the user who is signed in. It is called for each token request. */
  readonly identity: () => Awaitable<IdentityAssertion>;
  /** Registrations of the client at the authorization servers of MCP servers. */
  readonly registered?: readonly RegisteredClient[];
  /** URL (https) of the document about the client, for authorization servers which support such documents. */
  readonly document?: string;
  /** Scopes to request if the server's challenge names none. Default: the scopes listed in its metadata. */
  readonly scopes?: readonly string[];
}

/**
 * Creates a grant for users of an enterprise. They need not approve access themselves. The enterprise's identity provider vouches for the user to the
 * authorization server of the MCP server.
 *
 * @throws {AuthError} when `document` is not a valid URL.
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 * @example
 * ```ts
 * import { enterpriseManaged } from "mcp-server-runtime/auth/client";
 *
 * declare const session: { idToken: string };
 * const issuer = "https://idp.example.com";
 * const grant = enterpriseManaged({
 *   identityProvider: { issuer, tokenEndpoint: `${issuer}/token`, clientId: "desktop" },
 *   identity: () => ({ type: "id_token", token: session.idToken }),
 * });
 * ```
 */
export function enterpriseManaged(options: EnterpriseOptions): Grant {
  const { identityProvider, registered = [], scopes } = options;
  const provider: ServerMetadata = {
    ...assumeServerMetadata(new URL(identityProvider.issuer).origin),
    issuer: identityProvider.issuer,
    tokenEndpoint: new URL(identityProvider.tokenEndpoint),
  };
  if (options.document !== undefined) checkDocumentUrl(options.document);
  return {
    scopes,
    wantsRefresh: false,
    issuers: registered.map(({ issuer }) => issuer),
    async obtain(request) {
      const { discovery, endpoint, scopes: requested } = request;
      const { server, resource } = discovery;
      checkSupport(server);
      requireEndpoint(server, "token_endpoint", endpoint.requester.rules);
      const identity = findIdentity(request, options);
      const assertion = await exchange(request, { provider, options });
      const purpose = toPurpose(resource, requested);
      const wish = { server, identity, grantType: jwtBearer, parameters: { assertion, ...purpose } };
      return endpoint.obtain(wish, { resource, requested });
    },
    findHolder: async () => undefined,
  };
}

interface Exchange {
  readonly provider: ServerMetadata;
  readonly options: EnterpriseOptions;
}

/** Requests an assertion from the identity provider about this user for this authorization server. @see https://www.rfc-editor.org/rfc/rfc8693 */
async function exchange(request: GrantRequest, { provider, options }: Exchange): Promise<string> {
  const { identityProvider, identity } = options;
  const { server, resource } = request.discovery;
  const { token, kind = "id_token" } = await identity();
  const parameters = {
    requested_token_type: idJag,
    audience: server.issuer,
    subject_token: token,
    subject_token_type: `urn:ietf:params:oauth:token-type:${kind}`,
    ...toPurpose(resource, request.scopes),
  };
  const method = chooseMethod(identityProvider, provider);
  const wish = { server: provider, identity: { ...identityProvider, method }, grantType: tokenExchange, parameters };
  // The returned token is not an access token, and its type says so.
  const { accessToken, issuedType } = await request.endpoint.request(wish, ["n_a"]);
  if (issuedType === idJag) return accessToken;
  throw new AuthError("token-answer", `The token response of ${provider.issuer} has no issued_token_type ${idJag}`);
}

function findIdentity(request: GrantRequest, { registered = [], document }: EnterpriseOptions): ClientIdentity {
  const { server } = request.discovery;
  const isKnown = registered.some(({ issuer }) => issuer === server.issuer);
  if (!isKnown && document !== undefined && server.readsClientDocuments) return { clientId: document };
  return findRegistered(registered, request);
}

function checkSupport({ issuer, grantProfiles }: ServerMetadata): void {
  if (grantProfiles === undefined || grantProfiles.includes(grantProfile)) return;
  throw new AuthError(
    "configuration",
    `${issuer} does not support identity assertions (${grantProfile}); use the authorization code flow`,
  );
}

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const grantProfile = "urn:ietf:params:oauth:grant-profile:id-jag";
