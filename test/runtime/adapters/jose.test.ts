import { exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";
import { expect, test } from "vitest";
import { verifyJwt } from "../../../runtime/adapters/jose.ts";

const issuer = "https://login.example.com";
const trust = { issuers: [issuer] };

/** Key of an issuer, and a function that signs a token with it. */
interface Key {
  readonly jwk: JWK;
  sign(header?: object): Promise<string>;
}

async function createKey(members: object = {}): Promise<Key> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return {
    jwk: { ...(await exportJWK(publicKey)), ...members },
    sign: (header = {}) =>
      new SignJWT({ iss: issuer, sub: "ada" }).setProtectedHeader({ alg: "ES256", ...header }).sign(privateKey),
  };
}

test("a token that names no key is accepted with any key of its issuer, and with no other", async () => {
  const [one, other, stranger] = await Promise.all([createKey(), createKey({ kid: "other" }), createKey()]);
  const verify = verifyJwt({ keys: { [issuer]: { keys: [one.jwk, other.jwk] } } });
  for (const key of [one, other]) expect(await verify(await key.sign(), trust)).toMatchObject({ sub: "ada" });
  await expect(verify(await stranger.sign(), trust)).rejects.toThrow("signed with an unknown key");
  await expect(verify(await stranger.sign({ kid: "other" }), trust)).rejects.toThrow("is not valid");
});

test("keys are fetched again for a token that names no key and is signed with a newer one", async () => {
  const [one, other, stranger] = await Promise.all([createKey(), createKey(), createKey()]);
  let now = 0;
  let fetched = 0;
  let published = [one.jwk];
  const verify = verifyJwt({
    keys: { [issuer]: `${issuer}/keys.json` },
    cooldown: 30_000,
    now: () => now,
    fetch: () => {
      fetched += 1;
      return Promise.resolve(Response.json({ keys: published }));
    },
  });
  expect(await verify(await one.sign(), trust)).toMatchObject({ sub: "ada" });
  published = [other.jwk];
  now += 30_000;
  expect(await verify(await other.sign(), trust)).toMatchObject({ sub: "ada" });
  expect(fetched).toBe(2);
  await expect(verify(await stranger.sign(), trust)).rejects.toThrow("signed with an unknown key");
  await expect(verify(await one.sign(), trust)).rejects.toThrow("signed with an unknown key");
  expect(fetched).toBe(2);
});
