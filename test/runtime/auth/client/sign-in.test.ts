import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import {
  authorizationCode,
  createDpopKey,
  createMemoryStore,
  createOAuthProvider,
  type CredentialStore,
  type DocumentClient,
  type Redirector,
  type RegisteredClient,
} from "../../../../runtime/auth/client/index.ts";
import {
  createHeadlessRedirect,
  createRigClient,
  failureOf,
  startRig,
  taking,
  without,
  type Rig,
  type Script,
  type Seen,
} from "./rig.ts";

/** A server that says nothing about who issues tokens for it. */
const silent: Script = { resourceMetadata: () => undefined, challenge: () => "Bearer" };
/** Everything is at the origin of the MCP server. */
const own = (metadata: boolean): Script => ({
  ...silent,
  first: async ({ where, path, query, form }, { url, valid }) => {
    const { origin } = new URL(url);
    if (where !== "mcp") return undefined;
    if (path === "/.well-known/oauth-authorization-server" && metadata) {
      return {
        body: {
          issuer: origin,
          authorization_endpoint: `${origin}/oauth/authorize`,
          token_endpoint: `${origin}/oauth/token`,
          registration_endpoint: `${origin}/oauth/register`,
          code_challenge_methods_supported: ["S256"],
        },
      };
    }
    if (path.endsWith("/register")) return { status: 201, body: { client_id: "own" } };
    if (path.endsWith("/authorize")) {
      return {
        status: 302,
        headers: { Location: `${query.get("redirect_uri")}?code=c&state=${query.get("state")}` },
      };
    }
    if (!path.endsWith("/token") || form.get("code_verifier") === null) return undefined;
    valid.add("own-token");
    return { body: { access_token: "own-token", token_type: "bearer" } };
  },
});

const document = "https://client.example/metadata.json";
const protectedResource = "/.well-known/oauth-protected-resource";
const isAuthorize = ({ path }: Seen): boolean => path === "/authorize";

test("a rejected request is repeated with a token, which is in the header and in no URL (AC-01, AC-02, AC-14, AC-27)", async () => {
  const rig = await startRig();
  const client = createRigClient(rig);
  expect(await client.call()).toBe(200);
  expect(await client.call()).toBe(200);
  expect(rig.paths("mcp")).toEqual(["/mcp", `${protectedResource}/mcp`, "/mcp", "/mcp"]);
  expect(rig.paths("as")).toEqual(["/.well-known/oauth-authorization-server", "/register", "/authorize", "/token"]);
  const { query } = rig.find("/authorize");
  const [form] = rig.forms("authorization_code");
  expect(query.get("code_challenge_method")).toBe("S256");
  expect(query.get("code_challenge")).toBe(
    createHash("sha256")
      .update(form?.get("code_verifier") ?? "")
      .digest("base64url"),
  );
  expect(query.get("response_type")).toBe("code");
  const [, , repeated, next] = rig.seen.filter(({ where }) => where === "mcp");
  expect(repeated?.headers.authorization).toMatch(/^Bearer access-/);
  expect(next?.headers.authorization).toBe(repeated?.headers.authorization);
  const urls = [
    ...rig.seen.map(({ path, query: one }) => path + one.toString()),
    ...client.steps.map(({ url }) => url),
  ];
  expect(urls.join(" ")).not.toContain("access-");
});

describe("the metadata of the resource (AC-03)", () => {
  const places = `${protectedResource}/a/mcp ${protectedResource}`;
  const cases: readonly [name: string, script: Script, order: string][] = [
    [
      "where the challenge says",
      { challenge: ({ url }) => `Bearer resource_metadata="${new URL("/elsewhere", url).href}"` },
      `/elsewhere ${places}`,
    ],
    ["for the path, then for the host", { challenge: () => "Bearer" }, places],
    ["without any challenge", { challenge: () => "" }, places],
    [
      "in a challenge among others",
      {
        challenge: ({ url }) =>
          `Basic realm="a, b", Bearer error="x", resource_metadata="${new URL("/elsewhere", url).href}"`,
      },
      `/elsewhere ${places}`,
    ],
  ];
  test.each(cases)("metadata of the resource is read from %s", async (_name, script, order) => {
    const rig = await startRig({
      path: "/a/mcp",
      ...script,
      first: ({ method, where }) => (method === "GET" && where === "mcp" ? { status: 404 } : undefined),
    });
    // Nothing is found, so the server itself is asked, as in the first revision.
    await failureOf(rig, createRigClient(rig, { assumeEndpoints: false }));
    expect(rig.paths("mcp").join(" ")).toBe(
      `/a/mcp ${order} /.well-known/oauth-authorization-server /.well-known/openid-configuration`,
    );
  });

  test("metadata of the resource is read from the path only where it is found there", async () => {
    const rig = await startRig({ challenge: () => "Bearer" });
    expect(await createRigClient(rig).call()).toBe(200);
    expect(rig.paths("mcp")).toEqual(["/mcp", `${protectedResource}/mcp`, "/mcp"]);
  });
});

describe("the metadata of the authorization server (AC-04)", () => {
  test("metadata of an issuer with a path is read with the path inserted for OAuth, inserted for OpenID, appended for OpenID; never from the host", async () => {
    const rig = await startRig({ issuerPath: "/tenant", serverMetadata: () => undefined });
    expect(await failureOf(rig, createRigClient(rig))).toMatchObject({ code: "metadata" });
    expect(rig.paths("as")).toEqual([
      "/.well-known/oauth-authorization-server/tenant",
      "/.well-known/openid-configuration/tenant",
      "/tenant/.well-known/openid-configuration",
    ]);
  });

  test("metadata of an issuer without a path is read for OAuth, then for OpenID", async () => {
    const rig = await startRig({ serverMetadata: () => undefined });
    expect(await failureOf(rig, createRigClient(rig))).toMatchObject({ code: "metadata" });
    expect(rig.paths("as")).toEqual(["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]);
  });

  test("metadata of an issuer is read through a redirect", async () => {
    const first = ({ path }: Seen, { issuer }: { readonly issuer: string }) =>
      path === "/.well-known/openid-configuration"
        ? { status: 302, headers: { Location: `${issuer}/moved` } }
        : path === "/moved"
          ? {
              body: {
                issuer,
                authorization_endpoint: `${issuer}/authorize`,
                token_endpoint: `${issuer}/token`,
                registration_endpoint: `${issuer}/register`,
                code_challenge_methods_supported: ["S256"],
              },
            }
          : undefined;
    const rig = await startRig({ serverMetadata: () => undefined, first });
    expect(await createRigClient(rig).call()).toBe(200);
  });
});

describe("a server of the first revision with authorization (AC-06)", () => {
  test("a server of the first revision with authorization gets a request for metadata first, with the revision (AC-07)", async () => {
    const rig = await startRig(own(true));
    expect(await createRigClient(rig, { protocolVersion: "2025-03-26" }).call()).toBe(200);
    expect(rig.paths("mcp")).toContain("/oauth/token");
    expect(rig.find("/.well-known/oauth-authorization-server").headers["mcp-protocol-version"]).toBe("2025-03-26");
  });

  test("a server of the first revision with authorization has its endpoints at default paths, with PKCE (AC-14)", async () => {
    const rig = await startRig(own(false));
    expect(await createRigClient(rig).call()).toBe(200);
    expect(rig.paths("mcp").slice(-4)).toEqual(["/register", "/authorize", "/token", "/mcp"]);
  });

  test("a server of the first revision with authorization is rejected where default paths are switched off", async () => {
    const rig = await startRig(own(false));
    expect(await failureOf(rig, createRigClient(rig, { assumeEndpoints: false }))).toMatchObject({ code: "metadata" });
    expect(rig.paths("mcp")).not.toContain("/authorize");
  });
});

describe("the resource parameter", () => {
  test("the resource parameter is in both requests, exactly as the server writes it (AC-17)", async () => {
    const rig = await startRig({
      resourceMetadata: (metadata, { url }) => ({ ...metadata, resource: new URL(url).origin }),
    });
    expect(await createRigClient(rig).call()).toBe(200);
    const { origin } = new URL(rig.url);
    expect(rig.find("/authorize").query.get("resource")).toBe(origin);
    expect(rig.forms("authorization_code")[0]?.get("resource")).toBe(origin);
  });

  test("the resource parameter may have upper-case letters where they are equivalent (AC-18)", async () => {
    const rig = await startRig({
      resourceMetadata: (metadata, { url }) => ({
        ...metadata,
        resource: url.replace("http://localhost", "HTTP://LOCALHOST"),
      }),
    });
    expect(await createRigClient(rig).call()).toBe(200);
    expect(rig.find("/authorize").query.get("resource")).toMatch(/^HTTP:\/\/LOCALHOST:\d+\/mcp$/);
  });

  test.each([
    ["/mcp", "/mcp"],
    ["/", ""],
    ["/a/b", "/a/b"],
  ])(
    "the resource parameter is the whole URL of a server at %s that names none, without a slash at its end (AC-18)",
    async (path, expected) => {
      const rig = await startRig({ path, ...own(false) });
      expect(await createRigClient(rig).call()).toBe(200);
      expect(rig.find("/authorize").query.get("resource")).toBe(`${new URL(rig.url).origin}${expected}`);
    },
  );
});

describe("scopes", () => {
  const cases: readonly [name: string, script: Script, scopes: string | null][] = [
    [
      "are those of the challenge, whatever is supported (AC-20, AC-21)",
      { challenge: () => 'Bearer scope="a b"', resourceMetadata: (m) => ({ ...m, scopes_supported: ["c"] }) },
      "a b",
    ],
    [
      "are else those that are supported (AC-20)",
      { resourceMetadata: (m) => ({ ...m, scopes_supported: ["c", "d"] }) },
      "c d",
    ],
    ["are else left to the authorization server (AC-20)", {}, null],
    [
      "ask for lasting access where that is offered (AC-30)",
      { challenge: () => 'Bearer scope="a"', serverMetadata: (m) => ({ ...m, scopes_supported: ["offline_access"] }) },
      "a offline_access",
    ],
    [
      "do not ask for it elsewhere (AC-30)",
      { challenge: () => 'Bearer scope="a"', serverMetadata: (m) => ({ ...m, scopes_supported: ["a"] }) },
      "a",
    ],
  ];
  test.each(cases)("the requested scopes: %s", async (_name, script, scopes) => {
    const rig = await startRig(script);
    expect(await createRigClient(rig).call()).toBe(200);
    expect(rig.find("/authorize").query.get("scope")).toBe(scopes);
  });

  test("scopes are extended when more are required, by earlier ones, and once (AC-22, AC-23)", async () => {
    const rig = await startRig({
      challenge: () => 'Bearer scope="read"',
      guard: (token, _seen, { valid }) =>
        token !== undefined && valid.size === 1 && valid.has(token)
          ? { status: 403, headers: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="write"' } }
          : undefined,
    });
    expect(await createRigClient(rig).call()).toBe(200);
    expect(rig.seen.filter(isAuthorize).map(({ query }) => query.get("scope"))).toEqual(["read", "read write"]);
  });

  test("scopes that were requested already are not requested again (AC-22)", async () => {
    const rig = await startRig({
      guard: (token) =>
        token === undefined
          ? undefined
          : { status: 403, headers: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="admin"' } },
    });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(403);
    expect(await client.call()).toBe(403);
    expect(rig.seen.filter(isAuthorize).map(({ query }) => query.get("scope"))).toEqual([null, "admin"]);
  });

  test("scopes are unchanged where a rejection does not name them", async () => {
    const rig = await startRig({
      guard: (token) =>
        token === undefined ? undefined : { status: 403, headers: { "WWW-Authenticate": 'Bearer scope="admin"' } },
    });
    expect(await createRigClient(rig).call()).toBe(403);
    expect(rig.seen.filter(isAuthorize)).toHaveLength(1);
  });
});

describe("the client id", () => {
  const registered = (rig: Rig, more: Partial<RegisteredClient> = {}): RegisteredClient => ({
    issuer: rig.issuer,
    clientId: "by-hand",
    ...more,
  });
  const reads: Script = {
    serverMetadata: (metadata) => ({ ...metadata, client_id_metadata_document_supported: true }),
  };

  test("a client id is the registered one first (AC-08, AC-10)", async () => {
    const rig = await startRig(reads);
    expect(await createRigClient(rig, { code: { document, registered: [registered(rig)] } }).call()).toBe(200);
    expect(rig.find("/authorize").query.get("client_id")).toBe("by-hand");
    expect(rig.paths("as")).not.toContain("/register");
  });

  test("a client id is the metadata document without registration, where that is supported (AC-08, AC-09, AC-10)", async () => {
    const rig = await startRig(reads);
    expect(await createRigClient(rig, { code: { document } }).call()).toBe(200);
    expect(rig.find("/authorize").query.get("client_id")).toBe(document);
    expect(rig.paths("as")).not.toContain("/register");
  });

  test.each([
    ["a secret", { clientSecret: "hush-hush" }, "document has a clientSecret"],
    ["a way of proving that takes a secret", { method: "client_secret_basic" }, "document has a clientSecret"],
    ["assertions for a token endpoint", { assertionAudience: "token-endpoint" }, "document has assertionAudience"],
  ] as const)(
    "a client id is no document with %s: every authorization server could have it",
    (_name, more, message) => {
      const identity: DocumentClient = JSON.parse(JSON.stringify({ clientId: document, ...more }));
      const create = (): unknown =>
        authorizationCode({ redirect: createHeadlessRedirect(), client: { name: "test" }, document: identity });
      expect(create).toThrow(
        expect.objectContaining({ code: "configuration", message: expect.stringContaining(message) }),
      );
      expect(create).not.toThrow("hush-hush");
    },
  );

  test("a client id is the metadata document with the key that it names", async () => {
    const rig = await startRig({
      serverMetadata: (metadata) => ({
        ...metadata,
        client_id_metadata_document_supported: true,
        token_endpoint_auth_methods_supported: ["private_key_jwt"],
      }),
    });
    const { privateKey: key } = await createDpopKey();
    expect(await createRigClient(rig, { code: { document: { clientId: document, signingKey: { key } } } }).call()).toBe(
      200,
    );
    const assertion = decodeJwt(rig.find("/token").form.get("client_assertion") ?? "");
    expect(assertion).toMatchObject({ iss: document, aud: rig.issuer });
  });

  test("a client id comes from dynamic registration last, once (AC-08, AC-11, AC-12)", async () => {
    const rig = await startRig();
    const store = createMemoryStore();
    expect(await createRigClient(rig, { store, code: { document } }).call()).toBe(200);
    const again = createRigClient(rig, { store, code: { document } });
    await again.provider.signOut();
    expect(await again.call()).toBe(200);
    expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(1);
    expect(JSON.parse(rig.find("/register").body)).toEqual({
      client_name: "test",
      redirect_uris: ["http://127.0.0.1:33418/callback"],
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  test("a client is registered as a web application where the redirect is one, and without refresh tokens where they are switched off (AC-11, AC-29)", async () => {
    const rig = await startRig();
    const redirect = createHeadlessRedirect("https://app.example/callback");
    expect(await createRigClient(rig, { code: { redirect, refreshTokens: false } }).call()).toBe(200);
    expect(JSON.parse(rig.find("/register").body)).toMatchObject({
      application_type: "web",
      grant_types: ["authorization_code"],
    });
  });

  test.each([
    ["does not expire", 0, 1],
    ["expires later", Math.floor(Date.now() / 1_000) + 86_400, 1],
    ["has expired", Math.floor(Date.now() / 1_000) - 1, 2],
  ])("a client whose secret %s is registered as often as necessary", async (_name, client_secret_expires_at, times) => {
    const rig = await startRig({
      ...taking("client_secret_basic"),
      register: (body) => ({ status: 201, body: { ...body, client_secret: "hush-hush", client_secret_expires_at } }),
    });
    const store = createMemoryStore();
    for (let sign = 0; sign < 2; sign += 1) {
      const client = createRigClient(rig, { store });
      await client.provider.signOut();
      expect(await client.call()).toBe(200);
    }
    expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(times);
  });

  test("a stored registration is used for the redirect URIs in it that are texts", async () => {
    const rig = await startRig();
    const store = createMemoryStore();
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    const damage = (text: string): string => text.replace('"redirectUris":[', '"redirectUris":[7,null,');
    const damaged: CredentialStore = { ...store, get: async (key) => damage((await store.get(key)) ?? "") };
    const preferred: unknown[] = [];
    const { open } = createHeadlessRedirect();
    const redirect: Redirector = { open: (wish) => (preferred.push(wish.preferred), open(wish)) };
    const client = createRigClient(rig, { store: damaged, code: { redirect } });
    await client.provider.signOut();
    expect(await client.call()).toBe(200);
    expect(preferred).toEqual(["http://127.0.0.1:33418/callback"]);
    expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(1);
  });

  test("a client is registered again for another redirect", async () => {
    const rig = await startRig();
    const store = createMemoryStore();
    expect(await createRigClient(rig, { store }).call()).toBe(200);
    const moved = createRigClient(rig, {
      store,
      code: { redirect: createHeadlessRedirect("http://127.0.0.1:44444/callback") },
    });
    await moved.provider.signOut();
    expect(await moved.call()).toBe(200);
    expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(2);
  });

  test("a client registered elsewhere has no id: the error names that, without the id (AC-13)", async () => {
    const rig = await startRig();
    const client = createRigClient(rig, {
      code: { registered: [registered(rig, { issuer: "https://as.example", clientSecret: "hush-hush" })] },
    });
    rig.secrets.add("hush-hush").add("by-hand");
    const error = await failureOf(rig, client);
    expect(error.code).toBe("no-client");
    expect(error.message).toContain(rig.issuer);
    expect(rig.paths("as")).toEqual(["/.well-known/oauth-authorization-server"]);
  });

  test("a client follows the server to another authorization server with another id, and sends no earlier secret (AC-12, AC-13)", async () => {
    const next = await startRig({ register: (body) => ({ status: 201, body: { ...body, client_id: "at-next" } }) });
    let moved = false;
    const rig = await startRig({
      register: (body) => ({ status: 201, body: { ...body, client_id: "at-first" } }),
      resourceMetadata: (metadata) => (moved ? { ...metadata, authorization_servers: [next.issuer] } : metadata),
      guard: (token) => (token !== undefined && next.valid.has(token) ? { body: {} } : undefined),
      token: (body) => ({ body: { ...body, refresh_token: "refresh-of-first" } }),
    });
    const client = createRigClient(rig);
    expect(await client.call()).toBe(200);
    moved = true;
    rig.valid.clear();
    expect(await client.call()).toBe(200);
    const told = JSON.stringify(next.seen.map(({ path, body, query }) => [path, body, query.toString()]));
    expect(told).not.toContain("at-first");
    expect(told).not.toContain("refresh-of-first");
    expect(next.find("/authorize").query.get("client_id")).toBe("at-next");
  });

  test.each([
    "http://client.example/x",
    "https://client.example",
    "https://client.example/",
    "https://client.example/x#y",
    "https://u:p@client.example/x",
    "https://client.example/../x",
    "x",
  ])("a client id is no document at %s (AC-09)", (url) => {
    const make = (): unknown =>
      authorizationCode({ redirect: createHeadlessRedirect(), client: { name: "test" }, document: url });
    expect(make).toThrow(expect.objectContaining({ code: "configuration" }));
  });

  test.each(["http://app.example/callback", "http://10.0.0.1/callback", "app:/callback", "x"])(
    "a client rejects the redirect to %s (AC-32)",
    async (uri) => {
      const rig = await startRig();
      const error = await failureOf(rig, createRigClient(rig, { code: { redirect: createHeadlessRedirect(uri) } }));
      expect(error.code).toBe("configuration");
      expect(rig.paths("as")).not.toContain("/authorize");
    },
  );
});

describe("client authentication at the token endpoint (AC-33)", () => {
  const basic = `Basic ${Buffer.from("by-hand:s%3Acret+%26").toString("base64")}`;
  const cases: readonly [
    methods: readonly string[] | undefined,
    secret: string | undefined,
    header: string | undefined,
    body: string | null,
  ][] = [
    [["none"], undefined, undefined, null],
    [["client_secret_basic"], "s:cret &", basic, null],
    [["client_secret_post"], "s:cret &", undefined, "s:cret &"],
    [["client_secret_post", "client_secret_basic"], "s:cret &", basic, null],
    [undefined, "s:cret &", basic, null],
    [undefined, undefined, undefined, null],
  ];
  test.each(cases)("a client authenticates by %j, with the secret %j", async (methods, clientSecret, header, body) => {
    const rig = await startRig(methods ? taking(...methods) : without("token_endpoint_auth_methods_supported"));
    const registered = [{ issuer: rig.issuer, clientId: "by-hand", clientSecret }];
    expect(await createRigClient(rig, { code: { registered } }).call()).toBe(200);
    expect(rig.find("/token").headers.authorization).toBe(header);
    expect(rig.find("/token").form.get("client_secret")).toBe(body);
  });

  test("a client authenticates by its registered method, whatever other methods are offered", async () => {
    const rig = await startRig({
      ...taking("client_secret_basic", "client_secret_post"),
      register: (body) => ({
        status: 201,
        body: { ...body, client_secret: "hush-hush", token_endpoint_auth_method: "client_secret_post" },
      }),
    });
    expect(await createRigClient(rig).call()).toBe(200);
    expect(rig.find("/token").form.get("client_secret")).toBe("hush-hush");
    expect(rig.find("/token").headers.authorization).toBeUndefined();
  });

  test("a client does not authenticate where no method is supported", async () => {
    const rig = await startRig(taking("private_key_jwt"));
    const registered = [{ issuer: rig.issuer, clientId: "by-hand", clientSecret: "hush-hush" }];
    rig.secrets.add("hush-hush");
    expect(await failureOf(rig, createRigClient(rig, { code: { registered } }))).toMatchObject({
      code: "configuration",
    });
  });
});

test("a provider can sign in before a rejection", async () => {
  const rig = await startRig();
  const grant = authorizationCode({ redirect: createHeadlessRedirect(), client: { name: "test" } });
  const provider = createOAuthProvider(rig.url, { grant });
  await provider.signIn();
  await provider.signIn();
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
  expect(rig.paths("mcp")).not.toContain("/mcp");
});
