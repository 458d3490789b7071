import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import type { Asked } from "./input-record.ts";

/** Returns the message for an input request that is sent inside a step of `once`. */
export function askedInside(steps: readonly string[]): string {
  const names = steps.map((step) => JSON.stringify(step)).join(", ");
  return (
    `A question was asked inside context.once(${names}): its answer comes in another round, in which what is done once is not done again. ` +
    "Ask first, then do what is to be done once."
  );
}

/**
 * Creates the error for an input request that waits for a step of `once`, which in turn waits for the response.
 *
 * @param time - milliseconds that the input request has waited
 */
export function stuck(steps: readonly string[], time: number): RpcError {
  const cause = new Error(
    `${askedInside(steps)} If it was asked elsewhere: a question waits ${time} ms for what is done once to end; raise requestState.stepTime.`,
  );
  return new RpcError(errorCodes.internalError, "The call waits for itself", { cause });
}

/** Creates the error for a handler that does not repeat its input requests. A client can only begin again; the handler needs a correction. */
export function astray(left: readonly Asked[]): RpcError {
  const keys = left.map(({ key }) => JSON.stringify(key)).join(", ");
  const cause = new Error(
    `The handler did not ask again what it had asked before (${keys}). It runs from its beginning in every round: ` +
      "up to its last question it must do the same each time. Get what may change, such as the time, with context.once().",
  );
  return new RpcError(errorCodes.internalError, "The call took another way than before: begin again without it", {
    cause,
  });
}
