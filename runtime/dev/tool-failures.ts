import { isCapabilityError, isRpcError, toError } from "../jsonrpc/errors.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Middleware } from "../server/middleware/middleware.ts";
import { describeError } from "./describe-error.ts";

/**
 * Creates middleware to turn failed calls of tools into results for the client, for example when the output does not fit its schema. Errors of the
 * protocol pass.
 */
export function describeToolFailures(onError: OnError): Middleware {
  return async ({ method, context: { requestId: id, signal } }, next) => {
    try {
      return await next();
    } catch (thrown) {
      if (method !== "tools/call" || signal.aborted || isRpcError(thrown) || isCapabilityError(thrown)) throw thrown;
      onError({ kind: "handler", method, id, error: toError(thrown) });
      return { content: [{ type: "text", text: describeError(thrown) }], isError: true };
    }
  };
}
