import { SignJWT, exportJWK, generateKeyPair, type CryptoKey, type JWK } from "jose";
import { describe, expect, it } from "vitest";
import { verifyJwt } from "../../../runtime/adapters/jose.ts";

const issuer = "https://login.example.com";

interface Signer {
  readonly key: CryptoKey;
  readonly jwk: JWK;
}

async function createSigner(kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" } };
}

function sign({ key }: Signer, kid?: string): Promise<string> {
  const header = { alg: "ES256", ...(kid !== undefined && { kid }) };
  return new SignJWT({ iss: issuer, sub: "ada" }).setProtectedHeader(header).sign(key);
}

const [first, second, newer, stranger] = await Promise.all(["1", "2", "3", "4"].map(createSigner));
if (!first || !second || !newer || !stranger) throw new Error("Four signers were created");

/** Verifier of an issuer whose key set changes, with the number of requests for it. */
function createVerifier(...sets: readonly (readonly Signer[])[]) {
  let time = 1_000_000;
  let requests = 0;
  const serveKeys = (): Promise<Response> => {
    const signers = sets[Math.min(requests, sets.length - 1)] ?? [];
    requests += 1;
    return Promise.resolve(Response.json({ keys: signers.map(({ jwk }) => jwk) }));
  };
  const verify = verifyJwt({ keys: { [issuer]: `${issuer}/jwks` }, fetch: serveKeys, now: () => time });
  return {
    verify: (token: string) => verify(token, { issuers: [issuer] }),
    wait: (milliseconds: number) => (time += milliseconds),
    requests: () => requests,
  };
}

describe("a token that does not name its key", () => {
  it.each([
    ["the first of two keys", first],
    ["the second of two keys", second],
  ])("the token is accepted when it is signed with %s", async (_, signer) => {
    const { verify } = createVerifier([first, second]);
    expect(await verify(await sign(signer))).toMatchObject({ sub: "ada" });
  });

  it.each([
    ["one key", [first]],
    ["two keys", [first, second]],
  ])("the token is accepted when its key is newer than the cached set of %s", async (_, cached) => {
    const { verify, wait, requests } = createVerifier(cached, [...cached, newer]);
    await verify(await sign(first));
    wait(60_000);
    expect(await verify(await sign(newer))).toMatchObject({ sub: "ada" });
    expect(requests()).toBe(2);
  });

  it("the token is rejected when no key fits, and keys are fetched once in the cooldown", async () => {
    const { verify, wait, requests } = createVerifier([first, second]);
    await verify(await sign(first));
    wait(60_000);
    for (let count = 0; count < 3; count += 1)
      await expect(verify(await sign(stranger))).rejects.toThrow("The access token is signed with an unknown key");
    expect(requests()).toBe(2);
  });
});

describe("a token that names its key", () => {
  it("the token is rejected without a request when its signature does not fit the key", async () => {
    const { verify, wait, requests } = createVerifier([first, second]);
    await verify(await sign(first, "1"));
    wait(60_000);
    await expect(verify(await sign(stranger, "1"))).rejects.toThrow("The access token is not valid");
    expect(requests()).toBe(1);
  });
});
