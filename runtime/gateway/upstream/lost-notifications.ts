import { mayPass } from "../../client/subscriptions/listen.ts";
import { pause, systemClock } from "../../internal/timers.ts";

/** Parts of a connection whose notifications may be lost. */
export interface LostNotificationsHost {
  /** Aborted when the connection has ended. */
  readonly ended: AbortSignal;
  /** Opens the stream of notifications again. Resolves to the reason if that fails. */
  open(): Promise<Error | undefined>;
  /** Called when notifications arrive again. Changes in between were not reported. */
  onRestored(): void;
}

/** Restoration of the notifications of a server that no longer arrive, although the connection itself is still usable. */
export class LostNotifications {
  readonly #host: LostNotificationsHost;
  #losses = 0;
  #isRestoring = false;
  #delay = shortestDelay;
  #restoredAt = -Infinity;

  constructor(host: LostNotificationsHost) {
    this.#host = host;
  }

  /** Opens the stream again until it is open, or the server rejects it, or the connection has ended. */
  restore(): void {
    this.#losses += 1;
    if (this.#isRestoring) return;
    this.#isRestoring = true;
    // A server that ends every stream at once gets no more requests than one that is unreachable.
    if (systemClock.now() - this.#restoredAt >= stableAfter) this.#delay = shortestDelay;
    void this.#restore().finally(() => (this.#isRestoring = false));
  }

  async #restore(): Promise<void> {
    const { ended, open, onRestored } = this.#host;
    for (;;) {
      await pause(this.#delay, undefined, ended).catch(() => {});
      if (ended.aborted) return;
      this.#delay = Math.min(2 * this.#delay, longestDelay);
      const losses = this.#losses;
      const reason = await open();
      if (ended.aborted || (reason && !mayPass(reason))) return;
      // A stream may be lost again before this is known to have succeeded.
      if (reason || losses !== this.#losses) continue;
      this.#restoredAt = systemClock.now();
      return onRestored();
    }
  }
}

/** Milliseconds before the first attempt; the delay doubles up to the longest. */
const shortestDelay = 500;
const longestDelay = 30_000;

/** Milliseconds that a stream must last before the delays start over. */
const stableAfter = 10_000;
