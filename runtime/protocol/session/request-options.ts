import type { CallOptions } from "../../../generated/support.ts";
import type { RequestId } from "../../jsonrpc/message.ts";

/** Options of one call, with limits known to the runtime only. */
export interface RequestOptions extends CallOptions {
  /** Milliseconds for the call in total, regardless of its progress. Default: the connection's. */
  readonly totalTimeout?: number;
  /**
   * Given when the call requests a task. The call is not cancelled by notification then, and progress may follow the response until this is aborted.
   */
  readonly taskEnded?: AbortSignal;
  /** Key of an input request, where it is stored rather than sent. */
  readonly key?: string | undefined;
  /** Called with the id of the request before it is sent, for use in related messages. */
  readonly onId?: (id: RequestId) => void;
  /** Called with the result if it arrives after the call was cancelled or has timed out. Default: such a result is ignored. */
  readonly onLateResult?: (result: unknown) => void;
}

/** No options: the connection's defaults apply. */
export const noOptions: RequestOptions = Object.freeze({});
