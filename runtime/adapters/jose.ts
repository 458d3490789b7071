import {
  EmbeddedJWK,
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type CryptoKey,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";
import { isObject } from "../../generated/support.ts";
import { fetchJson, findKeysUrl } from "../auth/server/jwks.ts";
import { KeyCache } from "../auth/server/key-cache.ts";
import type { ProofReader } from "../auth/server/proof.ts";
import { TokenError } from "../auth/server/token-error.ts";
import type { VerifyToken } from "../auth/server/token-options.ts";
import { checkNumbers } from "../jsonrpc/check-numbers.ts";

/** Options for the verification of JSON web tokens. */
export interface JwtOptions {
  /** Keys by issuer: a key set, or its URL. Default: the key set in the issuer's metadata, fetched for the first token. */
  readonly keys?: Readonly<Record<string, string | JSONWebKeySet>>;
  /** Permitted signature algorithms: asymmetric ones only. Default: RS, PS, ES and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Accepted token types in the `typ` header. Default: `at+jwt`, `JWT`, and tokens without a type. */
  readonly types?: readonly string[];
  /** Milliseconds after which keys are fetched again in the background. Default 10 min. */
  readonly maxAge?: number;
  /** Milliseconds for which keys are used if they cannot be fetched again. Default 24 h. */
  readonly maxStale?: number;
  /** Minimum milliseconds between two attempts to fetch keys, regardless of the tokens. Default 30 s. */
  readonly cooldown?: number;
  /** Function for fetching keys. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Returns the time in milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * Verifies JSON web tokens as access tokens, with the keys of their issuer. Keys are cached: a request waits for keys only when there are none.
 *
 * @throws {Error} when an entry of `algorithms` is not asymmetric.
 * @see https://www.rfc-editor.org/rfc/rfc9068
 * @example
 * ```ts
 * import { verifyJwt } from "mcp-server-runtime/adapters/jose";
 * import { requireBearerToken } from "mcp-server-runtime/auth/server";
 *
 * const issuer = "https://login.example.com";
 * const verify = verifyJwt({ keys: { [issuer]: `${issuer}/jwks.json` } });
 * const authenticate = requireBearerToken({ resource: "https://mcp.example.com/mcp", issuer, verify });
 * ```
 */
export function verifyJwt(options: JwtOptions = {}): VerifyToken {
  const { algorithms = asymmetric, types = ["at+jwt", "jwt", ""] } = options;
  checkAlgorithms(algorithms);
  checkNumbers(options);
  const accepted = new Set(types.map(toType));
  const caches = new Map<string, KeyCache<JWTVerifyGetKey>>();
  const findCache = (issuer: string): KeyCache<JWTVerifyGetKey> => {
    const cache = caches.get(issuer) ?? createCache(issuer, options);
    caches.set(issuer, cache);
    return cache;
  };
  return async (token, { issuers }) => {
    const issuer = readIssuer(token);
    if (issuer === undefined || !issuers.includes(issuer))
      throw new TokenError("The access token is from another issuer");
    const cache = findCache(issuer);
    const { payload, protectedHeader } = await verifyWith(cache, (keys) => verify(token, keys, algorithms));
    if (!accepted.has(toType(protectedHeader.typ ?? ""))) throw new TokenError("The access token has another type");
    return payload;
  };
}

/**
 * Creates a reader of proofs of possession.
 *
 * @throws {Error} when an entry of `algorithms` is not asymmetric.
 * @see https://www.rfc-editor.org/rfc/rfc9449
 * @example
 * ```ts
 * import { createProofReader, verifyJwt } from "mcp-server-runtime/adapters/jose";
 * import { requireBearerToken } from "mcp-server-runtime/auth/server";
 *
 * const authenticate = requireBearerToken({
 *   resource: "https://mcp.example.com/mcp",
 *   issuer: "https://login.example.com",
 *   verify: verifyJwt(),
 *   dpop: { proofs: createProofReader() },
 * });
 * ```
 */
export function createProofReader({ algorithms = asymmetric }: Pick<JwtOptions, "algorithms"> = {}): ProofReader {
  checkAlgorithms(algorithms);
  return {
    algorithms,
    async read(text) {
      try {
        const settings = { algorithms: [...algorithms], typ: "dpop+jwt" };
        const { payload, protectedHeader } = await jwtVerify(text, EmbeddedJWK, settings);
        const { jwk } = protectedHeader;
        return jwk && { claims: payload, thumbprint: await calculateJwkThumbprint(jwk) };
      } catch {
        // The key comes with the proof, so every failure is a fault of the proof.
        return undefined;
      }
    },
  };
}

const asymmetric: readonly string[] = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
  "EdDSA",
  "Ed25519",
];

/** Rejects symmetric algorithms and `none`: with these, any verifier can also sign. */
function checkAlgorithms(algorithms: readonly string[]): void {
  const bad = algorithms.find((algorithm) => !asymmetric.includes(algorithm));
  if (bad !== undefined)
    throw new Error(`The algorithm ${JSON.stringify(bad)} is not supported; use ${asymmetric.join(", ")}`);
}

/** Normalizes a type: RFC 7515 permits leaving out `application/`. */
function toType(type: string): string {
  return type.toLowerCase().replace(/^application\//, "");
}

/** Reads the unverified issuer of a token, which determines the keys to try. */
function readIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch (thrown) {
    if (isRejection(thrown)) throw new TokenError("The access token is not a JSON Web Token");
    throw thrown;
  }
}

interface Verified {
  readonly payload: JWTPayload;
  readonly protectedHeader: { readonly typ?: string };
}

/** Verifies a token with the cached keys, and fetches them again if the token names a newer key. */
async function verifyWith(
  cache: KeyCache<JWTVerifyGetKey>,
  attempt: (keys: JWTVerifyGetKey) => Promise<Verified>,
): Promise<Verified> {
  const keys = await cache.get();
  try {
    return await attempt(keys);
  } catch (thrown) {
    if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw toRejection(thrown);
  }
  const newer = await cache.renew(keys);
  if (newer === keys) throw unknownKey();
  return attempt(newer).catch((thrown: unknown) => {
    throw toRejection(thrown);
  });
}

/** Verifies the signature. Times are checked in one place for all kinds of tokens, with the tolerance configured there. */
async function verify(token: string, keys: JWTVerifyGetKey, algorithms: readonly string[]): Promise<Verified> {
  const settings = { algorithms: [...algorithms], clockTolerance: Number.MAX_SAFE_INTEGER };
  try {
    return await jwtVerify(token, keys, settings);
  } catch (thrown) {
    if (thrown instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, thrown, settings);
    if (thrown instanceof errors.JWSSignatureVerificationFailed && !namesKey(token))
      throw new errors.JWKSNoMatchingKey();
    throw thrown;
  }
}

/** Verifies a token without the name of its key, with each key of its algorithm. If none fits, the key may be newer than the cached ones. */
async function verifyWithAny(
  token: string,
  keys: AsyncIterable<CryptoKey>,
  settings: JWTVerifyOptions,
): Promise<Verified> {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, settings);
    } catch (thrown) {
      if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) throw thrown;
    }
  }
  throw new errors.JWKSNoMatchingKey();
}

function namesKey(token: string): boolean {
  return decodeProtectedHeader(token).kid !== undefined;
}

/** Replaces errors of the library, whose messages may quote the token, by messages of this adapter. */
function toRejection(thrown: unknown): unknown {
  if (!isRejection(thrown)) return thrown;
  if (thrown instanceof errors.JOSEAlgNotAllowed)
    return new TokenError("The signature algorithm of the access token is not accepted");
  if (thrown instanceof errors.JWKSNoMatchingKey) return unknownKey();
  return new TokenError("The access token is not valid");
}

function unknownKey(): TokenError {
  return new TokenError("The access token is signed with an unknown key");
}

/** True if the token caused the error, and not its keys or this program. */
function isRejection(thrown: unknown): boolean {
  return thrown instanceof errors.JOSEError;
}

function createCache(issuer: string, options: JwtOptions): KeyCache<JWTVerifyGetKey> {
  const { maxAge = 600_000, maxStale = 86_400_000, cooldown = 30_000, now = Date.now, fetch: ask = fetch } = options;
  const given = options.keys && Object.hasOwn(options.keys, issuer) ? options.keys[issuer] : undefined;
  const load = async (): Promise<JWTVerifyGetKey> => {
    if (typeof given === "object") return createLocalJWKSet(given);
    const document = await fetchJson(given ?? (await findKeysUrl(issuer, ask)), ask);
    const keys: unknown = isObject(document) ? document.keys : undefined;
    if (!Array.isArray(keys)) throw new Error(`The JSON Web Key Set of ${issuer} has no keys`);
    // One odd entry does not cost the others.
    return createLocalJWKSet({ keys: keys.filter(isObject) });
  };
  return new KeyCache(load, { maxAge, maxStale, cooldown, now });
}
