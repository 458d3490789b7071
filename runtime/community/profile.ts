import { isObject } from "../../generated/support.ts";
import { refusalCodes } from "../rpc/refusal-codes.ts";
import { errorCodes } from "../rpc/errors.ts";
import type { ErrorObject } from "../rpc/message.ts";
import type { Profile } from "../rpc/profile.ts";
import type { Capabilities } from "../rpc/session.ts";
import { categoryOf } from "./error-categories.ts";
import { refusals, type Refusal } from "./refusals.ts";

/**
 * The habits of the early community guides, for peers that were written after them: give it as `profile` to either side. A request
 * before the handshake is refused with -32005; errors name their category in `data`; refusals have the codes of the catalogue; failures
 * of tools carry the guides' code in `_meta`; notifications without the prefix `notifications/`, a request `shutdown` and `{ enabled }`
 * in capabilities are understood. Official codes and messages stay what they are.
 */
export const communityProfile: Profile = {
  timeouts: { initialize: 30_000, request: 5_000 },
  notInitialized: -32005,
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
  toResult,
};

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

const standardRefusals: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [refusalCodes.forbidden, refusals.forbidden],
  [refusalCodes.tooMany, refusals.rateExceeded],
]);
