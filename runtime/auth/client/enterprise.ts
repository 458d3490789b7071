import type { Awaitable } from "../../../generated/support.ts";
import { findRegistered } from "./client-credentials.ts";
import { AuthError } from "./errors.ts";
import { toPurpose, type Grant, type GrantRequest } from "./grant.ts";
import { chooseMethod, type ClientIdentity } from "./identity.ts";
import { assumeServerMetadata, type ServerMetadata } from "./metadata.ts";
import { checkDocumentUrl, type RegisteredClient } from "./registration.ts";
import { jwtBearer } from "./workload.ts";

/** What the enterprise says about the user. */
export interface IdentityAssertion {
  readonly token: string;
  /** What kind of token it is. Default `id_token`. */
  readonly kind?: "id_token" | "saml2" | "refresh_token";
}

/** How users of an enterprise get access without being asked. */
export interface EnterpriseOptions {
  /** The enterprise's identity provider, and who the client is there. */
  readonly identityProvider: ClientIdentity & { readonly issuer: string; readonly tokenEndpoint: string };
  /** The identity of the user who is signed in. Asked for anew each time. */
  readonly identity: () => Awaitable<IdentityAssertion>;
  /** Who the client is where servers get their tokens. */
  readonly registered?: readonly RegisteredClient[];
  /** The https URL of the document that describes the client, where that is understood. */
  readonly document?: string;
  /** Scopes to ask for where the server's challenge names none. Default: what its metadata lists. */
  readonly scopes?: readonly string[];
}

/**
 * The enterprise decides what its users may use: its identity provider vouches for the user to the authorization server of the MCP server.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
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

/** Gets the identity provider's word for this user at this authorization server. @see https://www.rfc-editor.org/rfc/rfc8693 */
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
  // What comes back is no access token, and says so.
  const { accessToken, issuedType } = await request.endpoint.request(wish, ["n_a"]);
  if (issuedType === idJag) return accessToken;
  throw new AuthError(
    "token-answer",
    `The identity provider ${provider.issuer} gave another kind of token than the one asked for`,
  );
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
    `${issuer} does not take the word of identity providers (${grantProfile}). Let the user sign in there.`,
  );
}

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const grantProfile = "urn:ietf:params:oauth:grant-profile:id-jag";
