import { inspect } from "node:util";
import { exportJWK, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from "jose";
import type { ClientAuthMethod, Configuration } from "oidc-provider";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  startAuthorizationServer,
  type AuthorizationServer,
} from "../../../examples/authorization-server/authorization-server.ts";
import { revisions } from "../../../generated/revisions.ts";
import { isObject } from "../../../generated/support.ts";
import {
  authorizationCode,
  clientCredentials,
  createMemoryStore,
  createOAuthProvider,
  enterpriseManaged,
  importSigningKey,
  workloadIdentity,
  type AuthStep,
  type CredentialStore,
  type Grant,
  type OAuthOptions,
  type OAuthProvider,
  type SigningKey,
} from "../../../runtime/auth/client/index.ts";
import type { ClientConnection } from "../../../runtime/client/connect.ts";
import { connectHttp } from "../../../runtime/client/connect-http.ts";
import { jwtBearer, takeAssertions, tokenExchange, vouch } from "./grants-at-oidc-provider.ts";
import { createBrowser } from "./server/browser.ts";
import { startProtectedServer, type ProtectedServer } from "./server/protected-server.ts";

/* Every way to be known and every way to get a token, at a server of ours and a real authorization server, and what is written to logs meanwhile. */

const redirectUri = "http://127.0.0.1:33418/callback";
const documentUrl = "https://client.example/app.json";
const signedDocumentUrl = "https://client.example/signed.json";
const secret = "client-secret-0123456789-0123456789";
const cluster = "https://kubernetes.example";

let protectedServer: ProtectedServer;
let identityProvider: AuthorizationServer;
let signingKey: SigningKey;
let clusterKey: CryptoKey;
const written: string[] = [];
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const own = await generateKeyPair("ES256", { extractable: true });
  const platform = await generateKeyPair("RS256");
  clusterKey = platform.privateKey;
  signingKey = { key: await importSigningKey(await exportJWK(own.privateKey), "ES256") };
  const jwks = { keys: [{ ...(await exportJWK(own.publicKey)), alg: "ES256", use: "sig" }] };
  identityProvider = await startAuthorizationServer({
    resources: {},
    configure: (configuration) => ({ ...configuration, clients: [createConfidential("at-idp", tokenExchange)] }),
  });
  protectedServer = await startProtectedServer({ configure: (configuration) => toConfiguration(configuration, jwks) });
  const idpKey = await publicKeyOf(identityProvider);
  vouch(identityProvider.provider, { sign: identityProvider.signingKey, verify: idpKey }, { "at-idp": "enterprise" });
  takeAssertions(
    protectedServer.authority.provider,
    [
      { issuer: identityProvider.issuer, key: idpKey, type: "oauth-id-jag+jwt" },
      { issuer: cluster, key: platform.publicKey, type: "JWT" },
    ],
    "mcp files:read files:write",
  );
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text) => written.push(String(text)) > 0);
  }
});

afterAll(async () => {
  vi.restoreAllMocks();
  await protectedServer.close();
  await identityProvider.close();
});

beforeEach(() => {
  protectedServer.log.length = 0;
  protectedServer.seen.length = 0;
  written.length = 0;
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function createConfidential(id: string, grant: string, method: ClientAuthMethod = "client_secret_basic") {
  return {
    client_id: id,
    client_secret: secret,
    grant_types: [grant],
    redirect_uris: [],
    response_types: [],
    token_endpoint_auth_method: method,
  } as const;
}

/** Metadata that clients of users send. */
const userClient = {
  application_type: "native",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
} as const;

function toConfiguration(configuration: Configuration, jwks: { keys: JWK[] }): Configuration {
  const signed = { token_endpoint_auth_method: "private_key_jwt", jwks } as const;
  const documents: Readonly<Record<string, object>> = {
    [documentUrl]: { ...userClient, client_id: documentUrl, client_name: "app", token_endpoint_auth_method: "none" },
    [signedDocumentUrl]: { ...userClient, client_id: signedDocumentUrl, client_name: "app", ...signed },
  };
  const clients = [
    ...(["client_secret_basic", "client_secret_post"] as const).flatMap((method) => [
      { ...userClient, client_id: `user ${method}`, client_secret: secret, token_endpoint_auth_method: method },
      createConfidential(`program ${method}`, "client_credentials", method),
    ]),
    { ...userClient, client_id: "user none", token_endpoint_auth_method: "none" },
    { ...userClient, client_id: "user private_key_jwt", ...signed },
    {
      client_id: "program private_key_jwt",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      ...signed,
    },
    createConfidential("enterprise", jwtBearer),
    { ...createConfidential("workload", jwtBearer, "none"), client_secret: undefined },
  ];
  return {
    ...configuration,
    clients: clients.map((client) => JSON.parse(JSON.stringify(client))),
    extraClientMetadata: { properties: [] },
    features: {
      ...configuration.features,
      clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    },
    discovery: { authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"] },
    fetch: async (url) => Response.json(documents[String(url)] ?? {}),
  };
}

async function publicKeyOf({ issuer }: AuthorizationServer): Promise<CryptoKey> {
  const { keys }: { keys: JWK[] } = await (await fetch(`${issuer}/jwks`)).json();
  const key = await importJWK(keys[0] ?? {}, "RS256");
  if (key instanceof Uint8Array) throw new Error("no public key");
  return key;
}

/** Signs in with a browser of its own. */
const asUser = (how: Partial<Parameters<typeof authorizationCode>[0]>): Grant =>
  authorizationCode({ redirect: createBrowser(redirectUri), client: { name: "app" }, ...how });

const registeredAs = (clientId: string, proof: object = {}) => ({
  registered: [{ issuer: protectedServer.issuer, clientId, ...proof }],
});

/** Ways in which a user's client is known, and as whom. */
const registrations: Readonly<Record<string, { readonly grant: () => Grant; readonly client: RegExp }>> = {
  "a document": { grant: () => asUser({ document: documentUrl }), client: /https:..client.example.app.json/ },
  "a document that names a key": {
    grant: () => asUser({ document: { clientId: signedDocumentUrl, signingKey } }),
    client: /https:..client.example.signed.json/,
  },
  "registration by hand, without a secret": { grant: () => asUser(registeredAs("user none")), client: /user none/ },
  "registration by hand, with a secret in the header": {
    grant: () =>
      asUser(registeredAs("user client_secret_basic", { clientSecret: secret, method: "client_secret_basic" })),
    client: /user client_secret_basic/,
  },
  "registration by hand, with a secret in the form": {
    grant: () =>
      asUser(registeredAs("user client_secret_post", { clientSecret: secret, method: "client_secret_post" })),
    client: /user client_secret_post/,
  },
  "registration by hand, with a key": {
    grant: () => asUser(registeredAs("user private_key_jwt", { signingKey })),
    client: /user private_key_jwt/,
  },
  "registration by itself": { grant: () => asUser({}), client: /client_id\W+[\w-]{43}\W/ },
};

/** Ways in which programs get tokens for themselves or for a user who is somewhere else. */
const programs: Readonly<Record<string, { readonly grant: () => Grant; readonly sub: string; readonly dpop?: false }>> =
  {
    "client credentials with a secret in the header": {
      grant: () =>
        clientCredentials(
          registeredAs("program client_secret_basic", { clientSecret: secret, method: "client_secret_basic" }),
        ),
      sub: "program client_secret_basic",
    },
    "client credentials with a secret in the form": {
      grant: () =>
        clientCredentials(
          registeredAs("program client_secret_post", { clientSecret: secret, method: "client_secret_post" }),
        ),
      sub: "program client_secret_post",
    },
    "client credentials with a key": {
      grant: () => clientCredentials(registeredAs("program private_key_jwt", { signingKey })),
      sub: "program private_key_jwt",
    },
    "the word of an identity provider": {
      grant: () =>
        enterpriseManaged({
          ...registeredAs("enterprise", { clientSecret: secret }),
          identityProvider: {
            issuer: identityProvider.issuer,
            tokenEndpoint: `${identityProvider.issuer}/token`,
            clientId: "at-idp",
            clientSecret: secret,
            method: "client_secret_basic",
          },
          identity: async () => ({
            token: await signAs(identityProvider.issuer, "at-idp", identityProvider.signingKey),
          }),
        }),
      sub: "alice",
      dpop: false,
    },
    "the word of a platform": {
      grant: () =>
        workloadIdentity({
          issuers: [protectedServer.issuer],
          clientId: "workload",
          assertion: ({ issuer }) => signAs(cluster, issuer, clusterKey),
        }),
      sub: "alice",
      dpop: false,
    },
  };

/** Signs claims of an identity provider or a platform about Alice. */
function signAs(issuer: string, audience: string, key: CryptoKey): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(issuer)
    .setSubject("alice")
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime("5 min")
    .setJti(crypto.randomUUID())
    .sign(key);
}

/** A client, and everything confidential that it has sent or received. */
interface Watched {
  readonly auth: OAuthProvider;
  readonly store: CredentialStore;
  readonly steps: readonly AuthStep[];
  readonly secrets: ReadonlySet<string>;
  readonly forms: readonly URLSearchParams[];
}

const confidential = [
  ...["code", "code_verifier", "client_secret", "client_assertion", "assertion", "subject_token", "refresh_token"],
  ...["token", "access_token", "id_token"],
];

function watch(grant: Grant, options: Partial<OAuthOptions> = {}): Watched {
  const steps: AuthStep[] = [];
  const secrets = new Set<string>();
  const forms: URLSearchParams[] = [];
  const store = options.store ?? createMemoryStore();
  const note = (value: unknown): void => {
    if (typeof value === "string" && value.length >= 16) secrets.add(value);
  };
  const auth = createOAuthProvider(protectedServer.resource, {
    grant,
    store,
    onStep: (step) => steps.push(step),
    async fetch(url, init) {
      const headers = new Headers(init?.headers);
      note(headers.get("dpop"));
      note(headers.get("authorization")?.replace(/^\w+ /, ""));
      const form = new URLSearchParams(typeof init?.body === "string" && init.method === "POST" ? init.body : "");
      if (form.has("grant_type")) forms.push(form);
      for (const name of confidential) note(form.get(name));
      const response = await fetch(url, init);
      const json: unknown = await response
        .clone()
        .json()
        .catch(() => undefined);
      for (const name of confidential) note(isObject(json) ? json[name] : undefined);
      return response;
    },
    ...options,
  });
  return { auth, store, steps, secrets, forms };
}

async function connect(auth: OAuthProvider): Promise<ClientConnection> {
  const client = await connectHttp(protectedServer.resource, { auth, info: { name: "c", version: "1" }, revisions });
  ends.push(() => client.close());
  return client;
}

/** Returns the principal of the client, as our server sees it. */
async function call(client: ClientConnection): Promise<string> {
  return JSON.stringify(await client.request("tools/call", { name: "who" }));
}

/** Nothing confidential is in anything that was written or told while this test ran. */
function expectNoLeak({ steps, secrets }: Watched, ...told: readonly unknown[]): void {
  const text = [...protectedServer.log, ...written, inspect([steps, told], { depth: 20, showHidden: true })].join("\n");
  expect(secrets.size).toBeGreaterThan(0);
  expect(protectedServer.log.length).toBeGreaterThan(0);
  for (const one of secrets) expect(text).not.toContain(one);
}

describe.each([false, true])("key-bound tokens: %s", (dpop) => {
  test.each(Object.keys(registrations))(
    "a user signs in with a client known by %s, and stays signed in",
    async (name) => {
      const { grant, client } = registrations[name] ?? expect.unreachable();
      const watched = watch(grant(), { dpop });
      const seen = await call(await connect(watched.auth));
      expect(seen).toContain("sub:alice");
      expect(seen).toMatch(client);
      const key = JSON.stringify(["tokens", protectedServer.issuer, protectedServer.resource]);
      const tokens = JSON.parse((await watched.store.get(key)) ?? "{}");
      expect(tokens).toMatchObject({ refreshToken: expect.any(String), type: dpop ? "dpop" : "bearer" });
      expectNoLeak(watched);
    },
  );

  test.each(Object.keys(programs).filter((name) => !dpop || programs[name]?.dpop !== false))(
    "a program signs in by %s",
    async (name) => {
      const { grant, sub } = programs[name] ?? expect.unreachable();
      const watched = watch(grant(), { dpop });
      expect(await call(await connect(watched.auth))).toContain(sub);
      expectNoLeak(watched);
    },
  );
});

describe("an expired token", () => {
  test.each(Object.keys(registrations))("an expired token is refreshed for a client known by %s", async (name) => {
    const grant = (registrations[name] ?? expect.unreachable()).grant();
    const first = watch(grant);
    expect(await call(await connect(first.auth))).toContain("alice");
    const key = JSON.stringify(["tokens", protectedServer.issuer, protectedServer.resource]);
    const tokens = JSON.parse((await first.store.get(key)) ?? "{}");
    await first.store.set(key, JSON.stringify({ ...tokens, accessToken: "ended" }));
    const again = watch(grant, { store: first.store });
    expect(await call(await connect(again.auth))).toContain("alice");
    expect(again.forms.map((form) => form.get("grant_type"))).toEqual(["refresh_token"]);
    expectNoLeak(again);
  });
});

test("signing out makes the refresh token worthless", async () => {
  const watched = watch(asUser(registeredAs("user none")));
  await call(await connect(watched.auth));
  const key = JSON.stringify(["tokens", protectedServer.issuer, protectedServer.resource]);
  const { refreshToken } = JSON.parse((await watched.store.get(key)) ?? "{}");
  const redeem = (): Promise<Response> =>
    fetch(`${protectedServer.issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken, client_id: "user none" }),
    });
  await watched.auth.signOut();
  const response = await redeem();
  expect([response.status, await response.json()]).toMatchObject([400, { error: "invalid_grant" }]);
  expectNoLeak(watched);
});

describe("rejections of a real authorization server", () => {
  /** A user's client whose browser comes back with something else. */
  const comingBack = (change: (back: URL) => URL | Promise<URL>, how: object = registeredAs("user none")): Grant => {
    const browser = createBrowser(redirectUri);
    return authorizationCode({
      ...how,
      client: { name: "app" },
      redirect: {
        async open(options) {
          const redirection = await browser.open(options);
          const visit: typeof redirection.visit = async (url, expected) =>
            (await change(new URL(await redirection.visit(url, expected)))).href;
          return { ...redirection, visit };
        },
      },
    });
  };

  /** The code of a sign-in that is another one's, or was used before. */
  async function stealCode(isUsed: boolean): Promise<string> {
    let code = "";
    const victim = watch(
      comingBack((back) => {
        code = back.searchParams.get("code") ?? "";
        if (!isUsed) back.searchParams.set("error", "access_denied");
        return back;
      }),
    );
    await victim.auth.signIn().catch(() => undefined);
    return code;
  }

  const swap = (name: string, value: () => string | Promise<string>) => async (back: URL) => {
    back.searchParams.set(name, await value());
    return back;
  };

  const attacks: Readonly<Record<string, { readonly grant: () => Grant; readonly reason: string | undefined }>> = {
    "a stolen code, brought to another sign-in": {
      grant: () => comingBack(swap("code", () => stealCode(false))),
      reason: "invalid_grant",
    },
    "a code that was used before": {
      grant: () => comingBack(swap("code", () => stealCode(true))),
      reason: "invalid_grant",
    },
    "a code that nobody gave": { grant: () => comingBack(swap("code", () => "x".repeat(43))), reason: "invalid_grant" },
    "the response of another authorization server (mix-up)": {
      grant: () => comingBack(swap("iss", () => identityProvider.issuer)),
      reason: undefined,
    },
    "the issuer with a slash more": {
      grant: () => comingBack(swap("iss", () => `${protectedServer.issuer}/`)),
      reason: undefined,
    },
    "the state of another sign-in": { grant: () => comingBack(swap("state", () => "x".repeat(43))), reason: undefined },
    "a wrong secret": {
      grant: () =>
        clientCredentials(registeredAs("program client_secret_basic", { clientSecret: "wrong-secret-0123456789" })),
      reason: "invalid_client",
    },
    "a key that is not registered": {
      grant: () => clientCredentials(registeredAs("program private_key_jwt", { signingKey: { key: clusterKey } })),
      reason: "invalid_client",
    },
    "a client that is not registered": {
      grant: () => clientCredentials(registeredAs("nobody", { clientSecret: secret })),
      reason: "invalid_client",
    },
    "an assertion of a stranger": {
      grant: () =>
        workloadIdentity({
          issuers: [protectedServer.issuer],
          clientId: "workload",
          assertion: ({ issuer }) => signAs("https://evil.example", issuer, clusterKey),
        }),
      reason: "invalid_grant",
    },
    "an assertion for another authorization server": {
      grant: () =>
        workloadIdentity({
          issuers: [protectedServer.issuer],
          clientId: "workload",
          assertion: () => signAs(cluster, "https://other.example", clusterKey),
        }),
      reason: "invalid_grant",
    },
    "an assertion that somebody else signed": {
      grant: () =>
        workloadIdentity({
          issuers: [protectedServer.issuer],
          clientId: "workload",
          assertion: ({ issuer }) => signAs(cluster, issuer, identityProvider.signingKey),
        }),
      reason: "invalid_grant",
    },
  };

  test.each(Object.keys(attacks))("a client reports the rejection without a secret: %s", async (name) => {
    const { grant, reason } = attacks[name] ?? expect.unreachable();
    const watched = watch(grant());
    const error: unknown = await connect(watched.auth).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "AuthError", reason });
    if (reason === undefined) expect(watched.forms).toEqual([]);
    else expectNoLeak(watched, error);
    expect(protectedServer.seen).toEqual([]);
  });

  test.each([
    ["a challenge in the clear", { code_challenge_method: "plain" }],
    ["no challenge", { code_challenge: undefined, code_challenge_method: undefined }],
    ["another place to come back to", { redirect_uri: "https://evil.example/callback" }],
    ["another resource", { resource: "https://evil.example/mcp" }],
  ])("a changed authorization request is rejected: %s", async (_what, changes) => {
    const browser = createBrowser(redirectUri);
    const grant = authorizationCode({
      ...registeredAs("user none"),
      client: { name: "app" },
      redirect: {
        async open(options) {
          const redirection = await browser.open(options);
          const visit: typeof redirection.visit = (url, expected) => {
            for (const [key, value] of Object.entries<string | undefined>(changes)) {
              if (value === undefined) url.searchParams.delete(key);
              else url.searchParams.set(key, value);
            }
            return redirection.visit(url, expected);
          };
          return { ...redirection, visit };
        },
      },
    });
    const watched = watch(grant);
    await expect(connect(watched.auth)).rejects.toThrow();
    expect(watched.forms).toEqual([]);
    expect(protectedServer.seen).toEqual([]);
  });
});
