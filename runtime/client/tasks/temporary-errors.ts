import { isClosedError, isPeerError, isTimeoutError } from "../../jsonrpc/errors.ts";
import { rejectionCodes } from "../../jsonrpc/rejection-codes.ts";
import { isSessionExpiredError } from "../../transport/http-client/errors.ts";
import { isPassing } from "../../transport/http-client/event-stream.ts";

/**
 * True if a request about a task may succeed when it is sent again: the connection was lost, no response came in time, or the server is busy. Any
 * other error response of the server is final.
 */
export function isTemporary(error: unknown): boolean {
  if (isPeerError(error)) return busyCodes.includes(error.code);
  return isPassing(error) || isTimeoutError(error) || isClosedError(error) || isSessionExpiredError(error);
}

const busyCodes: readonly number[] = [rejectionCodes.tooMany, rejectionCodes.unavailable];
