import type { Awaitable } from "../../generated/support.ts";
import { RpcError, errorCodes, hasName } from "../jsonrpc/errors.ts";
import { shorten } from "../internal/shorten.ts";

/**
 * Failure whose message is sent to the client. A call of a tool returns it in a result marked `isError`, so that the model can react to it. Any other
 * request is rejected with an error response with this message.
 *
 * @example
 * ```ts
 * import { ToolError } from "mcp-server-runtime";
 *
 * const forecast = defineTool({
 *   name: "forecast",
 *   execute: () => Promise.reject(new ToolError("There is no forecast today. Try again tomorrow.")),
 * });
 * ```
 */
export class ToolError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ToolError";
  }
}

/** True if a value is a `ToolError`, including one of another copy of this package. */
export function isToolError(value: unknown): value is ToolError {
  return hasName(value, ["ToolError"]);
}

/**
 * Calls a handler whose result no model reads.
 *
 * @throws {RpcError} in place of a `ToolError`: an error response to the client
 */
export async function callHandler<Result>(ask: () => Awaitable<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    throw isToolError(thrown) ? reject(thrown.message) : thrown;
  }
}

/** Creates the error for a request with an unknown name or a missing part. Data quotes the request; long texts are shortened. */
export function reject(message: string, data?: object): RpcError {
  if (data === undefined) return new RpcError(errorCodes.invalidParams, message);
  const members = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === "string" ? shorten(value) : value,
  ]);
  return new RpcError(errorCodes.invalidParams, shorten(message), { data: Object.fromEntries(members) });
}
