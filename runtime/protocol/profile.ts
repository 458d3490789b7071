import type { Revision } from "../../generated/support.ts";
import { attempt, chain } from "../internal/maybe-async.ts";
import type { Timeouts } from "../jsonrpc/limits.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import type { RequestHandler } from "./routes.ts";
import { RpcError, toErrorObject } from "../jsonrpc/errors.ts";
import { StaticResult } from "../jsonrpc/message.ts";
import type { Capabilities } from "./session.ts";

/**
 * Habits of a community that the official wire neither has nor forbids. Without a profile there are none; and none concern revisions
 * whose requests stand alone.
 */
export interface Profile {
  /** Where no timeouts are given. */
  readonly timeouts?: Partial<Timeouts>;
  /** Code of the answer to a request that comes before the handshake. Default -32600. */
  readonly notInitialized?: number;
  /** Other names of notifications, and what they are taken for. Names that a revision has itself are never replaced. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** A request of the client that ends the session. Default: the protocol has none. */
  readonly shutdown?: string;
  /** What the other side declares, in the terms of the protocol. */
  readCapabilities?(declared: Capabilities): Capabilities;
  /** What a request that failed is answered instead. */
  toError?(error: ErrorObject, method: string): ErrorObject;
  /** What a request is answered instead. Not called for lists and other answers that are always the same. */
  toResult?(result: unknown, method: string, revision: Revision): unknown;
  /** Params of a request of the other side, in the terms of the protocol. They are checked afterwards. */
  readParams?(params: unknown, method: string): unknown;
  /** Result of the other side, in the terms of the protocol. It is checked afterwards. */
  readResult?(result: unknown, method: string, revision: Revision): unknown;
  /** True if a request that failed with an error of the other side may be sent again; nothing where it may not. */
  readRetry?(error: ErrorObject): RetryAdvice | undefined;
  /** Error of an HTTP request that is refused before it reaches a session, such as one without credentials. */
  toHttpError?(error: ErrorObject, refusal: HttpRefusal): ErrorObject;
  /** HTTP status of an error that is the answer to a request of a session. Default: 200. */
  toHttpStatus?(error: ErrorObject): number | undefined;
}

/** Terms on which a request may be sent again. */
export interface RetryAdvice {
  /** Milliseconds before which it is of no use. */
  readonly delay: number;
  /** True if the request was refused before any work on it; one that may have run is sent again only where that is safe. */
  readonly isBeforeWork: boolean;
}

/** Refusal of an HTTP request. */
export interface HttpRefusal {
  readonly status: number;
  /** Absent where the status says all that is known. */
  readonly reason?: HttpRefusalReason | undefined;
  /** Seconds after which the request may be sent again. */
  readonly retryAfter?: number | undefined;
}

/** Reason for the refusal of an HTTP request, where several have the same status. */
export type HttpRefusalReason =
  /** The request has no session and does not open one. */
  | "not-initialized"
  /** The session has ended, or is another principal's. */
  | "unknown-session"
  | "no-credentials"
  | "invalid-credentials"
  | "expired-credentials";

/** An error as the profile has it. */
export function profileError(error: ErrorObject, method: string, profile: Profile | undefined): ErrorObject {
  return profile?.toError ? profile.toError(error, method) : error;
}

/** A request as the profile reads it. */
export function readRequest<Request extends { readonly method: string; readonly params: unknown }>(
  request: Request,
  profile: Profile | undefined,
): Request {
  if (!profile?.readParams || request.params === undefined) return request;
  return { ...request, params: profile.readParams(request.params, request.method) };
}

/** A result as the profile reads it. */
export function readResult(
  result: unknown,
  method: string,
  { profile, revision }: { readonly profile: Profile | undefined; readonly revision: Revision | undefined },
): unknown {
  return profile?.readResult && revision ? profile.readResult(result, method, revision) : result;
}

/** A handler whose answers are those of the profile; without one, the handler itself. */
export function profileHandler(handle: RequestHandler, method: string, profile: Profile | undefined): RequestHandler {
  if (!profile) return handle;
  const convert = (result: unknown, revision: Revision): unknown =>
    result instanceof StaticResult ? result : (profile.toResult?.(result, method, revision) ?? result);
  const fail = (thrown: unknown): never => {
    const error = RpcError.from(thrown);
    const { code, message, data } = profileError(toErrorObject(error), method, profile);
    throw new RpcError(code, message, { data, ...(error === thrown ? {} : { cause: thrown }) });
  };
  return (params, context) =>
    attempt(() => chain(handle(params, context), (result) => convert(result, context.revision)), fail);
}
