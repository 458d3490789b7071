import { isObject } from "../../generated/support.ts";
import type { Rate } from "../../runtime/jsonrpc/token-bucket.ts";
import { parseLimited } from "../engine/parse-limited.ts";
import { EngineError } from "../../runtime/stores/engine-error.ts";
import type { RateStore } from "../../runtime/stores/rate-store.ts";
import { mostAttempts, type NatsContext } from "./nats-context.ts";
import { NatsRecords } from "./records.ts";

/** Rates on NATS, by the clock of its server. Each key has the time at which its events are compensated. */
export class NatsRates implements RateStore {
  readonly #context: NatsContext;
  readonly #records: NatsRecords;

  constructor(context: NatsContext) {
    this.#context = context;
    this.#records = new NatsRecords(context, context.names.streams.rates);
  }

  take(key: string, rate: Rate): Promise<number> {
    return this.#count(key, rate, ({ wait, after }) => (wait === 0 ? after : undefined));
  }

  check(key: string, rate: Rate): Promise<number> {
    return this.#count(key, rate, () => undefined);
  }

  async record(key: string, rate: Rate): Promise<void> {
    await this.#count(key, rate, ({ after }) => after);
  }

  /** Counts an event, if a function returns the new time. Returns the milliseconds to wait. */
  async #count(key: string, { burst, perSecond }: Rate, toNext: (count: Count) => number | undefined): Promise<number> {
    const { names, ring, clock } = this.#context;
    const subject = names.rate(ring.tags("rate", key)[0]);
    const each = 1_000 / perSecond;
    for (let tries = 0; tries < mostAttempts; tries += 1) {
      const found = await this.#records.find(subject);
      const now = clock.now();
      const after = Math.max(found ? readUntil(found.text) : now, now) + each;
      const late = after - burst * each - now;
      const wait = late > tolerance ? late : 0;
      const next = toNext({ wait, after });
      if (next === undefined) return wait;
      const isCounted =
        (await this.#records.put(subject, JSON.stringify({ until: next }), found?.sequence ?? 0)) !== "conflict";
      if (isCounted) return wait;
    }
    throw new EngineError("The rate is counted by others all the time; try again later");
  }
}

interface Count {
  readonly wait: number;
  readonly after: number;
}

function readUntil(text: string): number {
  const value = parseLimited(text, 100);
  return isObject(value) && typeof value.until === "number" ? value.until : 0;
}

/** Tolerance for sums of fractions at the size of a date, in milliseconds. */
const tolerance = 0.5;
