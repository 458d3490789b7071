import { RpcError, errorCodes } from "../rpc/errors.ts";

/**
 * Codes of refusals for which no revision has one. They lie outside the range that JSON-RPC and the protocol keep for
 * themselves, and mean what they mean in HTTP.
 */
export const refusalCodes: { readonly forbidden: 403; readonly tooMany: 429 } = { forbidden: 403, tooMany: 429 };

/** A failure that the model should read and react to: the call answers with a result marked `isError`. */
export class ToolError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ToolError";
  }
}

/** Whether a value is a `ToolError`, also one of another copy of this package. */
export function isToolError(value: unknown): value is ToolError {
  return value instanceof Error && value.name === "ToolError";
}

/** The refusal of a request that names something unknown or lacks something. */
export function refuse(message: string, data?: object): RpcError {
  return new RpcError(errorCodes.invalidParams, message, { data });
}
