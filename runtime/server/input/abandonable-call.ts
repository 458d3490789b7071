import type { NotificationRow, Progress, RequestRow } from "../../../generated/support.ts";
import type { RequestOptions } from "../../protocol/peer/incoming-call.ts";
import { RelayedCall } from "../../protocol/peer/relayed-call.ts";
import type { RoundTripInputState, InputContext } from "./input-runner.ts";

/** Input state between a handler and the client. */
export interface AbandonableInputState extends RoundTripInputState {
  /** Aborted when the state is abandoned. */
  readonly signal: AbortSignal;
  /** Sends a notification, unless the state is abandoned. */
  notify(send: () => Promise<void>): Promise<void>;
}

/** Call whose handler can be abandoned: its notifications and input requests go through the input state. */
export abstract class InputCall extends RelayedCall implements InputContext {
  abstract get inputState(): AbandonableInputState;

  get signal(): AbortSignal {
    return this.inputState.signal;
  }

  progress(report: Progress): Promise<void> {
    return this.inputState.notify(() => this.call.progress(report));
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.inputState.notify(() => this.call.notify(row, params));
  }

  /** Input requests go through `round.ask`; no other requests can be sent here. */
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.call.request(row, params, options);
  }
}
