import type { Clock } from "../runtime/internal/timers.ts";
import type { StoredRevocation } from "./stores/revocation-store.ts";

/** Revocations shared by the nodes of a cluster in memory. */
export class MemoryRevocations {
  readonly #clock: Pick<Clock, "now">;
  /** Times of expiry by key, in the milliseconds of the clock. */
  readonly #kept = new Map<string, number>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  add({ key, until }: StoredRevocation): void {
    const expiry = this.#clock.now() + until - Date.now();
    this.#kept.set(key, Math.max(expiry, this.#kept.get(key) ?? expiry));
  }

  list(): readonly StoredRevocation[] {
    const now = this.#clock.now();
    for (const [key, expiry] of this.#kept) if (expiry <= now) this.#kept.delete(key);
    return Array.from(this.#kept, ([key, expiry]) => ({ key, until: Date.now() + expiry - now }));
  }
}
