import { RpcError, errorCodes } from "../../jsonrpc/errors.ts";
import type { Asked } from "./round-record.ts";

/** What is wrong with asking while something is done only once. */
export function askedInside(steps: readonly string[]): string {
  const names = steps.map((step) => JSON.stringify(step)).join(", ");
  return (
    `A question was asked inside context.once(${names}): its answer comes in another round, in which what is done once is not done again. ` +
    "Ask first, then do what is to be done once."
  );
}

/** A question waits for what is done only once, which waits for its answer. */
export function stuck(steps: readonly string[], time: number): RpcError {
  const cause = new Error(
    `${askedInside(steps)} If it was asked elsewhere: a question waits ${time} ms for what is done once to end; raise rounds.stepTime.`,
  );
  return new RpcError(errorCodes.internalError, "The call waits for itself", { cause });
}

/** The client can do nothing about it but begin again; the author of the handler can. */
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
