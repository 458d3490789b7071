import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import type { RecordedInputRequest } from "./request-state-record.ts";

/** Returns the message for an input request sent inside a step of `once`. */
export function describeNestedInputRequest(steps: readonly string[]): string {
  const names = steps.map((step) => JSON.stringify(step)).join(", ");
  return (
    `The input request was sent inside context.once(${names}), whose callback is not repeated in the round of the response; ` +
    "send input requests before context.once()"
  );
}

/**
 * Creates the error for an input request and a step of `once` waiting for each other.
 *
 * @param time - milliseconds the input request has waited
 */
export function replayDeadlock(steps: readonly string[], time: number): RpcError {
  const cause = new Error(
    `${describeNestedInputRequest(steps)}. Otherwise a step took longer than ${time} ms; increase requestState.stepTime`,
  );
  return new RpcError(errorCodes.internalError, "The request is deadlocked", { cause });
}

/**
 * Creates the error for a handler with other input requests than in earlier rounds. A client can only begin again; the handler needs a correction.
 */
export function replayMismatch(left: readonly RecordedInputRequest[]): RpcError {
  const keys = left.map(({ key }) => JSON.stringify(key)).join(", ");
  const cause = new Error(
    `The handler did not repeat its previous input requests (${keys}); it runs from the start in every round and ` +
      "must send the same requests each time. Wrap variable values, such as the time, in context.once()",
  );
  return new RpcError(errorCodes.internalError, "The request is not reproducible; send it again without requestState", {
    cause,
  });
}
