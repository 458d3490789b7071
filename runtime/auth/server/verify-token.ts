import type { Awaitable } from "../../../generated/support.ts";
import { hasName } from "../../jsonrpc/errors.ts";
import type { Claims } from "./claims.ts";

/** Issuers whose tokens are accepted. */
export interface Trust {
  /** Identifiers exactly as tokens name them. */
  readonly issuers: readonly string[];
}

/**
 * Returns the claims of a token. Returns `undefined` or throws a {@link TokenError} if the token is not trustworthy. Any other error means that the
 * token could not be checked, and the client gets status 503. Issuer, audience, times and scopes are checked afterwards, for every verifier.
 */
export type VerifyToken = (token: string, trust: Trust) => Awaitable<Claims | undefined>;

/** True if a value is a `TokenError`, including one from another copy of this package. */
export function isTokenError(value: unknown): value is TokenError {
  return hasName(value, ["TokenError"]);
}

/** Error for a token that is not accepted. The message is for logs and for the client, so it must not quote any part of the token. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TokenError";
  }
}
