import { isObject } from "../../../generated/support.ts";
import type { ErrorObject } from "../../jsonrpc/message.ts";
import type { HttpRejectionReason, Profile } from "../../protocol/profile.ts";
import type { HttpResponse, HeaderFields, RequestHead } from "./exchange/exchange.ts";

/** Status and fields of a JSON error response. */
export interface ErrorStatus {
  readonly status: number;
  readonly headers: HeaderFields;
}

/** Applies the profile to the JSON-RPC error of a rejection. Returns other responses unchanged. */
export function toProfiledRejection(
  response: HttpResponse,
  head: RequestHead,
  profile: Profile | undefined,
): HttpResponse {
  if (!profile?.toHttpError || response.status < 400) return response;
  const message = readMessage(response.body);
  const error = message && readError(message.error);
  if (!error) return response;
  const { status, headers = {} } = response;
  const retryAfter = Number(headers["retry-after"] ?? Number.NaN);
  const rejection = {
    status,
    reason: response.reason ?? guessReason(status, head),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  };
  return { status, headers, body: JSON.stringify({ ...message, error: profile.toHttpError(error, rejection) }) };
}

/** Returns the HTTP status of an error response within a session, if the profile specifies one other than 200. */
export function toErrorStatus(error: ErrorObject, profile: Profile | undefined): ErrorStatus | undefined {
  const status = profile?.toHttpStatus?.(error);
  if (status === undefined) return undefined;
  const retryAfter = isObject(error.data) ? error.data.retryAfter : undefined;
  const isTime = typeof retryAfter === "number" && Number.isFinite(retryAfter) && retryAfter >= 0;
  return { status, headers: isTime ? { "retry-after": String(Math.ceil(retryAfter)) } : {} };
}

/** Guesses the reason of a guard which gives none, by the presence of credentials in the request. */
function guessReason(status: number, head: RequestHead): HttpRejectionReason | undefined {
  const hasCredentials = (head.header("authorization") ?? head.header("x-api-key")) !== undefined;
  return status === 401 && !hasCredentials ? "no-credentials" : undefined;
}

function readMessage(body: string | undefined): Record<string, unknown> | undefined {
  if (!body?.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    // The body of a guard's response may be of any form.
    return undefined;
  }
}

function readError(value: unknown): ErrorObject | undefined {
  if (!isObject(value) || typeof value.code !== "number" || typeof value.message !== "string") return undefined;
  const { code, message, data } = value;
  return data === undefined ? { code, message } : { code, message, data };
}
