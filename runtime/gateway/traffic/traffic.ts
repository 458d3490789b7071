import type { Revision } from "../../../generated/support.ts";
import type { ConnectionFactory } from "../../client/connection-factory.ts";
import type { Channel } from "../../jsonrpc/channel.ts";
import type { OnError } from "../../jsonrpc/error-report.ts";
import { toError } from "../../jsonrpc/errors.ts";
import type { Acceptor } from "../../lifecycle/acceptor.ts";
import { TrafficChecker } from "./check-traffic.ts";
import type { ConnectionEntry, OnTraffic, TrafficEntry, TrafficLoss } from "./entry.ts";
import { observeChannel } from "./observe-channel.ts";
import { LossRecorder } from "./record-losses.ts";

/** Options of the observation of a gateway. */
export interface TrafficOptions {
  readonly onTraffic: OnTraffic;
  readonly onError: OnError;
}

/** Observes the messages of a gateway on both sides, as they are on the wire. */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #losses = new LossRecorder();
  readonly #connections = { client: 0, server: 0 };
  #sequence = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Returns the revisions in the form needed by the observed connections. */
  follow(revisions: readonly Revision[]): readonly Revision[] {
    return this.#losses.follow(revisions);
  }

  /** Returns a function to open observed connections to the server. */
  observeServer(open: ConnectionFactory): ConnectionFactory {
    return (options) =>
      open({
        ...options,
        observe: (channel) => this.#observe(channel, "server", new TrafficChecker(options.revisions)),
      });
  }

  /** Returns an acceptor of clients whose connections are observed. */
  observeClients(accept: Acceptor, revisions: readonly Revision[]): Acceptor {
    return (channel, agreement, connect) => {
      const checker = new TrafficChecker(revisions, agreement?.revision);
      return accept(this.#observe(channel, "client", checker), agreement, connect);
    };
  }

  #observe(channel: Channel, side: TrafficEntry["side"], checker: TrafficChecker): Channel {
    this.#connections[side] += 1;
    const connection = `${side}-${this.#connections[side]}`;
    const [out, back] =
      side === "client" ? (["to-client", "to-server"] as const) : (["to-server", "to-client"] as const);
    const emit = (entry: ConnectionEntry, losses?: readonly TrafficLoss[]): void =>
      this.#emit({ ...entry, side, connection, ...(losses && { losses }) });
    return observeChannel(channel, {
      sent: (message) => emit(checker.check(out, message), this.#losses.of(message)),
      received: (value) => emit(checker.check(back, value)),
      unreadable: (problem) => emit(checker.describe(back, problem)),
    });
  }

  #emit(entry: Omit<TrafficEntry, "sequence" | "time">): void {
    this.#sequence += 1;
    const { onTraffic, onError } = this.#options;
    try {
      onTraffic({ sequence: this.#sequence, time: Date.now(), ...entry });
    } catch (thrown) {
      onError({ kind: "callback", error: toError(thrown) });
    }
  }
}
