import { RpcError, isRpcError } from "../jsonrpc/errors.ts";

/** Subject of a rejection, as the community guides divide it. */
export type RejectionCategory =
  "load" | "authentication" | "validation" | "path" | "entity" | "rate" | "transport" | "state" | "health";

/** A kind of rejection of a request. */
export interface Rejection {
  /** The `code` of the error. All codes lie outside the range reserved by JSON-RPC and the protocol. */
  readonly code: number;
  readonly category: RejectionCategory;
  /** True if the same request may succeed later without changes by the client. */
  readonly retryable: boolean;
  /** HTTP status with a similar meaning. */
  readonly status: number;
}

/**
 * Rejections of the community guides by name. Codes between two categories are reserved. For failures of a tool, throw a `ToolError` instead, which
 * the model can read.
 */
export const rejections = {
  queueFull: { code: 1001, category: "load", retryable: true, status: 429 },
  queueBytesExceeded: { code: 1002, category: "load", retryable: true, status: 429 },
  tenantQueueFull: { code: 1003, category: "load", retryable: true, status: 429 },
  bufferOverflow: { code: 1004, category: "load", retryable: true, status: 503 },
  backpressure: { code: 1005, category: "load", retryable: true, status: 503 },

  authenticationFailed: { code: 1011, category: "authentication", retryable: false, status: 401 },
  authenticationExpired: { code: 1012, category: "authentication", retryable: false, status: 401 },
  invalidCredentials: { code: 1013, category: "authentication", retryable: false, status: 401 },
  forbidden: { code: 1014, category: "authentication", retryable: false, status: 403 },
  authenticationMissing: { code: 1015, category: "authentication", retryable: false, status: 401 },
  sessionInvalid: { code: 1016, category: "authentication", retryable: false, status: 401 },

  invalidParams: { code: 1021, category: "validation", retryable: false, status: 400 },
  schemaViolated: { code: 1022, category: "validation", retryable: false, status: 400 },
  invalidUri: { code: 1023, category: "validation", retryable: false, status: 400 },
  invalidContentType: { code: 1024, category: "validation", retryable: false, status: 415 },
  invalidHeader: { code: 1025, category: "validation", retryable: false, status: 400 },
  invalidSessionId: { code: 1026, category: "validation", retryable: false, status: 400 },
  unsupportedVersion: { code: 1027, category: "validation", retryable: false, status: 400 },
  missingField: { code: 1028, category: "validation", retryable: false, status: 400 },
  wrongFieldType: { code: 1029, category: "validation", retryable: false, status: 400 },

  pathTraversal: { code: 1036, category: "path", retryable: false, status: 400 },
  invalidPath: { code: 1037, category: "path", retryable: false, status: 400 },
  symlinkTraversal: { code: 1038, category: "path", retryable: false, status: 400 },
  uriOutOfBounds: { code: 1039, category: "path", retryable: false, status: 400 },
  pathNotCanonical: { code: 1040, category: "path", retryable: false, status: 400 },

  resourceNotFound: { code: 1046, category: "entity", retryable: false, status: 404 },
  resourceExists: { code: 1047, category: "entity", retryable: false, status: 409 },
  toolNotFound: { code: 1048, category: "entity", retryable: false, status: 404 },
  toolExists: { code: 1049, category: "entity", retryable: false, status: 409 },
  promptNotFound: { code: 1050, category: "entity", retryable: false, status: 404 },
  promptExists: { code: 1051, category: "entity", retryable: false, status: 409 },
  entityExists: { code: 1052, category: "entity", retryable: false, status: 409 },

  rateExceeded: { code: 1056, category: "rate", retryable: true, status: 429 },
  ratePerSecondExceeded: { code: 1057, category: "rate", retryable: true, status: 429 },
  ratePerMinuteExceeded: { code: 1058, category: "rate", retryable: true, status: 429 },
  quotaExceeded: { code: 1059, category: "rate", retryable: false, status: 429 },
  concurrencyExceeded: { code: 1060, category: "rate", retryable: true, status: 429 },

  protocolError: { code: 1066, category: "transport", retryable: false, status: 400 },
  transportError: { code: 1067, category: "transport", retryable: true, status: 503 },
  messageTooLarge: { code: 1068, category: "transport", retryable: false, status: 413 },
  timeout: { code: 1069, category: "transport", retryable: true, status: 503 },
  unsupportedEncoding: { code: 1070, category: "transport", retryable: false, status: 415 },

  uninitialized: { code: 1076, category: "state", retryable: false, status: 503 },
  shuttingDown: { code: 1077, category: "state", retryable: true, status: 503 },
  unavailable: { code: 1078, category: "state", retryable: true, status: 503 },
  internalError: { code: 1079, category: "state", retryable: false, status: 503 },
  dependencyUnavailable: { code: 1080, category: "state", retryable: true, status: 503 },

  circuitOpen: { code: 1086, category: "health", retryable: true, status: 503 },
  healthCheckFailed: { code: 1087, category: "health", retryable: true, status: 503 },
  degraded: { code: 1088, category: "health", retryable: true, status: 503 },
  exhausted: { code: 1089, category: "health", retryable: true, status: 503 },
} as const;

/** Name of a rejection in the catalogue. */
export type RejectionName = keyof typeof rejections;

/** Additional content of a rejection. */
export interface RejectionOptions {
  /** Seconds after which the client may retry. */
  readonly retryAfter?: number;
  /** Additional members of the error's `data`. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * Creates an error to reject a request with: throw it from middleware. Its `data` contains the category, and whether a retry may succeed.
 *
 * @example
 * ```ts
 * import { createRejection } from "mcp-server-runtime/compatibility";
 *
 * throw createRejection("rateExceeded", "Too many calls", { retryAfter: 5 });
 * ```
 */
export function createRejection(name: RejectionName, message: string, options: RejectionOptions = {}): RpcError {
  const { code, category, retryable } = rejections[name];
  const { retryAfter, data } = options;
  return new RpcError(code, message, {
    data: { ...data, category, retryable, ...(retryAfter !== undefined && { retryAfter }) },
  });
}

/**
 * Returns the catalogue entry of an error from the peer, or undefined if it has none.
 *
 * @example
 * ```ts
 * import { readRejection } from "mcp-server-runtime/compatibility";
 *
 * const mayRetry = await client.callTool("report").then(
 *   () => false,
 *   (error: unknown) => readRejection(error)?.retryable ?? false,
 * );
 * ```
 */
export function readRejection(error: unknown): Rejection | undefined {
  return isRpcError(error) ? findRejection(error.code) : undefined;
}

/** Returns the catalogue entry with a code, or undefined if there is none. */
export function findRejection(code: number): Rejection | undefined {
  return byCode.get(code);
}

const byCode: ReadonlyMap<number, Rejection> = new Map<number, Rejection>(
  Object.values(rejections).map((rejection) => [rejection.code, rejection]),
);
