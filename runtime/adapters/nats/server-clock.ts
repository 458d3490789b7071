import type { NatsLink } from "./nats-link.ts";
import { createToken, type NatsNames } from "./nats-names.ts";

/** Clock of the server, which stamps all messages: clocks of nodes are never compared. */
export class ServerClock {
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #token: string = createToken();
  /** Difference to the monotonic clock of this process. */
  #offset = 0;
  #measured = -Infinity;

  constructor(link: NatsLink, names: NatsNames) {
    this.#link = link;
    this.#names = names;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** Measures the difference between the clocks again, if the last measurement is old. */
  async adjust(): Promise<void> {
    if (performance.now() - this.#measured < interval) return;
    const subject = this.#names.clock(this.#token);
    const from = performance.now();
    await this.#link.publish(subject, "");
    const to = performance.now();
    const stored = await this.#link.findLast(this.#names.streams.nodes.name, subject);
    if (!stored) return;
    this.#offset = stored.time - (from + to) / 2;
    this.#measured = to;
  }
}

/** Milliseconds between two measurements. */
const interval = 30_000;
