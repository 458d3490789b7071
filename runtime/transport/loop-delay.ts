import type { Metrics } from "../jsonrpc/metrics.ts";

/** Options for the measurement of the event loop. */
export interface LoopWatchOptions {
  /** Milliseconds between two measurements. Default 20. */
  readonly resolution?: number;
}

/** Measurement of the event loop; never keeps the process alive. */
export interface LoopWatch {
  /** Discards the measurements so far. The next figures cover the time from now on. */
  reset(): void;
  /** Stops measuring and removes `loopDelay` from the metrics. */
  stop(): void;
}

/**
 * Measures the delay of the event loop of this Node process, as `loopDelay` of the metrics.
 *
 * @example
 * ```ts
 * import { Metrics } from "mcp-server-runtime";
 * import { watchLoopDelay } from "mcp-server-runtime/protocol";
 *
 * const metrics = new Metrics();
 * await watchLoopDelay(metrics);
 * console.log(metrics.read().loopDelay);
 * ```
 */
export async function watchLoopDelay(metrics: Metrics, options: LoopWatchOptions = {}): Promise<LoopWatch> {
  const { resolution = 20 } = options;
  const { monitorEventLoopDelay } = await import("node:perf_hooks");
  const histogram = monitorEventLoopDelay({ resolution });
  // Node measures from one sample to the next; before the first there is no value.
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
