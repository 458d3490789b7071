import { isObject } from "../../../generated/support.ts";
import type { ErrorObject } from "../../jsonrpc/message.ts";
import type { HttpRefusalReason, Profile } from "../../protocol/profile.ts";
import type { Answer, HeaderFields, RequestHead } from "./exchange/exchange.ts";

/** Status and fields of a JSON answer that is an error. */
export interface ErrorStatus {
  readonly status: number;
  readonly headers: HeaderFields;
}

/** A refusal with its error as the profile has it. Other answers stay as they are. */
export function toProfiledRejection(answer: Answer, head: RequestHead, profile: Profile | undefined): Answer {
  if (!profile?.toHttpError || answer.status < 400) return answer;
  const message = readMessage(answer.body);
  const error = message && readError(message.error);
  if (!error) return answer;
  const { status, headers = {} } = answer;
  const retryAfter = Number(headers["retry-after"] ?? Number.NaN);
  const refusal = {
    status,
    reason: answer.reason ?? guessReason(status, head),
    ...(Number.isFinite(retryAfter) && { retryAfter }),
  };
  return { status, headers, body: JSON.stringify({ ...message, error: profile.toHttpError(error, refusal) }) };
}

/** The HTTP status of an error that answers a request of a session, where the profile has another one than 200. */
export function toErrorStatus(error: ErrorObject, profile: Profile | undefined): ErrorStatus | undefined {
  const status = profile?.toHttpStatus?.(error);
  if (status === undefined) return undefined;
  const retryAfter = isObject(error.data) ? error.data.retryAfter : undefined;
  const isTime = typeof retryAfter === "number" && Number.isFinite(retryAfter) && retryAfter >= 0;
  return { status, headers: isTime ? { "retry-after": String(Math.ceil(retryAfter)) } : {} };
}

/** A guard may be any function: where it gives no reason, the request tells whether it carries credentials. */
function guessReason(status: number, head: RequestHead): HttpRefusalReason | undefined {
  const hasCredentials = (head.header("authorization") ?? head.header("x-api-key")) !== undefined;
  return status === 401 && !hasCredentials ? "no-credentials" : undefined;
}

function readMessage(body: string | undefined): Record<string, unknown> | undefined {
  if (!body?.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    // A guard answers with whatever body it likes.
    return undefined;
  }
}

function readError(value: unknown): ErrorObject | undefined {
  if (!isObject(value) || typeof value.code !== "number" || typeof value.message !== "string") return undefined;
  const { code, message, data } = value;
  return data === undefined ? { code, message } : { code, message, data };
}
