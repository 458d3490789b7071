import { RpcError, errorCodes, hasName } from "../rpc/errors.ts";

/** A failure that the model should read and react to: the call answers with a result marked `isError`. */
export class ToolError extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = "ToolError";
  }
}

/** Whether a value is a `ToolError`, also one of another copy of this package. */
export function isToolError(value: unknown): value is ToolError {
  return hasName(value, ["ToolError"]);
}

/** The refusal of a request that names something unknown or lacks something. */
export function refuse(message: string, data?: object): RpcError {
  return new RpcError(errorCodes.invalidParams, message, { data });
}
