import type { NotificationRow, Progress, RequestRow } from "../../../generated/support.ts";
import type { CallContext, RequestOptions } from "../../protocol/incoming-call.ts";
import { RelayedCall } from "../../protocol/relayed-call.ts";
import type { Round } from "./round.ts";
import type { RoundContext } from "./rounds.ts";

/** Call whose handler can be abandoned: its notifications and input requests go through the round. */
export class RoundCall extends RelayedCall implements RoundContext {
  readonly round: Round;

  constructor(call: CallContext, round: Round) {
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
