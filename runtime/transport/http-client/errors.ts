/** Error for an HTTP request rejected by the server. */
export class HttpError extends Error {
  readonly status: number;
  /** Authentication challenge of a response with 401 or 403. */
  readonly wwwAuthenticate: string | undefined;
  /** Seconds or a date, sent with 429 and 503. */
  readonly retryAfter: string | undefined;
  /** Beginning of the response body. */
  readonly body: string;

  constructor(message: string, rejection: HttpErrorResponse) {
    super(message);
    this.name = "HttpError";
    this.status = rejection.status;
    this.wwwAuthenticate = rejection.wwwAuthenticate;
    this.retryAfter = rejection.retryAfter;
    this.body = rejection.body;
  }
}

/** Error response of a server. */
export interface HttpErrorResponse {
  readonly status: number;
  readonly body: string;
  readonly wwwAuthenticate?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/** Error for a connection broken before the response was complete. The server may or may not have processed the request. */
export class LostError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "LostError";
  }
}

/** Error for a session ended by the server: its state for this client is lost. */
export class SessionExpiredError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "SessionExpiredError";
  }
}

/** Error for a response that violates the protocol. */
export class ResponseError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ResponseError";
  }
}

/** True if a value is an `HttpError`, also from another copy of this package. */
export function isHttpError(value: unknown): value is HttpError {
  return value instanceof Error && value.name === "HttpError" && "status" in value;
}

/** True if a value is a `LostError`, also from another copy of this package. */
export function isLostError(value: unknown): value is LostError {
  return value instanceof Error && value.name === "LostError";
}

/** True if a value is a `SessionExpiredError`, also from another copy of this package. */
export function isSessionExpiredError(value: unknown): value is SessionExpiredError {
  return value instanceof Error && value.name === "SessionExpiredError";
}

/** True if a connection failed because nothing listens at its address, as far as the platform reports it. */
export function isConnectionRefused(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
    if (causes.some((one) => one instanceof Error && "code" in one && one.code === "ECONNREFUSED")) return true;
  }
  return false;
}

/** True for the status of a server which cannot process a request now but may do so later. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}
