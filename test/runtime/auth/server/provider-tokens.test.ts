import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { verifyJwt } from "../../../../runtime/adapters/jose.ts";
import {
  readTokenInfo,
  requireBearerToken,
  type AudienceSubstitute,
  type TokenOptions,
} from "../../../../runtime/auth/server/index.ts";
import { serveRaw, type RawServer } from "../../../kit/raw-server.ts";
import { initialize } from "../../../kit/http-exchange.ts";
import {
  callAs,
  sign,
  startProtectedServer,
  type ProtectedServer,
  type ProtectedServerOptions,
} from "./protected-server.ts";

/*
 * Access tokens in the forms of authorization servers that RFC 9068 does not cover: without `aud`, with scopes in other claims, and opaque ones.
 */

const hello = initialize("2025-11-25");

type Row = readonly [name: string, claims: Record<string, unknown>, status: number];

/** Cases of tokens that a server with these options accepts or rejects. */
function describeTokens(
  name: string,
  options: ProtectedServerOptions,
  rows: (protectedServer: () => ProtectedServer) => readonly Row[],
): void {
  describe(name, () => {
    let protectedServer: ProtectedServer;
    beforeAll(async () => {
      protectedServer = await startProtectedServer({ dpop: false, scopes: [], ...options });
    });
    afterAll(() => protectedServer.close());
    it.each(rows(() => protectedServer))("%s", async (_name, claims, status) => {
      const own = Object.entries(claims).map(([key, value]) => [
        key,
        value === "RESOURCE" ? protectedServer.resource : value,
      ]);
      const token = await sign(protectedServer, { claims: Object.fromEntries(own) });
      expect((await protectedServer.send(hello, { authorization: `Bearer ${token}` })).status).toBe(status);
    });
  });
}

describeTokens("tokens without aud, by default (R54)", {}, () => [
  ["a token without aud is rejected", { aud: undefined }, 401],
  ["a token with an empty aud is rejected", { aud: [] }, 401],
  ["a token with null as aud is rejected", { aud: null }, 401],
  ["a token of the right client without aud is rejected", { aud: undefined, client_id: "app" }, 401],
]);

describeTokens("tokens without aud of listed clients", { withoutAudience: { clients: ["notes-app"] } }, () => [
  ["a token of a listed client is accepted", { aud: undefined, client_id: "notes-app" }, 200],
  ["a token that names the client as azp is accepted", { aud: undefined, client_id: undefined, azp: "notes-app" }, 200],
  ["client_id counts, not azp", { aud: undefined, client_id: "other", azp: "notes-app" }, 401],
  ["a token of another client is rejected", { aud: undefined, client_id: "other" }, 401],
  ["a token of no client is rejected", { aud: undefined, client_id: undefined }, 401],
  ["a token of a listed client with another aud is rejected", { aud: "urn:other", client_id: "notes-app" }, 401],
  ["an ID token, whose aud is the client, is rejected", { aud: "notes-app", client_id: "notes-app" }, 401],
  ["a token with the right aud needs no listed client", { aud: "RESOURCE", client_id: "other" }, 200],
]);

const own = "https://mcp.example/mcp/read";

describeTokens("tokens without aud with a scope of this server", { withoutAudience: { scopes: [own] } }, () => [
  ["a token with the scope is accepted", { aud: undefined, scope: `openid ${own}` }, 200],
  ["a token without it is rejected", { aud: undefined, scope: "openid https://mcp.example/mcp/rea" }, 401],
  ["a token with a longer scope is rejected", { aud: undefined, scope: `${own}-all` }, 401],
  ["a token without scopes is rejected", { aud: undefined, scope: undefined }, 401],
]);

const both = { clients: ["notes-app"], scopes: [own] };

describeTokens("tokens without aud with both rules", { withoutAudience: both }, () => [
  ["a token that meets both is accepted", { aud: undefined, client_id: "notes-app", scope: own }, 200],
  ["a token of another client is rejected", { aud: undefined, client_id: "other", scope: own }, 401],
  ["a token without the scope is rejected", { aud: undefined, client_id: "notes-app", scope: "openid" }, 401],
]);

describeTokens("required claims", { requiredClaims: { token_use: "access", tid: "tenant" } }, () => [
  ["a token with all of them is accepted", { token_use: "access", tid: "tenant" }, 200],
  ["a token with another value is rejected", { token_use: "id", tid: "tenant" }, 401],
  ["a token without one is rejected", { token_use: "access" }, 401],
  ["a list with the value is rejected", { token_use: ["access"], tid: "tenant" }, 401],
]);

const read = { scopes: ["notes.read"], scopeClaims: ["scp", "roles"] };

describeTokens("scopes in other claims", read, () => [
  ["a token with the scope as text is accepted", { scope: undefined, scp: "openid notes.read" }, 200],
  ["a token with the scope as role of a program is accepted", { scope: undefined, roles: ["notes.read"] }, 200],
  ["a claim that is not named does not count", { scope: "notes.read", scp: "openid" }, 403],
  ["a claim with another type has no scopes", { scope: undefined, scp: { "notes.read": true } }, 403],
]);

it("challenges and metadata name scopes with the prefix, and tokens without it", async () => {
  const protectedServer = await startProtectedServer({
    dpop: false,
    scopes: ["notes.read"],
    scopePrefix: "api://notes/",
  });
  try {
    const none = await protectedServer.send(hello);
    expect(none.headers["www-authenticate"]).toContain('scope="api://notes/notes.read"');
    const missing = await protectedServer.send(hello, { authorization: `Bearer ${await sign(protectedServer)}` });
    expect(missing.status).toBe(403);
    expect(missing.headers["www-authenticate"]).toContain('scope="api://notes/notes.read"');
    const token = await sign(protectedServer, { claims: { scope: undefined, scp: "notes.read" } });
    const called = await callAs(protectedServer, { authorization: `Bearer ${token}` }, "write");
    expect(called.headers["www-authenticate"]).toContain('scope="api://notes/notes.read api://notes/files:write"');
    const metadata = await protectedServer.request("GET", "/.well-known/oauth-protected-resource/mcp");
    expect(JSON.parse(metadata.text)).toMatchObject({ scopes_supported: ["api://notes/notes.read"] });
  } finally {
    await protectedServer.close();
  }
});

const invalid: readonly (readonly [string, AudienceSubstitute, RegExp])[] = [
  ["no rule", {}, /withoutAudience has no rule/],
  ["no client", { clients: [] }, /withoutAudience.clients is empty/],
  ["no scope", { clients: ["app"], scopes: [] }, /withoutAudience.scopes is empty/],
  ["a scope that every server gets", { scopes: ["openid"] }, /openid is granted for any server/],
];

test.each(invalid)("a substitute for the audience with %s is rejected when it is set up", (_name, rule, message) => {
  const options: TokenOptions = {
    resource: "https://mcp.example/mcp",
    issuer: "https://login.example",
    verify: verifyJwt(),
    withoutAudience: rule,
  };
  expect(() => requireBearerToken(options)).toThrow(message);
});

describe("opaque tokens that a tokeninfo endpoint describes", () => {
  const later = String(Math.floor(Date.now() / 1_000) + 300);
  const good = { aud: "app-1", azp: "app-1", sub: "1234", scope: "openid", exp: later, expires_in: "300" };
  const responses: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
    good: [200, good],
    other: [200, { ...good, aud: "app-2", azp: "app-2" }],
    expired: [200, { ...good, exp: "1" }],
    timeless: [200, { ...good, exp: "soon" }],
    userless: [200, { ...good, sub: undefined }],
    down: [500, {}],
    list: [200, []],
  };
  const seen: (string | undefined)[] = [];
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(`${request.method} ${request.url}`);
    const [status, body] = responses[request.headers.authorization?.slice(7) ?? ""] ?? [
      400,
      { error: "invalid_token" },
    ];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  let google: RawServer;
  let protectedServer: ProtectedServer;
  beforeAll(async () => {
    google = await serveRaw(respond);
    const verify = readTokenInfo({ endpoint: `${google.origin}/tokeninfo` });
    protectedServer = await startProtectedServer({ dpop: false, scopes: ["openid"], audience: "app-1", verify });
  });
  afterAll(async () => {
    await protectedServer.close();
    await google.close();
  });

  it.each([
    ["good", 200],
    ["other", 401],
    ["expired", 401],
    ["timeless", 401],
    ["userless", 401],
    ["unknown", 401],
    ["down", 503],
    ["list", 503],
  ])("the token %s gets %i", async (token, status) => {
    expect((await protectedServer.send(hello, { authorization: `Bearer ${token}` })).status).toBe(status);
  });

  it("the token is not in the URL of the request", () => {
    expect(new Set(seen)).toEqual(new Set(["POST /tokeninfo"]));
  });

  it("a token is described for one issuer, and not where several are trusted", async () => {
    const verify = readTokenInfo({ fetch: async () => Response.json({ sub: "1234", exp: "5", email: null }) });
    const issuers = ["https://accounts.google.com", "https://login.example"] as const;
    expect(await verify("token", { issuers: [issuers[0]] })).toEqual({ sub: "1234", exp: 5, iss: issuers[0] });
    await expect(async () => verify("token", { issuers })).rejects.toThrow(/names no issuer; trust exactly one/);
  });
});
