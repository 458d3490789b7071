import { toError } from "./errors.ts";
import type { RequestId } from "./message.ts";

/** Report of an error, local or on the wire, which is visible nowhere else. */
export interface ErrorReport {
  /**
   * `handler`: a handler failed. `result`: a handler's result does not fit the revision. `callback`: a callback of the user threw. `protocol`: the
   * peer sent something wrong. `ignored`: the peer sent something without a meaning here. `transport`: bytes were lost. `loss`: a value could not be
   * represented for an older peer.
   */
  readonly kind: "handler" | "result" | "callback" | "protocol" | "ignored" | "transport" | "loss";
  readonly error: Error;
  readonly method?: string;
  readonly id?: RequestId;
}

/** Receives errors that would otherwise be lost. Errors it throws are ignored. */
export type OnError = (report: ErrorReport) => void;

/** Creates a function to report errors of a transport. It never throws, so it may end a promise chain. */
export function createFail(onError: OnError | undefined): (thrown: unknown) => undefined {
  return (thrown) => void deliverReport({ kind: "transport", error: toError(thrown) }, { onError });
}

/** Receivers of error reports. */
export interface ReportReceivers {
  readonly onError?: OnError | undefined;
  readonly metrics?: { reported(report: ErrorReport): void } | undefined;
}

/** Passes a report to its receivers. Never throws. */
export function deliverReport(report: ErrorReport, { onError, metrics }: ReportReceivers): void {
  metrics?.reported(report);
  try {
    onError?.(report);
  } catch {
    // The hook is the last resort: there is nothing left to report to.
  }
}
