/** The server refused an HTTP request. */
export class HttpError extends Error {
  readonly status: number;
  /** How to authenticate, as the server says with 401 and 403. */
  readonly wwwAuthenticate: string | undefined;
  /** Seconds or a date, as the server says with 429 and 503. */
  readonly retryAfter: string | undefined;
  /** The beginning of what the server said about it. */
  readonly body: string;

  constructor(message: string, refusal: Refusal) {
    super(message);
    this.name = "HttpError";
    this.status = refusal.status;
    this.wwwAuthenticate = refusal.wwwAuthenticate;
    this.retryAfter = refusal.retryAfter;
    this.body = refusal.body;
  }
}

/** What a server says when it refuses. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly wwwAuthenticate?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/** The connection broke before the answer was complete: whether the server has done what it was asked is not known. */
export class LostError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "LostError";
  }
}

/** The server has ended the session: what it knew about this client is gone. */
export class SessionExpiredError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "SessionExpiredError";
  }
}

/** The server answered with something that is no part of the protocol. */
export class AnswerError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "AnswerError";
  }
}

/** Whether a value is an `HttpError`, also one of another copy of this package. */
export function isHttpError(value: unknown): value is HttpError {
  return value instanceof Error && value.name === "HttpError" && "status" in value;
}

/** Whether a value is a `LostError`, also one of another copy of this package. */
export function isLostError(value: unknown): value is LostError {
  return value instanceof Error && value.name === "LostError";
}

/** Whether a value is a `SessionExpiredError`, also one of another copy of this package. */
export function isSessionExpiredError(value: unknown): value is SessionExpiredError {
  return value instanceof Error && value.name === "SessionExpiredError";
}

/** True if a connection failed because nothing listens at its address, as far as the platform tells. */
export function isRefusedConnection(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
    if (causes.some((one) => one instanceof Error && "code" in one && one.code === "ECONNREFUSED")) return true;
  }
  return false;
}
