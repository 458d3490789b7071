import { toError } from "./errors.ts";
import type { RequestId } from "./message.ts";

/** Something that went wrong here or on the wire and that nobody else learns of. */
export interface ErrorReport {
  /**
   * `handler`: a handler failed. `result`: a handler's result does not fit the revision. `callback`: a callback of the user threw.
   * `protocol`: the peer sent something wrong. `ignored`: the peer sent something that has no meaning here. `transport`: bytes were lost. `loss`: an older peer was not told something.
   */
  readonly kind: "handler" | "result" | "callback" | "protocol" | "ignored" | "transport" | "loss";
  readonly error: Error;
  readonly method?: string;
  readonly id?: RequestId;
}

/** Learns what would otherwise be lost. May throw: that is ignored. */
export type OnError = (report: ErrorReport) => void;

/** A function that reports faults of a transport. It never throws, so it may stand at the end of a promise. */
export function createFail(onError: OnError | undefined): (thrown: unknown) => undefined {
  return (thrown) => {
    try {
      onError?.({ kind: "transport", error: toError(thrown) });
    } catch {
      // The hook is the last resort: there is nothing left to report to.
    }
  };
}
