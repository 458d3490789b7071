import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { revisions } from "../../../../generated/revisions.ts";
import {
  limitAuthFailures,
  requireApiKey,
  requireCertificate,
  requireBearerToken,
  type Guard,
  type RequestHead,
} from "../../../../runtime/auth/server/index.ts";
import { serveHttp } from "../../../../runtime/server/run/serve-http.ts";
import { createHttpHandler } from "../../../../runtime/server/run/http-handler.ts";
import { createServer } from "../../../../runtime/server/create-server.ts";
import { MemoryRateStore, type RateStore } from "../../../../runtime/stores/rate-store.ts";
import { acceptBoth, initialize } from "../../../kit/http-exchange.ts";

const server = createServer(
  { name: "doors", version: "1", tools: [{ name: "hello", execute: () => "hello" }] },
  revisions,
);
const key = "correct-horse-battery-staple-0123";
const other = "another-horse-battery-staple-0123";

/** The response on the web platform to these credentials. */
async function knock(guard: Guard, headers: Record<string, string> = {}): Promise<Response> {
  const handler = createHttpHandler(server, { authenticate: guard });
  const fields = { accept: acceptBoth, "content-type": "application/json", ...headers };
  const body = JSON.stringify(initialize("2025-11-25"));
  const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers: fields, body }));
  await handler.close();
  return response;
}

describe("API keys", () => {
  const sha256 = createHash("sha256").update(other).digest("hex").toUpperCase();
  const guard = requireApiKey({
    keys: [
      { principal: "ci", scopes: ["x"], key },
      { principal: "cron", sha256 },
    ],
  });

  it.each([key, other])("an API key is accepted: %s", async (shown) => {
    expect((await knock(guard, { "x-api-key": shown })).status).toBe(200);
  });

  it.each([
    ["none", {}],
    ["an empty one", { "x-api-key": "" }],
    ["a wrong one", { "x-api-key": "wrong-horse-battery-staple-01234" }],
    ["the beginning of one", { "x-api-key": key.slice(0, -1) }],
    ["more than one", { "x-api-key": `${key}x` }],
    ["two at once", { "x-api-key": `${key}, ${other}` }],
    ["the hash of one", { "x-api-key": sha256.toLowerCase() }],
    ["a huge one", { "x-api-key": "k".repeat(5_000) }],
    ["one in the wrong place", { authorization: `Bearer ${key}` }],
  ])("%s is rejected with 401", async (_name, headers) => {
    const response = await knock(guard, headers);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('ApiKey realm="API key", header="X-API-Key"');
    expect(await response.text()).not.toContain(key.slice(0, 12));
  });

  it("API keys may be used beside tokens", async () => {
    const bearer = requireApiKey({ keys: [{ principal: "ci", key }], in: "authorization" });
    expect((await knock(bearer, { authorization: `Bearer ${key}` })).status).toBe(200);
    const rejected = await knock(bearer, { authorization: `Basic ${key}` });
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get("www-authenticate")).toBe('Bearer realm="API key"');
  });

  it("API keys are found by a function, which receives their hash only", async () => {
    const seen: string[] = [];
    const found = requireApiKey({
      keys(hash) {
        seen.push(hash);
        return undefined;
      },
    });
    expect((await knock(found, { "x-api-key": other })).status).toBe(401);
    expect(seen).toEqual([sha256.toLowerCase()]);
  });

  it.each([
    [
      { key: "${user_config.key_of_the_server}" },
      "API key 2 is a placeholder that the host did not fill in; enter a key there",
    ],
    [{ key: "short" }, "API key 2 has fewer than 24 characters; create one with `openssl rand -base64 32`"],
    [
      { sha256: "abc" },
      "API key 2 is not a SHA-256 hash of 64 hexadecimal digits; run `npm run key` and use the hash it prints",
    ],
    [
      { sha256: "a".repeat(65) },
      "API key 2 is not a SHA-256 hash of 64 hexadecimal digits; run `npm run key` and use the hash it prints",
    ],
    [
      { sha256: `x${"a".repeat(64)}` },
      "API key 2 is not a SHA-256 hash of 64 hexadecimal digits; run `npm run key` and use the hash it prints",
    ],
  ])("the option %j is rejected with its remedy", (bad, message) => {
    const keys = [
      { principal: "laptop", key },
      { principal: "ci", ...bad },
    ];
    expect(() => requireApiKey({ keys })).toThrow(message);
  });

  it("API keys are in no error, also where one is given as its name (R57)", () => {
    for (const given of [
      { principal: key, sha256: "" },
      { principal: "ci", sha256: key },
      { principal: "ci", key: key.slice(0, 23) },
    ]) {
      const create = (): unknown => requireApiKey({ keys: [given] });
      expect(create).toThrow(/^API key 1 /);
      expect(create).not.toThrow(key.slice(0, 12));
    }
  });
});

describe("repeated failures", () => {
  it("a client with repeated failures gets 429, by address, and authenticated clients do not", async () => {
    let now = 0;
    const guard = limitAuthFailures(requireApiKey({ keys: [{ principal: "ci", key }] }), {
      burst: 3,
      perSecond: 1,
      key: (head) => head.header("x-from"),
      now: () => now,
    });
    const guess = (from: string, shown = "wrong-horse-battery-staple-01234"): Promise<Response> =>
      knock(guard, { "x-api-key": shown, "x-from": from });
    for (let count = 0; count < 4; count++) expect((await guess("eve")).status).toBe(401);
    const blocked = await guess("eve", key);
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get("retry-after")).toBe("1");
    expect((await guess("bob", key)).status).toBe(200);
    now += 1_001;
    expect((await guess("eve", key)).status).toBe(200);
    for (let count = 0; count < 10; count++) expect((await knock(guard, { "x-from": "idle" })).status).toBe(401);
    expect((await guess("idle", key)).status).toBe(200);
  });

  it("requests without a key of a quota are not limited, whatever the quotas of others", async () => {
    const guard = limitAuthFailures(requireApiKey({ keys: [{ principal: "ci", key }] }), {
      burst: 1,
      perSecond: 0.001,
      key: (head) => head.header("x-from"),
    });
    const guess = async (from: Record<string, string>): Promise<number> =>
      (await knock(guard, { "x-api-key": "wrong-horse-battery-staple-01234", ...from })).status;
    const guesses = [{}, {}, {}, { "x-from": "eve" }, { "x-from": "eve" }, { "x-from": "eve" }, {}];
    const statuses: number[] = [];
    for (const from of guesses) statuses.push(await guess(from));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 401]);
  });

  it("guards with one store count failures by their rate, each its own", async () => {
    const store = new MemoryRateStore();
    const [strict, faster, mild] = [
      { burst: 1, perSecond: 0.001 },
      { burst: 1, perSecond: 0.002 },
      { burst: 3, perSecond: 0.001 },
    ].map((rate) =>
      limitAuthFailures(requireApiKey({ keys: [{ principal: "ci", key }] }), { ...rate, store, key: () => "eve" }),
    );
    const guess = async (guard: Guard | undefined): Promise<number | undefined> =>
      guard && (await knock(guard, { "x-api-key": "wrong-horse-battery-staple-01234" })).status;
    expect([await guess(strict), await guess(strict), await guess(strict)]).toEqual([401, 401, 429]);
    expect([await guess(faster), await guess(mild), await guess(strict)]).toEqual([401, 401, 429]);
  });

  it.each([[{ burst: 0, perSecond: 1 }], [{ burst: 1, perSecond: 0 }], [{ burst: Number.NaN, perSecond: 1 }]])(
    "a rate of failures that is not valid is named: %j",
    (rate) => {
      expect(() => limitAuthFailures({ authenticate: () => ({ status: 401 }) }, rate)).toThrow(/^limitAuthFailures/);
    },
  );
});

describe("the audience of a resource without a path", () => {
  const issuer = "https://login.example.com";
  const statusOf = async (resource: string, aud: string): Promise<number> => {
    const verify = () => ({ iss: issuer, aud, sub: "ada", exp: Date.now() / 1_000 + 600 });
    const guard = requireBearerToken({ resource, issuer, verify });
    return (await knock(guard, { authorization: "Bearer token" })).status;
  };

  it.each([
    ["https://mcp.example.com", "https://mcp.example.com/"],
    ["https://mcp.example.com/", "https://mcp.example.com"],
  ])("the resource %s is also named by %s", async (resource, other) => {
    expect(new URL(resource).href).toBe(new URL(other).href);
    expect(await statusOf(resource, resource)).toBe(200);
    expect(await statusOf(resource, other)).toBe(200);
    expect(await statusOf(resource, `${resource}.attacker.example`)).toBe(401);
  });

  it("a slash at the end of a path is part of the name", async () => {
    expect(await statusOf("https://mcp.example.com/mcp", "https://mcp.example.com/mcp/")).toBe(401);
    expect(await statusOf("https://mcp.example.com/mcp/", "https://mcp.example.com/mcp")).toBe(401);
  });
});

describe("verified credentials that are rejected", () => {
  const resource = "http://localhost/mcp";
  const issuer = "https://login.example.com";
  const rate = { burst: 1, perSecond: 0.001, key: () => "a network" };

  it("expired tokens are no guesses", async () => {
    const ends: Readonly<Record<string, number>> = { old: -3_600, good: 3_600 };
    const verify = (token: string) => ({
      iss: issuer,
      aud: resource,
      sub: "ada",
      exp: Date.now() / 1_000 + (ends[token] ?? 0),
    });
    const guard = limitAuthFailures(requireBearerToken({ resource, issuer, verify }), rate);
    for (let count = 0; count < 5; count++)
      expect((await knock(guard, { authorization: "Bearer old" })).status).toBe(401);
    expect((await knock(guard, { authorization: "Bearer good" })).status).toBe(200);
  });

  it("proofs without the nonce of the server are no guesses, and proofs of another key are", async () => {
    const now = Date.now() / 1_000;
    const ath = createHash("sha256").update("token").digest("base64url");
    const claims = { htm: "POST", htu: resource, iat: now, ath };
    const proofs = {
      algorithms: ["ES256"],
      read: (text: string) => ({
        thumbprint: text === "forged" ? "another key" : "key",
        claims: { ...claims, jti: crypto.randomUUID(), nonce: text },
      }),
    };
    const verify = () => ({ iss: issuer, aud: resource, sub: "ada", exp: now + 600, cnf: { jkt: "key" } });
    const dpop = { proofs, nonces: true } as const;
    const guard = limitAuthFailures(requireBearerToken({ resource, issuer, verify, dpop }), rate);
    const send = (proof: string): Promise<Response> => knock(guard, { authorization: "DPoP token", dpop: proof });
    for (let count = 0; count < 5; count++) {
      const first = await send("none");
      expect(first.status).toBe(401);
      expect((await send(first.headers.get("dpop-nonce") ?? "")).status).toBe(200);
    }
    expect((await send("forged")).status).toBe(401);
    expect((await send("forged")).status).toBe(401);
    expect((await send("forged")).status).toBe(429);
  });
});

describe("proofs of possession behind a proxy", () => {
  const issuer = "https://login.example.com";
  const now = Date.now() / 1_000;
  const ath = createHash("sha256").update("token").digest("base64url");

  it.each([
    ["the resource", "https://mcp.example/mcp", "https://mcp.example/mcp", 200],
    ["a resource whose path the proxy shortens", "https://mcp.example/app/mcp", "https://mcp.example/app/mcp", 200],
    ["another resource of the proxy", "https://mcp.example/app/mcp", "https://mcp.example/mcp", 401],
    ["another host", "https://mcp.example/app/mcp", "https://evil.example/app/mcp", 401],
    ["another path of a resource for the whole origin", "https://mcp.example", "https://mcp.example/other", 401],
  ])("a proof for %s is accepted, or is for another URI", async (_, place, htu, status) => {
    const claims = { htm: "POST", htu, iat: now, ath, jti: crypto.randomUUID() };
    const proofs = { algorithms: ["ES256"], read: () => ({ thumbprint: "key", claims }) };
    const verify = () => ({ iss: issuer, aud: place, sub: "ada", exp: now + 600, cnf: { jkt: "key" } });
    const guard = requireBearerToken({ resource: place, issuer, verify, dpop: { proofs } });
    expect((await knock(guard, { authorization: "DPoP token", dpop: "proof" })).status).toBe(status);
  });
});

describe("addresses of one client", () => {
  const unaddressed: Omit<RequestHead, "address"> = {
    method: "POST",
    path: "/mcp",
    header: (name) => (name === "authorization" ? "Bearer guess" : undefined),
    isRepeated: () => false,
    query: () => undefined,
    host: "localhost",
    certificate: () => undefined,
  };
  const guessFrom = async (
    addresses: readonly (string | undefined)[],
    store: RateStore = new MemoryRateStore(),
  ): Promise<readonly number[]> => {
    const guard = limitAuthFailures({ authenticate: () => ({ status: 401 }) }, { burst: 1, perSecond: 0.001, store });
    const statuses: number[] = [];
    for (const address of addresses) {
      const head: RequestHead = { ...unaddressed, address };
      const outcome = await guard.authenticate(head, { addFields: () => {} });
      statuses.push("status" in outcome ? outcome.status : 200);
    }
    return statuses;
  };

  it("addresses of the same /64 of IPv6 share a quota", async () => {
    const own = ["2001:db8:0:7::1", "2001:db8:0:7:ffff::", "2001:0DB8:0000:0007:1:2:3:4", "2001:db8:0:7::%eth0"];
    expect(await guessFrom(own)).toEqual([401, 401, 429, 429]);
    expect(await guessFrom(["::1", "::2", "::3"])).toEqual([401, 401, 429]);
  });

  it("requests without an address share a quota, as those through a Unix socket", async () => {
    expect(await guessFrom([undefined, undefined, "192.0.2.1", undefined])).toEqual([401, 401, 401, 429]);
  });

  it.each([
    [undefined, "unknown"],
    ["192.0.2.1", "192.0.2.1"],
    ["2001:DB8::7%eth0", "2001:db8:0:0::/64"],
  ])("a store keeps the failures of the address %s for %s, with the rate", async (address, client) => {
    const keys: string[] = [];
    const check = (key: string): number => (keys.push(key), 0);
    await guessFrom([address], { take: check, check, record: (key) => void keys.push(key) });
    expect(keys).toEqual(Array(2).fill(`["failures",1,0.001] ${client}`));
  });

  it("addresses of another /64 and other IPv4 addresses have quotas of their own", async () => {
    const others = [
      "2001:db8:0:7::1",
      "2001:db8:0:8::1",
      "2001:db8::7:1",
      "192.0.2.1",
      "192.0.2.2",
      "::ffff:192.0.2.3",
    ];
    expect(await guessFrom([...others, ...others])).toEqual(Array(12).fill(401));
    expect(await guessFrom(["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:192.0.2.1"])).toEqual([401, 401, 429]);
    const notations = ["::ffff:c000:201", "0:0:0:0:0:ffff:192.0.2.1", "0000:0000:0000:0000:0000:ffff:c000:0201"];
    expect(await guessFrom([...notations, "::ffff:c000:202"])).toEqual([401, 401, 429, 401]);
  });
});

describe("addresses behind proxies", () => {
  const guessesOf = async (
    trustedProxies: number,
    forwarded: readonly (string | undefined)[],
  ): Promise<readonly number[]> => {
    const rate = { burst: 1, perSecond: 0.001, trustedProxies };
    const guard = limitAuthFailures({ authenticate: () => ({ status: 401 }) }, rate);
    const statuses: number[] = [];
    for (const addresses of forwarded) {
      const head: RequestHead = {
        method: "POST",
        path: "/mcp",
        header: (name) =>
          name === "authorization" ? "Bearer guess" : name === "x-forwarded-for" ? addresses : undefined,
        isRepeated: () => false,
        query: () => undefined,
        host: "localhost",
        certificate: () => undefined,
        address: "10.0.0.1",
      };
      const outcome = await guard.authenticate(head, { addFields: () => {} });
      statuses.push("status" in outcome ? outcome.status : 200);
    }
    return statuses;
  };

  it("the address that the proxy has seen counts, and not what the client claims before it", async () => {
    expect(await guessesOf(1, ["192.0.2.1", "x, 192.0.2.1", "y,192.0.2.1", "192.0.2.1, 192.0.2.2"])).toEqual([
      401, 401, 429, 401,
    ]);
    expect(await guessesOf(2, ["192.0.2.1, 10.1.1.1", "x, 192.0.2.1, 10.1.1.2", "192.0.2.1, 10.1.1.1"])).toEqual([
      401, 401, 429,
    ]);
  });

  it("without the header, or with an address that is none, the address of the connection counts", async () => {
    expect(await guessesOf(1, [undefined, "x".repeat(65), undefined])).toEqual([401, 401, 429]);
    expect(await guessesOf(2, ["192.0.2.1", "192.0.2.2", "192.0.2.3"])).toEqual([401, 401, 429]);
  });

  it.each([
    ["192.0.2.1:40001", "192.0.2.1:40002", "192.0.2.1"],
    ["[2001:db8::1]:40001", "[2001:db8::2]:40002", "2001:db8::3"],
    ["[2001:db8::1]", "2001:db8::1%eth0", "[2001:db8::1%eth1]:1"],
    ["[::ffff:192.0.2.1]:40001", "192.0.2.1", "192.0.2.1:40002"],
  ])("the ports of a client do not count: %s, %s and %s share a quota", async (...forwarded) => {
    expect(await guessesOf(1, [...forwarded, "192.0.2.9:1"])).toEqual([401, 401, 429, 401]);
  });

  it.each(["unknown", "_hidden", "x:1", "192.0.2.1:x", "[x]:1", "[2001:db8::1", ""])(
    "the address of the connection counts instead of %j",
    async (text) => expect(await guessesOf(1, [undefined, undefined, text])).toEqual([401, 401, 429]),
  );

  it("without proxies the header is not read", async () => {
    expect(await guessesOf(0, ["192.0.2.1", "192.0.2.2", "192.0.2.3"])).toEqual([401, 401, 429]);
  });
});

describe("concurrent failures", () => {
  it("a client with concurrent failures waits for all of them", async () => {
    let now = 0;
    const keys = requireApiKey({ keys: [{ principal: "ci", key }] });
    const guard = limitAuthFailures(keys, { burst: 3, perSecond: 1, key: () => "eve", now: () => now });
    const guess = (): Promise<Response> => knock(guard, { "x-api-key": "wrong-horse-battery-staple-01234" });
    await Promise.all(Array.from({ length: 50 }, guess));
    now += 10_000;
    const blocked = await guess();
    expect(blocked.status).toBe(429);
    expect(blocked.headers.get("retry-after")).toBe("37");
    now += 37_001;
    expect((await guess()).status).toBe(401);
  });
});

describe("client certificates", () => {
  const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, "certificates", name));

  async function show(guard: Guard, name: string | undefined, headers: Record<string, string> = {}): Promise<number> {
    const tls = {
      key: read("server.key"),
      cert: read("server.crt"),
      ca: read("ca.crt"),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const listener = await serveHttp(server, { authenticate: guard, tls });
    const own = name === undefined ? {} : { key: read(`${name}.key`), cert: read(`${name}.crt`) };
    const fields = { accept: acceptBoth, "content-type": "application/json", ...headers };
    const options = { method: "POST", headers: fields, agent: false, rejectUnauthorized: false, ...own };
    try {
      return await new Promise<number>((resolve, reject) => {
        const sent = request(listener.url, options, (response) => resolve(response.resume().statusCode ?? 0));
        sent.on("error", reject).end(JSON.stringify(initialize("2025-11-25")));
      });
    } finally {
      await listener.close();
    }
  }

  it("client certificates are accepted from the known authority only (mTLS)", async () => {
    const seen: unknown[] = [];
    const guard = requireCertificate({
      toIdentity(certificate) {
        seen.push(certificate);
        return { principal: certificate.subject };
      },
    });
    expect(await show(guard, "agent")).toBe(200);
    const fingerprint = createHash("sha256")
      .update(toDer(read("agent.crt").toString()))
      .digest("base64url");
    expect(seen).toEqual([{ subject: "CN=agent", issuer: "CN=authority", thumbprint: fingerprint }]);
    expect(await show(guard, "stranger")).toBe(403);
    expect(await show(guard, undefined)).toBe(403);
    expect(await show(requireCertificate({ toIdentity: () => undefined }), "agent")).toBe(403);
    expect(seen).toHaveLength(1);
  });

  it("client certificates may be what a token is bound to", async () => {
    const thumbprint = createHash("sha256")
      .update(toDer(read("agent.crt").toString()))
      .digest("base64url");
    const now = Date.now() / 1_000;
    const resource = "https://mcp.example/mcp";
    const claims = {
      iss: "https://as.example",
      aud: resource,
      sub: "a",
      exp: now + 60,
      cnf: { "x5t#S256": thumbprint },
    };
    const guard = requireBearerToken({ resource, issuer: "https://as.example", verify: () => claims });
    const headers = { authorization: "Bearer opaque" };
    expect(await show(guard, "agent", headers)).toBe(200);
    expect(await show(guard, undefined, headers)).toBe(401);
    expect(await show(guard, "stranger", headers)).toBe(401);
  });

  it("client certificates that a proxy has verified are read from its header", async () => {
    const certificate = { subject: "CN=agent", issuer: "CN=authority", thumbprint: "x" };
    const guard = requireCertificate({
      read: (head) => (head.header("x-client") === "agent" ? certificate : undefined),
    });
    expect((await knock(guard, { "x-client": "agent" })).status).toBe(200);
    expect((await knock(guard)).status).toBe(403);
  });

  function toDer(pem: string): Buffer {
    return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  }
});
