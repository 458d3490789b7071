/**
 * Error codes of rejections for which no revision defines one. They lie outside the range reserved by JSON-RPC and the protocol, and have their
 * meaning in HTTP.
 */
export const rejectionCodes: {
  readonly forbidden: 403;
  readonly tooMany: 429;
  readonly unavailable: 503;
} = { forbidden: 403, tooMany: 429, unavailable: 503 };
