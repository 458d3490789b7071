import { onAbort } from "./abort-signals.ts";
import { SharedPromise } from "./shared-promise.ts";

/**
 * Runs work for every item concurrently and returns the results in the order of the items. The first failure aborts the others, which need not heed
 * it. Each item has a signal of its own: the listeners of one signal do not increase with the items.
 */
export async function runConcurrently<Item, Result>(
  items: readonly Item[],
  { signal, run }: { readonly signal: AbortSignal | undefined; run(item: Item, signal: AbortSignal): Promise<Result> },
): Promise<Result[]> {
  signal?.throwIfAborted();
  const runs = items.map((item) => ({ item, stop: new AbortController() }));
  const abort = (reason: unknown): void => runs.forEach(({ stop }) => stop.abort(reason));
  const leave = signal && onAbort(signal, () => abort(signal.reason));
  const work = runs.map(async ({ item, stop }) => {
    stop.signal.throwIfAborted();
    return new SharedPromise(run(item, stop.signal)).wait(stop.signal);
  });
  try {
    return await Promise.all(work);
  } catch (error) {
    abort(error);
    throw error;
  } finally {
    leave?.();
  }
}
