import type { Metrics } from "../jsonrpc/metrics.ts";

/** How often the event loop is looked at. */
export interface LoopWatchOptions {
  /** Milliseconds between two looks. Default 20. */
  readonly resolution?: number;
}

/** Watches over the event loop, and never keeps the process alive. */
export interface LoopWatch {
  /** Forgets what was measured, so that the next figures are about what comes now. */
  reset(): void;
  /** Measures no more. */
  stop(): void;
}

/** Measures how late the event loop of this Node process is, for the `loopDelay` of the figures. */
export async function watchLoopDelay(metrics: Metrics, options: LoopWatchOptions = {}): Promise<LoopWatch> {
  const { resolution = 20 } = options;
  const { monitorEventLoopDelay } = await import("node:perf_hooks");
  const histogram = monitorEventLoopDelay({ resolution });
  // Node measures from one look to the next; before the first there is nothing.
  const toDelay = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1_000_000 - resolution) : 0;
  histogram.enable();
  metrics.watchLoop(() => ({
    mean: toDelay(histogram.mean),
    p99: toDelay(histogram.percentile(99)),
    max: toDelay(histogram.max),
  }));
  return {
    reset: () => histogram.reset(),
    stop() {
      histogram.disable();
      metrics.watchLoop(undefined);
    },
  };
}
