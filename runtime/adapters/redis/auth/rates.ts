import type { Rate } from "../../../jsonrpc/token-bucket.ts";
import type { RateStore } from "../../../stores/rate-store.ts";
import { toNumber } from "../replies.ts";
import { countEvent } from "../scripts/rates.ts";
import type { StoreContext } from "../store-context.ts";

/** Rates on Redis, by its clock. */
export class RedisRates implements RateStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  take(key: string, rate: Rate): Promise<number> {
    return this.#count("take", key, rate);
  }

  check(key: string, rate: Rate): Promise<number> {
    return this.#count("check", key, rate);
  }

  async record(key: string, rate: Rate): Promise<void> {
    await this.#count("record", key, rate);
  }

  async #count(use: "take" | "check" | "record", key: string, { burst, perSecond }: Rate): Promise<number> {
    const { commands, names, ring } = this.#context;
    const each = limit(Math.round(1_000_000 / perSecond));
    const args = [String(each), String(limit(Math.round(burst * each))), use];
    const [tag] = ring.tags("rate", key);
    return toNumber(await commands.run(countEvent, [names.rate(tag)], args)) / 1_000;
  }
}

/** Limits a number of microseconds to three years, so that sums of them stay exact. */
function limit(microseconds: number): number {
  return Math.min(microseconds, 1e14);
}
