import { isObject } from "../../generated/support.ts";
import { refusalCodes } from "../jsonrpc/rejection-codes.ts";
import { errorCodes } from "../jsonrpc/errors.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import type { HttpRefusal, HttpRefusalReason, Profile, RetryAdvice } from "../protocol/profile.ts";
import type { Capabilities } from "../protocol/session.ts";
import { addStructuredContent, readProgressToken, readResourceLinks } from "./conventions.ts";
import { categoryOf } from "./error-categories.ts";
import { findRefusal, refusals, type Refusal } from "./rejections.ts";

/** Code of the answer to a request before the handshake. */
const notInitialized = -32005;

/** Habits that only some peers have. All are off by default. */
export interface CommunityOptions {
  /** Reads a `progressToken` that stands beside `_meta` in params, where `_meta` has none. */
  readonly topLevelProgressToken?: boolean;
  /** Reads an embedded resource that has a URI and neither text nor blob as a resource link, where the revision has those. */
  readonly lenientResourceLinks?: boolean;
  /** Adds an empty `structuredContent` to results of tools that have none, where the revision has that member. */
  readonly alwaysStructured?: boolean;
}

/** The community profile with further habits. */
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
 * The habits of the early community guides, for peers that were written after them: give it as `profile` to either side. A request
 * before the handshake is refused with -32005. Errors name their category in `data`. Refusals have the codes of the catalogue, over HTTP
 * also those of requests without a session or credentials. Failures of tools carry the guides' code in `_meta`. Notifications without the
 * prefix `notifications/`, a request `shutdown` and `{ enabled }` in capabilities are understood. A client sends a request again that was
 * refused for now, if it may. Official codes and messages stay what they are.
 */
export const communityProfile: Profile = createCommunityProfile();

/** Delays of a client that reconnects as the guides say: give it as `reconnect`. */
export const communityReconnect: {
  readonly initialDelay: number;
  readonly factor: number;
  readonly attempts: number;
} = { initialDelay: 100, factor: 2, attempts: 3 };

/** Under which a failed tool carries the guides' code in the `_meta` of its result. */
export const guideKey = "create-mcp-server/guide";

/** `enabled: false` means absent, and what the protocol calls `completions` some call `completion`. */
function readCapabilities(declared: Capabilities): Capabilities {
  const entries = Object.entries(declared).filter(([, value]) => !isObject(value) || value.enabled !== false);
  const { completion, ...rest } = Object.fromEntries(entries);
  return completion === undefined ? rest : { completions: completion, ...rest };
}

function toError(error: ErrorObject, method: string): ErrorObject {
  const refusal = standardRefusals.get(error.code);
  if (refusal) return describe(error, refusal.code, { category: refusal.category, retryable: refusal.retryable });
  const code = toGuideCode(error, method);
  return describe(error, error.code, { category: categoryOf(method), ...(code !== undefined && { guideCode: code }) });
}

/** Refusals for too many requests come before any work on the request; others may not. */
function readRetry({ code, data }: ErrorObject): RetryAdvice | undefined {
  const { retryable, retryAfter } = isObject(data) ? data : {};
  const seconds = typeof retryAfter === "number" && retryAfter >= 0 ? retryAfter : undefined;
  if (retryable !== true && (retryable !== undefined || seconds === undefined)) return undefined;
  const isBeforeWork = code === refusalCodes.tooMany || findRefusal(code)?.status === 429;
  return { delay: (seconds ?? 0) * 1_000, isBeforeWork };
}

/** Returns the catalogue's error for a status and a reason; other errors keep their code. */
function toHttpError(error: ErrorObject, { status, reason, retryAfter }: HttpRefusal): ErrorObject {
  if (reason === "not-initialized") return describe(error, notInitialized, { category: "core" });
  const refusal = reason ? reasonRefusals[reason] : statusRefusals.get(status);
  if (!refusal) return describe(error, error.code, { category: "core" });
  const { code, category, retryable } = refusal;
  return describe(error, code, {
    category,
    retryable,
    ...(category === "authentication" && { guideCode: unauthorizedCode }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Only refusals that ask for patience: other statuses make clients end their session, or authorize again. */
function toHttpStatus({ code }: ErrorObject): number | undefined {
  const status = findRefusal(code)?.status;
  return status === 429 || status === 503 ? status : undefined;
}

function describe(error: ErrorObject, code: number, more: object): ErrorObject {
  const { message, data } = error;
  if (data !== undefined && !isObject(data)) return { ...error, code };
  return { code, message, data: { ...more, ...data } };
}

/** Which code the guides have for a call that reaches no tool. */
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

const reasonRefusals: Readonly<Record<Exclude<HttpRefusalReason, "not-initialized">, Refusal>> = {
  "unknown-session": refusals.sessionInvalid,
  "no-credentials": refusals.authenticationMissing,
  "invalid-credentials": refusals.invalidCredentials,
  "expired-credentials": refusals.authenticationExpired,
};

/** The refusals that stand for a status where nothing more is known. */
const statusRefusals: ReadonlyMap<number, Refusal> = new Map<number, Refusal>(
  [
    refusals.authenticationFailed,
    refusals.forbidden,
    refusals.messageTooLarge,
    refusals.invalidContentType,
    refusals.rateExceeded,
    refusals.unavailable,
  ].map((refusal) => [refusal.status, refusal]),
);

const standardRefusals: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [refusalCodes.forbidden, refusals.forbidden],
  [refusalCodes.tooMany, refusals.rateExceeded],
]);
