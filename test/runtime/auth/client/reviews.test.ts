import { generateKeyPair } from "jose";
import { expect, test } from "vitest";
import {
  clientCredentials,
  createMemoryStore,
  enterpriseManaged,
  workloadIdentity,
  type CredentialStore,
  type OAuthOptions,
  type OAuthProvider,
} from "../../../../runtime/auth/client/index.ts";
import { grantOf, idJag } from "./odd-responses.ts";
import { createRigClient, failureOf, startRig, taking, without, type Rig } from "./rig.ts";

/** Provider with tokens, and a request that was sent without them. */
async function signIn(): Promise<{ readonly rig: Rig; readonly review: Review; readonly provider: OAuthProvider }> {
  const rig = await startRig();
  const { provider, call } = createRigClient(rig);
  expect(await call()).toBe(200);
  const review: Review = (status, challenge, request) =>
    provider.review({ status, headers: new Headers({ "WWW-Authenticate": challenge }) }, request);
  return { rig, review, provider };
}

type Review = (
  status: number,
  challenge: string,
  request: Parameters<OAuthProvider["review"]>[1],
) => Promise<"accept" | "repeat">;

test.each([
  ["POST", 401, "Bearer"],
  ["DELETE", 401, "Bearer"],
  ["POST", 403, 'Bearer error="insufficient_scope", scope="more"'],
])("a rejected %s with %i is repeated with tokens obtained meanwhile, six times", async (method, status, challenge) => {
  const { rig, review } = await signIn();
  const before = rig.seen.length;
  const request = { url: new URL(rig.url), method, headers: {} };
  const reviews: string[] = [];
  for (let count = 0; count < 7; count += 1) reviews.push(await review(status, challenge, request));
  expect(reviews).toEqual([...Array.from({ length: 6 }, () => "repeat"), "accept"]);
  expect(rig.seen).toHaveLength(before);
});

test("a rejected request is final when it was sent with the current tokens, if it ends a session", async () => {
  const { rig, review, provider } = await signIn();
  const before = rig.seen.length;
  const request = { url: new URL(rig.url), method: "DELETE", headers: {} };
  expect(await provider.authorize(request)).toEqual({ Authorization: expect.stringMatching(/^Bearer access-/) });
  expect(await review(401, "Bearer", request)).toBe("accept");
  expect(rig.seen).toHaveLength(before);
});

test("a demand for scopes that names none leads to no other token", async () => {
  const { rig, review, provider } = await signIn();
  const before = rig.seen.length;
  const request = { url: new URL(rig.url), method: "POST", headers: {} };
  await provider.authorize(request);
  expect(await review(403, 'Bearer error="insufficient_scope"', request)).toBe("accept");
  expect(rig.seen).toHaveLength(before);
});

test("tokens that end at once are refreshed before each request", async () => {
  const rig = await startRig({ token: (body) => ({ body: { ...body, refresh_token: "lasting", expires_in: 0 } }) });
  const client = createRigClient(rig);
  // The first request is repeated with tokens, which have ended by then.
  for (const refreshes of [1, 2, 3]) {
    expect(await client.call()).toBe(200);
    expect(rig.forms("refresh_token")).toHaveLength(refreshes);
  }
});

test.each([200, 400, 404, 500])("a response with HTTP %i leads to no other token", async (status) => {
  const { rig, review } = await signIn();
  const before = rig.seen.length;
  const request = { url: new URL(rig.url), method: "POST", headers: {} };
  expect(await review(status, 'Bearer error="insufficient_scope", scope="more"', request)).toBe("accept");
  expect(rig.seen).toHaveLength(before);
});

test("a request with HTTP 403 for another reason than scopes leads to no other token", async () => {
  const { rig, review } = await signIn();
  const before = rig.seen.length;
  const request = { url: new URL(rig.url), method: "POST", headers: {} };
  expect(await review(403, 'Bearer scope="more"', request)).toBe("accept");
  expect(rig.seen).toHaveLength(before);
});

test.each<[name: string, options: Partial<OAuthOptions>, code: string, message: RegExp]>([
  ["chooses no issuer", { chooseIssuer: () => undefined }, "metadata", /no authorization server that chooseIssuer/],
  ["sends no request", { fetch: () => Promise.reject("broken") }, "network", /failed: unknown error$/],
  ["sends a request that fails", { fetch: () => Promise.reject(new Error("cut")) }, "network", /failed: cut$/],
  [
    "sends a request that fails for a reason",
    { fetch: () => Promise.reject(new Error("cut", { cause: new Error("reset") })) },
    "network",
    /failed: reset$/,
  ],
  ["waits too long", { fetch: (_url, { signal }) => fail(signal), timeout: 1 }, "network", /took longer than 1 ms$/],
])("a client that %s has an error", async (_name, { fetch, ...options }, code, message) => {
  const rig = await startRig();
  const client = createRigClient(rig, options);
  const { provider } = fetch ? createRigClient(rig, { ...options, fetch }) : client;
  const error: unknown = await provider.signIn().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "AuthError", code, message: expect.stringMatching(message) });
});

function fail(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted")));
  });
}

test("a store without exclusive use serves refreshes", async () => {
  const rig = await startRig({ token: (body) => ({ body: { ...body, refresh_token: "lasting" } }) });
  const { exclusively: _unused, ...store }: CredentialStore = createMemoryStore();
  const client = createRigClient(rig, { store });
  expect(await client.call()).toBe(200);
  rig.valid.clear();
  expect(await client.call()).toBe(200);
  expect(rig.forms("refresh_token")).toHaveLength(1);
  expect(rig.paths("as").filter((path) => path === "/authorize")).toHaveLength(1);
});

test("a client that is registered for a method without a credential is rejected before its request", async () => {
  const rig = await startRig(taking("client_secret_basic"));
  const registered = [{ issuer: rig.issuer, clientId: "app", method: "client_secret_basic" } as const];
  const error = await failureOf(rig, createRigClient(rig, { code: { registered } }));
  expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(/client_secret_basic/) });
  expect(rig.paths("as")).not.toContain("/token");
});

test("a refresh token is not sent for another client than the one that it was issued to", async () => {
  const rig = await startRig({ token: (body) => ({ body: { ...body, refresh_token: "refresh" } }) });
  const store = createMemoryStore();
  const call = (clientId: string): Promise<number> =>
    createRigClient(rig, { store, code: { registered: [{ issuer: rig.issuer, clientId }] } }).call();
  expect(await call("first")).toBe(200);
  rig.valid.clear();
  expect(await call("second")).toBe(200);
  expect(rig.forms("refresh_token")).toEqual([]);
  expect(rig.forms("authorization_code").map((form) => form.get("client_id"))).toEqual(["first", "second"]);
  rig.valid.clear();
  expect(await call("second")).toBe(200);
  expect(rig.forms("refresh_token").map((form) => form.get("client_id"))).toEqual(["second"]);
});

test("a client whose key cannot sign has an error without the key", async () => {
  const rig = await startRig(taking("private_key_jwt"));
  const { publicKey } = await generateKeyPair("ES256");
  const registered = [{ issuer: rig.issuer, clientId: "robot", signingKey: { key: publicKey } }];
  const error = await failureOf(rig, createRigClient(rig, { grant: clientCredentials({ registered }) }));
  expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(/check its key and its id$/) });
  expect(rig.paths("as")).not.toContain("/token");
});

test("tokens of an earlier authorization server are deleted when another one has issued tokens", async () => {
  const former = await startRig();
  const memory = createMemoryStore();
  const values = new Set<string>();
  const store: CredentialStore = {
    ...memory,
    set: (key, value) => (values.add(key), memory.set(key, value)),
    delete: (key) => (values.delete(key), memory.delete(key)),
  };
  let issuer = former.issuer;
  const moving = await startRig({
    resourceMetadata: (document) => ({ ...document, authorization_servers: [issuer] }),
    guard: (token) =>
      token !== undefined && former.valid.has(token) && issuer === former.issuer ? { body: {} } : undefined,
  });
  const client = createRigClient(moving, { store });
  expect(await client.call()).toBe(200);
  expect([...values]).toContain(JSON.stringify(["tokens", former.issuer, moving.url]));
  issuer = moving.issuer;
  expect(await client.call()).toBe(200);
  expect([...values].filter((key) => key.includes("tokens"))).toEqual([
    JSON.stringify(["tokens", moving.issuer, moving.url]),
  ]);
});

test("a sign-in obtains tokens once, and a sign-out ends the pause after a failure", async () => {
  let isFailing = true;
  const rig = await startRig({
    token: () => (isFailing ? { status: 400, body: { error: "access_denied" } } : undefined),
  });
  const { provider } = createRigClient(rig);
  const authorizations = (): number => rig.paths("as").filter((path) => path === "/authorize").length;
  const request = { url: new URL(rig.url), method: "POST", headers: {} };
  const review = (): Promise<unknown> =>
    provider.review({ status: 401, headers: new Headers() }, { ...request }).catch((error: unknown) => error);
  expect(await review()).toMatchObject({ code: "token-refused" });
  expect([await review(), authorizations()]).toMatchObject([{ code: "token-refused" }, 1]);
  isFailing = false;
  await provider.signOut();
  expect([await review(), authorizations()]).toEqual(["repeat", 2]);
  await provider.signIn();
  expect(authorizations()).toBe(2);
  await provider.signOut();
  await provider.signIn();
  expect(authorizations()).toBe(3);
});

test("a client without a key does not repeat a token request for a nonce", async () => {
  const said = { status: 400, headers: { "DPoP-Nonce": "n" }, body: { error: "use_dpop_nonce" } };
  const rig = await startRig({ first: ({ path }) => (path === "/token" ? said : undefined) });
  const error = await failureOf(rig, createRigClient(rig));
  expect(error).toMatchObject({ code: "token-refused", reason: "use_dpop_nonce" });
  expect(rig.paths("as").filter((path) => path === "/token")).toHaveLength(1);
});

test.each([
  ["token_endpoint", "enterprise"],
  ["token_endpoint", "workload"],
] as const)("without a %s, no assertion is requested by the grant %s", async (name, kind) => {
  const rig = await startRig(without(name));
  let assertions = 0;
  const count = (): string => {
    assertions += 1;
    return "assertion";
  };
  const { issuer } = rig;
  const grants = {
    enterprise: () =>
      enterpriseManaged({
        identityProvider: { issuer: `${issuer}/idp`, tokenEndpoint: `${issuer}/idp/token`, clientId: "at-idp" },
        identity: () => ({ token: count() }),
        registered: [{ issuer, clientId: "at-as", clientSecret: "hush-hush" }],
      }),
    workload: () => workloadIdentity({ issuers: [issuer], assertion: count }),
  };
  const error = await failureOf(rig, createRigClient(rig, { grant: grants[kind]() }));
  expect(error).toMatchObject({ code: "metadata", message: expect.stringMatching(/has no valid token_endpoint/) });
  expect(assertions).toBe(0);
});

test.each(["credentials", "workload", "enterprise"] as const)(
  "tokens of the grant %s are found by another client with the same store",
  async (kind) => {
    const rig = await startRig({
      ...taking("client_secret_basic"),
      first: ({ path }) => (path === "/idp/token" ? { body: idJag } : undefined),
    });
    const store = createMemoryStore();
    for (const _client of [1, 2])
      expect(await createRigClient(rig, { grant: grantOf[kind](rig), store }).call()).toBe(200);
    expect(rig.paths("as").filter((path) => path === "/token")).toHaveLength(1);
  },
);

test("a registration with a secret is used by another client with the same store", async () => {
  const rig = await startRig({
    ...taking("client_secret_post"),
    register: (body) => ({ status: 201, body: { ...body, client_secret: "hush-hush" } }),
  });
  rig.secrets.add("hush-hush");
  const store = createMemoryStore();
  for (const _client of [1, 2]) {
    rig.valid.clear();
    expect(await createRigClient(rig, { store }).call()).toBe(200);
  }
  expect(rig.paths("as").filter((path) => path === "/register")).toHaveLength(1);
  const forms = rig.forms("authorization_code").map((form) => form.get("client_secret"));
  expect(forms).toEqual(["hush-hush", "hush-hush"]);
});

test("a sign-in that the program itself has ended is tried again by the next request", async () => {
  const rig = await startRig();
  let attempts = 0;
  const redirect = {
    open: () => {
      attempts += 1;
      return Promise.reject(new Error("No user"));
    },
  };
  const client = createRigClient(rig, { code: { redirect } });
  for (const attempt of [1, 2]) {
    await expect(client.call()).rejects.toThrow("No user");
    expect(attempts).toBe(attempt);
  }
});
