import { hasName } from "../../jsonrpc/errors.ts";

/** True if a value is a `TokenError`, including one from another copy of this package. */
export function isTokenError(value: unknown): value is TokenError {
  return hasName(value, ["TokenError"]);
}

/** Error for an unacceptable token. The message is for logs and for the client, so it must not quote any part of the token. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TokenError";
  }
}
