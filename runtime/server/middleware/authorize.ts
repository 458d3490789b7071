import type { Awaitable } from "../../../generated/support.ts";
import { refusalCodes } from "../../jsonrpc/rejection-codes.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import type { Middleware, ServerRequest } from "./middleware.ts";

/**
 * Middleware that asks before every request whether this client may send it; `false` refuses it with an error 403 that says nothing
 * more. Throw an `RpcError` to say more. What a client may not even know of is better hidden: see `visible`.
 */
export function authorize(isAllowed: (request: ServerRequest) => Awaitable<boolean>): Middleware {
  return async (request, next) => {
    // Only `true` lets a request pass: a check that forgets to return anything must not open the door.
    if ((await isAllowed(request)) === true) return next();
    throw new RpcError(refusalCodes.forbidden, "This request is not allowed");
  };
}
