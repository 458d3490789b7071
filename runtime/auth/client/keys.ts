import {
  SignJWT,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  importPKCS8,
  type CryptoKey,
  type JWK,
} from "jose";
import { toBase64Url } from "../../framing/base64.ts";
import { AuthError } from "./errors.ts";

export type { CryptoKey, JWK } from "jose";

/** A pair of keys that access tokens are bound to: who steals a token cannot use it without them. */
export interface DpopKey {
  /** Should not be exportable. */
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** Such as `ES256`. Symmetric ones are refused. */
  readonly algorithm: string;
}

/** Makes a pair of keys for one process: the private one cannot be exported, so tokens bound to it end with the process. */
export async function createDpopKey(algorithm = "ES256"): Promise<DpopKey> {
  const pair = await generateKeyPair(checkAlgorithm(algorithm), { extractable: false });
  return { ...pair, algorithm };
}

/** Makes a key for signing of PKCS#8 as PEM, or of a JWK. Throws when it is not a private key for the algorithm. */
export async function importSigningKey(source: string | JWK, algorithm: string): Promise<CryptoKey> {
  checkAlgorithm(algorithm);
  try {
    const key = typeof source === "string" ? await importPKCS8(source, algorithm) : await importJWK(source, algorithm);
    if (!(key instanceof Uint8Array) && key.type === "private") return key;
  } catch {
    // What the library says may quote the key.
  }
  throw new AuthError(
    "configuration",
    `The signing key is not a private key for ${algorithm}, as PKCS#8 in PEM or as JWK`,
  );
}

/** What a proof is for. */
export interface ProofTarget {
  readonly method: string;
  readonly url: URL;
  /** The token that goes with it, at the server that it is for. */
  readonly accessToken?: string | undefined;
  /** What the server has asked to have repeated. */
  readonly nonce?: string | undefined;
}

/**
 * Proves for one request that the sender has the key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.2
 */
export async function createProof({ privateKey, publicKey, algorithm }: DpopKey, target: ProofTarget): Promise<string> {
  const { method, url, accessToken, nonce } = target;
  const claims = {
    htm: method,
    htu: `${url.origin}${url.pathname}`,
    ...(accessToken !== undefined && { ath: await hash(accessToken) }),
    ...(nonce !== undefined && { nonce }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ typ: "dpop+jwt", alg: checkAlgorithm(algorithm), jwk: await exportJWK(publicKey) })
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .sign(privateKey);
}

/** Names a key: what is bound to it says so by this. */
export async function toThumbprint({ publicKey }: DpopKey): Promise<string> {
  return calculateJwkThumbprint(await exportJWK(publicKey));
}

function checkAlgorithm(algorithm: string): string {
  if (/^(ES|RS|PS)(256|384|512)$|^(EdDSA|Ed25519)$/.test(algorithm)) return algorithm;
  throw new AuthError("configuration", `${algorithm} is not an asymmetric signature algorithm`);
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(digest));
}
