import type { Rate } from "../../runtime/jsonrpc/token-bucket.ts";
import type { RateStore } from "../../runtime/stores/rate-store.ts";
import { toNumber } from "./replies.ts";
import type { StoreContext } from "./store-context.ts";
import { defineScript, type RedisScript } from "./scripts/script.ts";

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

/**
 * Counts an event of a key, by the generic cell rate algorithm. The value is the microsecond at which all events are compensated: at most a day after
 * the one for a burst from now, even if more was recorded before. Returns the microseconds to wait.
 *
 * KEYS[1]: the value. ARGV: microseconds of each event, microseconds of the burst, `take`, `check` or `record`
 */
const countEvent: RedisScript = defineScript(
  "count-event",
  `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local before = tonumber(redis.call('GET', KEYS[1]) or now) or now
before = math.min(math.max(before, now), now + tonumber(ARGV[2]) + 86400000000)
local after = before + tonumber(ARGV[1])
local wait = after - tonumber(ARGV[2]) - now
if ARGV[3] == 'record' or (ARGV[3] == 'take' and wait <= 0) then
  local left = string.format('%d', math.max(1, math.ceil((after - now) / 1000)))
  redis.call('SET', KEYS[1], string.format('%d', after), 'PX', left)
end
return string.format('%d', math.max(0, wait))
`,
);
