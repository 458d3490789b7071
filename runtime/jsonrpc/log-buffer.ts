import type { Channel } from "./channel.ts";
import type { Limits } from "./limits.ts";
import { isBatch, type Outgoing } from "./message.ts";

/**
 * Limit on the log messages that wait for a slow reader: 8 MiB, or half of what may wait before the connection is ended, if that is less. Log
 * messages of handlers that do not wait for them then never cost the connection its responses.
 */
export class LogRoom {
  readonly #channel: Channel;
  readonly #limits: Limits;

  constructor(channel: Channel, limits: Limits) {
    this.#channel = channel;
    this.#limits = limits;
  }

  /** True if a message may be sent now: every message except a log message for which there is no room. */
  admits(message: Outgoing): boolean {
    if (isBatch(message) || !("method" in message) || message.method !== "notifications/message") return true;
    const { buffered = 0 } = this.#channel;
    let most = this.#limits.maxBufferedBytes;
    most = this.#channel.maxBuffered ?? most;
    return buffered + JSON.stringify(message).length <= Math.min(mostLogBytes, most / 2);
  }
}

const mostLogBytes = 8 * 1024 * 1024;
