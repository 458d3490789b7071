import { createHash } from "node:crypto";
import { calculateJwkThumbprint, decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify, type JWK } from "jose";
import { describe, expect, test } from "vitest";
import { isObject } from "../../../../generated/support.ts";
import {
  clientCredentials,
  createDpopKey,
  enterpriseManaged,
  importSigningKey,
  workloadIdentity,
  type EnterpriseOptions,
  type Grant,
  type WorkloadIdentityOptions,
} from "../../../../runtime/auth/client/index.ts";
import { createRigClient, failureOf, startRig, taking, type Rig, type Script, type Seen } from "./rig.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const secretOf = (rig: Rig): Grant =>
  clientCredentials({ registered: [{ issuer: rig.issuer, clientId: "robot", clientSecret: "hush-hush" }] });

describe("a program without a user", () => {
  test("a program authenticates with a secret in the header, without a user and without registration (AX-C1)", async () => {
    const rig = await startRig({ ...taking("client_secret_basic"), challenge: () => 'Bearer scope="run"' });
    expect(await createRigClient(rig, { grant: secretOf(rig) }).call()).toBe(200);
    const [form] = rig.forms("client_credentials");
    expect(Object.fromEntries(form ?? [])).toEqual({
      grant_type: "client_credentials",
      resource: rig.url,
      scope: "run",
    });
    expect(rig.find("/token").headers.authorization).toBe(`Basic ${Buffer.from("robot:hush-hush").toString("base64")}`);
    expect(rig.paths("as")).toEqual(["/.well-known/oauth-authorization-server", "/token"]);
  });

  test.each([
    ["issuer", undefined],
    ["token-endpoint", "token-endpoint"],
  ] as const)(
    "a program authenticates with an assertion for the %s, created for each request (AX-C1, AX-C2)",
    async (_name, assertionAudience) => {
      const rig = await startRig(taking("private_key_jwt"));
      const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
      const key = await importSigningKey(await exportPKCS8(privateKey), "ES256");
      const identity = { issuer: rig.issuer, clientId: "robot", signingKey: { key, kid: "k1" }, assertionAudience };
      const client = createRigClient(rig, { grant: clientCredentials({ registered: [identity] }) });
      expect(await client.call()).toBe(200);
      rig.valid.clear();
      expect(await client.call()).toBe(200);
      const forms = rig.forms("client_credentials");
      const audience = assertionAudience ? `${rig.issuer}/token` : rig.issuer;
      const seen = new Set<unknown>();
      for (const form of forms) {
        expect(form.get("client_assertion_type")).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        const { payload, protectedHeader } = await jwtVerify(form.get("client_assertion") ?? "", publicKey, {
          audience,
        });
        expect(payload).toMatchObject({ iss: "robot", sub: "robot" });
        expect((payload.exp ?? Infinity) - (payload.iat ?? 0)).toBeLessThanOrEqual(300);
        expect(protectedHeader).toMatchObject({ alg: "ES256", kid: "k1" });
        seen.add(payload.jti);
      }
      expect(seen.size).toBe(2);
    },
  );

  test("a program authenticates only where it is registered, so that a server cannot redirect its secret", async () => {
    const [rig, other] = [await startRig(taking("client_secret_basic")), await startRig()];
    rig.secrets.add("hush-hush");
    const error = await failureOf(rig, createRigClient(rig, { grant: secretOf(other) }));
    expect(error.code).toBe("no-client");
    expect(rig.paths("as")).not.toContain("/token");
  });

  test("a program gets an error when it is not authorized, once", async () => {
    const rig = await startRig({
      ...taking("client_secret_basic"),
      token: () => ({ status: 401, headers: { "WWW-Authenticate": "Basic" }, body: { error: "invalid_client" } }),
    });
    rig.secrets.add("hush-hush");
    const client = createRigClient(rig, { grant: secretOf(rig) });
    expect(await failureOf(rig, client)).toMatchObject({ code: "token-refused", reason: "invalid_client" });
    await failureOf(rig, client);
    expect(rig.forms("client_credentials")).toHaveLength(1);
  });

  test.each([
    "-----BEGIN PRIVATE KEY-----\nSECRETKEY\n-----END PRIVATE KEY-----",
    "",
    { kty: "oct", k: "U0VDUkVUS0VZ" },
  ] as const)("a program gets an error for an invalid private key, without the key (%#)", async (source) => {
    const error: unknown = await importSigningKey(source, "ES256").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "configuration" });
    expect(String(error)).not.toContain("SECRETKEY");
  });

  test.each(["none", "HS256", "RS1"])("a program is not authenticated by %s", async (algorithm) => {
    await expect(importSigningKey({ kty: "EC" }, algorithm)).rejects.toMatchObject({ code: "configuration" });
    await expect(createDpopKey(algorithm)).rejects.toMatchObject({ code: "configuration" });
  });
});

describe("a grant of an enterprise", () => {
  const grantOf = (rig: Rig, idp: Rig, more: Partial<EnterpriseOptions> = {}): Grant =>
    enterpriseManaged({
      identityProvider: {
        issuer: idp.issuer,
        tokenEndpoint: `${idp.issuer}/token`,
        clientId: "at-idp",
        clientSecret: "idp-secret",
      },
      identity: () => ({ token: "identity-of-the-user" }),
      registered: [{ issuer: rig.issuer, clientId: "at-as", clientSecret: "as-secret" }],
      ...more,
    });
  const vouching: Script = {
    token: () => ({
      body: { access_token: "word-of-the-idp", token_type: "N_A", issued_token_type: idJag, expires_in: 60 },
    }),
  };

  test("an identity provider asserts the user to the authorization server (AX-E1, AX-E2)", async () => {
    const [rig, idp] = [
      await startRig({ ...taking("client_secret_basic"), challenge: () => 'Bearer scope="read"' }),
      await startRig(vouching),
    ];
    expect(await createRigClient(rig, { grant: grantOf(rig, idp) }).call()).toBe(200);
    const [exchange] = idp.forms(tokenExchange);
    expect(Object.fromEntries(exchange ?? [])).toEqual({
      grant_type: tokenExchange,
      requested_token_type: idJag,
      audience: rig.issuer,
      resource: rig.url,
      scope: "read",
      subject_token: "identity-of-the-user",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    });
    expect(idp.find("/token").headers.authorization).toBe(
      `Basic ${Buffer.from("at-idp:idp-secret").toString("base64")}`,
    );
    const [assertion] = rig.forms(jwtBearer);
    expect(assertion?.get("assertion")).toBe("word-of-the-idp");
    expect(rig.find("/token").headers.authorization).toBe(`Basic ${Buffer.from("at-as:as-secret").toString("base64")}`);
    expect(JSON.stringify(rig.seen.map(({ body }) => body))).not.toContain("identity-of-the-user");
  });

  test("an enterprise grant is not requested where the authorization server does not list it (AX-E4)", async () => {
    const lists = (profiles: readonly string[]): Script => ({
      serverMetadata: (metadata) => ({
        ...metadata,
        authorization_grant_profiles_supported: profiles,
        token_endpoint_auth_methods_supported: ["client_secret_basic"],
      }),
    });
    const [rig, able, idp] = [
      await startRig(lists(["other"])),
      await startRig(lists(["urn:ietf:params:oauth:grant-profile:id-jag"])),
      await startRig(vouching),
    ];
    expect(await failureOf(rig, createRigClient(rig, { grant: grantOf(rig, idp) }))).toMatchObject({
      code: "configuration",
    });
    expect(idp.seen).toEqual([]);
    expect(await createRigClient(able, { grant: grantOf(able, idp) }).call()).toBe(200);
  });

  test.each([
    ["its registration", true, "at-as"],
    ["its document, where it has no registration", false, "https://app.example/client"],
  ])("an enterprise grant names the client by %s", async (_name, isRegistered, clientId) => {
    const rig = await startRig({
      serverMetadata: (metadata) => ({
        ...metadata,
        token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
        client_id_metadata_document_supported: true,
      }),
    });
    const idp = await startRig(vouching);
    const document = "https://app.example/client";
    const known = [{ issuer: rig.issuer, clientId: "at-as", clientSecret: "as-secret" }];
    const grant = grantOf(rig, idp, { document, registered: isRegistered ? known : [] });
    expect(await createRigClient(rig, { grant }).call()).toBe(200);
    expect(rig.forms(jwtBearer).map((form) => form.get("client_id"))).toEqual([clientId]);
  });

  test("an enterprise grant without a registration needs an authorization server that reads documents", async () => {
    const [rig, idp] = [await startRig(), await startRig(vouching)];
    const grant = grantOf(rig, idp, { document: "https://app.example/client", registered: [] });
    expect(await failureOf(rig, createRigClient(rig, { grant }))).toMatchObject({ code: "no-client" });
    expect(idp.seen).toEqual([]);
    expect(() => grantOf(rig, idp, { document: "http://app.example/client" })).toThrow(/document URL is not valid/);
  });

  test.each([
    ["an access token instead", { access_token: "x", token_type: "Bearer", issued_token_type: idJag }, "token-answer"],
    [
      "another kind of token",
      { access_token: "x", token_type: "N_A", issued_token_type: "urn:ietf:params:oauth:token-type:jwt" },
      "token-answer",
    ],
    ["a refusal", undefined, "token-refused"],
  ])("an enterprise grant is not requested when the identity provider gives %s (AX-E1)", async (_name, body, code) => {
    const idp = await startRig({
      token: () => (body ? { body } : { status: 400, body: { error: "access_denied" } }),
    });
    const rig = await startRig(taking("client_secret_basic"));
    rig.secrets.add("identity-of-the-user").add("idp-secret").add("as-secret");
    expect(await failureOf(rig, createRigClient(rig, { grant: grantOf(rig, idp) }))).toMatchObject({ code });
    expect(rig.paths("as")).not.toContain("/token");
  });
});

describe("the identity of a workload", () => {
  test("a workload authenticates to the authorization server of the resource (AX-W1)", async () => {
    const rig = await startRig();
    const requested: unknown[] = [];
    const assertion = (audience: unknown): string => {
      requested.push(audience);
      return "platform-token";
    };
    expect(await createRigClient(rig, { grant: workloadIdentity({ issuers: [rig.issuer], assertion }) }).call()).toBe(
      200,
    );
    expect(Object.fromEntries(rig.forms(jwtBearer)[0] ?? [])).toEqual({
      grant_type: jwtBearer,
      assertion: "platform-token",
      resource: rig.url,
    });
    expect(requested).toEqual([{ issuer: rig.issuer, tokenEndpoint: `${rig.issuer}/token`, resource: rig.url }]);
  });

  test.each([
    ["another issuer", (issuer: string) => [`${issuer}/other`]],
    ["the same issuer in another spelling", (issuer: string) => [`${issuer}/`, issuer.replace("http", "HTTP")]],
  ])("a workload does not authenticate to a server that was not given: %s is not used", async (_name, toIssuers) => {
    const rig = await startRig();
    let requests = 0;
    const assertion = (): string => {
      requests += 1;
      return "platform-token";
    };
    const grant = workloadIdentity({ issuers: toIssuers(rig.issuer), assertion });
    rig.secrets.add("platform-token");
    expect(await failureOf(rig, createRigClient(rig, { grant }))).toMatchObject({ code: "no-client" });
    expect(rig.paths("as")).not.toContain("/token");
    expect(requests).toBe(0);
  });

  test("a workload without an issuer is an error at once", () => {
    const untyped: { readonly assertion: () => string } & Partial<WorkloadIdentityOptions> = { assertion: () => "x" };
    expect(() => workloadIdentity({ issuers: [], ...untyped })).toThrow(/workloadIdentity has no issuers/);
  });

  test("a workload authenticates to the known authorization server, where a server names several", async () => {
    const rig = await startRig({
      resourceMetadata: (document, { issuer }) => ({
        ...document,
        authorization_servers: ["https://evil.example", issuer],
      }),
    });
    const grant = workloadIdentity({ issuers: [rig.issuer], assertion: () => "platform-token" });
    expect(await createRigClient(rig, { grant }).call()).toBe(200);
  });

  test.each(["invalid_grant", "invalid_scope", "unauthorized_client"])(
    "a workload gets the error %s, without another attempt (AX-W2)",
    async (error) => {
      const rig = await startRig({ token: () => ({ status: 400, body: { error } }) });
      const client = createRigClient(rig, {
        grant: workloadIdentity({ issuers: [rig.issuer], assertion: () => "platform-token", clientId: "pod" }),
      });
      expect(await failureOf(rig, client)).toMatchObject({ code: "token-refused", reason: error });
      expect(await failureOf(rig, client)).toMatchObject({ code: "token-refused", reason: error });
      expect(rig.paths("as").filter((path) => path === "/token")).toHaveLength(1);
      expect(rig.find("/token").form.get("client_id")).toBe("pod");
    },
  );
});

describe("key-bound tokens", () => {
  const bound: Script = {
    token: (body) => ({ body: { ...body, token_type: "DPoP" } }),
    challenge: () => 'DPoP algs="ES256"',
  };
  const proofOf = async (
    seen: Seen | undefined,
  ): Promise<{ readonly claims: Record<string, unknown>; readonly key: string }> => {
    const proof = String(seen?.headers.dpop);
    const { jwk, typ } = decodeProtectedHeader(proof);
    if (!isObject(jwk)) throw new Error("no key in the proof");
    const key: JWK = jwk;
    const { payload } = await jwtVerify(proof, key, { algorithms: ["ES256"] });
    expect(typ).toBe("dpop+jwt");
    expect(key).not.toHaveProperty("d");
    return { claims: payload, key: await calculateJwkThumbprint(key) };
  };

  test("key-bound tokens are proven at each request, at both servers (AX-D1, AX-D2, AX-D5)", async () => {
    const rig = await startRig(bound);
    const client = createRigClient(rig, { dpop: true });
    expect(await client.call(`${rig.url}?a=1`)).toBe(200);
    expect(await client.call()).toBe(200);
    const atToken = await proofOf(rig.find("/token"));
    expect(atToken.claims).toMatchObject({ htm: "POST", htu: `${rig.issuer}/token` });
    expect(rig.find("/authorize").query.get("dpop_jkt")).toBe(atToken.key);
    const requests = rig.seen.filter(({ path, headers }) => path === "/mcp" && headers.authorization !== undefined);
    const ids = new Set<unknown>([atToken.claims.jti]);
    for (const request of requests) {
      const [scheme, token = ""] = request.headers.authorization?.split(" ") ?? [];
      const { claims, key } = await proofOf(request);
      expect(scheme).toBe("DPoP");
      expect(key).toBe(atToken.key);
      expect(claims).toMatchObject({
        htm: "POST",
        htu: rig.url,
        ath: createHash("sha256").update(token).digest("base64url"),
      });
      ids.add(claims.jti);
    }
    expect(ids.size).toBe(3);
  });

  test("key-bound tokens use the nonces that the servers require, with one repetition for each (AX-D3)", async () => {
    const rig = await startRig({
      ...bound,
      first: async (seen) => {
        const isOurs = seen.path === "/token" || (seen.path === "/mcp" && seen.headers.authorization !== undefined);
        if (!isOurs || (await proofOf(seen)).claims.nonce === `nonce of ${seen.where}`.replaceAll(" ", "-"))
          return undefined;
        const headers = { "DPoP-Nonce": `nonce-of-${seen.where}` };
        return seen.where === "as"
          ? { status: 400, headers, body: { error: "use_dpop_nonce" } }
          : { status: 401, headers: { ...headers, "WWW-Authenticate": 'DPoP error="use_dpop_nonce"' } };
      },
    });
    const client = createRigClient(rig, { dpop: true });
    expect(await Promise.all([client.call(), client.call()])).toEqual([200, 200]);
    expect(await client.call()).toBe(200);
    expect(rig.paths("as").filter((path) => path === "/token")).toHaveLength(2);
    const [first, second] = rig.seen.filter(({ path }) => path === "/token");
    expect((await proofOf(first)).claims.jti).not.toBe((await proofOf(second)).claims.jti);
  });

  test("key-bound tokens are required: a bearer token is rejected, since it could be stolen (AX-D1)", async () => {
    const rig = await startRig({ challenge: () => "DPoP" });
    expect(await failureOf(rig, createRigClient(rig, { dpop: true }))).toMatchObject({ code: "token-answer" });
    const plain = await startRig({ token: (body) => ({ body: { ...body, token_type: "DPoP" } }) });
    expect(await failureOf(plain, createRigClient(plain))).toMatchObject({ code: "token-answer" });
  });

  test("key-bound tokens use an algorithm that the authorization server supports (AX-D5)", async () => {
    const rig = await startRig({
      ...bound,
      serverMetadata: (metadata) => ({ ...metadata, dpop_signing_alg_values_supported: ["PS256"] }),
    });
    expect(await failureOf(rig, createRigClient(rig, { dpop: true }))).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(/does not support DPoP proofs with ES256; use PS256$/),
    });
    expect(await createRigClient(rig, { dpop: await createDpopKey("PS256") }).call()).toBe(200);
  });

  test("key-bound tokens have a key that cannot be exported (AX-D6)", async () => {
    const { privateKey } = await createDpopKey();
    expect(privateKey.extractable).toBe(false);
    await expect(crypto.subtle.exportKey("pkcs8", privateKey)).rejects.toThrow();
  });
});
