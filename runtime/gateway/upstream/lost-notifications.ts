import { mayPass } from "../../client/subscriptions/listen.ts";
import { pause } from "../../internal/timers.ts";
import { RetryDelay } from "./retry-delay.ts";

/** Parts of a connection whose notifications may be lost. */
export interface LostNotificationsHost {
  /** Aborted when the connection has ended. */
  readonly ended: AbortSignal;
  /** Opens the stream of notifications again. Resolves to the reason if this fails. */
  open(): Promise<Error | undefined>;
  /** Called when notifications arrive again. Changes in between were not reported. */
  onRestored(): void;
}

/** Restoration of the notifications of a server when they no longer arrive, although the connection itself is still usable. */
export class LostNotifications {
  readonly #host: LostNotificationsHost;
  #losses = 0;
  #isRestoring = false;
  readonly #delay = new RetryDelay();

  constructor(host: LostNotificationsHost) {
    this.#host = host;
  }

  /** Opens the stream again until it is open, or the server rejects it, or the connection has ended. */
  restore(): void {
    this.#losses += 1;
    if (this.#isRestoring) return;
    this.#isRestoring = true;
    this.#delay.lost();
    void this.#restore();
  }

  async #restore(): Promise<void> {
    const { ended, open, onRestored } = this.#host;
    for (;;) {
      await pause(this.#delay.next(), undefined, ended).catch(() => {});
      if (ended.aborted) return;
      const losses = this.#losses;
      const reason = await open();
      if (ended.aborted) return;
      const isRejected = reason !== undefined && !mayPass(reason);
      // A stream may be lost again before this is known to have succeeded.
      if (!isRejected && (reason || losses !== this.#losses)) continue;
      // From here on, a further loss begins another restoration.
      this.#isRestoring = false;
      if (isRejected) return;
      this.#delay.opened();
      return onRestored();
    }
  }
}
