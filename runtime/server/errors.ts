import type { Awaitable } from "../../generated/support.ts";
import { RpcError, errorCodes, hasName } from "../jsonrpc/errors.ts";
import { shorten } from "../internal/shorten.ts";

/**
 * A failure that the other side should read. A call of a tool answers with a result marked `isError`, so that the model can react to it; any
 * other request is refused with this message.
 */
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

/** Asks a handler that no model reads the answer of: what it says of a failure is for whoever asked. */
export async function askHandler<Result>(ask: () => Awaitable<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    throw isToolError(thrown) ? refuse(thrown.message) : thrown;
  }
}

/** The refusal of a request that names something unknown or lacks something. With data it quotes the request, as much of it as is bearable. */
export function refuse(message: string, data?: object): RpcError {
  if (data === undefined) return new RpcError(errorCodes.invalidParams, message);
  const members = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === "string" ? shorten(value) : value,
  ]);
  return new RpcError(errorCodes.invalidParams, shorten(message), { data: Object.fromEntries(members) });
}
