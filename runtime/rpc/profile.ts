import { attempt, chain } from "./awaitable.ts";
import type { Timeouts } from "./limits.ts";
import type { ErrorObject } from "./message.ts";
import type { RequestHandler } from "./dispatch.ts";
import { RpcError, toErrorObject } from "./errors.ts";
import { StaticResult } from "./message.ts";
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
  toResult?(result: unknown, method: string): unknown;
}

/** An error as the profile has it. */
export function profileError(error: ErrorObject, method: string, profile: Profile | undefined): ErrorObject {
  return profile?.toError ? profile.toError(error, method) : error;
}

/** A handler whose answers are those of the profile; without one, the handler itself. */
export function profileHandler(handle: RequestHandler, method: string, profile: Profile | undefined): RequestHandler {
  if (!profile) return handle;
  const convert = (result: unknown): unknown =>
    result instanceof StaticResult ? result : (profile.toResult?.(result, method) ?? result);
  const fail = (thrown: unknown): never => {
    const error = RpcError.from(thrown);
    const { code, message, data } = profileError(toErrorObject(error), method, profile);
    throw new RpcError(code, message, { data, ...(error === thrown ? {} : { cause: thrown }) });
  };
  return (params, context) => attempt(() => chain(handle(params, context), convert), fail);
}
