import { isObject } from "../../../../generated/support.ts";

/** Tokens of a client, with their purpose. */
export interface Tokens {
  /** Issuer of the tokens, as its metadata writes it. */
  readonly issuer: string;
  /** Resource for which the tokens are valid. */
  readonly resource: string;
  /** Id of the client to which the tokens were issued. */
  readonly clientId: string;
  readonly accessToken: string;
  readonly type: "bearer" | "dpop";
  readonly refreshToken?: string | undefined;
  /** Time from which the token is renewed before use, in milliseconds since 1970, UTC. Absent if the issuer did not state a lifetime. */
  readonly renewAt?: number | undefined;
  /** Requested scopes. If more are needed later, all of them are requested again. */
  readonly requested: readonly string[];
  /** Thumbprint of the token's key. Absent if the token is not bound to one. */
  readonly keyId?: string | undefined;
}

/** Successful response of the token endpoint. */
export interface TokenResponse {
  readonly accessToken: string;
  /** Token type in lower case. */
  readonly type: string;
  readonly refreshToken: string | undefined;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number | undefined;
  /** Type of the issued token according to a token exchange. */
  readonly issuedType: string | undefined;
}

/**
 * Returns the time to renew a token, shortly before the end of its lifetime in seconds. It is stored with the token and read by later processes, so
 * it is one of the wall clock.
 */
export function toRenewal(expiresIn: number | undefined): number | undefined {
  return expiresIn === undefined ? undefined : Date.now() + 1000 * Math.max(expiresIn - earliness, expiresIn / 2);
}

/** Seconds before the expiry at which a token is renewed. */
const earliness = 10;

/** Returns the stored form of tokens. */
export function encodeTokens(tokens: Tokens): string {
  return JSON.stringify(tokens);
}

/** Returns stored tokens, or `undefined` if the stored text is not valid. */
export function decodeTokens(text: string): Tokens | undefined {
  const value = readStored(text);
  if (!value) return undefined;
  const { issuer, resource, clientId, accessToken, type, refreshToken, renewAt, requested, keyId } = value;
  const isWhole =
    typeof issuer === "string" &&
    typeof resource === "string" &&
    typeof clientId === "string" &&
    typeof accessToken === "string" &&
    (type === "bearer" || type === "dpop") &&
    Array.isArray(requested) &&
    requested.every((scope) => typeof scope === "string");
  if (!isWhole) return undefined;
  return {
    issuer,
    resource,
    clientId,
    accessToken,
    type,
    requested,
    refreshToken: typeof refreshToken === "string" ? refreshToken : undefined,
    renewAt: typeof renewAt === "number" ? renewAt : undefined,
    keyId: typeof keyId === "string" ? keyId : undefined,
  };
}

/** Returns a stored object, or `undefined` if the text is not valid. Other programs may have changed it. */
export function readStored(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
