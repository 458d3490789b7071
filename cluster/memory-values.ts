import type { Clock } from "../runtime/internal/timers.ts";
import type { ValueLease } from "../runtime/stores/shared-value-store.ts";

/** Secret texts shared by the nodes of a cluster in memory. */
export class MemorySharedValues {
  readonly #clock: Pick<Clock, "now">;
  readonly #values = new Map<string, { readonly value: string; readonly until: number }>();
  readonly #leases = new Map<string, { readonly holder: string; readonly until: number }>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  get(key: string): string | undefined {
    const found = this.#values.get(key);
    if (!found || found.until > this.#clock.now()) return found?.value;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, value: string, milliseconds: number): void {
    this.#values.set(key, { value, until: this.#clock.now() + milliseconds });
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  lock(key: string, { holder, milliseconds }: ValueLease): boolean {
    const now = this.#clock.now();
    const lease = this.#leases.get(key);
    if (lease && lease.holder !== holder && lease.until > now) return false;
    this.#leases.set(key, { holder, until: now + milliseconds });
    return true;
  }

  unlock(key: string, holder: string): void {
    if (this.#leases.get(key)?.holder === holder) this.#leases.delete(key);
  }
}
