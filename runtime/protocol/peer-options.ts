import type { Counting } from "../jsonrpc/counted-channel.ts";
import type { LossMode } from "./revision-converter.ts";
import type { Limits, Timeouts } from "../jsonrpc/limits.ts";
import type { CreatePendingRequests } from "./outgoing-requests.ts";
import type { OnError } from "../jsonrpc/error-report.ts";
import type { Clock } from "../internal/timers.ts";
import type { Rate } from "../jsonrpc/token-bucket.ts";

/** Options that both ends have. */
export interface PeerOptions {
  readonly limits?: Partial<Limits>;
  readonly timeouts?: Partial<Timeouts>;
  /** Progress reports of one call: so many at once, and so many a second in the long run. Default 100 and 20. */
  readonly progressRate?: Rate;
  /** Learns what nobody else would: failed handlers, faults of the peer. Default: nobody. */
  readonly onError?: OnError;
  // @part package
  /** Counts what goes on, together with whatever else is given the same. Default: nothing is counted. */
  readonly metrics?: Counting;
  readonly clock?: Clock;
  // @part older
  /** What happens to something that a peer of an older revision cannot be told. Default: `convert`. */
  readonly onLoss?: LossMode;
}

/** How an end behaves. */
export interface PeerSettings extends PeerOptions {
  // @part client
  /** Whether input that belongs to no request is answered; a client never answers what a server prints by mistake. */
  readonly answersNoise: boolean;
  // @part questions, tasks
  /** Sends requests. Default: this end only answers. */
  readonly createPendingRequests?: CreatePendingRequests | undefined;
}
