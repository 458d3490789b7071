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
import { toBase64Url } from "../../../framing/base64.ts";
import { sha256 } from "../../../internal/digest.ts";
import { AuthError } from "../errors.ts";

export type { CryptoKey, JWK } from "jose";

/** Key pair to bind access tokens to. A stolen token is useless without it. */
export interface DpopKey {
  /** Private key, which should not be exportable. */
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** Signature algorithm, such as `ES256`. Symmetric algorithms are rejected. */
  readonly algorithm: string;
}

/**
 * Creates a key pair for one process. The private key cannot be exported, so tokens bound to it become useless when the process ends.
 *
 * @throws {AuthError} when the algorithm is not an asymmetric signature algorithm.
 * @example
 * ```ts
 * import { clientCredentials, createDpopKey, createOAuthProvider } from "mcp-server-runtime/auth/client";
 *
 * const dpop = await createDpopKey();
 * const grant = clientCredentials({ registered: [{ issuer: "https://login.example.com", clientId: "nightly" }] });
 * const auth = createOAuthProvider("https://mcp.example.com/mcp", { grant, dpop });
 * ```
 */
export async function createDpopKey(algorithm = "ES256"): Promise<DpopKey> {
  const pair = await generateKeyPair(checkAlgorithm(algorithm), { extractable: false });
  return { ...pair, algorithm };
}

/**
 * Creates a signing key from PKCS#8 in PEM or from a JWK.
 *
 * @throws {AuthError} when it is not a private key for the algorithm.
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { clientCredentials, importSigningKey } from "mcp-server-runtime/auth/client";
 *
 * const key = await importSigningKey(await readFile("key.pem", "utf8"), "ES256");
 * const grant = clientCredentials({
 *   registered: [{ issuer: "https://login.example.com", clientId: "nightly", signingKey: { key } }],
 * });
 * ```
 */
export async function importSigningKey(source: string | JWK, algorithm: string): Promise<CryptoKey> {
  checkAlgorithm(algorithm);
  try {
    const key = typeof source === "string" ? await importPKCS8(source, algorithm) : await importJWK(source, algorithm);
    if (!(key instanceof Uint8Array) && key.type === "private") return key;
  } catch {
    // The library's error may quote the key.
  }
  throw new AuthError(
    "configuration",
    `The signing key is not a private key for ${algorithm}; use PKCS#8 in PEM format or a JWK`,
  );
}

/** Request to bind a proof to. */
export interface ProofTarget {
  readonly method: string;
  readonly url: URL;
  /** Access token beside the proof, if the request goes to the resource server. */
  readonly accessToken?: string | undefined;
  /** Nonce the server requires in the proof. */
  readonly nonce?: string | undefined;
}

/**
 * Creates a proof for one request that its sender holds the key.
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

/** Returns the thumbprint of a key. Tokens bound to the key refer to it by the thumbprint. */
export async function toThumbprint({ publicKey }: DpopKey): Promise<string> {
  return calculateJwkThumbprint(await exportJWK(publicKey));
}

function checkAlgorithm(algorithm: string): string {
  if (/^(ES|RS|PS)(256|384|512)$|^(EdDSA|Ed25519)$/.test(algorithm)) return algorithm;
  throw new AuthError("configuration", `${algorithm} is not an asymmetric signature algorithm`);
}

async function hash(text: string): Promise<string> {
  return toBase64Url(await sha256(text));
}
