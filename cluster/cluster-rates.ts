import type { Awaitable } from "../generated/support.ts";
import { attempt } from "../runtime/internal/maybe-async.ts";
import { EngineError } from "../runtime/stores/engine-error.ts";
import { MemoryRateStore, type RateStore } from "../runtime/stores/rate-store.ts";

/**
 * Creates a rate store for the whole cluster. While the engine is lost, each node counts on its own: a limit never blocks.
 *
 * @param shared - store of the engine; without one, each node counts on its own at all times
 */
export function createClusterRates(shared: RateStore | undefined): RateStore {
  const local = new MemoryRateStore();
  if (!shared) return local;
  return {
    take: (key, rate) =>
      fallBackToLocal(
        () => shared.take(key, rate),
        () => local.take(key, rate),
      ),
    check: (key, rate) =>
      fallBackToLocal(
        () => shared.check(key, rate),
        () => local.check(key, rate),
      ),
    record: (key, rate) =>
      fallBackToLocal(
        () => shared.record(key, rate),
        () => local.record(key, rate),
      ),
  };
}

function fallBackToLocal<Value>(count: () => Awaitable<Value>, countHere: () => Value): Awaitable<Value> {
  return attempt(count, (error) => {
    if (error instanceof EngineError) return countHere();
    throw error;
  });
}
