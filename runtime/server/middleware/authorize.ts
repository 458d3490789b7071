import type { Awaitable } from "../../../generated/support.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import type { Middleware, ServerRequest } from "./middleware.ts";

/**
 * Creates middleware to check, before each request, if the client may send it. `false` rejects the request with error 403 and no further detail. To
 * give more detail, throw an `RpcError`. To hide a tool, resource or prompt from a client, use `visible` instead.
 *
 * @example
 * ```ts
 * import { authorize } from "mcp-server-runtime";
 *
 * const readOnly = authorize(({ method, context }) => method !== "tools/call" || context.auth?.principal === "admin");
 * defineServer({ name: "demo", version: "1.0.0", middleware: [readOnly] });
 * ```
 */
export function authorize(isAllowed: (request: ServerRequest) => Awaitable<boolean>): Middleware {
  return async (request, next) => {
    // Only `true` permits a request: a check that forgets to return a value must not grant access.
    if ((await isAllowed(request)) === true) return next();
    throw new RpcError(rejectionCodes.forbidden, "The request is not allowed");
  };
}
