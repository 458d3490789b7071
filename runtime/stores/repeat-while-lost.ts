import { pause, type Clock } from "../internal/timers.ts";
import { EngineError } from "./engine-error.ts";

/**
 * Performs an operation of an engine, and repeats it while the engine is lost, for half a minute at most.
 *
 * @throws {EngineError} when the engine is not back by then
 */
export async function repeatWhileLost<T>(
  operate: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await operate();
    } catch (error) {
      if (!(error instanceof EngineError) || count >= mostRepetitions || signal?.aborted) throw error;
    }
    await pause(repetitionDelay, clock, signal);
  }
}

const mostRepetitions = 30;

/** Milliseconds between two attempts to perform an operation. */
const repetitionDelay = 1_000;
