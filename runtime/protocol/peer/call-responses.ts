import type { RequestRow } from "../../../generated/support.ts";
import { InvalidMessageError, RpcError, errorCodes, toError, toErrorObject } from "../../jsonrpc/errors.ts";
import type { ErrorReport } from "../../jsonrpc/error-report.ts";
import { StaticResult, type ErrorObject, type Message, type RequestId } from "../../jsonrpc/message.ts";

/** Receives the failures of handlers. The peer is only notified that the request has failed. */
export interface FailureHost {
  report(report: ErrorReport): void;
}

/** Call that a response is for. */
interface RespondedCall {
  readonly requestId: RequestId;
  readonly row: RequestRow;
}

/** Returns the response with the result of a handler; an error if the result does not fit its row. */
export function toResponse(call: RespondedCall, result: unknown, host: FailureHost): Message {
  const { row, requestId: id } = call;
  const problem = findResultProblem(row, result);
  if (!problem) return { jsonrpc: "2.0", id, result };
  host.report({ kind: "result", method: row.method, id, error: problem });
  return { jsonrpc: "2.0", id, error: internalError };
}

/** Returns the response to a call whose handler has failed. */
export function toErrorResponse({ row, requestId: id }: RespondedCall, thrown: unknown, host: FailureHost): Message {
  const error = RpcError.from(thrown);
  if (error !== thrown || error.cause !== undefined)
    host.report({ kind: "handler", method: row.method, id, error: toError(thrown) });
  return { jsonrpc: "2.0", id, error: toErrorObject(error) };
}

/** Returns the response to a call whose timeout has expired. */
export function toTimeoutResponse({ requestId: id }: RespondedCall): Message {
  return { jsonrpc: "2.0", id, error: { ...internalError, message: "Request timed out" } };
}

/** Checks a result. Its getters and proxies may throw while it is read. */
function findResultProblem(row: RequestRow, result: unknown): Error | undefined {
  try {
    const issue = result instanceof StaticResult ? result.check(row.result) : row.result(result);
    return issue && new InvalidMessageError(row.method, "result", issue);
  } catch (thrown) {
    return toError(thrown);
  }
}

const internalError: ErrorObject = { code: errorCodes.internalError, message: "Internal error" };
