import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { introspectTokens, requireBearerToken } from "../../../../runtime/auth/server/index.ts";
import { verifyJwt } from "../../../../runtime/adapters/jose.ts";
import { MemoryReplayStore } from "../../../../runtime/stores/index.ts";
import { initialize } from "../../../kit/http-exchange.ts";
import {
  requestToken,
  callAs,
  createProver,
  services,
  sign,
  startProtectedServer,
  type ProtectedServer,
  type Sent,
} from "./protected-server.ts";

let protectedServer: ProtectedServer;
beforeAll(async () => {
  protectedServer = await startProtectedServer();
});
afterAll(() => protectedServer.close());

const hello = initialize("2025-11-25");
const bearer = (token: string): Sent => ({ authorization: `Bearer ${token}` });

describe("a token of the authorization server (R54)", () => {
  it("a token is accepted; tools receive the principal, its scopes and claims, and not the token (AR-05, R55)", async () => {
    protectedServer.seen.length = 0;
    const { access_token: token } = await requestToken(protectedServer, { scope: "mcp files:read" });
    const response = await callAs(protectedServer, bearer(token));
    expect(response.status).toBe(200);
    expect(protectedServer.seen).toMatchObject([
      {
        principal: `${protectedServer.issuer} sub:robot`,
        scopes: ["mcp", "files:read"],
        claims: { iss: protectedServer.issuer, aud: protectedServer.resource, client_id: "robot" },
      },
    ]);
    expect(JSON.stringify(protectedServer.seen) + response.text).not.toContain(token.slice(-40));
  });

  it("a token bound to a key is accepted with a proof (AX-D4)", async () => {
    const prover = await createProver(protectedServer.resource);
    const form = await createProver(`${protectedServer.issuer}/token`);
    // The proof for the authorization server is of the same key.
    const given = await requestToken(
      protectedServer,
      {},
      { dpop: await proveAt(prover, `${protectedServer.issuer}/token`) },
    );
    expect(given.token_type).toBe("DPoP");
    const token = given.access_token;
    const proven = async (): Promise<Sent> => ({ authorization: `DPoP ${token}`, dpop: await prover.prove({ token }) });
    expect((await protectedServer.send(hello, await proven())).status).toBe(200);
    expect((await protectedServer.send(hello, bearer(token))).headers["www-authenticate"]).toMatch(
      /^DPoP error="invalid_token"/,
    );
    const stolen = {
      authorization: `DPoP ${token}`,
      dpop: await form.prove({ token, claims: { htu: protectedServer.resource } }),
    };
    expect((await protectedServer.send(hello, stolen)).status).toBe(401);
  });

  it("a token is verified once: no request is sent while it lasts, nor for another one of the same key", async () => {
    await protectedServer.send(hello, bearer(await sign(protectedServer)));
    protectedServer.requested.length = 0;
    const token = await sign(protectedServer);
    for (let count = 0; count < 20; count++)
      expect((await protectedServer.send(hello, bearer(token))).status).toBe(200);
    expect((await protectedServer.send(hello, bearer(await sign(protectedServer)))).status).toBe(200);
    expect(protectedServer.requested).toEqual([]);
  });

  it("a token expires on time, also when it was verified before", async () => {
    let time = Date.now();
    const timed = await startProtectedServer({ now: () => time, remember: 3_600_000 });
    const issued = Math.floor(time / 1_000);
    const token = await sign(timed, { claims: { iat: issued, exp: issued + 300 } });
    expect((await timed.send(hello, bearer(token))).status).toBe(200);
    time += 359_000;
    expect((await timed.send(hello, bearer(token))).status).toBe(200);
    time += 2_000;
    expect((await timed.send(hello, bearer(token))).status).toBe(401);
    await timed.close();
  });

  async function proveAt(prover: Awaited<ReturnType<typeof createProver>>, htu: string): Promise<string> {
    return prover.prove({ claims: { htu, ath: undefined } });
  }
});

describe("the metadata of the resource", () => {
  it.each(["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])(
    "the metadata of the resource is public at %s, for every origin (AR-01, AR-02, AR-03)",
    async (path) => {
      const result = await protectedServer.request("GET", path, { origin: "https://app.example" });
      expect(result.status).toBe(200);
      expect(result.headers["access-control-allow-origin"]).toBe("*");
      expect(result.headers["content-type"]).toBe("application/json");
      expect(JSON.parse(result.text)).toMatchObject({
        resource: protectedServer.resource,
        authorization_servers: [protectedServer.issuer],
        scopes_supported: ["mcp"],
        bearer_methods_supported: ["header"],
        dpop_bound_access_tokens_required: false,
      });
      expect((await protectedServer.request("OPTIONS", path)).status).toBe(204);
      expect((await protectedServer.request("POST", path)).status).toBe(405);
      expect((await protectedServer.request("GET", path, { host: "evil.example" })).status).toBe(403);
    },
  );

  it("the metadata of the resource is where the challenge says (AR-02)", async () => {
    const { headers } = await protectedServer.send(hello);
    const [, url = ""] = /resource_metadata="([^"]+)"/.exec(String(headers["www-authenticate"])) ?? [];
    const told: unknown = JSON.parse(await (await fetch(url)).text());
    expect(told).toHaveProperty("resource", protectedServer.resource);
  });

  it.each([
    [{ scopes: ["offline_access"] }, /offline_access/],
    [{ metadata: { scopes_supported: ["mcp", "offline_access"] } }, /offline_access/],
    [{ scopes: ['a"b'] }, /not a scope/],
    [{ resource: "http://mcp.example/mcp" }, /https/],
    [{ resource: "https://mcp.example/mcp#x" }, /fragment/],
    [{ issuer: "issuer" }, /https/],
    [{ issuer: [] }, /at least one/],
  ])("the option %j is rejected when the server starts (AR-08, AR-01)", (options, problem) => {
    const good = { resource: "https://mcp.example/mcp", issuer: "https://as.example", verify: verifyJwt() };
    expect(() => requireBearerToken({ ...good, ...options })).toThrow(problem);
  });

  it.each(["none", "HS256", "RSA-OAEP"])("the algorithm %s is rejected (AX-D5)", (algorithm) => {
    expect(() => verifyJwt({ algorithms: [algorithm] })).toThrow(/is not supported; use/);
  });
});

describe("nonces (AX-D3)", () => {
  it("nonces are required, accepted, changed in time, and then rejected", async () => {
    let time = Date.now();
    const asking = await startProtectedServer({
      now: () => time,
      dpop: { nonces: { lifetime: 60_000 }, required: true },
    });
    const prover = await createProver(asking.resource);
    const token = await sign(asking, { claims: { cnf: { jkt: prover.thumbprint } } });
    const show = async (nonce?: unknown) =>
      asking.send(hello, { authorization: `DPoP ${token}`, dpop: await prover.prove({ token, claims: { nonce } }) });
    const first = await show();
    expect(first.status).toBe(401);
    expect(first.headers["www-authenticate"]).toMatch(/^DPoP error="use_dpop_nonce"/);
    const nonce = first.headers["dpop-nonce"];
    const taken = await show(nonce);
    expect(taken.status).toBe(200);
    expect(taken.headers["dpop-nonce"]).toBeUndefined();
    time += 60_000;
    const rotated = await show(nonce);
    expect(rotated.status).toBe(200);
    expect(rotated.headers["dpop-nonce"]).not.toBe(nonce);
    time += 60_000;
    expect((await show(nonce)).status).toBe(401);
    expect((await show("invented")).status).toBe(401);
    expect((await asking.send(hello, bearer(await sign(asking)))).headers["www-authenticate"]).toMatch(
      /^DPoP error="invalid_token"/,
    );
    expect((await asking.send(hello)).headers["www-authenticate"]).toMatch(/^DPoP scope="mcp"/);
    await asking.close();
  });

  it("a principal that has filled its share of the store for proofs does not lock out others", async () => {
    const shared = await startProtectedServer({ dpop: { replays: new MemoryReplayStore({ maxKeys: 6 }) } });
    const showAs = async (sub: string): Promise<number> => {
      const prover = await createProver(shared.resource);
      const token = await sign(shared, { claims: { sub, cnf: { jkt: prover.thumbprint } } });
      const dpop = await prover.prove({ token });
      return (await shared.send(hello, { authorization: `DPoP ${token}`, dpop })).status;
    };
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push(await showAs("mallory"));
    expect(statuses).toEqual([200, 200, 200, 503, 503]);
    expect(await showAs("alice")).toBe(200);
    await shared.close();
  });

  it("a full store for proofs rejects every proof", async () => {
    const full = await startProtectedServer({ dpop: { replays: new MemoryReplayStore({ maxKeys: 1 }) } });
    const prover = await createProver(full.resource);
    const token = await sign(full, { claims: { cnf: { jkt: prover.thumbprint } } });
    const show = async () => full.send(hello, { authorization: `DPoP ${token}`, dpop: await prover.prove({ token }) });
    expect((await show()).status).toBe(200);
    expect((await show()).status).toBe(503);
    await full.close();
  });

  it("bound tokens are rejected where no proof can be checked", async () => {
    const plain = await startProtectedServer({ dpop: false });
    const token = await sign(plain, { claims: { cnf: { jkt: "x" } } });
    expect((await plain.send(hello, bearer(token))).status).toBe(401);
    expect(
      (await plain.send(hello, { authorization: `DPoP ${token}`, dpop: "x" })).headers["www-authenticate"],
    ).toMatch(/^Bearer scope/);
    await plain.close();
  });
});

describe("introspected tokens", () => {
  it("introspected tokens are requested once, and rejected when they are not active", async () => {
    const requested: string[] = [];
    const counted: typeof fetch = (input, init) => {
      requested.push(String(input));
      return fetch(input, init);
    };
    // The endpoint is known only when the authorization server runs.
    let verify: ReturnType<typeof introspectTokens> | undefined;
    const opaque = await startProtectedServer({ tokens: "opaque", verify: (token, trust) => verify?.(token, trust) });
    const endpoint = `${opaque.issuer}/token/introspection`;
    verify = introspectTokens({ endpoint, clientId: "probe", clientSecret: services.probe, fetch: counted });
    const { access_token: token } = await requestToken(opaque);
    expect(token).not.toContain(".");
    expect((await callAs(opaque, bearer(token))).status).toBe(200);
    expect(requested).toHaveLength(1);
    expect(opaque.seen).toMatchObject([{ principal: `${opaque.issuer} client:robot` }]);
    const rejected = await opaque.send(hello, bearer("unknown-opaque-token-0123456789"));
    expect(rejected.status).toBe(401);
    expect(rejected.headers["www-authenticate"]).toMatch(/^Bearer error="invalid_token"/);
    expect(opaque.log.join("\n")).not.toContain("unknown-opaque-token");
    expect(opaque.log.join("\n")).not.toContain(services.probe);
    await opaque.close();
  });

  const responses: readonly (readonly [name: string, respond: () => Promise<Response> | Response])[] = [
    ["too slow", () => new Promise(() => {})],
    ["huge", () => new Response(`{"active":true,"x":"${"x".repeat(100_000)}"}`)],
    ["no JSON", () => new Response("<html>")],
    ["no response", () => Response.json({ active: "true" })],
    ["a list", () => Response.json([true])],
    ["an error", () => new Response("secret-of-the-authority", { status: 500 })],
    ["a lost connection", () => Promise.reject(new TypeError("fetch failed"))],
  ];

  it.each(responses)("a response of introspection that is %s rejects the token with 503", async (_name, respond) => {
    const introspect: typeof fetch = (_input, init) =>
      Promise.race([
        Promise.resolve(respond()),
        new Promise<Response>((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new Error("timeout")));
        }),
      ]);
    const verify = introspectTokens({
      endpoint: "https://as.example/i",
      clientId: "a",
      clientSecret: "b",
      timeout: 50,
      fetch: introspect,
    });
    const broken = await startProtectedServer({ verify });
    const rejected = await broken.send(hello, bearer("opaque-canary-0123456789"));
    expect(rejected.status).toBe(503);
    expect(rejected.headers["retry-after"]).toBe("5");
    expect(rejected.headers["www-authenticate"]).toBeUndefined();
    expect(broken.log.join("\n")).not.toMatch(/opaque-canary|secret-of-the-authority/);
    await broken.close();
  });

  it("introspected tokens are requested in bounded number", async () => {
    let running = 0;
    let most = 0;
    const introspect: typeof fetch = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return Response.json({ active: false });
    };
    const verify = introspectTokens({
      endpoint: "https://as.example/i",
      clientId: "a",
      clientSecret: "b",
      maxConcurrent: 3,
      fetch: introspect,
    });
    const busy = await startProtectedServer({ verify });
    const flood = Array.from({ length: 20 }, (_, index) => busy.send(hello, bearer(`invented-${index}`)));
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(most).toBeLessThanOrEqual(3);
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    await busy.close();
  });
});
