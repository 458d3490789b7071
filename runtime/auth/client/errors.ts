/** Reason why a client could not be authorized. */
export type AuthErrorCode =
  /** A metadata document could not be fetched or cannot be used. */
  | "metadata"
  /** The metadata belongs to another server than the requested one. */
  | "resource-mismatch"
  /** The authorization server, or a response in its name, is not from the expected issuer. */
  | "issuer-mismatch"
  /** The authorization server does not declare that it protects codes with PKCE and S256. */
  | "pkce-unsupported"
  /** The client has no identity there: it is not registered and cannot register. */
  | "no-client"
  /** The authorization server rejected the registration of this client. */
  | "registration-refused"
  /** The authorization response does not belong to the sign-in. */
  | "state-mismatch"
  /** The user or the authorization server denied access. */
  | "authorization-refused"
  /** The sign-in was not completed. */
  | "authorization-incomplete"
  /** The authorization server issued no token for this grant, or did not revoke one. */
  | "token-refused"
  /** The response of the authorization server holds no token, or not one of the requested kind. */
  | "token-answer"
  /** A URL is unsafe because of its scheme, its address or its redirect. */
  | "unsafe-url"
  /** No response arrived, it was too large or too late, or the server could not process the request now. A later attempt may succeed. */
  | "network"
  /** A request would send a credential to a server that it was not issued for. */
  | "wrong-target"
  /** Credentials could not be stored, or not securely. */
  | "storage"
  /** The options contradict each other or the capabilities of the server. */
  | "configuration";

/** Error for a client without authorization. Messages and members hold no credential, and no text from a remote party unless they say so. */
export class AuthError extends Error {
  readonly code: AuthErrorCode;
  /** Error code of the authorization server, such as `invalid_grant`. */
  readonly reason: string | undefined;
  /** Milliseconds after which a request may be repeated, if the server named a time. */
  readonly retryAfter: number | undefined;

  constructor(
    code: AuthErrorCode,
    message: string,
    { reason, retryAfter }: { readonly reason?: string | undefined; readonly retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.name = "AuthError";
    this.code = code;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }
}

/** True if a value is an `AuthError`, including one from another copy of this package. */
export function isAuthError(value: unknown): value is AuthError {
  return value instanceof Error && value.name === "AuthError" && "code" in value;
}

/** Formats the error of an authorization server for a message: short, printable, and without any of the secrets sent to it. */
export function quoteReason(reason: unknown, description: unknown, secrets: readonly string[] = []): string {
  const parts = [reason, description].filter((part) => typeof part === "string" && part !== "");
  const text = parts.join(": ").replaceAll(/[^\x20-\x7e]{1,1000}/g, " ");
  if (text === "" || secrets.some((secret) => secret !== "" && text.includes(secret))) return "";
  return ` (${text.length > 200 ? `${text.slice(0, 200)}...` : text})`;
}

/** Returns an error code in the form of RFC 6749, or `undefined` for other values. */
export function readReason(value: unknown): string | undefined {
  return typeof value === "string" && /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(value) ? value : undefined;
}

/** True if a response holds an error. Some servers send it with status 200. */
export function isErrorResponse({ error }: Readonly<Record<string, unknown>> = {}): boolean {
  return typeof error === "object" && error !== null ? Object.keys(error).length > 0 : Boolean(error);
}
