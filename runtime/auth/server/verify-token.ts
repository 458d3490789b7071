import type { Awaitable } from "../../../generated/support.ts";
import { hasName } from "../../jsonrpc/errors.ts";
import type { Claims } from "./claims.ts";

/** Whose tokens are accepted. */
export interface Trust {
  /** As the tokens name them. */
  readonly issuers: readonly string[];
}

/**
 * Finds out what a token says: `undefined`, or a thrown {@link TokenError}, when it is none that may be trusted. Anything else that is thrown
 * means that it could not be found out, which is answered with 503. Issuer, audience, times and scopes are checked afterwards, whoever verified.
 */
export type VerifyToken = (token: string, trust: Trust) => Awaitable<Claims | undefined>;

/** Whether a value is a `TokenError`, also one of another copy of this package. */
export function isTokenError(value: unknown): value is TokenError {
  return hasName(value, ["TokenError"]);
}

/** A token that is not accepted. The message is for logs and for the client: it must not hold any part of the token. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TokenError";
  }
}
