import { isObject } from "../../../generated/support.ts";

/** What a client was given, and what for. */
export interface Tokens {
  /** Who gave it. */
  readonly issuer: string;
  /** Where it may be used. */
  readonly resource: string;
  /** To whom it was given. */
  readonly clientId: string;
  readonly accessToken: string;
  readonly type: "bearer" | "dpop";
  readonly refreshToken?: string | undefined;
  /** From when on it is renewed before it is used, in milliseconds since 1970, UTC. Absent: the issuer did not say how long it lasts. */
  readonly renewAt?: number | undefined;
  /** What was asked for. More may be needed later: then all of it is asked for again. */
  readonly requested: readonly string[];
  /** The thumbprint of the key that the token is bound to. */
  readonly keyId?: string | undefined;
}

/** What the token endpoint answers. */
export interface TokenAnswer {
  readonly accessToken: string;
  /** In lower case. */
  readonly type: string;
  readonly refreshToken: string | undefined;
  /** Seconds. */
  readonly expiresIn: number | undefined;
  /** What a token exchange says that it gave. */
  readonly issuedType: string | undefined;
}

/** When to renew a token that lasts so many seconds: a little before its end. */
export function toRenewal(expiresIn: number | undefined): number | undefined {
  return expiresIn === undefined ? undefined : Date.now() + 1000 * Math.max(expiresIn - earliness, expiresIn / 2);
}

/** Seconds. */
const earliness = 10;

/** Tokens as they are stored. */
export function encodeTokens(tokens: Tokens): string {
  return JSON.stringify(tokens);
}

/** Stored tokens, or nothing when they are not what they should be. */
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

/** A stored object, or nothing: what is stored may have been touched by others. */
export function readStored(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
