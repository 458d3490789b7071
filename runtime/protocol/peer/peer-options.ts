import type { ReportOptions } from "../../jsonrpc/counted-channel.ts";
import type { LossMode } from "../revision/revision-converter.ts";
import type { Limits, Timeouts } from "../../jsonrpc/limits.ts";
import type { MessageMiddleware, MessageSteps } from "./message-middleware.ts";
import type { CreatePendingRequests } from "./request-table.ts";
import type { Telemetry } from "../session/telemetry.ts";
import type { Clock } from "../../internal/timers.ts";
import type { Rate } from "../../jsonrpc/token-bucket.ts";

/** Options of a client or a server. */
export interface PeerOptions extends ReportOptions {
  readonly limits?: Partial<Limits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Rate of the progress reports of one call: its burst, and its reports per second in the long run. Default 100 and 20. */
  readonly progressRate?: Rate;
  /** Records the messages of connections, as `openTelemetry` of the adapter does. Default: nothing is recorded. */
  readonly telemetry?: Telemetry;
  readonly clock?: Clock;
  /** Treatment of values unknown to a peer of an older revision. Default: `convert`. */
  readonly onLoss?: LossMode;
  /** Middleware around the messages of this end. The first one is outermost. Default: none. */
  readonly middleware?: readonly MessageMiddleware[];
}

/** Settings of one end of a connection. */
export interface PeerSettings extends PeerOptions {
  /** True if input outside of any request gets an error response. A client never responds to what a server prints by mistake. */
  readonly reportsStrays: boolean;
  /** Creates the table of outgoing requests. Default: this end sends none. */
  readonly createPendingRequests?: CreatePendingRequests | undefined;
  /** Middleware, composed. */
  readonly steps?: MessageSteps;
}
