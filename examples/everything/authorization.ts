import {
  authorizationCode,
  clientCredentials,
  createLoopbackRedirect,
  createOAuthProvider,
  enterpriseManaged,
  importSigningKey,
  workloadIdentity,
  type Grant,
  type OAuthProvider,
  type Redirector,
} from "mcp-server-runtime/auth/client";

/** Data of the conformance suite for authorization, by scenario. */
export interface AuthContext {
  readonly issuer?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_issuer?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
}

/** Authorizes this client. Users decide in their browser. */
export async function createAuth(
  url: string,
  { scenario, context }: { readonly scenario: string; readonly context: AuthContext },
): Promise<OAuthProvider> {
  return createOAuthProvider(url, {
    grant: await chooseGrant(url, { scenario, context }),
    dpop: scenario.startsWith("auth/dpop"),
    onStep: ({ method, url: target, status }) => console.error(`${method} ${target} ${status ?? "failed"}`),
  });
}

async function chooseGrant(
  url: string,
  { scenario, context }: { readonly scenario: string; readonly context: AuthContext },
): Promise<Grant> {
  const { client_id: clientId = "", client_secret: clientSecret, valid_jwt: jwt = "" } = context;
  switch (scenario) {
    case "auth/client-credentials-jwt": {
      const { private_key_pem: pem = "", signing_algorithm: algorithm = "ES256" } = context;
      const signingKey = { key: await importSigningKey(pem, algorithm) };
      return clientCredentials({ registered: [{ issuer: await askIssuer(url), clientId, signingKey }] });
    }
    case "auth/client-credentials-basic":
      return clientCredentials({ registered: [{ issuer: await askIssuer(url), clientId, clientSecret }] });
    case "auth/enterprise-managed-authorization":
      return enterpriseManaged({
        identityProvider: {
          issuer: context.idp_issuer ?? "",
          tokenEndpoint: context.idp_token_endpoint ?? "",
          clientId: context.idp_client_id ?? "",
        },
        identity: () => ({ token: context.idp_id_token ?? "" }),
        registered: [{ issuer: await askIssuer(url), clientId, clientSecret }],
      });
    case "auth/wif-jwt-bearer":
      return workloadIdentity({ issuers: [await askIssuer(url)], assertion: () => jwt, clientId });
    default:
      return authorizationCode({
        redirect: scenario === "tour" ? createLoopbackRedirect() : createHeadlessRedirect(),
        client: { name: "everything-client" },
        document: "https://conformance-test.local/client-metadata.json",
        ...(context.issuer !== undefined && { registered: [{ issuer: context.issuer, clientId, clientSecret }] }),
      });
  }
}

/** The suite does not name the issuer at which its clients are registered, so they accept the one that the server names. An application knows it. */
async function askIssuer(url: string): Promise<string> {
  const response = await fetch(new URL(`/.well-known/oauth-protected-resource${new URL(url).pathname}`, url));
  const { authorization_servers: issuers }: { readonly authorization_servers?: readonly string[] } = JSON.parse(
    await response.text(),
  );
  return issuers?.[0] ?? "";
}

/** A user who consents without a browser: the authorization server of the suite redirects without a form. */
function createHeadlessRedirect(): Redirector {
  return {
    open: async () => ({
      redirectUri: "http://127.0.0.1:33418/callback",
      async visit(url) {
        const response = await fetch(url, { redirect: "manual" });
        return response.headers.get("location") ?? "";
      },
      close: async () => {},
    }),
  };
}
