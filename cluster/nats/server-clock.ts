import type { NatsLink } from "./nats-link.ts";
import { createToken, type NatsNames } from "./nats-names.ts";

/** Clock of the server, which stamps all messages: clocks of nodes are never compared. */
export class ServerClock {
  readonly #link: NatsLink;
  readonly #names: NatsNames;
  readonly #token: string = createToken();
  /** Difference to the monotonic clock of this process. */
  #offset = 0;

  constructor(link: NatsLink, names: NatsNames) {
    this.#link = link;
    this.#names = names;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** Measures the difference between the clocks, which changes when the clock of the server is set. */
  async adjust(): Promise<void> {
    const subject = this.#names.clock(this.#token);
    const from = performance.now();
    await this.#link.publish(subject, "");
    const to = performance.now();
    const stored = await this.#link.findLast(this.#names.streams.nodes.name, subject);
    if (stored) this.#offset = stored.time - (from + to) / 2;
  }
}
