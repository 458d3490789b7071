import { keepAliveComment } from "../../runtime/framing/sse-events.ts";
import { pause, type Clock } from "../../runtime/internal/timers.ts";
import type { CloseOptions, Connection } from "../../runtime/protocol/session/connection.ts";
import type { SessionStream } from "../../runtime/transport/http-server/session/event-stream.ts";
import type { Maintained } from "../../runtime/transport/http-server/session/maintenance.ts";
import { spreadEnd } from "../streams/spread-retry.ts";

/** Dependencies of the connection to a relayed stream. */
export interface RelayedConnectionOptions {
  readonly stream: SessionStream & { readonly finished: Promise<void> };
  readonly clock: Clock;
  /** End of the connection when this node closes. */
  readonly end: RelayEnd;
  /** Milliseconds clients should wait before they reconnect. */
  readonly retry: number;
  /** Extends the lifetime of the session. */
  renew(): void;
}

/**
 * End of a connection when its node closes: at once, or spread over some time if the client was given no time to reconnect; or after the last response,
 * if the client does not reconnect.
 */
export type RelayEnd = "at-once" | "spread" | "after-response";

/** Connection of a client to a stream of another node. It is kept alive like those of this node, and so is its session. */
export class RelayedConnection implements Maintained {
  readonly connection: Pick<Connection, "closed" | "close">;
  readonly #options: RelayedConnectionOptions;

  constructor(options: RelayedConnectionOptions) {
    this.#options = options;
    const closed = options.stream.finished.then(() => undefined);
    this.connection = { closed, close: (closeOptions) => this.#close(closeOptions) };
  }

  keepAlive(): void {
    this.#options.stream.touch(keepAliveComment);
  }

  renew(): void {
    this.#options.renew();
  }

  async #close({ drain = 0 }: CloseOptions = {}): Promise<void> {
    const { stream, clock, end, retry } = this.#options;
    const longest = { "at-once": 0, spread: spreadEnd(retry, drain), "after-response": drain }[end];
    const timeout = new AbortController();
    await Promise.race([stream.finished, pause(longest, clock, timeout.signal).catch(() => {})]);
    timeout.abort();
    stream.release();
    await stream.finished;
  }
}
