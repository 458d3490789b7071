import { generateKeyPair, exportSPKI, exportJWK, type CryptoKey } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, initialize } from "../../../kit/http-exchange.ts";
import { initialized } from "../../../kit/messages.ts";
import {
  requestToken,
  callAs,
  createProver,
  sign,
  startProtectedServer,
  type HttpResponse,
  type ProtectedServer,
  type Prover,
  type Sent,
} from "./protected-server.ts";

let protectedServer: ProtectedServer;
let prover: Prover;
let stranger: CryptoKey;
let publicPem: Uint8Array;

beforeAll(async () => {
  protectedServer = await startProtectedServer();
  prover = await createProver(protectedServer.resource);
  stranger = (await generateKeyPair("RS256")).privateKey;
  const own = await generateKeyPair("RS256", { extractable: true });
  publicPem = new TextEncoder().encode(await exportSPKI(own.publicKey));
});
afterAll(() => protectedServer.close());
beforeEach(() => {
  protectedServer.log.length = 0;
  protectedServer.denied.length = 0;
  protectedServer.seen.length = 0;
  protectedServer.requested.length = 0;
});

const now = (): number => Math.floor(Date.now() / 1_000);
const bearer = (token: string): Sent => ({ authorization: `Bearer ${token}` });
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const bound = (): Promise<string> => sign(protectedServer, { claims: { cnf: { jkt: prover.thumbprint } } });

interface Attack {
  readonly name: string;
  readonly make: () => Promise<Sent> | Sent;
  readonly status: number;
  /** Content of `WWW-Authenticate`. */
  readonly challenge: RegExp;
  /** Reason of the rejection in the log: this flaw and no other. */
  readonly reason: RegExp;
}

const invalid =
  /^Bearer error="invalid_token", .*scope="mcp", resource_metadata="http:\/\/127\.0\.0\.1:\d+\/\.well-known\/oauth-protected-resource\/mcp"$/;
const asks =
  /^Bearer scope="mcp", resource_metadata="[^"]+", DPoP scope="mcp", algs="[^"]+", resource_metadata="[^"]+"$/;
const malformed = /^Bearer error="invalid_request"/;
const badProof = /^DPoP error="invalid_dpop_proof", .*algs="ES256 /;
const unproven = /^DPoP error="invalid_token"/;

/** A token of the right authority in which only this is wrong. */
const claims = (name: string, reason: RegExp, change: () => Record<string, unknown>, challenge = invalid): Attack => ({
  name,
  make: async () => bearer(await sign(protectedServer, { claims: change() })),
  status: 401,
  challenge,
  reason,
});

const signed = (
  name: string,
  reason: RegExp,
  header: Record<string, unknown>,
  key?: () => CryptoKey | Uint8Array,
): Attack => ({
  name,
  make: async () => bearer(await sign(protectedServer, { header, ...(key && { key: key() }) })),
  status: 401,
  challenge: invalid,
  reason,
});

const raw = (name: string, reason: RegExp, token: string, status = 401): Attack => ({
  name,
  make: () => bearer(token),
  status,
  challenge: status === 400 ? malformed : invalid,
  reason,
});

const proof = (name: string, reason: RegExp, make: () => Promise<Sent>, challenge = badProof): Attack => ({
  name,
  make,
  status: 401,
  challenge,
  reason,
});

const proven = async (changes: Parameters<Prover["prove"]>[0] = {}): Promise<Sent> => {
  const token = await bound();
  return { authorization: `DPoP ${token}`, dpop: await prover.prove({ token, ...changes }) };
};

/** Signs tokens that the library would reject: any header over the claims of a good token. */
async function signText(header: object): Promise<string> {
  const [, payload = ""] = (await sign(protectedServer)).split(".");
  const text = `${part(header)}.${payload}`;
  const bytes = await crypto.subtle.sign(
    "RSASSA-PKCS1-v1_5",
    protectedServer.authority.signingKey,
    new TextEncoder().encode(text),
  );
  return `${text}.${Buffer.from(bytes).toString("base64url")}`;
}

const attacks: readonly Attack[] = [
  { name: "no token (AR-10)", make: () => ({}), status: 401, challenge: asks, reason: /is required/ },
  {
    name: "a scheme that is not served",
    make: () => ({ authorization: `Basic ${btoa("a:b")}` }),
    status: 401,
    challenge: asks,
    reason: /is required/,
  },
  {
    name: "a scheme that contains the name of one that is served",
    make: () => ({ authorization: "X-Bearer dpop" }),
    status: 401,
    challenge: asks,
    reason: /is required/,
  },
  {
    name: "a token in the URL (AC-27)",
    make: async () => ({ path: `/mcp?access_token=${await sign(protectedServer)}` }),
    status: 400,
    challenge: malformed,
    reason: /not be in the URL/,
  },
  {
    name: "a token in the URL and in the header",
    make: async () => ({
      ...bearer(await sign(protectedServer)),
      path: `/mcp?access_token=${await sign(protectedServer)}`,
    }),
    status: 400,
    challenge: malformed,
    reason: /not be in the URL/,
  },
  {
    name: "two Authorization headers, the good one first",
    make: async () => ({ authorization: [`Bearer ${await sign(protectedServer)}`, "Bearer second"] }),
    status: 400,
    challenge: malformed,
    reason: /Authorization header must be sent once/,
  },
  {
    name: "two Authorization headers, the good one last",
    make: async () => ({ authorization: ["Bearer first", `Bearer ${await sign(protectedServer)}`] }),
    status: 400,
    challenge: malformed,
    reason: /Authorization header must be sent once/,
  },
  {
    name: "two tokens in one header",
    make: async () => ({
      authorization: `Bearer ${await sign(protectedServer)}, Bearer ${await sign(protectedServer)}`,
    }),
    status: 400,
    challenge: malformed,
    reason: /has no token/,
  },
  raw("an empty token", /has no token/, "", 400),
  raw("a token with blanks", /has no token/, "a b c", 400),
  raw("a token that is no base64", /has no token/, "a!b.c$d.e", 400),
  raw("a token that is no JSON web token", /is not a JSON Web Token/, "opaque-canary-token-1234567890"),
  raw("a token of two parts", /is not a JSON Web Token/, "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0"),
  raw("a token whose parts are no JSON", /is not a JSON Web Token/, "AAAA.BBBB.CCCC"),
  raw("a token of null", /is not a JSON Web Token/, "bnVsbA.bnVsbA.bnVsbA"),
  raw("a huge token", /too long/, "a".repeat(9_000)),
  raw(
    "a token made of five parts, as if it were encrypted",
    /is not a JSON Web Token/,
    "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..a.b.c",
  ),
  claims("another issuer", /another issuer/, () => ({ iss: "https://evil.example" })),
  claims("the issuer with a slash at its end", /another issuer/, () => ({ iss: `${protectedServer.issuer}/` })),
  claims("the issuer in capitals", /another issuer/, () => ({ iss: protectedServer.issuer.toUpperCase() })),
  claims("a list of issuers", /another issuer/, () => ({ iss: [protectedServer.issuer] })),
  claims("no issuer", /another issuer/, () => ({ iss: undefined })),
  claims("another audience (AR-05)", /for another resource/, () => ({ aud: "https://other.example/mcp" })),
  claims("the audience with a slash at its end", /for another resource/, () => ({
    aud: `${protectedServer.resource}/`,
  })),
  claims("a part of the resource as audience", /for another resource/, () => ({
    aud: new URL(protectedServer.resource).origin,
  })),
  claims("the client as audience, as in an ID token", /for another resource/, () => ({ aud: "app" })),
  claims("no audience", /for another resource/, () => ({ aud: undefined })),
  claims("an empty list of audiences", /for another resource/, () => ({ aud: [] })),
  claims("expired", /has expired/, () => ({ exp: now() - 61 })),
  claims("expired for years", /has expired/, () => ({ exp: 1 })),
  claims("without an end", /has expired/, () => ({ exp: undefined })),
  claims("an end that is no number", /is not valid/, () => ({ exp: "9999999999" })),
  claims("not valid yet (nbf)", /not valid yet/, () => ({ nbf: now() + 120 })),
  claims("issued in the future (iat)", /issued in the future/, () => ({ iat: now() + 120 })),
  claims("for nobody", /has no subject/, () => ({ sub: undefined, client_id: undefined })),
  claims("for an empty name", /has no subject/, () => ({ sub: "", client_id: "" })),
  claims(
    "bound to a key, shown as if it were not (downgrade)",
    /send a DPoP proof/,
    () => ({ cnf: { jkt: prover.thumbprint } }),
    unproven,
  ),
  claims("bound to a certificate that the client does not have", /another certificate/, () => ({
    cnf: { "x5t#S256": "A".repeat(43) },
  })),
  claims("bound in a way that nobody here knows", /is not supported/, () => ({ cnf: { kid: "x" } })),
  claims("bound to nothing", /is not supported/, () => ({ cnf: {} })),
  signed("another type of token: a proof", /has another type/, { typ: "dpop+jwt" }),
  signed("another type of token: logout", /has another type/, { typ: "logout+jwt" }),
  signed("another type of token: a grant", /has another type/, { typ: "oauth-id-jag+jwt" }),
  signed("signed by a stranger", /is not valid/, {}, () => stranger),
  signed(
    "signed by a stranger who brings his key along",
    /is not valid/,
    { jwk: { kty: "RSA", n: "AQAB", e: "AQAB" } },
    () => stranger,
  ),
  signed(
    "signed by a stranger who says where his key is",
    /is not valid/,
    { jku: "http://127.0.0.1:1/jwks" },
    () => stranger,
  ),
  signed("a key that nobody knows", /unknown key/, { kid: "unknown" }),
  signed("a key that is a path", /unknown key/, { kid: "../../etc/passwd" }),
  signed(
    "the public key as a shared secret (HS/RS confusion)",
    /signature algorithm of the access token is not accepted|unknown key/,
    { alg: "HS256" },
    () => publicPem,
  ),
  {
    name: "no signature (alg none)",
    make: async () => {
      const [, payload = ""] = (await sign(protectedServer)).split(".");
      return bearer(`${part({ alg: "none", typ: "at+jwt", kid: "development" })}.${payload}.`);
    },
    status: 401,
    challenge: invalid,
    reason: /signature algorithm of the access token is not accepted/,
  },
  {
    name: "a signature taken away",
    make: async () => bearer((await sign(protectedServer)).replace(/[^.]*$/, "")),
    status: 401,
    challenge: invalid,
    reason: /is not valid/,
  },
  {
    name: "claims exchanged under a signature",
    make: async () => {
      const [head = "", payload = "", signature = ""] = (await sign(protectedServer)).split(".");
      const told: Record<string, unknown> = JSON.parse(Buffer.from(payload, "base64url").toString());
      return bearer(`${head}.${part({ ...told, sub: "root" })}.${signature}`);
    },
    status: 401,
    challenge: invalid,
    reason: /is not valid/,
  },
  {
    name: "an extension that must be understood (crit)",
    make: async () =>
      bearer(await signText({ alg: "RS256", kid: "development", typ: "at+jwt", crit: ["new"], new: 1 })),
    status: 401,
    challenge: invalid,
    reason: /is not valid/,
  },
  {
    name: "a payload that is not encoded (b64)",
    make: async () =>
      bearer(await signText({ alg: "RS256", kid: "development", typ: "at+jwt", crit: ["b64"], b64: false })),
    status: 401,
    challenge: invalid,
    reason: /is not valid/,
  },
  {
    name: "a token for another server, of the same authority",
    make: async () =>
      bearer((await requestToken(protectedServer, { resource: "https://other.example/mcp" })).access_token),
    status: 401,
    challenge: invalid,
    reason: /for another resource/,
  },
  {
    name: "a token that lacks the scope of the server (AR-06)",
    make: async () => bearer(await sign(protectedServer, { claims: { scope: "files:read" } })),
    status: 403,
    challenge: /^Bearer error="insufficient_scope", scope="mcp", resource_metadata="/,
    reason: /required: mcp/,
  },
  {
    name: "a token that only has a scope of a longer name",
    make: async () => bearer(await sign(protectedServer, { claims: { scope: "mcp:all xmcp" } })),
    status: 403,
    challenge: /insufficient_scope/,
    reason: /required: mcp/,
  },
  proof("DPoP: a token without a proof", /DPoP header must be sent once/, async () => ({
    authorization: `DPoP ${await bound()}`,
  })),
  proof("DPoP: two proofs", /DPoP header must be sent once/, async () => {
    const token = await bound();
    return { authorization: `DPoP ${token}`, dpop: [await prover.prove({ token }), await prover.prove({ token })] };
  }),
  proof("DPoP: a proof that is none", /not signed with its own key/, async () => ({
    authorization: `DPoP ${await bound()}`,
    dpop: "x.y.z",
  })),
  proof("DPoP: for another method (htm)", /another method/, () => proven({ claims: { htm: "GET" } })),
  proof("DPoP: for another URI (htu)", /another URI/, () => proven({ claims: { htu: "https://other.example/mcp" } })),
  proof("DPoP: for another path of this server (htu)", /another URI/, () =>
    proven({ claims: { htu: `${protectedServer.resource}/x` } }),
  ),
  proof("DPoP: for no URI (htu)", /another URI/, () => proven({ claims: { htu: undefined } })),
  proof("DPoP: for another token (ath)", /another access token/, () => proven({ token: "another" })),
  proof("DPoP: for no token (ath)", /another access token/, () => proven({ claims: { ath: undefined } })),
  proof("DPoP: too old (iat)", /expired or issued in the future/, () => proven({ claims: { iat: now() - 301 } })),
  proof("DPoP: of the future (iat)", /expired or issued in the future/, () => proven({ claims: { iat: now() + 310 } })),
  proof("DPoP: without a time (iat)", /expired or issued in the future/, () => proven({ claims: { iat: undefined } })),
  proof("DPoP: without an identifier (jti)", /requires an identifier|not signed/, () =>
    proven({ claims: { jti: undefined } }),
  ),
  proof("DPoP: with an endless identifier (jti)", /requires an identifier|not signed/, () =>
    proven({ claims: { jti: "x".repeat(5_000) } }),
  ),
  proof("DPoP: of another type", /not signed with its own key/, () => proven({ header: { typ: "JWT" } })),
  proof("DPoP: signed by another key than it carries", /not signed with its own key/, () =>
    proven({ key: stranger, header: { alg: "RS256" } }),
  ),
  proof("DPoP: signed with a shared secret (AX-D5)", /not signed with its own key/, () =>
    proven({ key: new Uint8Array(32), header: { alg: "HS256" } }),
  ),
  proof("DPoP: a key that is none", /not signed with its own key/, () =>
    proven({ header: { jwk: { kty: "EC", crv: "P-256", x: "AA", y: "AA" } } }),
  ),
  proof("DPoP: the private key is shown", /not signed with its own key/, async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    return proven({ key: privateKey, header: { jwk: await exportJWK(privateKey) } });
  }),
  proof("DPoP: the wrong key, rightly used", /another key$/, async () => {
    const token = await bound();
    const thief = await createProver(protectedServer.resource);
    return { authorization: `DPoP ${token}`, dpop: await thief.prove({ token }) };
  }),
  proof(
    "DPoP: a token that is bound to no key",
    /not bound to a key/,
    async () => {
      const token = await sign(protectedServer);
      return { authorization: `DPoP ${token}`, dpop: await prover.prove({ token }) };
    },
    unproven,
  ),
];

describe("rejected credentials", () => {
  it("rejected credentials are of many kinds", () => {
    expect(attacks.length).toBeGreaterThan(70);
  });

  it.each(attacks)("$name: the status is $status (AR-04, AX-D4)", async ({ make, status, challenge, reason }) => {
    const headers = await make();
    const response = await protectedServer.send(initialize("2025-11-25"), headers);
    expect(`${response.status} ${response.headers["www-authenticate"]}`).toMatch(new RegExp(`^${status} `));
    expect(response.headers["www-authenticate"]).toMatch(challenge);
    expect(response.headers["mcp-session-id"]).toBeUndefined();
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(JSON.parse(response.text)).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    expect(protectedServer.denied).toMatchObject([
      { status, method: "POST", path: "/mcp", reason: expect.stringMatching(reason) },
    ]);
    expectNoLeak(response, headers);
  });
});

/** No secret of a request is in what was logged or sent back: neither whole, nor the part that makes it valid. */
function expectNoLeak(response: HttpResponse, headers: Sent): void {
  const secrets = [headers.authorization, headers.dpop, headers.path]
    .flat()
    .flatMap((value) => (value === undefined ? [] : value.split(/[\s,.=]+/)))
    .filter((piece) => piece.length >= 20);
  const told = [...protectedServer.log, response.text, JSON.stringify(response.headers)].join("\n");
  for (const secret of secrets) expect(told).not.toContain(secret);
}

describe("a proof of possession", () => {
  it("a proof is valid once: its second use is rejected (replay)", async () => {
    const headers = await proven();
    expect((await protectedServer.send(initialize("2025-11-25"), headers)).status).toBe(200);
    const again = await protectedServer.send(initialize("2025-11-25"), headers);
    expect(again.status).toBe(401);
    expect(again.headers["www-authenticate"]).toMatch(
      /^DPoP error="invalid_dpop_proof", error_description="The DPoP proof was already used"/,
    );
  });

  it("a proof may have a query and a fragment in its URI, and another spelling of it", async () => {
    const { port } = new URL(protectedServer.resource);
    for (const htu of [`${protectedServer.resource}?x=1#y`, `HTTP://127.0.0.1:${port}/./mcp`]) {
      expect((await protectedServer.send(initialize("2025-11-25"), await proven({ claims: { htu } }))).status).toBe(
        200,
      );
    }
  });
});

describe("sessions, tools and resources of another user", () => {
  const as = async (sub: string, scope = "mcp"): Promise<Sent> =>
    bearer(await sign(protectedServer, { claims: { sub, scope } }));

  it.each(["POST", "GET", "DELETE"])("a session rejects %s of another user with 404 (R38)", async (method) => {
    const opened = await protectedServer.send(initialize("2025-11-25"), await as("alice"));
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    await protectedServer.send(initialized, { ...(await as("alice")), ...session });
    const headers = { ...(await as("bob")), ...session, accept: "application/json, text/event-stream" };
    const stolen =
      method === "POST"
        ? await protectedServer.send(call(1, "who"), headers)
        : await protectedServer.request(method, "/mcp", headers);
    expect(stolen.status).toBe(404);
    expect(protectedServer.seen).toEqual([]);
    expect((await protectedServer.send(call(2, "who"), { ...(await as("alice")), ...session })).status).toBe(200);
  });

  it("a session belongs to a user, whatever token the user sends", async () => {
    const opened = await protectedServer.send(initialize("2025-11-25"), await as("alice"));
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    await protectedServer.send(initialized, { ...(await as("alice")), ...session });
    expect((await protectedServer.send(call(1, "who"), { ...(await as("alice")), ...session })).status).toBe(200);
  });

  it("a user of the same name at another issuer is another user", async () => {
    const two = await startProtectedServer({
      issuer: [protectedServer.issuer, "http://localhost:1"],
      jwt: { keys: { "http://localhost:1": await keysOf(protectedServer) } },
    });
    const here = await sign(two, {
      claims: { iss: protectedServer.issuer },
      key: protectedServer.authority.signingKey,
    });
    const there = await sign(two, { claims: { iss: "http://localhost:1" }, key: protectedServer.authority.signingKey });
    const opened = await two.send(initialize("2025-11-25"), bearer(here));
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    expect(opened.status).toBe(200);
    expect((await two.send(initialized, { ...bearer(there), ...session })).status).toBe(404);
    await two.close();
  });

  it("a tool and a resource reject a token without their scope, with all required scopes (AR-06)", async () => {
    const headers = await as("alice");
    const opened = await protectedServer.send(initialize("2025-11-25"), headers);
    const session = { ...headers, "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    await protectedServer.send(initialized, session);
    const read = { jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri: "files://one" } };
    for (const [body, scope] of [
      [call(1, "write"), "files:write"],
      [read, "files:read"],
    ] as const) {
      const rejected = await protectedServer.send(body, session);
      expect(rejected.status).toBe(403);
      expect(rejected.headers["www-authenticate"]).toMatch(
        new RegExp(`^Bearer error="insufficient_scope", scope="mcp ${scope}", resource_metadata="http`),
      );
      expectNoLeak(rejected, headers);
    }
    expect(protectedServer.denied).toMatchObject([
      { status: 403, principal: `${protectedServer.issuer} sub:alice` },
      { status: 403 },
    ]);
  });

  it("a scope that includes others counts as all of them (AR-07)", async () => {
    const response = await callAs(protectedServer, await as("alice", "mcp admin"), "write");
    expect(response.text).toContain("written");
  });
});

async function keysOf({ issuer }: ProtectedServer): Promise<string> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri: url }: { jwks_uri: string } = JSON.parse(await response.text());
  return url;
}

describe("keys of issuers", () => {
  it("keys that do not exist are requested once, however many tokens name them (JWKS flood)", async () => {
    const fresh = await startProtectedServer();
    expect((await fresh.send(initialize("2025-11-25"), bearer(await sign(fresh)))).status).toBe(200);
    const before = fresh.requested.length;
    const flood = Array.from({ length: 50 }, async (_, index) =>
      fresh.send(initialize("2025-11-25"), bearer(await sign(fresh, { header: { kid: `k${index}` } }))),
    );
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
    expect(fresh.requested.length - before).toBe(0);
    await fresh.close();
  });

  it("keys of issuers that are not trusted are not requested", async () => {
    await protectedServer.send(
      initialize("2025-11-25"),
      bearer(await sign(protectedServer, { claims: { iss: "http://127.0.0.1:9" } })),
    );
    expect(protectedServer.requested).toEqual([]);
  });
});
