/** Why a client could not be authorized. */
export type AuthErrorCode =
  /** A metadata document could not be had, or cannot be used. */
  | "metadata"
  /** The metadata speaks for another server than the one that is called. */
  | "resource-mismatch"
  /** The authorization server, or what answers in its name, is not the one that was asked for. */
  | "issuer-mismatch"
  /** The authorization server does not say that it protects codes by PKCE with S256. */
  | "pkce-unsupported"
  /** There is no way to say who the client is: nothing was registered, and nothing can be. */
  | "no-client"
  /** The authorization server does not register this client. */
  | "registration-refused"
  /** The answer to the sign-in does not belong to it. */
  | "state-mismatch"
  /** The user or the authorization server said no. */
  | "authorization-refused"
  /** The sign-in was not completed. */
  | "authorization-incomplete"
  /** The authorization server gives no token for this grant, or does not take one back. */
  | "token-refused"
  /** The authorization server answered with something that is no token, or not of the kind that was asked for. */
  | "token-answer"
  /** A URL is not safe to be used: its scheme, its address, or where it redirects to. */
  | "unsafe-url"
  /** Nothing came, too much came, or it came too late. */
  | "network"
  /** A request would carry a credential to somewhere it was not issued for. */
  | "wrong-target"
  /** Credentials could not be stored, or not safely. */
  | "storage"
  /** The options contradict each other or what the server offers. */
  | "configuration";

/** A client could not be authorized. Messages and members hold no credential, and nothing that a stranger wrote unless they say so. */
export class AuthError extends Error {
  readonly code: AuthErrorCode;
  /** The error code of the authorization server, such as `invalid_grant`. */
  readonly reason: string | undefined;

  constructor(code: AuthErrorCode, message: string, options: { readonly reason?: string | undefined } = {}) {
    super(message);
    this.name = "AuthError";
    this.code = code;
    this.reason = options.reason;
  }
}

/** Whether a value is an `AuthError`, also one of another copy of this package. */
export function isAuthError(value: unknown): value is AuthError {
  return value instanceof Error && value.name === "AuthError" && "code" in value;
}

/** What an authorization server says about an error, fit for a message: short, printable, and without what it was sent in confidence. */
export function quoteReason(reason: unknown, description: unknown, secrets: readonly string[] = []): string {
  const parts = [reason, description].filter((part) => typeof part === "string" && part !== "");
  const text = parts.join(": ").replaceAll(/[^\x20-\x7e]+/g, " ");
  if (text === "" || secrets.some((secret) => secret !== "" && text.includes(secret))) return "";
  return ` (${text.length > 200 ? `${text.slice(0, 200)}...` : text})`;
}

/** An error code as RFC 6749 allows it, or nothing. */
export function readReason(value: unknown): string | undefined {
  return typeof value === "string" && /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(value) ? value : undefined;
}
