import type { Revision } from "../../generated/support.ts";
import { attempt, chain } from "../internal/maybe-async.ts";
import type { Timeouts } from "../jsonrpc/limits.ts";
import type { ErrorObject } from "../jsonrpc/message.ts";
import type { RequestHandler } from "./session/call-context.ts";
import { RpcError, toErrorObject } from "../jsonrpc/errors.ts";
import { StaticResult } from "../jsonrpc/message.ts";
import type { Capabilities } from "./session/session.ts";

/**
 * Conventions of a community, neither part of the official protocol nor forbidden by it. Without a profile there are none. None of them concern
 * revisions with stateless requests.
 */
export interface Profile {
  /** Timeouts where none are given. */
  readonly timeouts?: Partial<Timeouts>;
  /** Error code of the response to a request before the handshake. Default -32600. */
  readonly notInitialized?: number;
  /** Notification names of the protocol, by their other names. A revision's own names are never replaced. */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Method with which the client ends the session. Default: the protocol has none. */
  readonly shutdown?: string;
  /** Converts the capabilities declared by the peer to the terms of the protocol. */
  readCapabilities?(declared: Capabilities): Capabilities;
  /** Converts the error response to a request. */
  toError?(error: ErrorObject, method: string): ErrorObject;
  /** Converts the result of a request. Not called for lists and other constant results. */
  toResult?(result: unknown, method: string, revision: Revision): unknown;
  /** Converts the params of the peer's request to the terms of the protocol. They are checked afterwards. */
  readParams?(params: unknown, method: string): unknown;
  /** Converts a result of the peer to the terms of the protocol. It is checked afterwards. */
  readResult?(result: unknown, method: string, revision: Revision): unknown;
  /** Returns the terms for a retry of a request that failed with an error of the peer; `undefined` if it may not be retried. */
  readRetry?(error: ErrorObject): RetryAdvice | undefined;
  /** Converts the error of an HTTP request that is rejected before it reaches a session, such as one without credentials. */
  toHttpError?(error: ErrorObject, rejection: HttpRejection): ErrorObject;
  /** Returns the HTTP status of an error response to a request of a session. Default: 200. */
  toHttpStatus?(error: ErrorObject): number | undefined;
}

/** Terms on which a request may be retried. */
export interface RetryAdvice {
  /** Milliseconds before which a retry is useless. */
  readonly delay: number;
  /** True if the request was rejected before any work on it. Otherwise it may have run: it is retried only where a second run is safe. */
  readonly isBeforeWork: boolean;
}

/** Rejection of an HTTP request. */
export interface HttpRejection {
  readonly status: number;
  /** Absent where the status says everything. */
  readonly reason?: HttpRejectionReason | undefined;
  /** Seconds after which the request may be retried. */
  readonly retryAfter?: number | undefined;
}

/** Reason for the rejection of an HTTP request, where several have the same status. */
export type HttpRejectionReason =
  /** The request has no session and does not open one. */
  | "not-initialized"
  /** The session has ended, or is another principal's. */
  | "unknown-session"
  | "no-credentials"
  | "invalid-credentials"
  | "expired-credentials";

/** Converts an error with the profile. */
export function profileError(error: ErrorObject, method: string, profile: Profile | undefined): ErrorObject {
  return profile?.toError ? profile.toError(error, method) : error;
}

/** Converts an incoming request with the profile. */
export function readRequest<Request extends { readonly method: string; readonly params: unknown }>(
  request: Request,
  profile: Profile | undefined,
): Request {
  if (!profile?.readParams || request.params === undefined) return request;
  return { ...request, params: profile.readParams(request.params, request.method) };
}

/** Converts a result of the peer with the profile. */
export function readResult(
  result: unknown,
  method: string,
  { profile, revision }: { readonly profile: Profile | undefined; readonly revision: Revision | undefined },
): unknown {
  return profile?.readResult && revision ? profile.readResult(result, method, revision) : result;
}

/** Wraps a handler so that its results and errors fit the profile; without a profile, returns the handler itself. */
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
