import { isObject } from "../../generated/support.ts";
import { rejectionCodes } from "../jsonrpc/rejection-codes.ts";
import { errorCodes } from "../jsonrpc/errors.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import type { HttpRejection, HttpRejectionReason, Profile, RetryAdvice } from "../protocol/profile.ts";
import type { Capabilities } from "../protocol/session/session.ts";
import { addStructuredContent, readProgressToken, readResourceLinks } from "./conventions.ts";
import { categoryOf } from "./error-categories.ts";
import { findRejection, rejections, type Rejection } from "./rejections.ts";

/** Error code for a request before the handshake. */
const notInitialized = -32005;

/** Conventions of some peers. All are off by default. */
export interface CommunityOptions {
  /** Accepts a `progressToken` beside `_meta` in params, if `_meta` has none. */
  readonly topLevelProgressToken?: boolean;
  /** Treats an embedded resource with a URI and without text or blob as a resource link, at revisions with resource links. */
  readonly lenientResourceLinks?: boolean;
  /** Adds an empty `structuredContent` to tool results without one, at revisions with this member. */
  readonly alwaysStructured?: boolean;
}

/**
 * Creates the community profile with optional conventions.
 *
 * @example
 * ```ts
 * import { serveStdio } from "mcp-server-runtime";
 * import { createCommunityProfile } from "mcp-server-runtime/compatibility";
 *
 * await serveStdio(server, { profile: createCommunityProfile() });
 * ```
 */
export function createCommunityProfile(options: CommunityOptions = {}): Profile {
  const { topLevelProgressToken = false, lenientResourceLinks = false, alwaysStructured = false } = options;
  return {
    ...habits,
    toResult: alwaysStructured
      ? (result, method, revision) =>
          toResult(method === "tools/call" ? addStructuredContent(result, revision) : result, method)
      : toResult,
    ...(topLevelProgressToken && { readParams: readProgressToken }),
    ...(lenientResourceLinks && { readResult: (result, _method, revision) => readResourceLinks(result, revision) }),
  };
}

const habits: Omit<Profile, "toResult"> = {
  timeouts: { initialize: 30_000, request: 5_000 },
  notInitialized,
  shutdown: "shutdown",
  aliases: new Map([
    ["initialized", "notifications/initialized"],
    ["progress", "notifications/progress"],
    ["requests/cancel", "notifications/cancelled"],
    ["resources/updated", "notifications/resources/updated"],
    ["tools/list_changed", "notifications/tools/list_changed"],
    ["prompts/list_changed", "notifications/prompts/list_changed"],
    ["resources/list_changed", "notifications/resources/list_changed"],
    ["roots/list_changed", "notifications/roots/list_changed"],
  ]),
  readCapabilities,
  toError,
  readRetry,
  toHttpError,
  toHttpStatus,
};

/**
 * Conventions of the early community guides, for peers built by them: pass it as `profile` to either side.
 *
 * A request before the handshake is rejected with -32005. Errors name their category in `data`. Rejections have the codes of the catalogue; over
 * HTTP, this includes requests without a session or credentials. Failed tools carry the guides' code in `_meta`. The profile accepts notifications
 * without the prefix `notifications/`, the request `shutdown`, and `{ enabled }` in capabilities. A client retries a temporarily rejected request, if
 * it may. Official codes and messages do not change.
 */
export const communityProfile: Profile = createCommunityProfile();

/** Reconnection settings of the guides, with the delay in milliseconds: pass them as `reconnect` to a client. */
export const communityReconnect: {
  readonly initialDelay: number;
  readonly factor: number;
  readonly attempts: number;
} = { initialDelay: 100, factor: 2, attempts: 3 };

/** Key for the guides' error code in the `_meta` of a failed tool's result. */
export const guideKey = "create-mcp-server/guide";

/** Reads capabilities: `enabled: false` means absent, and `completion` is accepted for `completions`. */
function readCapabilities(declared: Capabilities): Capabilities {
  const entries = Object.entries(declared).filter(([, value]) => !isObject(value) || value.enabled !== false);
  const { completion, ...rest } = Object.fromEntries(entries);
  return completion === undefined ? rest : { completions: completion, ...rest };
}

function toError(error: ErrorObject, method: string): ErrorObject {
  const rejection = standardRejections.get(error.code);
  if (rejection)
    return describe(error, rejection.code, { category: rejection.category, retryable: rejection.retryable });
  const code = toGuideCode(error, method);
  return describe(error, error.code, { category: categoryOf(method), ...(code !== undefined && { guideCode: code }) });
}

/** Returns advice for retrying. Only rejections for too many requests are known to come before any work on the request. */
function readRetry({ code, data }: ErrorObject): RetryAdvice | undefined {
  const rejection = findRejection(code);
  const { retryable = rejection?.retryable, retryAfter } = isObject(data) ? data : {};
  const seconds = typeof retryAfter === "number" && retryAfter >= 0 ? retryAfter : undefined;
  if (retryable !== true && (retryable !== undefined || seconds === undefined)) return undefined;
  const isBeforeWork = code === rejectionCodes.tooMany || rejection?.status === 429;
  return { delay: (seconds ?? 0) * 1_000, isBeforeWork };
}

/** Returns the catalogue's error for a status and a reason; other errors keep their code. */
function toHttpError(error: ErrorObject, { status, reason, retryAfter }: HttpRejection): ErrorObject {
  if (reason === "not-initialized") return describe(error, notInitialized, { category: "core" });
  const rejection = reason ? reasonRejections[reason] : statusRejections.get(status);
  if (!rejection) return describe(error, error.code, { category: "core" });
  const { code, category, retryable } = rejection;
  return describe(error, code, {
    category,
    retryable,
    ...(category === "authentication" && { guideCode: unauthorizedCode }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Returns the HTTP status of temporary rejections only. Other statuses would make clients end their session or authorize again. */
function toHttpStatus({ code }: ErrorObject): number | undefined {
  const status = findRejection(code)?.status;
  return status === 429 || status === 503 ? status : undefined;
}

function describe(error: ErrorObject, code: number, more: object): ErrorObject {
  const { message, data } = error;
  if (data !== undefined && !isObject(data)) return { ...error, code };
  return { code, message, data: { ...more, ...data } };
}

/** Returns the guides' code for a call without a tool behind it. */
function toGuideCode({ code, data }: ErrorObject, method: string): number | undefined {
  if (method !== "tools/call" || code !== errorCodes.invalidParams) return undefined;
  return isObject(data) && Object.hasOwn(data, "name") ? toolCodes.unknown : toolCodes.invalid;
}

function toResult(result: unknown, method: string): unknown {
  if (method !== "tools/call" || !isObject(result) || result.isError !== true) return result;
  const meta = isObject(result._meta) ? result._meta : {};
  return { ...result, _meta: { [guideKey]: { category: "tools", code: toolCodes.failed }, ...meta } };
}

const toolCodes: { readonly unknown: -32031; readonly failed: -32032; readonly invalid: -32033 } = {
  unknown: -32031,
  failed: -32032,
  invalid: -32033,
};

/** Error code of the guides for missing authentication. */
const unauthorizedCode = -32051;

const reasonRejections: Readonly<Record<Exclude<HttpRejectionReason, "not-initialized">, Rejection>> = {
  "unknown-session": rejections.sessionInvalid,
  "no-credentials": rejections.authenticationMissing,
  "invalid-credentials": rejections.invalidCredentials,
  "expired-credentials": rejections.authenticationExpired,
};

/** Rejections for a status without a known reason. */
const statusRejections: ReadonlyMap<number, Rejection> = new Map<number, Rejection>(
  [
    rejections.authenticationFailed,
    rejections.forbidden,
    rejections.messageTooLarge,
    rejections.invalidContentType,
    rejections.rateExceeded,
    rejections.unavailable,
  ].map((rejection) => [rejection.status, rejection]),
);

const standardRejections: ReadonlyMap<number, Rejection> = new Map<number, Rejection>([
  [rejectionCodes.forbidden, rejections.forbidden],
  [rejectionCodes.tooMany, rejections.rateExceeded],
]);
