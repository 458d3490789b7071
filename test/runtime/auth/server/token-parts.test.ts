import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { readCredentials, readBinding } from "../../../../runtime/auth/server/credentials.ts";
import { createProofChecker, type ProofOptions } from "../../../../runtime/auth/server/proof.ts";
import { createRevocations } from "../../../../runtime/auth/server/index.ts";
import { MemoryRateStore } from "../../../../runtime/stores/rate-store.ts";
import { MemoryReplayStore } from "../../../../runtime/stores/replay-store.ts";
import { createHead } from "./request-head.ts";

/* The parts of a request and of a token that a guard reads. */

const none = { kind: "none" } as const;
const malformed = { kind: "malformed", reason: "The Authorization header has no token" } as const;

test.each<readonly [string | undefined, object]>([
  [undefined, none],
  ["", none],
  ["Basic YWRhOnNlY3JldA==", none],
  ["Bearer2 abc", none],
  ["bearer-token-for-the-test", none],
  ["Bearer", malformed],
  ["Bearer ", malformed],
  ["Bearer a b", malformed],
  ["Bearer, abc", malformed],
  ["Bearer abc", { kind: "token", scheme: "bearer", token: "abc" }],
  ["bEARER   a-._~+/9==", { kind: "token", scheme: "bearer", token: "a-._~+/9==" }],
  ["DPoP abc", { kind: "token", scheme: "dpop", token: "abc" }],
  ["dpop\tabc", { kind: "token", scheme: "dpop", token: "abc" }],
])("the credentials of the field %j are read as %j", (field, expected) => {
  expect(readCredentials(createHead("authorization", field))).toEqual(expected);
});

test("credentials in the URL, or sent twice, are malformed", () => {
  const head = createHead("authorization", "Bearer abc");
  const inUrl = { ...head, query: (name: string) => (name === "access_token" ? "abc" : undefined) };
  expect(readCredentials(inUrl)).toMatchObject({ kind: "malformed", reason: expect.stringContaining("in the URL") });
  const twice = { ...head, isRepeated: (name: string) => name === "authorization" };
  expect(readCredentials(twice)).toMatchObject({ kind: "malformed", reason: expect.stringContaining("sent once") });
});

test.each<readonly [unknown, object]>([
  [undefined, { kind: "known", key: undefined, certificate: undefined }],
  [{ jkt: "a" }, { kind: "known", key: "a", certificate: undefined }],
  [{ "x5t#S256": "b" }, { kind: "known", key: undefined, certificate: "b" }],
  [
    { jkt: "a", "x5t#S256": "b" },
    { kind: "known", key: "a", certificate: "b" },
  ],
  ...[
    null,
    "a",
    {},
    { jkt: 5 },
    { "x5t#S256": 5 },
    { jkt: "a", "x5t#S256": 5 },
    { jkt: "a", jwk: {} },
    { kid: "c" },
  ].map((cnf): [unknown, object] => [cnf, { kind: "unknown" }]),
])("the binding of the claim %j is %j", (cnf, expected) => {
  expect(readBinding({ cnf })).toEqual(expected);
});

const now = 1_000_000;
const subject = {
  token: "token",
  key: "thumb",
  principal: "ada",
  uri: new URL("https://mcp.example/mcp?a=1"),
  now: now * 1_000,
} as const;
const good = {
  jti: "1",
  htm: "POST",
  htu: "https://mcp.example/mcp",
  iat: now,
  ath: createHash("sha256").update("token").digest("base64url"),
};

/** Checks a proof with these claims. */
async function check(
  claims: object,
  { thumbprint = "thumb", ...options }: Partial<ProofOptions> & { readonly thumbprint?: string } = {},
  shared?: Parameters<typeof createProofChecker>[1]["shared"],
): Promise<unknown> {
  const proofs = { algorithms: ["ES256"], read: () => ({ claims: { ...good, ...claims }, thumbprint }) };
  const checker = createProofChecker({ proofs, ...options }, { shared });
  const { problem, fields } = await checker(createHead("dpop", "proof"), subject);
  return problem?.description ?? fields;
}

test.each<readonly [claims: object, problem: string | undefined]>([
  [{}, undefined],
  [{ htu: "https://mcp.example/mcp?b=2#c" }, undefined],
  [{ htu: "https://MCP.example:443/a/../mcp" }, undefined],
  [{ iat: now - 300 }, undefined],
  [{ iat: now + 300 }, undefined],
  [{ jti: "x".repeat(256) }, undefined],
  ...["none", "", ["https://mcp.example/mcp"], 5, undefined, "https://mcp.example/", "http://mcp.example/mcp"].map(
    (htu): [object, string] => [{ htu }, "The DPoP proof is for another URI"],
  ),
  ...["GET", "post", undefined].map((htm): [object, string] => [{ htm }, "The DPoP proof is for another method"]),
  ...["", 5, undefined, "x".repeat(257)].map((jti): [object, string] => [
    { jti },
    "The DPoP proof requires an identifier (jti)",
  ]),
  ...[now - 301, now + 301, NaN, String(now), undefined].map((iat): [object, string] => [
    { iat },
    "The DPoP proof is expired or issued in the future",
  ]),
  ...["", undefined, good.ath.slice(1)].map((ath): [object, string] => [
    { ath },
    "The DPoP proof is for another access token",
  ]),
])("a proof with the claims %j has the problem %j", async (claims, problem) => {
  expect(await check(claims)).toBe(problem);
});

test("a proof of another key is rejected", async () => {
  expect(await check({}, { thumbprint: "other" })).toBe("The access token is bound to another key");
});

test("a proof that was used is rejected by each server with the same store", async () => {
  const replays = new MemoryReplayStore();
  expect(await check({}, { replays })).toBeUndefined();
  expect(await check({}, { replays })).toBe("The DPoP proof was already used");
  expect(await check({ jti: "2" }, { replays })).toBeUndefined();
});

test("the nonces of a cluster are made with keys for this purpose, and are the same at each server", async () => {
  const purposes: string[] = [];
  const shared = {
    replays: new MemoryReplayStore(),
    rates: new MemoryRateStore(),
    revocations: createRevocations(),
    deriveKeys(purpose: string): [Uint8Array] {
      purposes.push(purpose);
      return [new Uint8Array(32).fill(purpose.length)];
    },
  };
  const proofs = { algorithms: ["ES256"], read: () => ({ claims: good, thumbprint: "thumb" }) };
  const checkWithout = createProofChecker({ proofs, nonces: true }, { shared });
  const { problem, fields } = await checkWithout(createHead("dpop", "proof"), subject);
  const nonce = fields?.["dpop-nonce"];
  expect([problem?.error, typeof nonce, purposes]).toEqual(["use_dpop_nonce", "string", ["nonces"]]);
  expect(await check({ nonce }, { nonces: true }, shared)).toBeUndefined();
  expect(await check({ nonce, jti: "2" }, { nonces: true })).toBe("The DPoP proof requires the nonce of this server");
});

test("servers accept the nonces of each other if they share a secret of 32 bytes or more", async () => {
  const secretOf = (fill: number, length = 32): Partial<ProofOptions> => ({
    nonces: { secret: new Uint8Array(length).fill(fill) },
  });
  const nonceOf = async (options: Partial<ProofOptions>): Promise<unknown> => {
    const proofs = { algorithms: ["ES256"], read: () => ({ claims: good, thumbprint: "thumb" }) };
    const { fields } = await createProofChecker({ proofs, ...options }, { shared: undefined })(
      createHead("dpop", "proof"),
      subject,
    );
    return fields?.["dpop-nonce"];
  };
  const nonce = await nonceOf(secretOf(1));
  expect(await check({ nonce }, secretOf(1))).toBeUndefined();
  expect(await check({ nonce }, secretOf(2))).toBe("The DPoP proof requires the nonce of this server");
  await expect(nonceOf(secretOf(1, 31))).rejects.toThrow("The nonce secret is too short; use at least 32 bytes");
});

test.each([
  ["that is not read", "proof", 1],
  ["of 8,192 characters", "p".repeat(8_192), 1],
  ["that is too long", "p".repeat(8_193), 0],
  ["that is sent twice", "proof,proof", 0],
])("a proof %s is rejected", async (_which, text, count) => {
  let reads = 0;
  const read = (): undefined => {
    reads += 1;
    return undefined;
  };
  const checkText = createProofChecker({ proofs: { algorithms: [], read } }, { shared: undefined });
  const { problem } = await checkText(createHead("dpop", text), subject);
  const description = text.includes(",")
    ? "The DPoP header must be sent once"
    : "The DPoP proof is not signed with its own key";
  expect([problem, reads]).toEqual([{ error: "invalid_dpop_proof", description }, count]);
});
