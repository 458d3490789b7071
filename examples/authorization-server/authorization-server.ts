import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type CryptoKey } from "jose";
import { Provider, errors, type Configuration, type ResourceServer } from "oidc-provider";

/** Options of an authorization server for development. */
export interface AuthorizationOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** Resource servers of its tokens: scopes by URL. */
  readonly resources: Readonly<Record<string, readonly string[]>>;
  /** User of every sign-in; no form is shown. Default `alice`. */
  readonly user?: string;
  /** Redirect URIs of public clients that are known in advance, by client id. Other clients can register themselves. */
  readonly apps?: Readonly<Record<string, readonly string[]>>;
  /** Secrets of confidential clients, by client id. */
  readonly services?: Readonly<Record<string, string>>;
  /** Format of access tokens. `opaque` tokens require introspection. Default `jwt`. */
  readonly tokens?: "jwt" | "opaque";
  /** Lifetime of a token in seconds. Default 300. */
  readonly lifetime?: number;
  /** Changes the configuration of the library, for everything without an option here. */
  readonly configure?: (configuration: Configuration) => Configuration;
}

/** A running authorization server. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Private key of its signatures, for tests that sign other tokens. */
  readonly signingKey: CryptoKey;
  /** Provider of the library, to add features without an option here, such as grants. */
  readonly provider: Provider;
  close(): Promise<void>;
}

/**
 * Authorization server for development. It signs every visitor in as the same user without a form, and keeps its state in memory. Use a product for
 * real users.
 */
export async function startAuthorizationServer(options: AuthorizationOptions): Promise<AuthorizationServer> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : options.port}`;
  const jwk = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "development" };
  const { configure = (configuration) => configuration } = options;
  const provider = new Provider(issuer, configure(toConfiguration(options, jwk)));
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (request.url?.startsWith("/interaction/")) void approve(provider, options, { request, response });
    else void answer(request, response);
  });
  return {
    issuer,
    signingKey: privateKey,
    provider,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toConfiguration(options: AuthorizationOptions, jwk: object): Configuration {
  const { user = "alice", apps = {}, services = {}, lifetime = 300 } = options;
  return {
    jwks: { keys: [jwk] },
    scopes: ["openid", "offline_access", ...new Set(Object.values(options.resources).flat())],
    clients: [
      ...Object.entries(apps).map(([id, places]) => ({
        client_id: id,
        token_endpoint_auth_method: "none" as const,
        application_type: "native" as const,
        redirect_uris: [...places],
      })),
      ...Object.entries(services).map(([id, secret]) => ({
        client_id: id,
        client_secret: secret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      })),
    ],
    clientDefaults: { grant_types: ["authorization_code", "refresh_token"] },
    cookies: { keys: [crypto.randomUUID()] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      registration: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => Object.keys(options.resources)[0] ?? "",
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => toResourceServer(resource, options),
      },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: () => ({ accountId: user, claims: () => ({ sub: user }) }),
    pkce: { required: () => true },
    ttl: { AccessToken: lifetime, ClientCredentials: lifetime },
  };
}

/** Issues tokens for one known resource server each. */
function toResourceServer(resource: string, { resources, tokens = "jwt" }: AuthorizationOptions): ResourceServer {
  const scopes = Object.hasOwn(resources, resource) ? resources[resource] : undefined;
  if (!scopes) throw new errors.InvalidTarget();
  const common = { scope: scopes.join(" "), audience: resource };
  return tokens === "jwt"
    ? { ...common, accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } }
    : { ...common, accessTokenFormat: "opaque" };
}

/** Grants everything that the client requests, on behalf of the user. */
async function approve(
  provider: Provider,
  { user = "alice" }: AuthorizationOptions,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  try {
    const { prompt, params } = await provider.interactionDetails(request, response);
    const result = prompt.name === "login" ? { login: { accountId: user } } : { consent: { grantId: await grant() } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });

    async function grant(): Promise<string> {
      const made = new provider.Grant({ accountId: user, clientId: String(params.client_id) });
      made.addOIDCScope(String(params.scope ?? ""));
      for (const resource of [params.resource].flat()) {
        if (typeof resource === "string") made.addResourceScope(resource, String(params.scope ?? ""));
      }
      return made.save();
    }
  } catch (error) {
    console.error(error);
    response.writeHead(400).end();
  }
}
