import type { NotificationRow, Progress, RequestRow } from "../../../generated/support.ts";
import type { CallContext, RequestOptions } from "../../protocol/incoming-call.ts";
import { RelayedCall } from "../../protocol/relayed-call.ts";
import type { AskingRounds, RoundContext } from "./rounds.ts";

/** Round that stands between a handler and the client. */
export interface Abandonable extends AskingRounds {
  /** Aborted when the round is abandoned. */
  readonly signal: AbortSignal;
  /** Sends a notification, unless the round is abandoned. */
  notify(send: () => Promise<void>): Promise<void>;
}

/** Call whose handler can be abandoned: its notifications and input requests go through the round. */
export class RoundCall extends RelayedCall implements RoundContext {
  readonly round: Abandonable;

  constructor(call: CallContext, round: Abandonable) {
    super(call);
    this.round = round;
  }

  get signal(): AbortSignal {
    return this.round.signal;
  }

  progress(report: Progress): Promise<void> {
    return this.round.notify(() => this.call.progress(report));
  }

  notify<Params>(row: NotificationRow<Params>, params: Params): Promise<void> {
    return this.round.notify(() => this.call.notify(row, params));
  }

  /** Input requests go through `round.ask`; no other requests can be sent here. */
  request<Params, Result>(row: RequestRow<Params, Result>, params: Params, options?: RequestOptions): Promise<Result> {
    return this.call.request(row, params, options);
  }
}
